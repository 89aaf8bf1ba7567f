"""What scripted players do when they are called."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from random import Random
from typing import Any, NamedTuple, TypeAlias

from google.protobuf.message import Message

from fairplay.games.conformance import Mutation
from fairplay.games.game import Game
from fairplay.games.steps import Call, CallKind, Failure, Method
from fairplay.player.handlers import reply_of
from fairplay.server.links.link import call_error, disconnected, too_large
from fairplay.v1.misconduct_pb2 import CallErrorReason, Overrun


class Manner(Enum):
    """The ways to answer a call."""

    REPLY = "reply"
    FAIL = "fail"
    HANG = "hang"
    VANISH = "vanish"


@dataclass(frozen=True, slots=True)
class Act:
    """What a player does with one call."""

    manner: Manner
    data: bytes = b""
    """The reply."""
    code: int = 0
    """The gRPC status of a failure."""
    message: str = ""
    wait_s: float = 0.0
    """How long the player takes. A reply that is `late` is sent after the limit of the call."""
    late: bool = False
    again: bytes | None = None
    """A second reply to the same call, right behind the first."""
    oversized: bool = False
    """Whether the reply has more bytes than the server says that it accepts."""

    @property
    def outcome(self) -> bytes | Failure:
        """Return the outcome of the call for a referee that keeps the contract."""
        match self.manner:
            case Manner.FAIL:
                return call_error(CallErrorReason.CALL_ERROR_REASON_STATUS, self.message, code=self.code)
            case Manner.VANISH:
                return disconnected("the player has left")
        if self.manner is Manner.HANG or self.late:
            return Overrun()
        return too_large(len(self.data)) if self.oversized else self.data


class Asked(NamedTuple):
    """A call to a scripted player, as a script sees it."""

    seat: int
    method: str
    """The last part of the method's name, e.g. "TakeTurn"."""
    number: int
    """How often the seat has been called with this method in this game, this call included."""
    request: Any
    sound: bytes
    """The reply of a reference player."""


Script: TypeAlias = Callable[[Asked], Act | None]
"""What a player does with a call; None: it answers as a reference player."""


def sound_script(asked: Asked) -> None:
    """Answer every call as a reference player."""


def at(seat: int, method: str, act: Callable[[Asked], Act], number: int = 1) -> Script:
    """Return the script that does something else in one call, the `number`-th of this method to this seat."""

    def script(asked: Asked) -> Act | None:
        return act(asked) if (asked.seat, asked.method, asked.number) == (seat, method, number) else None

    return script


def both(one: Script, other: Script) -> Script:
    """Return the script that does what either says."""
    return lambda asked: one(asked) or other(asked)


def reply(data: bytes) -> Callable[[Asked], Act]:
    """Return what answers a call with these bytes."""
    return lambda _: Act(Manner.REPLY, data)


def fail(code: int, message: str) -> Callable[[Asked], Act]:
    """Return what answers a call with an error status."""
    return lambda _: Act(Manner.FAIL, code=code, message=message)


def oversize(_: Asked) -> Act:
    """Answer with more bytes than the server accepts."""
    return Act(Manner.REPLY, oversized=True)


def hang(_: Asked) -> Act:
    """Leave a call without an answer."""
    return Act(Manner.HANG)


def vanish(_: Asked) -> Act:
    """End the connection instead of answering a call."""
    return Act(Manner.VANISH)


def slow(wait_s: float, *, late: bool = False) -> Callable[[Asked], Act]:
    """Return what answers soundly after some time."""
    return lambda asked: Act(Manner.REPLY, asked.sound, wait_s=wait_s, late=late)


def mutated(game: Game, mutation: Mutation, seat: int) -> Script:
    """Return the script of a seat that answers wrongly wherever it can, as a mutation says."""
    method = next(each for each in game.methods if each.name == mutation.method)

    def script(asked: Asked) -> Act | None:
        if asked.seat != seat or asked.method != mutation.method:
            return None
        wrong = mutation.mutate(asked.request, method.response.FromString(asked.sound), Random(1))
        return None if wrong is None else Act(Manner.REPLY, _encoded(wrong))

    return script


def _encoded(wrong: Any) -> bytes:
    data: bytes = wrong if isinstance(wrong, bytes) else wrong.SerializeToString()
    return data


class Actor:
    """The player of a seat: reference players, one for each of its games, and a script."""

    def __init__(self, seat: int, game: Game, script: Script, strategy: str) -> None:
        self._seat = seat
        self._game = game
        self._script = script
        self._strategy = strategy
        self._players: dict[str, object] = {}
        self._counts: dict[tuple[str, str], int] = {}

    def act(self, method: Method, request: Message, game_id: str) -> Act:
        """Return what the player does with a call."""
        if game_id not in self._players:
            self._players[game_id] = self._game.player(self._strategy)
        key = (game_id, method.name)
        number = self._counts[key] = self._counts.get(key, 0) + 1
        sound = self._sound(method, request, game_id)
        return self._script(Asked(self._seat, method.name, number, request, sound)) or Act(Manner.REPLY, sound)

    def _sound(self, method: Method, request: Message, game_id: str) -> bytes:
        if method not in self._game.methods:
            return b""
        return reply_of(self._players[game_id], Call(0, method, request, CallKind.DECISION)).SerializeToString()
