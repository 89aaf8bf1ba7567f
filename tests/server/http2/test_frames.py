"""Frames and headers, byte by byte; numbers are those of RFC 9113, and hexadecimal where its tables have them so."""

from __future__ import annotations

import pytest
from hpack import Decoder

from fairplay.server.http2.frames import (
    ConnectionBrokenError,
    Headers,
    StreamBrokenError,
    check_field,
    check_priority,
    encode_headers,
    encode_message,
    frame,
    read_body,
    read_request,
    read_settings,
    settings_frame,
)

PROTOCOL_ERROR, FLOW_CONTROL_ERROR, FRAME_SIZE_ERROR = 0x1, 0x3, 0x6
PADDED, WITH_PRIORITY, BOTH = 0x8, 0x20, 0x28
POST = ((":method", "POST"), (":scheme", "http"), (":path", "/a.B/C"))
GRPC = ("content-type", "application/grpc")


def setting(number: int, value: int) -> bytes:
    return number.to_bytes(2, "big") + value.to_bytes(4, "big")


def read(*headers: tuple[str, str]) -> dict[str, object]:
    """Return what is read of a request with these headers."""
    return read_request(1, [(name.encode(), value.encode("latin-1")) for name, value in headers])._asdict()


# --- frames ---


def test_a_frame_is_its_length_type_flags_and_stream_and_then_its_payload() -> None:
    payload = bytes(0x010203)
    assert frame(6, 5, 0x0A0B0C0D, payload) == b"\x01\x02\x03\x06\x05\x0a\x0b\x0c\x0d" + payload
    assert frame(4, 1, 0) == b"\0\0\0\4\1\0\0\0\0"


# --- settings ---


def test_settings_go_and_come_as_pairs_of_number_and_value() -> None:
    sent = settings_frame({3: 500, 4: 1_048_576})  # type: ignore[dict-item]
    assert sent == b"\0\0\x0c\4\0\0\0\0\0" + setting(3, 500) + setting(4, 1_048_576)
    assert read_settings(sent[9:]) == {3: 500, 4: 1_048_576}
    assert read_settings(b"") == {}


def test_the_last_value_of_a_setting_counts_and_unknown_settings_are_let_pass() -> None:
    assert read_settings(setting(4, 1) + setting(99, 7) + setting(4, 2)) == {4: 2, 99: 7}


@pytest.mark.parametrize(
    ("number", "value"),
    [(2, 0), (2, 1), (4, 0), (4, 2_147_483_647), (5, 16_384), (5, 16_777_215), (6, 4_294_967_295)],
)
def test_a_setting_may_go_to_its_limits(number: int, value: int) -> None:
    assert read_settings(setting(number, value)) == {number: value}


@pytest.mark.parametrize(
    ("payload", "code"),
    [
        (setting(2, 2), PROTOCOL_ERROR),
        (setting(4, 2_147_483_648), FLOW_CONTROL_ERROR),
        (setting(5, 16_383), PROTOCOL_ERROR),
        (setting(5, 16_777_216), PROTOCOL_ERROR),
        (setting(3, 500)[:-1], FRAME_SIZE_ERROR),
        (setting(3, 500) + b"\0", FRAME_SIZE_ERROR),
    ],
    ids=["push", "window", "short frames", "long frames", "too short", "too long"],
)
def test_settings_beyond_their_limits_break_the_connection(payload: bytes, code: int) -> None:
    with pytest.raises(ConnectionBrokenError) as broken:
        read_settings(payload)
    assert broken.value.code == code


# --- padding and priority ---


@pytest.mark.parametrize(
    ("flags", "payload", "body"),
    [
        (0, b"", b""),
        (0, b"\2body", b"\2body"),
        (PADDED, b"\0", b""),
        (PADDED, b"\2body\0\0", b"body"),
        (PADDED, b"\3\0\0\0", b""),
        (PADDED, b"\1x\0", b"x"),
        (WITH_PRIORITY, b"\0\0\0\3\0", b""),
        (WITH_PRIORITY, b"\0\0\0\3\0body", b"body"),
        (BOTH, b"\2\0\0\0\3\0body\0\0", b"body"),
        (BOTH, b"\1\0\0\0\3\0\0", b""),
        (0x5, b"body", b"body"),
    ],
)
def test_a_body_is_what_is_there_without_padding_and_priority(flags: int, payload: bytes, body: bytes) -> None:
    assert read_body(1, flags, payload) == body


@pytest.mark.parametrize(
    ("flags", "payload"),
    [
        (PADDED, b""),
        (PADDED, b"\1"),
        (PADDED, b"\4\0\0\0"),
        (WITH_PRIORITY, b""),
        (WITH_PRIORITY, b"\0\0\0\3"),
        (BOTH, b""),
        (BOTH, b"\2\0\0\0\3\0\0"),
    ],
)
def test_a_frame_that_is_shorter_than_its_padding_and_priority_breaks_the_connection(
    flags: int, payload: bytes
) -> None:
    with pytest.raises(ConnectionBrokenError, match="shorter") as broken:
        read_body(1, flags, payload)
    assert broken.value.code == PROTOCOL_ERROR


