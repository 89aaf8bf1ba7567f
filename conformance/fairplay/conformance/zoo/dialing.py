"""Dialling in by hand, with the defects of a mutant."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from typing import Any

import grpc

from fairplay.conformance.zoo.handlers import MutantHandlers
from fairplay.conformance.zoo.mutant_player import WAIT_S
from fairplay.conformance.zoo.program_behaviour import ProgramBehaviour
from fairplay.player.channels import NO_CREDENTIALS, PLAIN, open_channel
from fairplay.player.command import Reach
from fairplay.player.dialing import CHANNEL_OPTIONS
from fairplay.player.handlers import CallFailed
from fairplay.v1.connection_pb2 import (
    Call,
    DialInRequest,
    DialInResponse,
    Failure,
    GoodbyeReason,
    Hello,
    HostedPlayer,
    Reply,
)
from fairplay.v1.connection_pb2_grpc import ConnectionServiceStub

PAUSE_S = 0.1


async def dial_in(handlers: MutantHandlers, reach: Reach, behaviour: ProgramBehaviour, die: Callable[[], None]) -> None:
    """Dial in and answer calls until the server no longer needs the player, or is away for longer than its patience."""
    assert reach.connect is not None and reach.name is not None
    hosted = HostedPlayer(name=reach.name, token=reach.token, description=handlers.description)
    hosted.description.software_version = behaviour.hello_version or hosted.description.software_version
    loop = asyncio.get_running_loop()
    give_up = loop.time() + reach.patience_s
    async with open_channel(f"{PLAIN}{reach.connect}", NO_CREDENTIALS, CHANNEL_OPTIONS) as channel:
        while loop.time() < give_up:
            stream = _Stream(ConnectionServiceStub(channel).DialIn(), handlers, behaviour, die)
            with contextlib.suppress(grpc.aio.AioRpcError):
                reason = await stream.run(Hello(players=[hosted]))
                if not _returns(behaviour, reason):
                    await asyncio.sleep(WAIT_S if behaviour.stays else 0)
                    return
            await asyncio.sleep(PAUSE_S)


def _returns(behaviour: ProgramBehaviour, reason: GoodbyeReason.ValueType) -> bool:
    """Return whether the program dials in again after a goodbye for this reason."""
    if reason == GoodbyeReason.GOODBYE_REASON_SHUTTING_DOWN:
        return behaviour.comes_back
    return reason == GoodbyeReason.GOODBYE_REASON_REPLACED and behaviour.returns_when_replaced


class _Stream:
    """One stream to the server, from hello to goodbye."""

    def __init__(
        self, stream: Any, handlers: MutantHandlers, behaviour: ProgramBehaviour, die: Callable[[], None]
    ) -> None:
        self._stream = stream
        self._handlers = handlers
        self._behaviour = behaviour
        self._die = die
        self._tasks: set[asyncio.Task[None]] = set()
        self._received: set[int] = set()
        """The ids of the calls that have come."""
        self._stuck = False
        self._writing = asyncio.Lock()

    async def run(self, hello: Hello) -> GoodbyeReason.ValueType:
        """Answer calls until the server says goodbye. Raises AioRpcError if the stream is lost."""
        try:
            await self._send(DialInRequest(hello=hello))
            while (frame := await self._stream.read()) is not grpc.aio.EOF:
                self._take(frame)
                if frame.HasField("goodbye"):
                    reason: GoodbyeReason.ValueType = frame.goodbye.reason
                    return reason
            return GoodbyeReason.GOODBYE_REASON_SHUTTING_DOWN
        finally:
            for task in self._tasks:
                task.cancel()
            self._stream.cancel()

    def _take(self, frame: DialInResponse) -> None:
        if frame.cancelled and self._behaviour.dies_when_cancelled:
            self._die()
        self._stuck = self._stuck or (
            self._behaviour.stuck_when_cancelled and not self._received.isdisjoint(frame.cancelled)
        )
        for call in frame.calls if not self._stuck else ():
            self._received.add(call.id)
            task = asyncio.ensure_future(self._answer(call))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _answer(self, call: Call) -> None:
        try:
            reply = Reply(id=call.id, response=await self._handlers.call(call.method_name, call.request))
        except CallFailed as failed:
            reply = Reply(id=call.id, failure=Failure(code=failed.code.value[0], message=failed.message))
        except Exception as error:
            code = grpc.StatusCode.UNKNOWN.value[0]
            reply = Reply(id=call.id, failure=Failure(code=code, message=f"{type(error).__name__}: {error}"))
        await self._send(DialInRequest(replies=self._copies(reply)))

    def _copies(self, reply: Reply) -> Sequence[Reply]:
        return [reply] * self._behaviour.reply_count

    async def _send(self, frame: DialInRequest) -> None:
        async with self._writing:
            await self._stream.write(frame)
