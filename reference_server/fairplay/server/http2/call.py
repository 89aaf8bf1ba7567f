"""A call of gRPC on a stream of HTTP/2: what handlers see of it as their context."""

from __future__ import annotations

import asyncio
import logging
import re
from base64 import b64encode
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from struct import Struct
from typing import Any, Protocol

import grpc

from fairplay.server.http2.frames import (
    Code,
    Headers,
    Request,
    StreamBrokenError,
    encode_message,
)

log = logging.getLogger("fairplay.server")

PREFIX = Struct(">BI")
PREFIX_BYTES = 5
WINDOW = 1024 * 1024
"""How many bytes of a call may be under way to us. What is cut off is taken at once: a message may be longer."""
OPENING: Headers = ((":status", "200"), ("content-type", "application/grpc"), ("grpc-accept-encoding", "identity"))
TIMEOUT = re.compile(r"([0-9]{1,8})([HMSmun])")
UNITS_S = {"H": 3600.0, "M": 60.0, "S": 1.0, "m": 1e-3, "u": 1e-6, "n": 1e-9}


class Carrier(Protocol):
    """What a call needs of its connection."""

    peer: str
    auth_context: Mapping[str, Sequence[bytes]]
    initial_window: int

    def room(self, call: Call) -> int:
        """Return how many bytes of a call can be sent now. Raises ConnectionResetError if its stream is over."""

    async def changed(self) -> None:
        """Wait until there may be more room, or none will be any more."""

    def send_data(self, call: Call, data: bytes, *, end: bool) -> None:
        """Send bytes of a call, for which there is room; the last ones with `end`."""

    def send_headers(self, call: Call, headers: Headers, *, end: bool) -> None:
        """Send headers of a call, or trailers with `end`; nothing if its stream is over."""

    def count_message(self) -> None:
        """Take note that something came that was worth the frames before it."""

    def give_back(self, call: Call) -> None:
        """Allow the caller to send what the handler has made room for."""

    def reset(self, call: Call, code: Code) -> None:
        """End a stream at once, and its handler."""


