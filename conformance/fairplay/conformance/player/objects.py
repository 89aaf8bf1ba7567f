"""Links to player objects in this process: the cheapest way to test a player, and the suite itself."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
from collections.abc import Callable
from typing import Any

import grpc
from google.protobuf.message import DecodeError, Message

from fairplay.games.kit.player_service import PLAYER_METHODS
from fairplay.games.steps import Failure, Method
from fairplay.player.handlers import describe, games_of, snake_case
from fairplay.player.threads import DaemonThreads
from fairplay.server.links.link import (
    MAX_REPLY_BYTES,
    NO_EXTRA,
    Clock,
    Done,
    Metadata,
    OpenCall,
    call_error,
    disconnected,
    too_large,
)
from fairplay.v1 import player_pb2
from fairplay.v1.misconduct_pb2 import CallError, CallErrorReason


class Gone(BaseException):
    """Raised by a player object to die: all its later calls fail, like those of a killed process."""


class ObjectLink:
    """The link to an untrusted player object: each call has a thread, and may raise or return anything.

    A method returns its response message, None for an empty one, or bytes, which are sent as they are.
    """

    def __init__(self, clock: Clock, player: object) -> None:
        self._clock = clock
        self._player = player
        self._threads = DaemonThreads()
        self._loop = asyncio.get_running_loop()
        self._dead = False
        offered = [method for game in games_of(player) for method in game.methods]
        self._methods = {method.path: method for method in (*PLAYER_METHODS.values(), *offered)}

    def call(
        self, method: str, request: bytes, limit_s: float, done: Done, bank_s: float = 0.0, extra: Metadata = NO_EXTRA
    ) -> OpenCall:
        """Call the object's method in a thread."""
        open_call = OpenCall(self._clock, limit_s, done, lambda _: None)
        future = self._threads.submit(self._outcome, method, request)
        future.add_done_callback(lambda ready: self._settle(open_call, ready.result()))
        return open_call

    def _settle(self, open_call: OpenCall, outcome: bytes | Failure) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
            self._loop.call_soon_threadsafe(open_call.settle, outcome)

    def _outcome(self, path: str, request: bytes) -> bytes | Failure:
        if self._dead:
            return _death()
        method = self._methods.get(path)
        function = None if method is None else self._function(method)
        if method is None or function is None:
            return _status(grpc.StatusCode.UNIMPLEMENTED, f"this player has no method {path}")
        try:
            asked = method.request.FromString(request)
        except DecodeError:
            return _status(grpc.StatusCode.INVALID_ARGUMENT, f"the request of {path} is unreadable")
        try:
            reply = function(asked)
            data: bytes = reply if isinstance(reply, bytes) else b"" if reply is None else reply.SerializeToString()
            return data if len(data) <= MAX_REPLY_BYTES else too_large(len(data))
        except Gone:
            self._dead = True
            return _death()
        except BaseException as error:  # a player that wants to end the program only ends its call
            return _status(grpc.StatusCode.UNKNOWN, f"{type(error).__name__}: {error}")

    def _function(self, method: Method) -> Callable[[Any], Any] | None:
        function: Callable[[Any], Any] | None = getattr(self._player, snake_case(method.name), None)
        if function is None and method.path in {known.path for known in PLAYER_METHODS.values()}:
            return self._default
        if inspect.iscoroutinefunction(function):
            return lambda request: asyncio.run(function(request))
        return function

    def _default(self, request: object) -> Message | None:
        if isinstance(request, player_pb2.DescribeRequest):
            return player_pb2.DescribeResponse(description=describe(self._player))
        return None

    async def close(self) -> None:
        """Let go of the threads without waiting for calls that still run."""
        self._threads.shutdown()


def _status(code: grpc.StatusCode, message: str) -> CallError:
    return call_error(CallErrorReason.CALL_ERROR_REASON_STATUS, message, code=code.value[0])


def _death() -> CallError:
    return disconnected("the player has died")
