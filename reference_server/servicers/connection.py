"""ConnectionService: the streams of players that dial in."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any, TypeAlias

import grpc

from fairplay.v1.connection_pb2_grpc import ConnectionServiceServicer
from reference_server.errors import Refusal
from reference_server.links.dial_in import Hub, SaidGoodbye, Session

HANDSHAKE_LIMIT_S = 10.0

Context: TypeAlias = Any


class ConnectionServicer(ConnectionServiceServicer):
    """Hands each stream to the hub. What a stream does wrong ends that stream and touches no other."""

    def __init__(self, hub: Hub, handshake_limit_s: float = HANDSHAKE_LIMIT_S) -> None:
        self._hub = hub
        self._handshake_limit_s = handshake_limit_s

    async def Connect(  # type: ignore[override]  # noqa: N802 - writes through the context instead of yielding
        self, request_iterator: Any, context: Context
    ) -> None:
        """Admits the players of the hello, then carries calls and replies until either side ends."""
        ended, write = asyncio.Event(), context.write
        hello = await self._hello(context)
        session = self._hub.admit(hello, write, ended.set)
        try:
            await write(session.welcome)
            await _carry(session, context, ended)
        finally:
            session.detach(write)

    async def _hello(self, context: Context) -> Any:
        try:
            async with asyncio.timeout(self._handshake_limit_s):
                frame = await context.read()
        except TimeoutError:
            raise Refusal("HELLO_MISSING", f"no hello came within {self._handshake_limit_s:g} s") from None
        if frame is grpc.aio.EOF or not frame.HasField("hello"):
            raise Refusal("PROTOCOL_BROKEN", "the first frame must hold a hello")
        return frame.hello


async def _carry(session: Session, context: Context, ended: asyncio.Event) -> None:
    """Runs both directions and the order to end, until one of them is over; raises what it raised."""
    tasks = [
        asyncio.create_task(_read(session, context)),
        asyncio.create_task(session.send_calls()),
        asyncio.create_task(ended.wait()),
    ]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    for task in done:
        with contextlib.suppress(SaidGoodbye):
            task.result()


async def _read(session: Session, context: Context) -> None:
    while (frame := await context.read()) is not grpc.aio.EOF:
        session.take(frame.replies)
        if frame.HasField("hello"):
            raise Refusal("PROTOCOL_BROKEN", "only the first frame may hold a hello")
