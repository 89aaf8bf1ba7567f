"""Where mutations show: functions that say of each call whether its answer is to be a wrong one."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import cache
from itertools import pairwise
from random import Random
from typing import Any, TypeAlias

from google.protobuf.message import Message
from google.protobuf.unknown_fields import UnknownFieldSet

from fairplay.conformance.games.endings import Ending, parse_ending
from fairplay.conformance.zoo.player import ReceivedCall, Trigger
from fairplay.games.game import Game, find
from fairplay.games.machine import GameMachine
from fairplay.games.steps import CallKind, Conversation, calls_in
from fairplay.player.handlers import reply_of

LATE_SEAT_REVISION = 3
"""By then the first player of any game has made its first decision, and in most games the second one too."""


def never(_: ReceivedCall) -> bool:
    """Trigger never: the mutation is in what the player lacks, or in how its program behaves."""
    return False


def always(_: ReceivedCall) -> bool:
    """Trigger in every call."""
    return True


def in_method(name: str) -> Trigger:
    """Trigger in every call of a method."""
    return lambda call: call.method.name == name


def at_request(condition: Callable[[Any], bool]) -> Trigger:
    """Trigger in every call whose request fulfils a condition."""
    return lambda call: condition(call.request)


def second_call(name: str) -> Trigger:
    """Trigger in the second call of a method in a game; for methods without a game: in the second call ever."""
    return lambda call: call.method.name == name and call.number == 2


def in_decision(number: int) -> Trigger:
    """Trigger in one decision of each game, counted from 1."""
    return lambda call: call.decision == number


def from_decision(number: int) -> Trigger:
    """Trigger in this decision of a game, counted from 1, and in all later ones."""
    return lambda call: call.decision >= number


def in_game(number: int) -> Trigger:
    """Trigger in the first decision of one game, counted from 1."""
    return lambda call: call.game.number == number and call.decision == 1


def with_fields(name: str, **values: object) -> Trigger:
    """Trigger in calls of a method whose request has these values."""
    return lambda call: call.method.name == name and all(getattr(call.request, key) == values[key] for key in values)


def at_ending(ending: Ending) -> Trigger:
    """Trigger in calls that tell this end of a game."""
    return lambda call: parse_ending(call.request) is ending


def at_repeated_ending(ending: Ending) -> Trigger:
    """Trigger in calls that tell this end, but not in the first of them."""

    def trigger(call: ReceivedCall) -> bool:
        if parse_ending(call.request) is not ending:
            return False
        call.memory.call_counts[ending] += 1
        return call.memory.call_counts[ending] > 1

    return trigger


def after_end(ending: Ending) -> Trigger:
    """Trigger in the first decision of games after one with this end."""

    def trigger(call: ReceivedCall) -> bool:
        call.memory.call_counts[ending] += parse_ending(call.request) is ending
        return call.decision == 1 and call.memory.call_counts[ending] > 0

    return trigger


def in_later_games(call: ReceivedCall) -> bool:
    """Trigger in all decisions of every game but the first."""
    return call.game.number > 1 and call.decision > 0


def between_games(count: int) -> Trigger:
    """Trigger in later decisions of a game if the player was called in so many other games in between."""
    return lambda call: call.decision > 1 and call.other_game_count >= count


def after_unfinished(count: int) -> Trigger:
    """Trigger in the first decision of a game if so many games before ended after at most one decision."""

    def trigger(call: ReceivedCall) -> bool:
        before = [each for each in call.memory.games.values() if each.number and each.last_tick < call.game.first_tick]
        return call.decision == 1 and sum(each.decision_count <= 1 for each in before) >= count

    return trigger


def beside_one_decision(call: ReceivedCall) -> bool:
    """Trigger in the first decision of a game while another one has had one decision, and no second one yet."""
    others = (each for each in call.memory.games.values() if each.number and each is not call.game)
    return call.decision == 1 and any(each.decision_count == 1 for each in others)


def after_early_end(decisions: int) -> Trigger:
    """Trigger in the second decision of a game if the game before it ended after at most so many decisions."""

    def trigger(call: ReceivedCall) -> bool:
        before = call.previous_game
        if before is None or call.decision != 2:
            return False
        return before.last_tick < call.game.first_tick and before.decision_count <= decisions

    return trigger


def after_repetition(call: ReceivedCall) -> bool:
    """Trigger in all decisions after one for which the player was asked twice."""
    return call.memory.repeated and call.decision > 0


def after_silence(seconds: float) -> Trigger:
    """Trigger in all decisions of a game once it has had no call for so many seconds."""

    def trigger(call: ReceivedCall) -> bool:
        notes, now = call.game.notes, time.monotonic()
        notes["forgotten"] = notes.get("forgotten") or now - notes.get("called at", now) > seconds
        notes["called at"] = now
        return call.decision > 0 and bool(notes["forgotten"])

    return trigger


def right_after_silence(seconds: float, *, decides: bool, first: int = 0) -> Trigger:
    """Trigger in calls of games that had no call for so many seconds before: decisions, or those that only tell.

    `first` is the number of the first decision that may be concerned, from 1.
    """

    def trigger(call: ReceivedCall) -> bool:
        before, call.game.notes["told at"] = call.game.notes.get("told at"), time.monotonic()
        is_late = before is not None and call.game.notes["told at"] - before > seconds
        return is_late and bool(call.decision) == decides and call.decision >= first

    return trigger


def after_gaps(number: int, seconds: float) -> Trigger:
    """Trigger in decisions of a game once so many calls in a row have each come so many seconds after the last one."""

    def trigger(call: ReceivedCall) -> bool:
        times = [*call.game.notes.get("times", ()), time.monotonic()][-1 - number :]
        call.game.notes["times"] = times
        gaps = [after - before for before, after in pairwise(times)]
        return call.decision > 0 and len(gaps) == number and min(gaps) > seconds

    return trigger


def when_old(seconds: float) -> Trigger:
    """Trigger in decisions once the player was first called so many seconds ago."""

    def trigger(call: ReceivedCall) -> bool:
        now = time.monotonic()
        return now - call.memory.notes.setdefault("first call", now) > seconds and call.decision > 0

    return trigger


def asked_again(call: ReceivedCall) -> bool:
    """Trigger in a decision for which the player was asked just before in the same game."""
    if not call.decision:
        return False
    asked = call.request.SerializeToString(deterministic=True)
    before, call.game.notes["asked"] = call.game.notes.get("asked"), asked
    return bool(before == asked)


def told_again(call: ReceivedCall) -> bool:
    """Trigger in a call that asks for nothing if the last one of its method in the game had the same request."""
    if call.decision:
        return False
    told = call.request.SerializeToString(deterministic=True)
    before = call.game.notes.get(f"told in {call.method.name}")
    call.game.notes[f"told in {call.method.name}"] = told
    return bool(call.game.number and before == told)


def back_in_time(call: ReceivedCall) -> bool:
    """Trigger in decisions about a state that is older than one of the same game that the player has seen."""
    if not call.decision:
        return False
    revision = max((part.revision for part in having(call.request, "revision")), default=0)
    latest, call.game.notes["latest"] = call.game.notes.get("latest", 0), revision
    return bool(revision < latest)


def asked_in_another_game(call: ReceivedCall) -> bool:
    """Trigger in decisions that the player was asked for in another game, too: same state, same seat, other game."""
    if not call.decision:
        return False
    request = type(call.request)()
    request.CopyFrom(call.request)
    request.ClearField("game_id")
    asked = request.SerializeToString(deterministic=True)
    call.game.notes.setdefault("asked decisions", set()).add(asked)
    others = (each for each in call.memory.games.values() if each is not call.game)
    return any(asked in each.notes.get("asked decisions", ()) for each in others)


def in_late_seat(call: ReceivedCall) -> bool:
    """Trigger in the first decision if other players have acted before."""
    return call.decision == 1 and acts_late(call.request)


def acts_late(request: Message) -> bool:
    """Return whether the state in a request has changed a few times before."""
    return any(part.revision >= LATE_SEAT_REVISION for part in having(request, "revision"))


def in_resumed_game(game: Game) -> Trigger:
    """Trigger in the first decision of a game if the state has changed more often than in any that begins afresh."""
    settings = game.full_settings(game.settings_type())
    fresh = (request for count in game.seats for request in first_decisions(game, settings, count))
    most = max((part.revision for request in fresh for part in having(request, "revision")), default=0)
    return lambda call: call.decision == 1 and any(part.revision > most for part in having(call.request, "revision"))


def in_other_seat(call: ReceivedCall) -> bool:
    """Trigger in the first decision of a game if the request names another seat than 0."""
    return call.decision == 1 and call.request.seat != 0


def with_players(count: int) -> Trigger:
    """Trigger in the first decision if a request lists at least so many players."""

    def trigger(call: ReceivedCall) -> bool:
        return call.decision == 1 and any(len(part.players) >= count for part in having(call.request, "players"))

    return trigger


def with_unknown_fields(call: ReceivedCall) -> bool:
    """Trigger in requests with fields that this revision of the contract does not know."""
    return any(len(UnknownFieldSet(part)) for part in parts(call.request))


def with_the_next_field(call: ReceivedCall) -> bool:
    """Trigger in requests with a message that has a field it does not know, whose number is the next one."""
    for part in parts(call.request):
        unknown, following = UnknownFieldSet(part), max(part.DESCRIPTOR.fields_by_number, default=0) + 1
        if any(unknown[place].field_number == following for place in range(len(unknown))):
            return True
    return False


USUAL_ID = re.compile(r"(?:[0-9a-f]{32}|[a-z]+-[0-9a-f]{12}-[0-9a-f]{8})/r[0-9]+g[0-9]+")


def in_usual_game(number: int) -> Trigger:
    """Trigger in the first decision of one game, counted from 1, if ids of all so far are as tournaments have them."""

    def trigger(call: ReceivedCall) -> bool:
        ids = filter(None, call.memory.games)
        return in_game(number)(call) and all(map(USUAL_ID.fullmatch, ids))

    return trigger


def with_unusual_id(call: ReceivedCall) -> bool:
    """Trigger in requests with a game_id that has no letter, or more than a hundred characters."""
    game_id = getattr(call.request, "game_id", "")
    return bool(game_id) and (len(game_id) > 100 or not any(map(str.isalpha, game_id)))


def with_dash(call: ReceivedCall) -> bool:
    """Trigger in requests of games whose id begins with a dash."""
    return getattr(call.request, "game_id", "").startswith("-")


def in_later_seats(trigger: Trigger) -> Trigger:
    """Return a trigger that triggers in decisions only of which the request names another seat than 0."""
    return lambda call: call.decision > 0 and call.request.seat != 0 and trigger(call)


def with_other_settings(game: Game) -> Trigger:
    """Trigger in requests with settings of the game that are not the default ones."""
    usual = game.full_settings(game.settings_type())
    return lambda call: any(
        isinstance(part, game.settings_type) and game.full_settings(part) != usual for part in parts(call.request)
    )


def with_settings(game: Game, settings: Message) -> Trigger:
    """Trigger in the decisions of games that were begun with these settings."""
    due = game.full_settings(settings)

    def trigger(call: ReceivedCall) -> bool:
        found = [part for part in parts(call.request) if isinstance(part, game.settings_type)]
        if found:
            call.game.notes["has the settings"] = due in map(game.full_settings, found)
        return bool(call.decision and call.game.notes.get("has the settings"))

    return trigger


def parts(message: Message) -> Iterator[Any]:
    """Yield a message and all messages that it holds."""
    yield message
    for field, value in message.ListFields():
        if field.message_type is not None and not field.message_type.GetOptions().map_entry:
            for part in value if field.is_repeated else [value]:
                yield from parts(part)


def having(message: Message, name: str) -> Iterator[Any]:
    """Yield a message and all messages that it holds, as far as they have a field of a name."""
    return (part for part in parts(message) if name in part.DESCRIPTOR.fields_by_name)


Sizes: TypeAlias = dict[str, int]
"""The path of a repeated field -> its length."""


@cache
def usual_sizes(name: str) -> Sizes:
    """Return the lengths of the lists that are equally long in the first decisions of all players in all seats."""
    game = find(name)
    settings = game.full_settings(game.settings_type())
    requests = (request for count in game.seats for request in first_decisions(game, settings, count))
    seen = [dict(sizes_in(request)) for request in requests]
    return {path: size for path, size in seen[0].items() if size and all(each.get(path) == size for each in seen)}


@cache
def sizes_vary(name: str) -> bool:
    """Return whether changing one setting changes some of these lengths."""
    game, usual = find(name), usual_sizes(name)
    return any(
        sizes.get(path) != size
        for settings in _other_settings(game)
        for request in first_decisions(game, settings, game.seats.start)
        for sizes in [dict(sizes_in(request))]
        for path, size in usual.items()
    )


def _other_settings(game: Game) -> Iterator[Message]:
    """Yield the default settings with one number a little larger or smaller."""
    default = game.full_settings(game.settings_type())
    for field in default.DESCRIPTOR.fields:
        value = getattr(default, field.name)
        for other in (value + 1, value - 1) if type(value) is int and field.enum_type is None and value > 1 else ():
            changed = type(default)()
            changed.CopyFrom(default)
            setattr(changed, field.name, other)
            with suppress(ValueError):  # not allowed, or not together with the rest
                yield game.full_settings(changed)


def first_decisions(game: Game, settings: Message, count: int) -> Iterable[Message]:
    """Return the requests of the first decision of each player, or none if the settings do not fit the number."""
    asked: dict[int, Message] = {}
    players = players_of(game, count)
    with suppress(ValueError):  # the settings do not fit so many players
        machine = GameMachine(begin_game(game, settings, count))
        for step in machine.play(lambda call: reply_of(players[call.seat], call)):
            for call in calls_in(step):
                if call.kind is not CallKind.NOTIFICATION:
                    asked.setdefault(call.seat, call.request)
            if len(asked) == count:
                break
    return asked.values()


def players_of(game: Game, count: int) -> list[Any]:
    """Return sound players that answer at once."""
    return [game.player(next(iter(game.strategies))) for _ in range(count)]


def begin_game(game: Game, settings: Message, count: int) -> Conversation:
    """Return the conversation of a game that is the same every time."""
    return game.play("usual", settings, [f"p{seat}" for seat in range(count)], Random(count), None)


def sizes_in(message: Message, path: str = "") -> Iterator[tuple[str, int]]:
    """Yield the path and length of each list in a message, and in the first message of each list of messages."""
    for field in message.DESCRIPTOR.fields:
        here, value = f"{path}.{field.name}", getattr(message, field.name)
        if field.is_repeated:
            yield here, len(value)
            if field.message_type is not None and len(value):
                yield from sizes_in(value[0], here)
        elif field.message_type is not None and message.HasField(field.name):
            yield from sizes_in(value, here)


def with_unusual_size(name: str) -> Trigger:
    """Trigger in the first decision of a game if a list has another length than under the default settings."""

    def trigger(call: ReceivedCall) -> bool:
        if call.decision != 1:
            return False
        sizes = dict(sizes_in(call.request))
        return any(sizes.get(path) != size for path, size in usual_sizes(name).items())

    return trigger
