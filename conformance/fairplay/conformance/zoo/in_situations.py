"""Mutants whose mutation shows only in situations that not every game has."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message

from fairplay.conformance.zoo import case_ids
from fairplay.conformance.zoo.effects import RAISES
from fairplay.conformance.zoo.eliminations import forgiving_settings
from fairplay.conformance.zoo.list_sizes import first_decisions, sizes_vary, with_unusual_size
from fairplay.conformance.zoo.mutant_player import ReceivedCall, Trigger
from fairplay.conformance.zoo.mutants import Mutant
from fairplay.conformance.zoo.triggers import (
    acts_late,
    in_late_seat,
    in_other_seat,
    parts,
    with_other_settings,
    with_players,
    with_unusual_id,
)
from fairplay.games.game import Game


def of_situations(game: Game) -> Iterator[Mutant]:
    """Yield the mutants that fail in some seats, or under some settings."""
    anywhere = ("rules", game.name, *case_ids.POSITIONS, *case_ids.ENDS_OF_GAMES)
    seats = (*anywhere, "memory", case_ids.UNDER_LOAD)  # which also play games in several seats
    usual = game.full_settings(game.settings_type())
    if any(acts_late(request) for count in game.seats for request in first_decisions(game, usual, count)):
        sentence = "Raises an exception in its first decision if others have acted before: not as the first player."
        yield Mutant("raises-in-late-seat", sentence, (case_ids.NO_EXCEPTION,), in_late_seat, RAISES, seats)
    if "seat" in game.turn.request.DESCRIPTOR.fields_by_name:
        sentence = "Raises an exception in its first decision if a request names another seat than 0."
        yield Mutant("raises-in-other-seats", sentence, (case_ids.NO_EXCEPTION,), in_other_seat, RAISES, seats)
    if any(field.name == "players" and field.is_repeated for field in _fields(game)):
        sentence, crowd = "Raises an exception where there are as many players as there may be.", game.seats.stop - 1
        yield Mutant("raises-in-full-house", sentence, (case_ids.NO_EXCEPTION,), with_players(crowd), RAISES, seats)
    yield from _of_settings(game, (*anywhere, case_ids.NO_EXCEPTION))
    sentence = "Raises an exception where the id of a game has no letter, or more than a hundred characters."
    yield Mutant("raises-on-unusual-ids", sentence, (case_ids.UNUSUAL_IDS,), with_unusual_id, RAISES)


def _of_settings(game: Game, anywhere: tuple[str, ...]) -> Iterator[Mutant]:
    cases = (case_ids.UNUSUAL_SETTINGS,)
    if sizes_vary(game.name):
        sentence = "Raises an exception where lists are not as long as they are under the usual settings."
        yield Mutant("raises-at-unusual-sizes", sentence, cases, with_unusual_size(game.name), RAISES, anywhere)
    if names_settings(game):
        sentence, other = "Raises an exception where it is told of other settings.", with_other_settings(game)
        yield Mutant("raises-under-other-settings", sentence, cases, other, RAISES, anywhere)

    if names_settings(game) and (times := _long_times(game)):
        sentence = "Raises an exception in its first decision where a time that is longer by default is below a second."
        yield Mutant("raises-with-little-time", sentence, cases, _with_less_time(game, times), RAISES, anywhere)

    if names_settings(game) and (forgiving := forgiving_settings(game.name)):
        sentence = "Raises an exception in its second decision where a failed call eliminates nobody."
        trigger = in_decision_under(2, forgiving)
        yield Mutant("raises-where-it-is-forgiven", sentence, cases, trigger, RAISES, anywhere)


def in_decision_under(number: int, settings: Sequence[Message]) -> Trigger:
    """Trigger in one decision of each game, counted from 1, in games under one of some settings."""

    def trigger(call: ReceivedCall) -> bool:
        others = any(_agrees(part, each) for part in parts(call.request) for each in settings)
        call.game.notes["other settings"] = call.game.notes.get("other settings") or others
        return call.decision == number and bool(call.game.notes["other settings"])

    return trigger


def _long_times(game: Game) -> Sequence[str]:
    """Return the settings of a game that are times of a second or longer by default."""
    usual: Any = game.full_settings(game.settings_type())
    times = [field.name for field in usual.DESCRIPTOR.fields if _is_time(field)]
    return [name for name in times if getattr(usual, name).seconds]


def _is_time(field: Any) -> bool:
    return field.message_type == Duration.DESCRIPTOR and not field.is_repeated


def _with_less_time(game: Game, times: Sequence[str]) -> Trigger:
    """Trigger in the first decision of a game in which one of these times is shorter than a second."""

    def trigger(call: ReceivedCall) -> bool:
        shown = [part for part in parts(call.request) if isinstance(part, game.settings_type)]
        if any(part.HasField(name) and not getattr(part, name).seconds for part in shown for name in times):
            call.game.notes["little time"] = True
        return call.decision == 1 and "little time" in call.game.notes

    return trigger


def _agrees(part: Message, settings: Message) -> bool:
    """Return whether a part of a request is settings that have at least the values of others."""
    if not isinstance(part, type(settings)):
        return False
    return all(getattr(part, field.name) == value for field, value in settings.ListFields())


def names_settings(game: Game) -> bool:
    """Return whether requests of a game may name its settings."""
    return any(field.message_type == game.settings_type.DESCRIPTOR for field in _fields(game))


def _fields(game: Game) -> Iterator[Any]:
    """Yield all fields of the requests of a game, and of the messages that they can hold."""
    waiting: list[Any] = [method.request.DESCRIPTOR for method in game.methods]
    seen = {message.full_name for message in waiting}
    while waiting:
        for field in waiting.pop().fields:
            yield field
            if field.message_type is not None and field.message_type.full_name not in seen:
                seen.add(field.message_type.full_name)
                waiting.append(field.message_type)