@pytest.mark.parametrize("exclusive", [0, 0x80000000])
@pytest.mark.parametrize("number", [1, 0x01020304, 0x7FFFFFFF])
def test_a_stream_that_depends_on_itself_breaks_the_connection(number: int, exclusive: int) -> None:
    priority = (number | exclusive).to_bytes(4, "big") + b"\x10"
    for check in (
        lambda: check_priority(number, priority),
        lambda: read_body(number, WITH_PRIORITY, priority + b"body"),
        lambda: read_body(number, BOTH, b"\1" + priority + b"body\0"),
    ):
        with pytest.raises(ConnectionBrokenError, match="depends on itself") as broken:
            check()
        assert broken.value.code == PROTOCOL_ERROR


@pytest.mark.parametrize("exclusive", [0, 0x80000000])
@pytest.mark.parametrize("other", [0, 2, 3, 0x40000001])
def test_a_stream_may_depend_on_any_other(other: int, exclusive: int) -> None:
    priority = (other | exclusive).to_bytes(4, "big") + b"\x01"
    check_priority(1, priority)
    assert read_body(1, WITH_PRIORITY, priority + b"body") == b"body"


# --- requests ---


def test_a_request_has_a_method_a_path_and_headers() -> None:
    assert read(*POST, GRPC, ("te", "trailers"), ("x", "ä")) == {
        "method": "POST",
        "path": "/a.B/C",
        "headers": {"content-type": "application/grpc", "te": "trailers", "x": "ä"},
        "length": -1,
    }


def test_a_header_that_comes_twice_has_both_values() -> None:
    assert read(*POST, ("x", "1"), ("y", "2"), ("x", "3"))["headers"] == {"x": "1,3", "y": "2"}


@pytest.mark.parametrize(
    ("method", "content_type", "is_grpc"),
    [
        ("POST", "application/grpc", True),
        ("POST", "application/grpc+proto", True),
        ("POST", "text/plain", False),
        ("POST", None, False),
        ("GET", "application/grpc", False),
    ],
)
def test_grpc_is_what_is_posted_with_its_content_type(method: str, content_type: str | None, is_grpc: bool) -> None:
    fields = [(":method", method), *POST[1:], *([("content-type", content_type)] if content_type else [])]
    request = read_request(1, [(name.encode(), value.encode()) for name, value in fields])
    assert request.is_grpc is is_grpc


@pytest.mark.parametrize(("text", "length"), [("0", 0), ("7", 7), ("0012", 12), ("9" * 18, 10**18 - 1)])
def test_the_length_of_a_body_is_that_of_its_header(text: str, length: int) -> None:
    assert read(*POST, ("content-length", text))["length"] == length


@pytest.mark.parametrize(
    "headers",
    [
        POST[1:],
        POST[:1] + POST[2:],
        POST[:2],
        (*POST[:2], (":path", "")),
        (*POST, (":status", "200")),
        (*POST, POST[0]),
        (*POST[:2], GRPC, POST[2]),
        (*POST, ("content-length", "-1")),
        (*POST, ("content-length", "1" * 19)),
        (*POST, ("content-length", "1"), ("content-length", "1")),
        (*POST, ("Upper", "x")),
    ],
    ids=[
        *("no method", "no scheme", "no path", "empty path", "unknown", "twice", "behind a field", "negative length"),
        *("long length", "two lengths", "a field that may not be there"),
    ],
)
def test_headers_that_are_none_of_a_request_break_their_stream(headers: Headers) -> None:
    with pytest.raises(StreamBrokenError) as broken:
        read(*headers)
    assert (broken.value.number, broken.value.code) == (1, PROTOCOL_ERROR)


def test_an_authority_may_be_named_or_not() -> None:
    assert read(*POST, (":authority", "server")) == read(*POST)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("Name", "x"), ("", "x"), (":path", "/"), ("te", "gzip"), ("te", "")),
        *((name, "x") for name in ("connection", "proxy-connection", "keep-alive", "transfer-encoding", "upgrade")),
    ],
)
def test_fields_of_connections_and_of_no_form_break_their_stream(name: str, value: str) -> None:
    with pytest.raises(StreamBrokenError) as broken:
        check_field(3, name, value)
    assert (broken.value.number, broken.value.code) == (3, PROTOCOL_ERROR)


@pytest.mark.parametrize(("name", "value"), [("te", "trailers"), ("x-1", "Any: value"), ("grpc-timeout", "")])
def test_other_fields_may_come(name: str, value: str) -> None:
    check_field(3, name, value)


# --- what goes ---


def test_headers_that_are_sent_are_in_no_table_so_that_each_block_stands_by_itself() -> None:
    headers = (("grpc-status", "0"), ("grpc-message", "x" * 200))
    first = encode_headers(headers)
    assert encode_headers(headers) == first
    for _ in range(2):
        assert [(str(name), str(value)) for name, value in Decoder().decode(first)] == [*headers]


def test_a_message_is_escaped_where_it_is_not_printable_ascii_and_where_it_has_a_percent_sign() -> None:
    assert encode_message("100 % nö\n~") == "100 %25 n%C3%B6%0A~"
    plain = "".join(map(chr, range(32, 127))).replace("%", "")
    assert encode_message(plain) == plain
