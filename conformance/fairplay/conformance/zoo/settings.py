"""Mutants that fail in some seats or situations, or under other settings than the usual ones."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, TypeAlias

from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message

from fairplay.conformance import case_ids
from fairplay.conformance.games.positions import allows_large_scores
from fairplay.conformance.zoo.departures import forgiving_settings
from fairplay.conformance.zoo.mutants import RAISES, SAYS_NOTHING, Effect, Mutant, Symptom, late, repeats
from fairplay.conformance.zoo.player import GameMemory, MutantPlayer, ReceivedCall, Trigger
from fairplay.conformance.zoo.triggers import (
    acts_late,
    first_decisions,
    from_decision,
    having,
    in_decision,
    in_late_seat,
    in_later_seats,
    in_other_seat,
    in_resumed_game,
    parts,
    sizes_in,
    sizes_vary,
    usual_sizes,
    with_dash,
    with_other_settings,
    with_players,
    with_unknown_fields,
    with_unusual_id,
    with_unusual_size,
)
from fairplay.games.conformance import find_conformance
from fairplay.games.game import Game

MANY_DECISIONS = 60
GROWTHS, MOST_SLOW = (0.003, 0.006), 1 / 12
LATER = 7
RARE = 100
MOST_IN_8_BITS = 2**8 - 1
MOST_IN_32_BITS = 2**32 - 1
TOO_LATE = late(lambda environment: environment.first_decision_s)


def _slowing(game: Game) -> Iterator[Mutant]:
    """Yield the mutants that get slower, or print more, with each decision of a game."""
    for share in GROWTHS:

        def wait(player: MutantPlayer, call: ReceivedCall, share: float = share) -> None:
            limit_s = player.environment.decision_s
            player.wait(min(share * (call.decision - MANY_DECISIONS), MOST_SLOW) * limit_s)

        yield Mutant(
            f"slows-down-by-{round(1000 * share)}-thousandths",
            f"Takes {100 * share:g} % of its limit more for each decision of a game after the sixtieth.",
            (case_ids.SLOWS_DOWN,),
            from_decision(MANY_DECISIONS + 1),
            Effect(wait, frozenset({Symptom.NOTHING})),
        )


def of_settings(game: Game) -> Iterator[Mutant]:
    """Yield the mutants that fail in unusual games of a game, and in some of all states."""
    anywhere = ("rules", "exceptions", game.name, case_ids.UNKNOWN_ENUMS, *case_ids.FROM_THE_MIDDLE)
    unusual = with_unusual_size(game.name) if sizes_vary(game.name) else with_other_settings(game)
    sentence, cases = (
        "Is too late with its seventh decision of a game under settings that it does not know.",
        (case_ids.LATE,),
    )
    related = ("time", case_ids.SLOWS_DOWN, *anywhere)
    yield Mutant(
        "is-late-under-unusual-settings",
        sentence,
        cases,
        in_seventh_after(unusual),
        TOO_LATE,
        related,
        case_ids.EVERY_ANSWER,  # where it has been too late too often to be asked on
    )
    if find_conformance(game.name).long_games:
        yield from _slowing(game)
        sentence, cases = "Raises an exception in its sixtieth decision of a game.", (case_ids.LONG_GAME,)
        yield Mutant("raises-in-sixtieth-decision", sentence, cases, in_decision(MANY_DECISIONS), RAISES, anywhere)
    if "revision" in game.state_type.DESCRIPTOR.fields_by_name:
        sentence, cases = "Raises an exception where a revision needs more than 32 bits.", (case_ids.LARGE_NUMBERS,)
        yield Mutant(
            "keeps-revisions-in-32-bits", sentence, cases, in_large("revision", MOST_IN_32_BITS), RAISES, anywhere
        )
    if allows_large_scores(game.name):
        sentence, cases = "Raises an exception where a score needs more than 8 bits.", (case_ids.LARGE_NUMBERS,)
        trigger = in_large("score", MOST_IN_8_BITS)
        yield Mutant("keeps-scores-in-8-bits", sentence, cases, trigger, RAISES, anywhere)
    for name, does, case_id, effect in zip(
        ("fails", "raises", "is-late"),
        ("Answers with an empty message", "Raises an exception", "Is too late"),
        case_ids.POSITIONS,
        (SAYS_NOTHING, RAISES, TOO_LATE),
        strict=True,
    ):
        yield Mutant(f"{name}-in-rare-states", f"{does} in one state of a hundred.", (case_id,), rarely, effect, ("*",))


def in_seventh_after(trigger: Trigger) -> Trigger:
    """Trigger in the seventh decision of a game if another trigger does in the first one, or before."""

    def notes(call: ReceivedCall) -> bool:
        if call.decision <= 1 and trigger(call):
            call.game.notes["unusual"] = True
        return call.decision == LATER and "unusual" in call.game.notes

    return notes


def in_large(name: str, most: int) -> Trigger:
    """Trigger in decisions whose request has a larger number in a field of this name."""
    return lambda call: call.decision > 0 and any(getattr(part, name) > most for part in having(call.request, name))


def rarely(call: ReceivedCall) -> bool:
    """Trigger in decisions in one state of a hundred, the same ones in every game."""
    if not call.decision:
        return False
    request = type(call.request)()
    request.CopyFrom(call.request)
    request.ClearField("game_id")
    digest = hashlib.sha256(request.SerializeToString(deterministic=True)).digest()
    return int.from_bytes(digest[:4]) % RARE == 0


def of_situations(game: Game) -> Iterator[Mutant]:
    """Yield the mutants that fail in some seats, or under some settings."""
    anywhere = ("rules", game.name, *case_ids.FROM_THE_MIDDLE, *case_ids.ENDS_OF_GAMES)
    seats = (
        *anywhere,
        "memory",
        *case_ids.SIDE_BY_SIDE,
        *case_ids.UNUSUAL_CALLS,
    )  # which also play games in several seats
    usual = game.full_settings(game.settings_type())
    if any(acts_late(request) for count in game.seats for request in first_decisions(game, usual, count)):
        sentence = "Raises an exception in its first decision if others have acted before: not as the first player."
        yield Mutant("raises-in-late-seat", sentence, (case_ids.NO_EXCEPTION,), in_late_seat, RAISES, seats)
    sentence = "Raises an exception in its first decision where more has happened before than in any fresh game."
    resumed = in_resumed_game(game)
    yield Mutant(
        "raises-in-resumed-games",
        sentence,
        (case_ids.RESUMED_GAMES,),
        resumed,
        RAISES,
        (*seats, "exceptions", case_ids.LONG_SILENCE),
    )
    if "seat" in game.turn.request.DESCRIPTOR.fields_by_name:
        sentence = "Raises an exception in its first decision if a request names another seat than 0."
        yield Mutant("raises-in-other-seats", sentence, (case_ids.NO_EXCEPTION,), in_other_seat, RAISES, seats)
    if any(field.name == "players" and field.is_repeated for field in _fields(game)):
        sentence, crowd = "Raises an exception where there are as many players as there may be.", game.seats.stop - 1
        yield Mutant("raises-in-full-house", sentence, (case_ids.NO_EXCEPTION,), with_players(crowd), RAISES, seats)
    shown = (*anywhere, case_ids.NO_EXCEPTION, case_ids.SLOWS_DOWN, case_ids.UNKNOWN_ENUMS)
    yield from _of_unusual_settings(game, shown)
    sentence = "Raises an exception where the id of a game has no letter, or more than a hundred characters."
    yield Mutant("raises-on-unusual-ids", sentence, (case_ids.UNUSUAL_IDS,), with_unusual_id, RAISES)
    sentence = "Raises an exception in decisions of other seats than the first where the id of a game begins with '-'."
    yield Mutant("takes-ids-for-options", sentence, (case_ids.UNUSUAL_IDS,), in_later_seats(with_dash), RAISES)
    sentence = "Raises an exception in decisions of other seats than the first where it does not know all fields."
    strict = in_later_seats(with_unknown_fields)
    yield Mutant("reads-later-seats-strictly", sentence, (case_ids.UNKNOWN_FIELDS,), strict, RAISES)


def _of_unusual_settings(game: Game, anywhere: tuple[str, ...]) -> Iterator[Mutant]:
    cases = (case_ids.SETTINGS_RAISE,)
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
    fields = [each for each in usual.DESCRIPTOR.fields if each.message_type == Duration.DESCRIPTOR]
    return [each.name for each in fields if not each.is_repeated and getattr(usual, each.name).seconds]


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


Find: TypeAlias = Callable[[ReceivedCall], GameMemory | None]
"""Returns the game whose sizes a player takes for those of the game that it is asked about, or None."""
Read: TypeAlias = Callable[[ReceivedCall], object]
"""Returns what a player keeps of a game, as far as a call says it; None: nothing."""

BESIDE = (case_ids.OTHER_SETTINGS,)
LATE = 60
"""From this revision on a game has gone on for some time."""
ANYWHERE = ("rules", "exceptions", "memory", "time", *case_ids.UNUSUAL_CALLS)
"""Cases in which games under several settings are played, or in several states."""


def of_other_settings(game: Game) -> Iterator[Mutant]:
    """Yield the mutants that rely on lengths of lists which settings change, or on settings that requests name."""
    if sizes_vary(game.name):
        sizes = partial(_sizes, set(usual_sizes(game.name)))
        sentence = "Answers as in its first game where lists have other lengths than there."
        yield _mutant(game, "keeps-the-first-sizes", sentence, sizes, _first_game)
        sentence = "Answers as in the game that began last where lists have other lengths than there."
        yield _mutant(game, "keeps-the-last-sizes", sentence, sizes, _last_game)
    if names_settings(game):
        settings = partial(_settings, game)
        sentence = "Answers as in its first game where it was told of other settings than there."
        yield _mutant(game, "keeps-the-first-settings", sentence, settings, _first_game)
        sentence = "Answers as in the game that began last where it was told of other settings than there."
        yield _mutant(game, "keeps-the-last-settings", sentence, settings, _last_game)
        sentence = f"Raises an exception from revision {LATE} on where the game that began last has other settings."
        trigger = _late_beside_others(settings)
        yield Mutant("keeps-the-last-settings-late", sentence, BESIDE, trigger, RAISES, (*ANYWHERE, game.name))
    unusual = with_unusual_size(game.name) if sizes_vary(game.name) else with_other_settings(game)
    sentence, after = "Raises an exception under the usual settings after a game under others.", _after_one_of(unusual)
    yield Mutant("raises-after-other-settings", sentence, BESIDE, after, RAISES, (*ANYWHERE, "endings", game.name))


def _after_one_of(unusual: Trigger) -> Trigger:
    """Trigger in the first decision of a game in which another trigger does not, if it did in a game before."""

    def trigger(call: ReceivedCall) -> bool:
        call.game.notes["unusual"] = call.game.notes.get("unusual") or unusual(call)
        if call.decision != 1 or call.game.notes["unusual"]:
            return False
        return any(each.notes.get("unusual") for each in call.memory.games.values() if each is not call.game)

    return trigger


def _late_beside_others(settings: Read) -> Trigger:
    """Trigger in decisions of late states, if the game that began last has other settings."""

    def trigger(call: ReceivedCall) -> bool:
        call.game.notes["read"] = call.game.notes.get("read") or settings(call)
        last = _last_game(call)
        is_late = call.decision > 0 and call.request.state.revision >= LATE
        return is_late and last is not None and last.notes.get("read") not in (None, call.game.notes["read"])

    return trigger


def _sizes(paths: set[str], call: ReceivedCall) -> object:
    """Return the lengths of lists in the first decision of a game; None in other calls."""
    return {path: size for path, size in sizes_in(call.request) if path in paths} if call.decision == 1 else None


def _settings(game: Game, call: ReceivedCall) -> object:
    """Return the settings that a request names, if it does."""
    return next(
        (game.full_settings(each) for each in parts(call.request) if isinstance(each, game.settings_type)), None
    )


def _mutant(game: Game, name: str, sentence: str, read: Read, choose: Find) -> Mutant:
    """Return the mutant that answers as in another game if that game is not like this one in what was read."""

    def trigger(call: ReceivedCall) -> bool:
        call.game.notes["read"] = call.game.notes.get("read") or read(call)
        other = choose(call)
        known = None if other is None else other.notes.get("read")
        return call.decision > 0 and known is not None and known != call.game.notes["read"]

    return Mutant(name, sentence, BESIDE, trigger, repeats(choose), (*ANYWHERE, game.name), case_ids.MANY_AT_ONCE)


def _first_game(call: ReceivedCall) -> GameMemory | None:
    return next((each for each in call.memory.games.values() if each.number == 1), None)


def _last_game(call: ReceivedCall) -> GameMemory | None:
    return max(call.memory.games.values(), key=lambda each: each.number, default=None)
