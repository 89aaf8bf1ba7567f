"""ConnectionService: the streams of players that dial in."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any

import grpc

from fairplay.server.errors import Refusal
from fairplay.server.links.dial_in import Hub
from fairplay.server.links.services import called_services
from fairplay.server.links.stream import Stream
from fairplay.v1.connection_pb2_grpc import ConnectionServiceServicer

HANDSHAKE_LIMIT_S = 10.0


class ConnectionServicer(ConnectionServiceServicer):
    """The service that hands each connection to the hub. One that breaks the contract ends and touches no other."""

    def __init__(self, hub: Hub, handshake_limit_s: float = HANDSHAKE_LIMIT_S) -> None:
        self._hub = hub
        self._handshake_limit_s = handshake_limit_s

    async def DialIn(  # type: ignore[override]  # noqa: N802 - writes through the context instead of yielding
        self, request_iterator: Any, context: Any
    ) -> None:
        """Admit the players of the hello, then carry calls and replies until either side ends."""
        over: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        write = context.write
        hello = await self._hello(context)
        await asyncio.to_thread(called_services)  # the welcome names them: let no other connection wait for the games
        stream = self._hub.admit(hello, write, partial(_end, over))
        try:
            reading = asyncio.create_task(_read(stream, context))
            reading.add_done_callback(lambda task: _settle(over, task))
            try:
                await over
            finally:
                reading.cancel()
        finally:
            stream.detach(write)

    async def _hello(self, context: Any) -> Any:
        try:
            async with asyncio.timeout(self._handshake_limit_s):
                frame = await context.read()
        except TimeoutError:
            raise Refusal("HELLO_MISSING", f"no hello came within {self._handshake_limit_s:g} s") from None
        if frame is grpc.aio.EOF or not frame.HasField("hello"):
            raise Refusal("PROTOCOL_BROKEN", "the first frame must hold a hello")
        return frame.hello


def _end(over: asyncio.Future[None]) -> None:
    if not over.done():
        over.set_result(None)


def _settle(over: asyncio.Future[None], reading: asyncio.Task[None]) -> None:
    """End the connection when reading ends, with what reading raised."""
    if over.done() or reading.cancelled():
        return
    error = reading.exception()
    if error is None:
        over.set_result(None)
    else:
        over.set_exception(error)


async def _read(stream: Stream, context: Any) -> None:
    while (frame := await context.read()) is not grpc.aio.EOF:
        stream.take(frame.replies)
        if frame.HasField("hello"):
            raise Refusal("PROTOCOL_BROKEN", "only the first frame may hold a hello")
