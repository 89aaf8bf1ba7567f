"""The lengths that lists in requests always have under the default settings: for mutants that rely on them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cache
from random import Random
from typing import Any, TypeAlias

from google.protobuf.message import Message

from fairplay.conformance.zoo.mutant_player import ReceivedCall, Trigger
from fairplay.games.game import Game, find
from fairplay.games.steps import Call, CallKind, Conversation, drive
from fairplay.player.handlers import reply_of

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

    def answer(call: Call) -> Any:
        if call.kind is not CallKind.NOTIFICATION:
            asked.setdefault(call.seat, call.request)
            if len(asked) == count:
                raise _EnoughError
        return reply_of(players[call.seat], call)

    with suppress(_EnoughError, ValueError):  # ValueError: the settings do not fit so many players
        drive(begin_game(game, settings, count), answer)
    return asked.values()


def players_of(game: Game, count: int) -> list[Any]:
    """Return sound players that answer at once."""
    return [game.player(next(iter(game.strategies))) for _ in range(count)]


def begin_game(game: Game, settings: Message, count: int) -> Conversation:
    """Return the conversation of a game that is the same every time."""
    return game.play("usual", settings, [f"p{seat}" for seat in range(count)], Random(count), None)


class _EnoughError(Exception):
    """Raised to end a game in which every player has been asked."""


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
