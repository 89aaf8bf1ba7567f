"""A connection of HTTP/2, as its server sees it: frames come in and go out, and none of them is trusted."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol, cast
from urllib.parse import quote

from hpack import Decoder, HPACKError, OversizedHeaderListError

from fairplay.server.http2.call import WINDOW as CALL_WINDOW
from fairplay.server.http2.call import Call
from fairplay.server.http2.frames import (
    ACK,
    DEFAULT_WINDOW,
    END_HEADERS,
    END_STREAM,
    FRAME_BYTES,
    HEAD,
    HEAD_BYTES,
    MAX_WINDOW,
    NUMBER,
    PADDED,
    PREFACE,
    U32,
    Code,
    ConnectionBrokenError,
    Headers,
    Kind,
    Setting,
    StreamBrokenError,
    check_field,
    check_priority,
    encode_headers,
    frame,
    read_body,
    read_request,
    read_settings,
    settings_frame,
)

WINDOW = 8 * 1024 * 1024
"""How many bytes of all calls of a connection may be under way to us."""
MAX_CALLS = 500
"""How many open calls of a connection will do: gRPC lets others wait, and says nothing of it."""
HANDSHAKE_LIMIT_S = 20.0
"""How long it may take until the first settings have come."""
MAX_HEADER_BYTES = 16 * 1024
MAX_POINTLESS = 1_000
"""How many frames may come between two messages: pings, settings, streams that are opened and reset."""
POINTLESS_S = 60.0
"""After how long they are forgotten: in hours of waiting, a player's signs of life are as many as those of a flood."""
SMALL_BYTES = 256
"""A frame with fewer bytes of a message counts as one without, unless it completes the message."""
MAX_HELD_BYTES = 16 * 1024 * 1024
"""How much of messages may wait in a connection: for their ends, and for handlers."""
MAX_REMEMBERED = 256
"""Of how many streams it is remembered that the other end has ended them."""
PING_INTERVAL_S = 10.0
"""How often the other end may ask for a sign of life when there is nothing to send; a bit more often is let pass."""
MAX_HASTY_PINGS = 2
END_LIMIT_S = 1.0
"""How long the last frames may take to leave."""
SIZES: Mapping[int, int] = {Kind.PRIORITY: 5, Kind.RST_STREAM: 4, Kind.PING: 8, Kind.WINDOW_UPDATE: 4}
OF_CONNECTIONS = (Kind.SETTINGS, Kind.PING, Kind.GOAWAY)


class Host(Protocol):
    """What connections need of their listener."""

    max_message_bytes: int
    max_calls: int
    heartbeat_s: float
    answer_s: float
    connections: set[Connection]
    idle: asyncio.Event

    def serve(self, call: Call) -> None:
        """Begin to serve a call."""


