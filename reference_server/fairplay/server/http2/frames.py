"""Frames of HTTP/2 as RFC 9113 defines them, and the headers of requests and answers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from enum import IntEnum
from struct import Struct
from typing import NamedTuple
from urllib.parse import quote

from hpack import Encoder, NeverIndexedHeaderTuple

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
HEAD = Struct(">HBBBI")
HEAD_BYTES = 9
FRAME_BYTES = 16_384
"""The longest frame that is taken, which is the least that HTTP/2 allows for."""
MAX_WINDOW = 2**31 - 1
DEFAULT_WINDOW = 65_535
U32 = Struct(">I")
SETTING = Struct(">HI")
NUMBER = 0x7FFFFFFF
"""The bits of a stream's number; the highest one is reserved."""

Headers = Sequence[tuple[str, str]]


Kind = IntEnum(
    "Kind", "DATA HEADERS PRIORITY RST_STREAM SETTINGS PUSH_PROMISE PING GOAWAY WINDOW_UPDATE CONTINUATION", start=0
)
"""The type of a frame."""
ACK, END_STREAM, END_HEADERS, PADDED, WITH_PRIORITY = 1, 1, 4, 8, 32
"""Flags of frames; what one means depends on the type of its frame."""


class Code(IntEnum):
    """Why a stream or a connection ends."""

    NO_ERROR = 0
    PROTOCOL_ERROR = 1
    FLOW_CONTROL_ERROR = 3
    STREAM_CLOSED = 5
    FRAME_SIZE_ERROR = 6
    REFUSED_STREAM = 7
    CANCEL = 8
    COMPRESSION_ERROR = 9
    ENHANCE_YOUR_CALM = 11


class Setting(IntEnum):
    """The number of a setting of the connection."""

    ENABLE_PUSH = 2
    MAX_CONCURRENT_STREAMS = 3
    INITIAL_WINDOW_SIZE = 4
    MAX_FRAME_SIZE = 5
    MAX_HEADER_LIST_SIZE = 6


class ConnectionBrokenError(Exception):
    """The other end has broken the protocol: its connection ends."""

    def __init__(self, code: Code, message: str) -> None:
        super().__init__(message)
        self.code = code


class StreamBrokenError(Exception):
    """The other end has broken the protocol in one stream, which ends."""

    def __init__(self, number: int, code: Code) -> None:
        self.number = number
        self.code = code


class Request(NamedTuple):
    """The headers of a request, and how many bytes its body has to have, -1 if that is not said."""

    method: str
    path: str
    headers: Mapping[str, str]
    length: int

    @property
    def is_grpc(self) -> bool:
        """Whether this is a request of gRPC."""
        return self.method == "POST" and self.headers.get("content-type", "").startswith("application/grpc")


def frame(kind: int, flags: int, number: int, payload: bytes = b"") -> bytes:
    """Return a frame."""
    size = len(payload)
    return HEAD.pack(size >> 8, size & 0xFF, kind, flags, number) + payload


def settings_frame(settings: Mapping[Setting, int]) -> bytes:
    """Return the frame of our settings."""
    return frame(Kind.SETTINGS, 0, 0, b"".join(SETTING.pack(*each) for each in settings.items()))


def read_settings(payload: bytes) -> dict[int, int]:
    """Return the settings of a frame, the last of each number. Raises ConnectionBrokenError for values out of range."""
    if len(payload) % SETTING.size:
        raise ConnectionBrokenError(Code.FRAME_SIZE_ERROR, "the settings are cut off")
    settings = dict(SETTING.iter_unpack(payload))
    if settings.get(Setting.ENABLE_PUSH) not in (None, 0, 1):
        raise ConnectionBrokenError(Code.PROTOCOL_ERROR, "ENABLE_PUSH is 0 or 1")
    if settings.get(Setting.INITIAL_WINDOW_SIZE, DEFAULT_WINDOW) > MAX_WINDOW:
        raise ConnectionBrokenError(Code.FLOW_CONTROL_ERROR, "INITIAL_WINDOW_SIZE is out of range")
    if not FRAME_BYTES <= settings.get(Setting.MAX_FRAME_SIZE, FRAME_BYTES) < 1 << 24:
        raise ConnectionBrokenError(Code.PROTOCOL_ERROR, "MAX_FRAME_SIZE is out of range")
    return settings


def read_body(number: int, flags: int, payload: bytes) -> bytes:
    """Return what a DATA or HEADERS frame holds, without padding and priority.

    Raises ConnectionBrokenError if it is too short, or the stream is said to depend on itself.
    """
    start, stop = 0, len(payload)
    if flags & PADDED and stop:
        start, stop = 1, stop - payload[0]
    start += 5 if flags & WITH_PRIORITY else 0
    if start > stop or (flags & PADDED and not payload):
        raise ConnectionBrokenError(Code.PROTOCOL_ERROR, "a frame is shorter than its padding and priority")
    if flags & WITH_PRIORITY:
        check_priority(number, payload[start - 5 : start])
    return payload[start:stop]


def check_priority(number: int, payload: bytes) -> None:
    """Raise ConnectionBrokenError if a stream is said to depend on itself; priorities are not followed otherwise."""
    if int.from_bytes(payload[:4], "big") & NUMBER == number:
        raise ConnectionBrokenError(Code.PROTOCOL_ERROR, f"stream {number} depends on itself")


PSEUDO = {":method", ":scheme", ":path", ":authority"}
OF_CONNECTIONS = {"connection", "proxy-connection", "keep-alive", "transfer-encoding", "upgrade"}
LENGTH = re.compile(r"[0-9]{1,18}")


def read_request(number: int, fields: Iterable[tuple[bytes, bytes]]) -> Request:
    """Return the headers that open a stream. Raises StreamBrokenError if they are not those of a request."""
    pseudo: dict[str, str] = {}
    headers: dict[str, str] = {}
    for name, value in ((name.decode("latin-1"), value.decode("latin-1")) for name, value in fields):
        if name.startswith(":"):
            if headers or name not in PSEUDO or name in pseudo:
                raise StreamBrokenError(number, Code.PROTOCOL_ERROR)
            pseudo[name] = value
        else:
            check_field(number, name, value)
            headers[name] = f"{headers[name]},{value}" if name in headers else value
    length = headers.get("content-length", "")
    if not pseudo.keys() >= {":method", ":scheme", ":path"} or not pseudo[":path"]:
        raise StreamBrokenError(number, Code.PROTOCOL_ERROR)
    if length and not LENGTH.fullmatch(length):
        raise StreamBrokenError(number, Code.PROTOCOL_ERROR)
    return Request(pseudo[":method"], pseudo[":path"], headers, int(length) if length else -1)


def check_field(number: int, name: str, value: str) -> None:
    """Raise StreamBrokenError if a field may not be among headers, nor among trailers."""
    if name != name.lower() or not name or name[0] == ":" or name in OF_CONNECTIONS:
        raise StreamBrokenError(number, Code.PROTOCOL_ERROR)
    if name == "te" and value != "trailers":
        raise StreamBrokenError(number, Code.PROTOCOL_ERROR)


_encoder = Encoder()


def encode_headers(headers: Headers) -> bytes:
    """Return headers as a block that leaves the table of the connection as it is, so that one encoder does for all."""
    return _encoder.encode(NeverIndexedHeaderTuple(*each) for each in headers)


def encode_message(message: str) -> str:
    """Return the text of a status as gRPC has it in headers."""
    return quote(message, safe=" !\"#$&'()*+,-./:;<=>?@[\\]^_`{|}~")
