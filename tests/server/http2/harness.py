"""What the tests of HTTP/2 share: listeners, and clients that send whatever frames a test wants.

Numbers of types, flags and errors are those of RFC 9113, whatever the server's code takes them for.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import grpc
from hpack import Decoder

from benchmarks.half_open import call_head
from fairplay.server.http2.frames import PREFACE, encode_headers, frame
from fairplay.server.http2.listener import Listener

ECHO = "/test.Echo/Echo"
DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS, PUSH_PROMISE, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = range(10)
ACK, END_STREAM, END_HEADERS, PADDED, WITH_PRIORITY = 0x1, 0x1, 0x4, 0x8, 0x20
NO_ERROR, PROTOCOL_ERROR, FLOW_CONTROL_ERROR, STREAM_CLOSED, FRAME_SIZE_ERROR = 0x0, 0x1, 0x3, 0x5, 0x6
REFUSED_STREAM, CANCEL, COMPRESSION_ERROR, ENHANCE_YOUR_CALM = 0x7, 0x8, 0x9, 0xB
FOREVER_S = 1e6


class Message(bytes):
    """A message that is nothing but its bytes."""

    def SerializeToString(self) -> bytes:  # noqa: N802 - as messages of protobuf have it
        return self


def wrapped(*messages: bytes) -> bytes:
    """Return messages as the body of a call has them."""
    return b"".join(b"\0" + len(each).to_bytes(4, "big") + each for each in messages)


def u32(*numbers: int) -> bytes:
    return b"".join(number.to_bytes(4, "big") for number in numbers)


def settings(**values: int) -> bytes:
    """Return a frame of settings, each named like `s4`."""
    pairs = (int(name[1:]).to_bytes(2, "big") + u32(value) for name, value in values.items())
    return frame(SETTINGS, 0, 0, b"".join(pairs))


class Frame(NamedTuple):
    """A frame that came."""

    kind: int
    flags: int
    stream: int
    payload: bytes


class Raw:
    """A client that sends whatever frames a test wants."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer
        self.decoder = Decoder()

    def send(self, *frames: bytes) -> None:
        self.writer.write(b"".join(frames))

    def open(self, number: int, **headers: str) -> None:
        """Open a call of gRPC."""
        more = encode_headers([(name.replace("_", "-"), value) for name, value in headers.items()])
        self.send(frame(HEADERS, END_HEADERS, number, call_head(ECHO) + more))

    async def next(self) -> Frame:
        """Return the next frame."""
        head = await self.reader.readexactly(9)
        payload = await self.reader.readexactly(int.from_bytes(head[:3], "big"))
        return Frame(head[3], head[4], int.from_bytes(head[5:], "big"), payload)

    async def read(self, *kinds: int, number: int | None = None) -> tuple[int, int, bytes]:
        """Return stream, flags and payload of the next frame of these types."""
        while True:
            came = await self.next()
            if came.kind in kinds and number in (None, came.stream):
                return came.stream, came.flags, came.payload

    async def frames(self) -> list[Frame]:
        """Return all frames that come before time passes, in simulated time."""
        found: list[Frame] = []
        with contextlib.suppress(TimeoutError, EOFError):
            async with asyncio.timeout(1e-6):
                while True:
                    found.append(await self.next())
        return found

    async def code(self, kind: int, number: int | None = None) -> int:
        """Return why a stream was reset, or the connection ended."""
        _, _, payload = await self.read(kind, number=number)
        return int.from_bytes(payload[:4] if kind == RST_STREAM else payload[4:8], "big")

    async def headers(self, number: int) -> dict[str, str]:
        """Return the next headers of a stream."""
        _, _, block = await self.read(HEADERS, number=number)
        return {str(name): str(value) for name, value in self.decoder.decode(block)}

    async def goodbye(self) -> tuple[int, int, str]:
        """Return the last stream, the code and the reason with which the connection ends; nothing may come behind."""
        _, _, payload = await self.read(GOAWAY)
        assert await self.reader.read() == b""
        return int.from_bytes(payload[:4], "big"), int.from_bytes(payload[4:8], "big"), payload[8:].decode()

    async def lives(self) -> bool:
        """Return True once the server has answered settings."""
        self.send(settings())
        _, flags, payload = await self.read(SETTINGS, GOAWAY)
        assert (flags, payload) == (ACK, b"")
        return True

    async def is_over(self) -> bool:
        """Return True once the connection has ended."""
        try:
            while await self.reader.read(65_536):
                pass
        except ConnectionResetError:
            pass
        return True


Behaviour = Callable[[Any, Any], Awaitable[None]]


async def repeat(_: Any, context: Any) -> None:
    """Send back what comes."""
    while (message := await context.read()) is not grpc.aio.EOF:
        await context.write(message)


async def never_read(_: Any, _context: Any) -> None:
    """Do nothing until the call is over."""
    await asyncio.Event().wait()


def now_s() -> float:
    """Return the time of the event loop, which begins at 0 where it is simulated."""
    return round(asyncio.get_running_loop().time(), 5)


@asynccontextmanager
async def local(
    behaviour: Behaviour = repeat,
    *,
    max_message_bytes: int = 100_000_000,
    max_calls: int = 500,
    heartbeat_s: float = FOREVER_S,
    answer_s: float = FOREVER_S,
) -> AsyncIterator[tuple[Listener, Callable[[], Awaitable[Raw]]]]:
    """Listen, and return what connects bare clients, for simulated time: what is sent through a file is there at once.

    Nothing may fail in the event loop meanwhile.
    """
    failures: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, failure: failures.append(failure))
    limits: Any = {"max_calls": max_calls, "heartbeat_s": heartbeat_s, "answer_s": answer_s}
    listener = Listener([], max_message_bytes=max_message_bytes, **limits)
    handler = grpc.stream_stream_rpc_method_handler(behaviour, Message)
    listener.add_registered_method_handlers("test.Echo", {"Echo": handler})
    writers: list[asyncio.StreamWriter] = []
    with TemporaryDirectory() as directory:
        path = Path(directory) / "socket"

        async def connect() -> Raw:
            reader, writer = await asyncio.open_unix_connection(path)
            writers.append(writer)
            return Raw(reader, writer)

        await listener.start(f"unix:{path}")
        try:
            async with asyncio.timeout(2 * FOREVER_S):
                yield listener, connect
        finally:
            for writer in writers:
                writer.close()
            await listener.stop(0.0)
    assert failures == []


@asynccontextmanager
async def bare(behaviour: Behaviour = repeat, *, first: bytes = settings(), **limits: Any) -> AsyncIterator[Raw]:
    """Connect one bare client, which has sent its first settings and read what a server sends first."""
    async with local(behaviour, **limits) as (_, connect):
        client = await connect()
        client.send(PREFACE, first)
        await client.frames()
        yield client
