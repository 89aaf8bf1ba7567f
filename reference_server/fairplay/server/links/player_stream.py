"""The stream that the server opens to a player that serves: its calls go through it for as long as it lasts."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import grpc
from google.protobuf.message import DecodeError

from fairplay.player.serving import TAKE_CALLS
from fairplay.server.links.link import Clock, OpenCall
from fairplay.server.links.open_calls import OpenCalls
from fairplay.server.net.errors import Refusal
from fairplay.v1.connection_pb2 import Call
from fairplay.v1.player_stream_pb2 import TakeCallsRequest, TakeCallsResponse

Lost: TypeAlias = Callable[[Sequence[tuple[OpenCall, Call]]], None]


class PlayerStream:
    """A stream to a player that may serve PlayerStreamService. Nobody is blamed for how it goes.

    `metadata` are those of the stream. `lost` is called with the calls that are open when the stream ends: unary calls
    take their place.
    """

    def __init__(
        self, clock: Clock, channel: grpc.aio.Channel, metadata: Sequence[tuple[str, str]], lost: Lost
    ) -> None:
        self.calls = OpenCalls(clock, self._count_stray, _nothing)
        self.stray_reply_count = 0
        self.is_open = False
        """Whether calls can go through the stream: the player has said that it is there, and the stream lasts."""
        self._lost = lost
        self._offered = False
        self._settled = asyncio.Event()
        self._stream: Any = channel.stream_stream(TAKE_CALLS)(metadata=metadata)
        self._reading = asyncio.create_task(self._read())
        self._greeting = asyncio.create_task(self._greet())

    async def opens(self) -> bool:
        """Wait until it is known whether the player serves the stream, and return that, even if it has ended since."""
        await self._settled.wait()
        return self._offered

    async def _read(self) -> None:
        try:
            # The player may serve no stream, end it when it likes or break the contract: unary calls do for all.
            with contextlib.suppress(grpc.aio.AioRpcError, DecodeError, Refusal):
                while (data := await self._stream.read()) is not grpc.aio.EOF:
                    self._take(TakeCallsResponse.FromString(data))
        finally:
            self.is_open = False
            self._settled.set()
            self._stream.cancel()
        self._lost(self.calls.end())

    async def _greet(self) -> None:
        # While the first frame is waited for: it is there even if the player ends the stream behind it.
        with contextlib.suppress(grpc.aio.AioRpcError):
            await self._stream.write(TakeCallsRequest().SerializeToString())

    def _take(self, frame: TakeCallsResponse) -> None:
        if not self.is_open:
            self.is_open = self._offered = True
            self.calls.carry(self._send, _nothing)  # what cannot be written cannot be read either
            self._settled.set()
        elif not frame.replies:
            self.calls.count_stray()  # frames for nothing take time, too
        self.calls.take(frame.replies)

    async def _send(self, calls: list[Call], cancelled: list[int]) -> None:
        if calls or cancelled:
            await self._greeting
            await self._stream.write(TakeCallsRequest(calls=calls, cancelled=cancelled).SerializeToString())

    def _count_stray(self) -> None:
        self.stray_reply_count += 1

    async def close(self) -> None:
        """End the stream."""
        self._reading.cancel()
        self._greeting.cancel()
        await asyncio.gather(self._reading, self._greeting, return_exceptions=True)


def _nothing() -> None:
    """Do nothing: neither a late reply nor a frame that cannot be sent changes anything for unary calls."""
