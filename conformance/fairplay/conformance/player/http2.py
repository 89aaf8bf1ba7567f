"""A call to a player that serves as a library of another language makes it: in HTTP/2, written here.

Headers are in HPACK without its tables. Those of the answer are not read: there is a message in it, or none.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from enum import IntEnum

from fairplay.games.kit.wire import varint
from fairplay.games.steps import Failure
from fairplay.server.links.link import call_error, disconnected, overrun
from fairplay.v1.misconduct_pb2 import CallErrorReason

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
STREAM = 1
MAX_DATA_BYTES = 2**14
"""What a frame holds unless the other side allows more."""
MAX_ANSWER_BYTES, INITIAL_WINDOW_SIZE = 2**23, b"\0\x04"
"""How much is read without a word that it was, and the number of the setting that says so."""
END_STREAM, ACK, END_HEADERS, PADDED = 1, 1, 4, 8
"""Flags of frames, of which the first two belong to different kinds."""
UNIX = "unix:"
UNKNOWN = 2
"""The status of a call without a message, whatever its own is."""


class Kind(IntEnum):
    """Kinds of frames."""

    DATA = 0
    HEADERS = 1
    RST_STREAM = 3
    SETTINGS = 4
    PING = 6
    GOAWAY = 7
    WINDOW_UPDATE = 8


async def call(target: str, path: str, request: bytes, headers: Mapping[str, str], limit_s: float) -> bytes | Failure:
    """Call a method of a player at HOST:PORT or unix:PATH over a connection of its own, with these headers besides."""
    try:
        async with asyncio.timeout(limit_s):
            reader, writer = await _connect(target)
            try:
                writer.write(_frames_of(target, path, request, headers))
                return await _read(reader, writer)
            finally:
                writer.close()
    except TimeoutError:
        return overrun(limit_s, limit_s)
    except (OSError, asyncio.IncompleteReadError) as error:
        return disconnected(f"the player cannot be reached, or has hung up: {error}")


async def _connect(target: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    if target.startswith(UNIX):
        return await asyncio.open_unix_connection(target.removeprefix(UNIX))
    host, _, port = target.rpartition(":")
    return await asyncio.open_connection(host.strip("[]"), int(port))


def _frames_of(target: str, path: str, request: bytes, headers: Mapping[str, str]) -> bytes:
    """Return all that is sent for a call."""
    fields = {
        ":method": "POST",
        ":scheme": "http",
        ":path": path,
        ":authority": "localhost" if target.startswith(UNIX) else target,
        "te": "trailers",
        "content-type": "application/grpc",
        **headers,
    }
    block = b"".join(b"\0" + _text(name) + _text(value) for name, value in fields.items())
    message = b"\0" + len(request).to_bytes(4, "big") + request
    parts = [message[start : start + MAX_DATA_BYTES] for start in range(0, len(message), MAX_DATA_BYTES)]
    frames = [_frame(Kind.DATA, 0, STREAM, part) for part in parts[:-1]]
    room = MAX_ANSWER_BYTES.to_bytes(4, "big")
    begun = PREFACE + _frame(Kind.SETTINGS, 0, 0, INITIAL_WINDOW_SIZE + room)
    begun += _frame(Kind.WINDOW_UPDATE, 0, 0, room) + _frame(Kind.HEADERS, END_HEADERS, STREAM, block)
    return begun + b"".join(frames) + _frame(Kind.DATA, END_STREAM, STREAM, parts[-1])


def _frame(kind: Kind, flags: int, stream: int, payload: bytes) -> bytes:
    return len(payload).to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big") + payload


def _text(text: str) -> bytes:
    """Return a text with its length before it, as HPACK has it."""
    data = text.encode()
    return (bytes([len(data)]) if len(data) < 0x7F else b"\x7f" + varint(len(data) - 0x7F)) + data


async def _read(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bytes | Failure:
    """Read until the call is over, and return the message that has come."""
    message, is_over = bytearray(), False
    while not is_over:
        head = await reader.readexactly(9)
        payload = await reader.readexactly(int.from_bytes(head[:3], "big"))
        kind, flags = head[3], head[4]
        if kind in (Kind.SETTINGS, Kind.PING) and not flags & ACK:
            writer.write(_frame(Kind(kind), ACK, 0, payload if kind == Kind.PING else b""))
        elif kind == Kind.DATA:
            message += payload[1 : len(payload) - payload[0]] if flags & PADDED else payload
        is_over = kind in (Kind.RST_STREAM, Kind.GOAWAY) or (
            kind in (Kind.DATA, Kind.HEADERS) and bool(flags & END_STREAM)
        )
    if not message:
        return call_error(CallErrorReason.CALL_ERROR_REASON_STATUS, "it ended without an answer", code=UNKNOWN)
    return bytes(message[5:])
