"""How a player notices that another one was eliminated: for mutants that fail then."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

from google.protobuf.message import Message

from fairplay.conformance.zoo.list_sizes import Sizes, begin_game, players_of, sizes_in
from fairplay.conformance.zoo.mutant_player import ReceivedCall, Trigger
from fairplay.conformance.zoo.triggers import parts
from fairplay.games.game import Game, find
from fairplay.games.steps import Call, CallKind, drive
from fairplay.player.handlers import reply_of
from fairplay.v1.misconduct_pb2 import CallError


class Signs(NamedTuple):
    """What a player sees only in a game in which another one fails."""

    lists: frozenset[str]
    """The paths of lists whose length changes only then."""
    news: frozenset[str]
    """Methods that are called, and enum values that are in requests, only then; empty if there are such lists."""


@cache
def signs(name: str) -> Signs:
    """Return the signs of a game, found in the requests to its first seat."""
    game = find(name)
    (lengths, said), (other_lengths, other_said) = (_observe(game, fails=fails) for fails in (False, True))
    lists = [path for path, seen in lengths.items() if len(seen) == 1 < len(other_lengths.get(path, ()))]
    return Signs(frozenset(lists), frozenset() if lists else frozenset(other_said - said))


def _observe(game: Game, *, fails: bool) -> tuple[dict[str, set[int]], set[str]]:
    """Play a game in which the last player may fail; return the lengths of lists in decisions and what calls say."""
    count, decisions = game.seats.stop - 1, Counter[int]()
    lengths, said = defaultdict[str, set[int]](set), set[str]()
    players = players_of(game, count)

    def answer(call: Call) -> Any:
        decisions[call.seat] += call.kind is not CallKind.NOTIFICATION
        if fails and call.seat == count - 1 and decisions[call.seat] > 1:
            return CallError()
        if call.seat == 0:
            said.update(_said(call.method.name, call.request))
            for path, size in sizes_in(call.request) if call.kind is not CallKind.NOTIFICATION else ():
                lengths[path].add(size)
        return reply_of(players[call.seat], call)

    drive(begin_game(game, game.full_settings(game.settings_type()), count), answer)
    return lengths, said


def _said(method: str, request: Message) -> Iterator[str]:
    """Yield the method, and each enum value in a request and in the messages that it holds."""
    yield method
    for part in parts(request):
        for field, value in part.ListFields():
            if field.enum_type is not None and not field.is_repeated:
                yield f"{method}: {part.DESCRIPTOR.name}.{field.name}={value}"


def with_fewer_players(name: str) -> Trigger:
    """Trigger in calls that show that a player has failed, e.g. by a shorter list than in the first decision."""

    def trigger(call: ReceivedCall) -> bool:
        if not signs(name).news.isdisjoint(_said(call.method.name, call.request)):
            return True
        if not call.decision:
            return False
        sizes = {path: size for path, size in sizes_in(call.request) if path in signs(name).lists}
        at_first: Sizes = call.game.notes.setdefault("players", sizes)
        return any(size < at_first.get(path, 0) for path, size in sizes.items())

    return trigger