class Call:
    """A call that is open. Its messages have at most `max_bytes`."""

    def __init__(self, connection: Carrier, number: int, request: Request, max_bytes: int) -> None:
        self.number = number
        self.request = request
        self.window = WINDOW
        self.send_window = connection.initial_window
        self.ended = False
        """Whether the caller has sent all that it wants to send."""
        self.task: asyncio.Task[None] | None = None
        self._connection = connection
        self._parse: Callable[[bytes], Any] = bytes
        self._max_bytes = max_bytes
        self._left = request.length
        self._buffer = bytearray()
        self._needed: int
        """How many bytes complete what is in the buffer, or at least its length."""
        self._messages: deque[bytes] = deque()
        self.waiting_bytes = 0
        """How much of messages waits for the handler."""
        self._reader: asyncio.Future[None] | None = None
        self._taker: _Taker | None = None
        self._begun = False
        self._halfway = False
        self._status: tuple[grpc.StatusCode, str, Sequence[tuple[str, str | bytes]]] = (grpc.StatusCode.OK, "", ())
        self._deadline: asyncio.TimerHandle | None = None

    # --- what comes ---

    def receive(self, data: bytes, *, end: bool) -> None:
        """Take bytes of the body, the last ones with `end`. Raises StreamBrokenError if they are not as announced."""
        if self.request.length >= 0:
            self._left -= len(data)
            if self._left < 0 or (end and self._left):
                raise StreamBrokenError(self.number, Code.PROTOCOL_ERROR)
        self.ended = end
        if self.request.is_grpc:
            self._split(data)
        if end:
            if self._buffer:
                self.end(grpc.StatusCode.INTERNAL, "the last message is cut off")
            elif self._taker is not None:
                self._taker.end()
            self._wake()

    def _split(self, data: bytes) -> None:
        """Take the messages that are complete, and keep the rest; end the call if one of them cannot be taken."""
        if self._buffer:
            self._buffer += data
            if len(self._buffer) < self._needed:
                return
            data = bytes(self._buffer)
            self._buffer.clear()
        start, size = 0, len(data)
        self._needed = PREFIX_BYTES
        while size - start >= PREFIX_BYTES:
            compressed, length = PREFIX.unpack_from(data, start)
            if compressed or length > self._max_bytes:
                self._refuse_message(compressed, length)
                return
            stop = start + PREFIX_BYTES + length
            if stop > size:
                self._needed = stop - start
                break
            self._message(data[start + PREFIX_BYTES : stop])
            start = stop
        self._buffer += data[start:]

    def _refuse_message(self, compressed: int, length: int) -> None:
        if compressed:
            self.end(grpc.StatusCode.UNIMPLEMENTED, "compressed messages are not taken here")
        else:
            message = f"a message of {length:,} bytes is too large: at most {self._max_bytes:,} are allowed"
            self.end(grpc.StatusCode.RESOURCE_EXHAUSTED, message)

    def _message(self, data: bytes) -> None:
        self._connection.count_message()
        if self._taker is None:
            self._messages.append(data)
            self.waiting_bytes += len(data)
            self._wake()
        else:
            self._taker.give(data)

    @property
    def held_bytes(self) -> int:
        """Return how much has come of messages that are not complete, or that the handler has not read."""
        return len(self._buffer) + self.waiting_bytes

    def _wake(self) -> None:
        if self._reader is not None and not self._reader.done():
            self._reader.set_result(None)

    async def read(self) -> Any:
        """Return the next message, or grpc.aio.EOF."""
        while not self._messages:
            if self.ended:
                return grpc.aio.EOF
            await self.something()
        return self._parse(self._next())

    async def something(self) -> None:
        """Wait until a message comes, or the end."""
        self._reader = asyncio.get_running_loop().create_future()
        await self._reader

    def _next(self) -> bytes:
        data = self._messages.popleft()
        self.waiting_bytes -= len(data)
        self._connection.give_back(self)
        return data

    def hand_on(self, take: Callable[[Any], None]) -> asyncio.Future[None]:
        """Give `take` each message as soon as it comes, and return what is done when the caller sends no more.

        What `take` raises ends it.
        """
        self._taker = _Taker(self._parse, take, asyncio.get_running_loop().create_future())
        while self._messages:
            self._taker.give(self._next())
        if self.ended:
            self._taker.end()
        return self._taker.over

    # --- what goes ---

    async def send_initial_metadata(self, _metadata: Sequence[tuple[str, str]]) -> None:
        """Begin the answer, without metadata of ours."""
        self._begin()

    def _begin(self) -> None:
        if not self._begun:
            self._begun = True
            self._connection.send_headers(self, OPENING, end=False)

    async def write(self, message: Any) -> None:
        """Send a message, once the caller has room for it."""
        data = message.SerializeToString()
        self._begin()
        await self.send(PREFIX.pack(0, len(data)) + data)

    async def send(self, data: bytes, *, end: bool = False) -> None:
        """Send bytes of the body as the windows allow. Raises ConnectionError when the stream has ended."""
        connection = self._connection
        start, size = 0, len(data)
        while True:
            room = connection.room(self)
            if size - start <= room:
                connection.send_data(self, data[start:], end=end)
                self._halfway = False
                return
            if room:
                connection.send_data(self, data[start : start + room], end=False)
                start += room
                self._halfway = True
            else:
                await connection.changed()

    async def answer(self, status: str, text: str) -> None:
        """Answer with plain text, once the request is complete: HTTP that is not gRPC."""
        while not self.ended:
            await self.something()
        body = b"" if self.request.method == "HEAD" else text.encode()
        headers = (":status", status), ("content-type", "text/plain"), ("content-length", str(len(text)))
        self._connection.send_headers(self, headers, end=not body)
        if body:
            await self.send(body, end=True)

    async def abort(
        self, code: grpc.StatusCode, details: str = "", trailing_metadata: Sequence[tuple[str, str | bytes]] = ()
    ) -> None:
        """End the call with a status, by raising."""
        self._status = code, details, trailing_metadata
        raise grpc.aio.AbortError(details)

    # --- what is known of it ---

    def peer(self) -> str:
        """Return the other end, as gRPC writes it."""
        return self._connection.peer

    def invocation_metadata(self) -> Sequence[tuple[str, str]]:
        """Return the headers of the request."""
        return tuple(self.request.headers.items())

    def auth_context(self) -> Mapping[str, Sequence[bytes]]:
        """Return what the caller's certificate says, as gRPC has it."""
        return self._connection.auth_context

    # --- how it ends ---

    def serve(self, handler: grpc.RpcMethodHandler) -> None:
        """Have a handler of a method that takes and sends a stream serve the call, in the time that it has."""
        self._parse = handler.request_deserializer
        loop = asyncio.get_running_loop()
        if timeout := self.request.headers.get("grpc-timeout"):
            given = TIMEOUT.fullmatch(timeout)
            if given is None:
                self.end(grpc.StatusCode.INTERNAL, "grpc-timeout cannot be read")
                return
            self._deadline = loop.call_later(int(given[1]) * UNITS_S[given[2]], self._expire)
        self.task = loop.create_task(self._run(handler.stream_stream))

    def _expire(self) -> None:
        self.end(grpc.StatusCode.DEADLINE_EXCEEDED, "Deadline Exceeded")

    async def _run(self, behaviour: Callable[[Any, Any], Any]) -> None:
        try:
            await behaviour(None, self)
        except grpc.aio.AbortError:
            pass  # the status says it
        except Exception:
            log.exception("a handler failed")
            self._status = grpc.StatusCode.INTERNAL, "", ()
        self._finish(*self._status)

    def end(self, code: grpc.StatusCode, message: str) -> None:
        """End the call with a status, whatever its handler does."""
        self._finish(code, message, ())
        self.drop()

    def _finish(self, code: grpc.StatusCode, message: str, metadata: Sequence[tuple[str, str | bytes]]) -> None:
        if self._halfway:  # nobody has read the beginning of a message: a status behind it would make no sense
            self._connection.reset(self, Code.CANCEL)
            return
        trailers = [("grpc-status", str(code.value[0]))]
        if message:
            trailers.append(("grpc-message", encode_message(message)))
        for name, value in metadata:
            trailers.append((name, value if isinstance(value, str) else b64encode(value).decode().rstrip("=")))
        self._connection.send_headers(self, trailers if self._begun else (*OPENING, *trailers), end=True)

    def drop(self) -> None:
        """End the handler: the stream is over."""
        if self._deadline is not None:
            self._deadline.cancel()
        if self.task is not None:  # also where it has just come to its end
            self.task.cancel()


@dataclass(frozen=True, slots=True)
class _Taker:
    """What takes messages as they come, until it raises or nobody waits for the end of them any more."""

    parse: Callable[[bytes], Any]
    take: Callable[[Any], None]
    over: asyncio.Future[None]

    def give(self, data: bytes) -> None:
        """Have a message taken. What is raised is the handler's own, which gets it where it waits."""
        if self.over.done():
            return
        try:
            self.take(self.parse(data))
        except Exception as error:
            self.over.set_exception(error)

    def end(self) -> None:
        """Let the handler know that no more comes."""
        if not self.over.done():
            self.over.set_result(None)