class Connection(asyncio.Protocol):
    """A connection and its open calls."""

    def __init__(self, host: Host) -> None:
        self.peer: str
        self.auth_context: Mapping[str, Sequence[bytes]] = {}
        self.initial_window = DEFAULT_WINDOW
        """How many bytes the other end takes of a new call before it allows for more."""
        self._host = host
        self._loop = asyncio.get_running_loop()
        self._transport: asyncio.Transport
        self._decoder = Decoder(max_header_list_size=MAX_HEADER_BYTES)
        self._calls: dict[int, Call] = {}
        self._ended: dict[int, bool] = {}
        """Streams that are over, and whether the other end has ended them: it must send nothing more in them."""
        self._last = 0
        self._rest = b""
        self._preface = PREFACE
        """What has to come before the first frame."""
        self._block: tuple[int, int, bytearray] | None = None
        """The stream, the flags and the beginning of headers that are not complete."""
        self._window = WINDOW
        self._room = DEFAULT_WINDOW
        self._frame_bytes = FRAME_BYTES
        self._paused = False
        self._leaving = False
        self._closed = False
        self._changed: asyncio.Future[None] | None = None
        self._out: list[bytes] = []
        self._pointless = 0
        self._pointless_s = 0.0
        """Since when pointless frames are counted."""
        self._ping_s = -PING_INTERVAL_S
        self._hasty_pings = 0
        self._received_s: float
        self._asked_s = 0.0
        self._timer: asyncio.TimerHandle
        """What ends the connection unless its first settings come, then its signs of life, and at last its end."""

    # --- the transport ---

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Say what is taken here, and wait for the other end to do so."""
        self._transport = cast("asyncio.Transport", transport)
        self.peer = name_peer(transport.get_extra_info("peername"))
        self._host.connections.add(self)
        self._timer = self._loop.call_later(HANDSHAKE_LIMIT_S, self._transport.abort)
        tls = transport.get_extra_info("ssl_object")
        if tls is not None:
            if tls.selected_alpn_protocol() != "h2":
                self._transport.abort()
            subject = (tls.getpeercert() or {}).get("subject", ())
            names = [value.encode() for part in subject for key, value in part if key == "commonName"]
            self.auth_context = {"x509_common_name": names}
        settings = {
            Setting.MAX_CONCURRENT_STREAMS: self._host.max_calls,
            Setting.INITIAL_WINDOW_SIZE: CALL_WINDOW,
            Setting.MAX_HEADER_LIST_SIZE: MAX_HEADER_BYTES,
        }
        grown = frame(Kind.WINDOW_UPDATE, 0, 0, U32.pack(WINDOW - DEFAULT_WINDOW))
        self._transport.write(settings_frame(settings) + grown)

    def connection_lost(self, exc: Exception | None) -> None:
        """End all calls."""
        self._host.connections.discard(self)
        if not self._host.connections:
            self._host.idle.set()
        self._timer.cancel()
        self._end_calls()

    def _end_calls(self) -> None:
        calls, self._calls = self._calls, {}
        for call in calls.values():
            call.drop()
        self._wake()

    def pause_writing(self) -> None:
        """Send nothing more for now: the other end does not read."""
        self._paused = True

    def resume_writing(self) -> None:
        """Send on."""
        self._paused = False
        self._wake()

    def data_received(self, data: bytes) -> None:
        """Take what has come, frame by frame."""
        if self._closed:
            return
        self._received_s = self._loop.time()
        if self._rest:
            data = self._rest + data
        start, size = 0, len(data)
        try:
            if self._preface:
                start = len(self._preface)
                if data[:start] != self._preface[:size]:
                    raise ConnectionBrokenError(Code.PROTOCOL_ERROR, "this is not HTTP/2")
                if size >= start:
                    self._preface = b""
            while size - start >= HEAD_BYTES and not self._closed:
                high, low, kind, flags, number = HEAD.unpack_from(data, start)
                stop = start + HEAD_BYTES + (high << 8 | low)
                if stop - start > HEAD_BYTES + FRAME_BYTES:
                    raise ConnectionBrokenError(Code.FRAME_SIZE_ERROR, "a frame is too long")
                if stop > size:
                    break
                self._take(kind, flags, number & NUMBER, data[start + HEAD_BYTES : stop])
                start = stop
            self._rest = data if self._preface else data[start:]
        except ConnectionBrokenError as error:
            self.close(error.code, str(error))

    # --- frames that come ---

    def _take(self, kind: int, flags: int, number: int, payload: bytes) -> None:
        try:
            if kind == Kind.DATA and self._block is None:
                self._take_data(flags, number, payload)
                return
            if self._block is not None and (kind != Kind.CONTINUATION or number != self._block[0]):
                raise ConnectionBrokenError(Code.PROTOCOL_ERROR, "headers were begun and not completed")
            self._count_pointless()
            take = TAKE.get(kind)
            if take is None:
                return  # an extension that we do not know
            if len(payload) != SIZES.get(kind, len(payload)):
                raise ConnectionBrokenError(Code.FRAME_SIZE_ERROR, f"a frame of type {kind} is of another length")
            if kind != Kind.WINDOW_UPDATE and (number == 0) is not (kind in OF_CONNECTIONS):
                raise ConnectionBrokenError(Code.PROTOCOL_ERROR, f"stream {number} has no frames of type {kind}")
            take(self, flags, number, payload)
        except StreamBrokenError as error:
            call = self._calls.get(error.number)
            if call is None:
                self._put(frame(Kind.RST_STREAM, 0, error.number, U32.pack(error.code)))
            else:
                self.reset(call, error.code)

    def _count_pointless(self) -> None:
        if self._received_s - self._pointless_s > POINTLESS_S:
            self._pointless, self._pointless_s = 0, self._received_s
        self._pointless += 1
        if self._pointless > MAX_POINTLESS:
            raise ConnectionBrokenError(Code.ENHANCE_YOUR_CALM, f"{MAX_POINTLESS:,} frames came without a message")

    def count_message(self) -> None:
        """Take note that something came that was worth the frames before it."""
        if not self._paused:
            self._pointless = 0

    def _take_data(self, flags: int, number: int, payload: bytes) -> None:
        size = len(payload)
        self._window -= size
        if self._window <= WINDOW // 2:  # so it never comes to its end
            self._put(frame(Kind.WINDOW_UPDATE, 0, 0, U32.pack(WINDOW - self._window)))
            self._window = WINDOW
        call = self._calls.get(number)
        if call is None or call.ended:
            self._refuse_late(number)
            return
        call.window -= size
        if call.window < 0:
            raise StreamBrokenError(number, Code.FLOW_CONTROL_ERROR)
        if flags & PADDED:
            payload = read_body(number, PADDED, payload)
        if size < SMALL_BYTES:
            self._count_pointless()  # or a message could come byte by byte, and take longer than a thousand others
        end = bool(flags & END_STREAM)
        if end:
            self._remember(number, by_them=True)
        call.receive(payload, end=end)
        # Of what is less, not even all calls together could hold too much: they need not be counted.
        if call.held_bytes > MAX_HELD_BYTES // MAX_CALLS:
            self._check_held()
        self.give_back(call)

    def _check_held(self) -> None:
        if sum(each.held_bytes for each in self._calls.values()) > MAX_HELD_BYTES:
            raise ConnectionBrokenError(Code.ENHANCE_YOUR_CALM, "too much came of messages without their ends")

    def _refuse_late(self, number: int) -> None:
        """Refuse a frame of a stream that is not open, unless it may have been under way when we ended the stream."""
        self._check_known(number)
        self._count_pointless()
        if number in self._calls:
            raise StreamBrokenError(number, Code.STREAM_CLOSED)
        if self._ended.get(number):
            raise ConnectionBrokenError(Code.STREAM_CLOSED, f"stream {number} was ended, and goes on")

    def _check_known(self, number: int) -> None:
        if number > self._last or number % 2 == 0:
            raise ConnectionBrokenError(Code.PROTOCOL_ERROR, f"stream {number} was never opened")

    def _remember(self, number: int, *, by_them: bool) -> None:
        self._ended[number] = by_them
        if len(self._ended) > MAX_REMEMBERED:
            del self._ended[next(iter(self._ended))]

    def _take_headers(self, flags: int, number: int, payload: bytes) -> None:
        self._block = number, flags, bytearray(read_body(number, flags, payload))
        if flags & END_HEADERS:
            self._complete()

    def _take_continuation(self, flags: int, number: int, payload: bytes) -> None:
        if self._block is None:
            raise ConnectionBrokenError(Code.PROTOCOL_ERROR, "no headers were begun that could go on")
        self._block[2].extend(payload)
        if len(self._block[2]) > MAX_HEADER_BYTES:
            raise ConnectionBrokenError(Code.ENHANCE_YOUR_CALM, "headers are too large")
        if flags & END_HEADERS:
            self._complete()

    def _complete(self) -> None:
        """Take headers that are complete: they open a stream, or end it."""
        assert self._block is not None
        number, flags, block = self._block
        self._block = None
        try:
            fields = self._decoder.decode(bytes(block), raw=True)
        except OversizedHeaderListError:
            raise ConnectionBrokenError(Code.ENHANCE_YOUR_CALM, "headers are too large") from None
        except HPACKError:
            raise ConnectionBrokenError(Code.COMPRESSION_ERROR, "headers cannot be read") from None
        end = bool(flags & END_STREAM)
        call = self._calls.get(number)
        if call is not None and not call.ended:
            if not end:
                raise StreamBrokenError(number, Code.PROTOCOL_ERROR)
            for name, value in fields:
                check_field(number, name.decode("latin-1"), value.decode("latin-1"))
        elif number <= self._last or number % 2 == 0:
            if number not in self._ended:
                raise ConnectionBrokenError(Code.PROTOCOL_ERROR, f"stream {number} comes too late")
            self._refuse_late(number)
            return
        else:
            self._last = number
            request = read_request(number, fields)
            if len(self._calls) >= self._host.max_calls or self._leaving:
                raise StreamBrokenError(number, Code.REFUSED_STREAM)
            call = self._calls[number] = Call(self, number, request, self._host.max_message_bytes)
            self._host.serve(call)
        if end:
            self._remember(number, by_them=True)
            call.receive(b"", end=True)

    def _take_priority(self, _flags: int, number: int, payload: bytes) -> None:
        check_priority(number, payload)

    def _take_rst_stream(self, _flags: int, number: int, _payload: bytes) -> None:
        self._check_known(number)
        self._remember(number, by_them=True)
        call = self._calls.pop(number, None)
        if call is not None:
            call.drop()
            self._wake()
            self._close_if_over()

    def _take_settings(self, flags: int, _number: int, payload: bytes) -> None:
        if flags & ACK:
            if payload:
                raise ConnectionBrokenError(Code.FRAME_SIZE_ERROR, "an answer to settings holds some")
            return
        settings = read_settings(payload)
        more = settings.get(Setting.INITIAL_WINDOW_SIZE, self.initial_window) - self.initial_window
        self.initial_window += more
        for call in self._calls.values():
            call.send_window += more
            if call.send_window > MAX_WINDOW:
                raise ConnectionBrokenError(Code.FLOW_CONTROL_ERROR, "a window is out of range")
        self._frame_bytes = settings.get(Setting.MAX_FRAME_SIZE, self._frame_bytes)
        self._put(frame(Kind.SETTINGS, ACK, 0))
        self._wake()
        self._timer.cancel()
        self._timer = self._loop.call_later(self._host.heartbeat_s, self._beat)

    def _take_ping(self, flags: int, _number: int, payload: bytes) -> None:
        if flags & ACK:
            return
        self._hasty_pings += self._received_s - self._ping_s < PING_INTERVAL_S
        if self._hasty_pings > MAX_HASTY_PINGS:
            raise ConnectionBrokenError(Code.ENHANCE_YOUR_CALM, "too_many_pings")  # as gRPC says it
        self._ping_s = self._received_s
        self._put(frame(Kind.PING, ACK, 0, payload))

    def _take_goaway(self, _flags: int, _number: int, _payload: bytes) -> None:
        self._leaving = True
        self._close_if_over()

    def _take_window_update(self, _flags: int, number: int, payload: bytes) -> None:
        more = int.from_bytes(payload, "big") & NUMBER
        if number == 0:
            self._room += more
            if not more:
                raise ConnectionBrokenError(Code.PROTOCOL_ERROR, "a window does not grow by 0")
            if self._room > MAX_WINDOW:
                raise ConnectionBrokenError(Code.FLOW_CONTROL_ERROR, "a window is out of range")
        else:
            self._check_known(number)
            call = self._calls.get(number)
            if call is not None:
                call.send_window += more
                if not more or call.send_window > MAX_WINDOW:
                    raise StreamBrokenError(number, Code.FLOW_CONTROL_ERROR if more else Code.PROTOCOL_ERROR)
        self._wake()

    def _take_push_promise(self, _flags: int, _number: int, _payload: bytes) -> None:
        raise ConnectionBrokenError(Code.PROTOCOL_ERROR, "only servers promise")

    # --- frames that go ---

    def _put(self, data: bytes) -> None:
        """Send bytes together with what else is sent in this turn of the event loop: each write costs a system call."""
        if not self._out:
            self._loop.call_soon(self._flush)
        self._out.append(data)

    def _flush(self) -> None:
        if self._out:  # or all of it went with the end of the connection
            self._transport.write(b"".join(self._out))
        self._out.clear()

    def room(self, call: Call) -> int:
        """Return how many bytes of a call can be sent now. Raises ConnectionResetError if its stream is over."""
        if call.number not in self._calls:
            raise ConnectionResetError("the stream is over")
        return 0 if self._paused else max(0, min(self._room, call.send_window, self._frame_bytes))

    async def changed(self) -> None:
        """Wait until there may be more room, or none will be any more."""
        if self._changed is None:
            self._changed = self._loop.create_future()
        await asyncio.shield(self._changed)

    def _wake(self) -> None:
        if self._changed is not None:
            self._changed.set_result(None)
            self._changed = None

    def send_data(self, call: Call, data: bytes, *, end: bool) -> None:
        """Send bytes of a call, for which there is room; the last ones with `end`."""
        size = len(data)
        self._room -= size
        call.send_window -= size
        self._be_patient()
        self._put(HEAD.pack(size >> 8, size & 0xFF, Kind.DATA, END_STREAM if end else 0, call.number) + data)
        if end:
            self._forget(call)

    def send_headers(self, call: Call, headers: Headers, *, end: bool) -> None:
        """Send headers of a call, or trailers with `end`; nothing if its stream is over."""
        if call.number not in self._calls:
            return
        self._be_patient()
        block = encode_headers(headers)
        kind, flags = Kind.HEADERS, END_STREAM if end else 0
        while len(block) > FRAME_BYTES:
            self._put(frame(kind, flags, call.number, block[:FRAME_BYTES]))
            kind, flags, block = Kind.CONTINUATION, 0, block[FRAME_BYTES:]
        self._put(frame(kind, flags | END_HEADERS, call.number, block))
        if end:
            self._forget(call)

    def _be_patient(self) -> None:
        """Let the other end ask for signs of life: something is sent, and it may measure how long that takes."""
        self._hasty_pings = 0
        self._ping_s = -PING_INTERVAL_S

    def give_back(self, call: Call) -> None:
        """Allow the caller to send what the handler has made room for."""
        due = CALL_WINDOW - call.waiting_bytes - call.window
        if due >= CALL_WINDOW // 2 and not call.ended and call.number in self._calls:
            call.window += due
            self._put(frame(Kind.WINDOW_UPDATE, 0, call.number, U32.pack(due)))

    def reset(self, call: Call, code: Code) -> None:
        """End a stream at once, and its handler."""
        if self._calls.pop(call.number, None) is not None:
            self._remember(call.number, by_them=call.ended)
            self._put(frame(Kind.RST_STREAM, 0, call.number, U32.pack(code)))
            call.drop()
            self._close_if_over()

    def _forget(self, call: Call) -> None:
        """Let go of a call that has been answered; its caller need not send the rest of it."""
        if not call.ended:
            self._remember(call.number, by_them=False)
            self._put(frame(Kind.RST_STREAM, 0, call.number, U32.pack(Code.NO_ERROR)))
        del self._calls[call.number]
        call.drop()
        self._close_if_over()

    # --- how it ends ---

    def _beat(self) -> None:
        """Ask a silent connection for a sign of life, and end it if there is none."""
        if self._received_s < self._asked_s:
            self.abort()
            return
        now_s = self._loop.time()
        wait_s = self._received_s + self._host.heartbeat_s - now_s
        if wait_s <= 0:
            self._asked_s, wait_s = now_s, self._host.answer_s
            self._put(frame(Kind.PING, 0, 0, bytes(8)))
        self._timer = self._loop.call_later(wait_s, self._beat)

    def leave(self) -> None:
        """Take no other calls, and end once those that are open are over."""
        self._leaving = True
        if self._calls:
            self._put(frame(Kind.GOAWAY, 0, 0, U32.pack(self._last) + U32.pack(Code.NO_ERROR)))
        self._close_if_over()

    def _close_if_over(self) -> None:
        if self._leaving and not self._calls:
            self.close(Code.NO_ERROR)

    def abort(self) -> None:
        """End at once."""
        self._transport.abort()

    def close(self, code: Code, message: str = "") -> None:
        """Say why, and end: at once if the other end does so, too."""
        if self._closed:
            return
        self._put(frame(Kind.GOAWAY, 0, 0, U32.pack(self._last) + U32.pack(code) + message.encode()))
        self._flush()
        self._closed = True
        self._end_calls()
        with contextlib.suppress(OSError):  # the other end is gone already
            if self._transport.can_write_eof():
                self._transport.write_eof()  # and read on: what comes to a closed socket takes away what it has said
            else:
                self._transport.close()
        self._timer.cancel()
        self._timer = self._loop.call_later(END_LIMIT_S, self._transport.abort)


TAKE: Mapping[int, Callable[[Connection, int, int, bytes], None]] = {
    Kind.HEADERS: Connection._take_headers,
    Kind.PRIORITY: Connection._take_priority,
    Kind.RST_STREAM: Connection._take_rst_stream,
    Kind.SETTINGS: Connection._take_settings,
    Kind.PUSH_PROMISE: Connection._take_push_promise,
    Kind.PING: Connection._take_ping,
    Kind.GOAWAY: Connection._take_goaway,
    Kind.WINDOW_UPDATE: Connection._take_window_update,
    Kind.CONTINUATION: Connection._take_continuation,
}
"""What is done with a frame, by its type."""


def name_peer(name: object) -> str:
    """Return an address as gRPC writes it, e.g. "ipv4:10.0.0.7:51234"; `name` is that of the socket."""
    if not isinstance(name, tuple):
        return "unix:"
    host, port = name[:2]
    return f"ipv6:{quote(f'[{host}]')}:{port}" if ":" in host else f"ipv4:{host}:{port}"
