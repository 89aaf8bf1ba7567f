"""From bytes to bytes: the methods of a plain player object, called by their full gRPC names."""

from __future__ import annotations

import asyncio
import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar, copy_context
from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol

import grpc
from google.protobuf.message import Message

from fairplay.games.game import Game, find
from fairplay.games.kit.player_service import PLAYER_METHODS, PLAYER_SERVICE
from fairplay.games.steps import Call, Method
from fairplay.player.threads import DaemonThreads
from fairplay.v1 import player_pb2

PROTOCOL_REVISION = 1


@dataclass(frozen=True, slots=True)
class CallInfo:
    """What a player may know about the call that it answers, beside the request."""

    limit_s: float | None
    """How many seconds it may take, from when it came; None: the server did not say."""
    metadata: Mapping[str, str]
    """Call.metadata, or what gRPC's metadata have in its place."""

    @property
    def bank_s(self) -> float:
        """Return how many seconds of the limit are the player's bank for the whole game."""
        said = self.metadata.get("fairplay-bank-ms", "0")
        return int(said) / 1_000 if said.isdecimal() else 0.0


CALL: ContextVar[Callable[[], CallInfo]] = ContextVar("CALL")
"""Set while a method of a player answers: what makes the answer of `current_call`."""


def current_call() -> CallInfo:
    """Return what is known about the call that is being answered. Raises LookupError outside a player's methods."""
    return CALL.get()()


class CallFailed(Exception):  # noqa: N818 - names what happened to the call
    """A call cannot be answered, for the reason that gRPC's status code names."""

    def __init__(self, code: grpc.StatusCode, message: str) -> None:
        super().__init__(code, message)
        self.code = code
        self.message = message


@cache
def snake_case(name: str) -> str:
    """Return the name of a player's Python method for a method of the contract: "TakeTurn" -> "take_turn"."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()


def reply_of(player: object, call: Call) -> Message:
    """Return the reply of a player object to a call."""
    reply: Message | None = getattr(player, snake_case(call.method.name))(call.request)
    return call.method.response() if reply is None else reply


def games_of(player: object) -> list[Game]:
    """Return the games that a player object plays, by its attribute `game`. Raises TypeError if it has none."""
    names = getattr(player, "game", None)
    if not names:
        raise TypeError(f'{type(player).__name__} must say which game it plays, e.g. game = "fish"')
    return [find(name) for name in ([names] if isinstance(names, str) else names)]


def describe(player: object) -> player_pb2.PlayerDescription:
    """Return the description of a player object, from its attributes `name` and `version`, and its games."""
    return player_pb2.PlayerDescription(
        display_name=str(getattr(player, "name", type(player).__name__)),
        software_version=str(getattr(player, "version", "")),
        services=[player_pb2.GameService(name=game.service, revision=PROTOCOL_REVISION) for game in games_of(player)],
    )


def own_error(error: Exception) -> Exception:
    """Return an error that a player's method raised, with the frames of its author's code and none of the kit's.

    An error of the kit about what the method returned has no frames then: its sentence says it.
    """
    own = frame = error.__traceback__
    while frame is not None:
        if frame.tb_frame.f_code.co_filename == __file__:
            own = frame.tb_next
        frame = frame.tb_next
    return error.with_traceback(own)


class Callee(Protocol):
    """What calls are answered by, from bytes to bytes. By default no method is quick."""

    @property
    def paths(self) -> Sequence[str]:
        """Return the full names of all methods."""

    def quick(self, path: str) -> bool:
        """Return whether `call_now` serves this method, within a millisecond."""
        return False

    def call_now(self, path: str, request: bytes) -> bytes:
        """Call a method that is quick. Raises CallFailed if the call cannot be answered."""
        raise CallFailed(grpc.StatusCode.UNIMPLEMENTED, f"{path} is not quick")

    async def call(self, path: str, request: bytes) -> bytes:
        """Call a method of any kind. Raises CallFailed if the call cannot be answered."""


class Handlers(Callee):
    """The methods of one player object.

    A method `async def` runs in the event loop. A plain one runs in a thread, so that it may take its time, unless the
    player says `quick = True`: then it is called in the event loop and must return within a millisecond.
    """

    def __init__(self, player: object) -> None:
        self._description = describe(player)
        self._threads = DaemonThreads()
        self._quick = bool(getattr(player, "quick", False))
        self._handlers: dict[str, tuple[Method, Callable[..., Any] | None, bool]] = {}
        offered: Sequence[Method] = [method for game in games_of(player) for method in game.methods]
        for method in (*PLAYER_METHODS.values(), *offered):
            function = getattr(player, snake_case(method.name), None)
            if function is None and method.path.startswith(f"/{PLAYER_SERVICE}/"):
                function = self._default
            self._handlers[method.path] = (method, function, inspect.iscoroutinefunction(function))

    @property
    def description(self) -> player_pb2.PlayerDescription:
        """Return the player's answer to Describe."""
        return self._description

    @property
    def paths(self) -> Sequence[str]:
        """Return the full names of all methods, those of PlayerService first."""
        return list(self._handlers)

    def _default(self, request: object) -> object:
        if isinstance(request, player_pb2.DescribeRequest):
            return player_pb2.DescribeResponse(description=self._description)
        return None

    def close(self) -> None:
        """Let the threads of the player end."""
        self._threads.shutdown()

    def quick(self, path: str) -> bool:
        """Return whether `call_now` serves this method."""
        entry = self._handlers.get(path)
        return entry is None or (not entry[2] and (self._quick or entry[1] is None))

    def call_now(self, path: str, request: bytes) -> bytes:
        """Call a plain method in this thread.

        Raises CallFailed if the method is unknown or the request cannot be read.
        """
        entry = self._handlers.get(path)
        if entry is None or entry[1] is None:
            raise CallFailed(grpc.StatusCode.UNIMPLEMENTED, f"this player has no method {path}")
        method, function = entry[0], entry[1]
        return _encoded(method, function(_decoded(method, request)))

    async def call(self, path: str, request: bytes) -> bytes:
        """Call a method of any kind. Raises CallFailed if the method is unknown or the request cannot be read."""
        if self.quick(path):
            return self.call_now(path, request)
        method, function, is_async = self._handlers[path]
        assert function is not None
        if is_async:
            return _encoded(method, await function(_decoded(method, request)))
        run = copy_context().run
        return await asyncio.get_running_loop().run_in_executor(self._threads, run, self.call_now, path, request)


def _decoded(method: Method, request: bytes) -> object:
    try:
        return method.request.FromString(request)
    except Exception as error:  # protobuf's DecodeError; the bytes are the caller's
        raise CallFailed(grpc.StatusCode.INVALID_ARGUMENT, f"the request of {method.path} is unreadable") from error


def _encoded(method: Method, reply: object) -> bytes:
    if reply is None:
        return b""
    if not isinstance(reply, method.response):
        wanted, got = method.response.DESCRIPTOR.full_name, type(reply).__name__
        raise TypeError(f"{snake_case(method.name)} must return {wanted}, not {got}")
    data: bytes = reply.SerializeToString()
    return data
