"""How a player hears that another one has failed: for those that count on everybody's staying."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

from google.protobuf.message import Message

from fairplay.conformance.zoo.moments import parts
from fairplay.conformance.zoo.sizes import Sizes, begun, players_of, reply_of, sizes_in
from fairplay.conformance.zoo.specimen import Ask, When
from fairplay.games.game import Game, find
from fairplay.games.steps import Call, CallKind, drive
from fairplay.v1.misconduct_pb2 import CallError


class Signs(NamedTuple):
    """What is only seen in a game in which a player fails."""

    lists: frozenset[str]
    """The paths of lists that are otherwise always of one length."""
    news: frozenset[str]
    """Methods that are called, and choices that are in requests, only then; empty where there are such lists."""


@cache
def signs(name: str) -> Signs:
    """The signs of a game, from the requests to its first seat."""
    game = find(name)
    (lengths, said), (other_lengths, other_said) = (_heard(game, fails=fails) for fails in (False, True))
    lists = [path for path, seen in lengths.items() if len(seen) == 1 < len(other_lengths.get(path, ()))]
    return Signs(frozenset(lists), frozenset() if lists else frozenset(other_said - said))


def _heard(game: Game, *, fails: bool) -> tuple[dict[str, set[int]], set[str]]:
    """The lengths of lists in decisions and the choices in calls, in a game in which the last player may fail."""
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
        return reply_of(players, call)

    drive(begun(game, game.full_settings(game.settings_type()), count), answer)
    return lengths, said


def _said(method: str, request: Message) -> Iterator[str]:
    """The method, and the choices in a request and in all that it holds."""
    yield method
    for part in parts(request):
        for field, value in part.ListFields():
            if field.enum_type is not None and not field.is_repeated:
                yield f"{method}: {part.DESCRIPTOR.name}.{field.name}={value}"


def with_fewer_players(name: str) -> When:
    """In calls that say that a player has failed, by a shorter list than at first or otherwise."""

    def when(ask: Ask) -> bool:
        if not signs(name).news.isdisjoint(_said(ask.method.name, ask.request)):
            return True
        if not ask.decision:
            return False
        sizes = {path: size for path, size in sizes_in(ask.request) if path in signs(name).lists}
        at_first: Sizes = ask.course.notes.setdefault("players", sizes)
        return any(size < at_first.get(path, 0) for path, size in sizes.items())

    return when
