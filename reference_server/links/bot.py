"""Reference players inside the server, for trials."""

from __future__ import annotations

import asyncio

import grpc

from fairplay.v1.misconduct_pb2 import CallErrorReason
from reference_player.handlers import CallFailed, Handlers
from reference_server.links.link import Clock, Done, Failed, OpenCall, call_error


class BotLink:
    """The link to a player object in this process. A slow one thinks in a thread and holds nobody up."""

    def __init__(self, clock: Clock, player: object) -> None:
        self._clock = clock
        self._handlers = Handlers(player)
        self._loop = asyncio.get_running_loop()
        self._tasks: set[asyncio.Task[None]] = set()

    def call(self, method: str, request: bytes, limit_s: float, done: Done) -> OpenCall:
        """Calls the object's method; its answer counts when it comes in time, as anybody's."""
        open_call = OpenCall(self._clock, limit_s, done, lambda _: None)
        if self._handlers.quick(method):
            self._loop.call_soon(self._answer_now, method, request, open_call)
        else:
            task = self._loop.create_task(self._answer(method, request, open_call))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        return open_call

    def _answer_now(self, method: str, request: bytes, open_call: OpenCall) -> None:
        try:
            outcome: bytes | Failed = self._handlers.call_now(method, request)
        except Exception as error:
            outcome = _failure(error)
        open_call.settle(outcome)

    async def _answer(self, method: str, request: bytes, open_call: OpenCall) -> None:
        try:
            outcome: bytes | Failed = await self._handlers.call(method, request)
        except Exception as error:
            outcome = _failure(error)
        open_call.settle(outcome)

    async def close(self) -> None:
        """Nothing waits for a thought that is not finished."""
        self._handlers.close()


def _failure(error: Exception) -> Failed:
    code, message = grpc.StatusCode.UNKNOWN, f"{type(error).__name__}: {error}"
    if isinstance(error, CallFailed):
        code, message = error.code, error.message
    return call_error(CallErrorReason.CALL_ERROR_REASON_STATUS, message, code=code.value[0])
