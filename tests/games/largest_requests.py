"""Ask a reference player about extreme numbers: python -m tests.games.largest_requests GAME STEP STRATEGY...

Tries one of STEP requests, and prints how many were tried. Ends with an error at the first one that takes too much
memory or time.
"""

from __future__ import annotations

import resource
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from itertools import islice
from random import Random
from typing import Any, TypeAlias

import psutil
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from fairplay.games.conformance import Situation, find_conformance
from fairplay.games.game import Game, find
from fairplay.games.machine import drive
from fairplay.games.steps import Call, CallKind, Method
from fairplay.player.handlers import Handlers

ROOM_BYTES = 256 * 2**20
LIMIT_S = 10.0
"""Processor time for one answer, far more than any needs."""
TURNS = 3

Change: TypeAlias = Callable[[Message], None]
"""Changes one number of a whole request."""
Reach: TypeAlias = Callable[[Message], Any]
"""Finds a part of a whole request."""

_SIGNED_32 = (-(2**31), -1, 0, 2**31 - 1)
_SIGNED_64 = (-(2**63), -1, 0, 2**63 - 1)
EXTREMES: dict[int, tuple[int, ...]] = {
    FieldDescriptor.TYPE_INT32: _SIGNED_32,
    FieldDescriptor.TYPE_SINT32: _SIGNED_32,
    FieldDescriptor.TYPE_ENUM: _SIGNED_32,
    FieldDescriptor.TYPE_INT64: _SIGNED_64,
    FieldDescriptor.TYPE_SINT64: _SIGNED_64,
    FieldDescriptor.TYPE_UINT32: (0, 2**32 - 1),
    FieldDescriptor.TYPE_UINT64: (0, 2**64 - 1),
}


def changed(request: Message) -> Iterator[Message]:
    """Yield copies of a request, each with one number that is extreme; of lists the first and the last item."""
    for change in _changes(request, lambda message: message):
        copy = type(request)()
        copy.CopyFrom(request)
        change(copy)
        yield copy


def _changes(message: Message, reach: Reach) -> Iterator[Change]:
    """Yield functions that change one number of a message, which `reach` finds in the whole one."""
    for field in message.DESCRIPTOR.fields:
        name, value = field.name, getattr(message, field.name)
        if field.message_type is None:
            for extreme in EXTREMES.get(field.type, ()):
                yield from _puts(name, len(value) if field.is_repeated else None, extreme, reach)
        elif field.is_repeated:
            for at in sorted({0, len(value) - 1} if value else ()):
                yield from _changes(value[at], partial(_item, reach, name, at))
        elif message.HasField(name):
            yield from _changes(value, partial(_part, reach, name))


def _part(reach: Reach, name: str, whole: Message) -> Any:
    return getattr(reach(whole), name)


def _item(reach: Reach, name: str, at: int, whole: Message) -> Any:
    return _part(reach, name, whole)[at]


def _puts(name: str, item_count: int | None, extreme: int, reach: Reach) -> Iterator[Change]:
    """Yield functions that put a number in a field; of a list, at its first and last item and behind them."""

    def put(whole: Message) -> None:
        setattr(reach(whole), name, extreme)

    def append(whole: Message) -> None:
        _part(reach, name, whole).append(extreme)

    def replace(at: int, whole: Message) -> None:
        _part(reach, name, whole)[at] = extreme

    if item_count is None:
        yield put
        return
    yield append
    yield from (partial(replace, at) for at in sorted({0, item_count - 1} if item_count else ()))


class EnoughTurnsError(Exception):
    """Raised when a player has had so many turns as are looked at."""


def requests(game: Game) -> list[tuple[Method, Message]]:
    """Return the largest request of each kind that the games of the probes and those from their beginnings have."""
    found: dict[object, Call] = {}
    handlers = Handlers(game.player("first"))

    def answer(seat: int, turns: Iterator[int], call: Call) -> Message:
        if call.seat == seat and call.kind is not CallKind.NOTIFICATION and next(turns, None) is None:
            raise EnoughTurnsError
        asked = situation(call)
        found[asked] = max(found.get(asked, call), call, key=lambda each: each.request.ByteSize())
        return call.method.response.FromString(handlers.call_now(call.method.path, call.request.SerializeToString()))

    situations = [Situation(game.settings_type(), count, count - 1) for count in game.seats]
    situations += [probe.situation(Random(1)) for probe in find_conformance(game.name).probes]
    for each in situations:
        names = [f"player{seat}" for seat in range(each.player_count)]
        with suppress(EnoughTurnsError):
            conversation = game.play("trial", each.settings, names, Random(1), each.state)
            drive(conversation, partial(answer, each.seat, iter(range(TURNS))))
    return [(call.method, call.request) for call in found.values()]


def situation(call: Call) -> object:
    """Return what a call asks for: its method, and the phase of the state in its request, if it has one."""
    return call.method.name, getattr(getattr(call.request, "state", None), "phase", None)


class SlowError(Exception):
    """Raised in an answer that takes too long."""


def _slow(*_: object) -> None:
    raise SlowError


def ask(handlers: Handlers, method: Method, request: Message) -> None:
    """Ask for one answer. Raises SystemExit if it takes too much memory or time; it may fail in any other way."""
    signal.setitimer(signal.ITIMER_PROF, LIMIT_S)
    try:
        handlers.call_now(method.path, request.SerializeToString())
    except MemoryError:
        raise SystemExit(f"{method.name} takes more than {ROOM_BYTES} bytes:\n{request}") from None
    except SlowError:
        raise SystemExit(f"{method.name} takes more than {LIMIT_S} s:\n{request}") from None
    except Exception:  # an error status is an answer
        pass
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def main(name: str, step: str, *strategies: str) -> None:
    """Try requests of a game with each strategy."""
    game = find(name)
    asked = requests(game)
    players = [Handlers(game.player(strategy)) for strategy in strategies]
    signal.signal(signal.SIGPROF, _slow)
    room = psutil.Process().memory_info().vms + ROOM_BYTES
    resource.setrlimit(resource.RLIMIT_AS, (room, room))
    count = 0
    tried = ((method, each) for method, request in asked for each in changed(request))
    for method, request in islice(tried, 0, None, int(step)):
        for handlers in players:
            ask(handlers, method, request)
        count += 1
    sys.stdout.write(f"{count}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
