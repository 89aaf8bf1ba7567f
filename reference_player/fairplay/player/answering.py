"""Calls that come through a stream, whoever has opened it, and the replies to them."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping
from functools import partial

import grpc

from fairplay.player.handlers import CALL, Callee, CallFailed, CallInfo, own_error
from fairplay.player.outbox import Outbox
from fairplay.v1.connection_pb2 import Call, Failure, Reply

log = logging.getLogger("fairplay.player")


def _info(call: Call) -> CallInfo:
    return CallInfo(call.time_limit.seconds + call.time_limit.nanos / 1e9, dict(call.metadata))


class Answering:
    """The calls of one stream that are being answered. `write` sends a frame of replies."""

    def __init__(self, write: Callable[[list[Reply]], Awaitable[None]]) -> None:
        self._write = write
        self._running: dict[int, asyncio.Task[None]] = {}
        self._open_count = 0
        self._outbox: Outbox[Reply] = Outbox(self._send, lambda: self._open_count, lambda _: None)

    async def _send(self, replies: list[Reply]) -> None:
        self._open_count -= len(replies)
        await self._write(replies)

    def cancel(self, call_ids: Iterable[int]) -> None:
        """Stop answering calls whose replies are no longer wanted."""
        for call_id in call_ids:
            if (task := self._running.get(call_id)) is not None:
                task.cancel()

    def answer(self, players: Mapping[int, Callee], calls: Iterable[Call]) -> None:
        """Have players answer calls, which name them by their numbers."""
        calls = list(calls)
        self._open_count += len(calls)
        for call in calls:
            self._answer(players, call)

    def _answer(self, players: Mapping[int, Callee], call: Call) -> None:
        CALL.set(partial(_info, call))  # also for the task that may answer it later, which begins with a copy
        try:
            player = players.get(call.player)
            if player is None:
                raise CallFailed(grpc.StatusCode.NOT_FOUND, f"no player has the number {call.player}")
            if not player.quick(call.method_name):
                self._begin(player, call)
                return
            reply = Reply(id=call.id, response=player.call_now(call.method_name, call.request))
        except Exception as error:
            reply = _failed(call, error)
        self._outbox.put(reply, len(reply.response))

    def _begin(self, player: Callee, call: Call) -> None:
        def ended(task: asyncio.Task[None]) -> None:
            del self._running[call.id]
            if task.cancelled():
                self._open_count -= 1

        self._running[call.id] = asyncio.create_task(self._answer_later(player, call))
        self._running[call.id].add_done_callback(ended)

    async def _answer_later(self, player: Callee, call: Call) -> None:
        try:
            reply = Reply(id=call.id, response=await player.call(call.method_name, call.request))
        except Exception as error:
            reply = _failed(call, error)
        self._outbox.put(reply, len(reply.response))

    async def close(self) -> None:
        """Stop answering all calls, and wait until nothing is answered any more."""
        self._outbox.close()
        for task in self._running.values():
            task.cancel()
        await asyncio.gather(*self._running.values(), return_exceptions=True)


def _failed(call: Call, error: Exception) -> Reply:
    if isinstance(error, CallFailed):
        code, message = error.code, error.message
    else:
        log.error("%s raised", call.method_name, exc_info=own_error(error))
        code, message = grpc.StatusCode.UNKNOWN, f"{type(error).__name__}: {error}"
    return Reply(id=call.id, failure=Failure(code=code.value[0], message=message))
