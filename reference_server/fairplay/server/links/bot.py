"""Reference players inside the server, for trials."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import grpc

from fairplay.games.steps import Failure
from fairplay.player.handlers import CallFailed, Handlers
from fairplay.server.links.link import NO_EXTRA, Clock, Done, Metadata, OpenCall, call_error
from fairplay.server.net.exhaustion import RETRY_S, waiting_for
from fairplay.v1.misconduct_pb2 import CallErrorReason


class BotLink:
    """The link to a player object in this process. A slow player runs in a thread and delays no other.

    `spend` is told of the seconds that a slow player takes for each call.
    """

    def __init__(self, clock: Clock, player: object, spend: Callable[[float], None] = lambda _: None) -> None:
        self._clock = clock
        self._spend = spend
        self._handlers = Handlers(player)
        self._loop = asyncio.get_running_loop()
        self._thoughts: dict[int, asyncio.Task[None]] = {}

    def call(
        self, method: str, request: bytes, limit_s: float, done: Done, bank_s: float = 0.0, extra: Metadata = NO_EXTRA
    ) -> OpenCall:
        """Call the object's method. Its answer counts when it comes in time, as that of every player."""
        if self._handlers.quick(method):
            open_call = OpenCall(self._clock, limit_s, done, lambda _: None)
            self._loop.call_soon(self._answer_now, method, request, open_call)
        else:
            open_call = OpenCall(self._clock, limit_s, done, self._cancel)
            task = self._loop.create_task(self._answer(method, request, open_call))
            self._thoughts[open_call.id] = task
            task.add_done_callback(lambda _: self._thoughts.pop(open_call.id, None))
        return open_call

    def _cancel(self, open_call: OpenCall) -> None:
        thought = self._thoughts.pop(open_call.id, None)
        if thought is not None:
            thought.cancel()

    def _answer_now(self, method: str, request: bytes, open_call: OpenCall) -> None:
        try:
            outcome: bytes | Failure = self._handlers.call_now(method, request)
        except Exception as error:
            outcome = _failure(error)
        open_call.settle(outcome)

    async def _answer(self, method: str, request: bytes, open_call: OpenCall) -> None:
        while (outcome := await self._outcome(method, request)) is None:
            open_call.pause()
            await asyncio.sleep(RETRY_S)
            open_call.restart()
        open_call.settle(outcome)

    async def _outcome(self, method: str, request: bytes) -> bytes | Failure | None:
        """Return what comes of a call; None if the machine has stopped it."""
        began_s = self._loop.time()
        try:
            return await self._handlers.call(method, request)
        except Exception as error:
            return None if waiting_for(error) is not None else _failure(error)
        finally:
            self._spend(self._loop.time() - began_s)

    async def close(self) -> None:
        """Cancel the calls that are not finished."""
        for thought in self._thoughts.values():
            thought.cancel()
        self._handlers.close()


def _failure(error: Exception) -> Failure:
    code, message = grpc.StatusCode.UNKNOWN, f"{type(error).__name__}: {error}"
    if isinstance(error, CallFailed):
        code, message = error.code, error.message
    return call_error(CallErrorReason.CALL_ERROR_REASON_STATUS, message, code=code.value[0])
