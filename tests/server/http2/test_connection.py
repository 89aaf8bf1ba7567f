"""A connection frame by frame, in simulated time: what is taken, what breaks it, and how it ends."""

from __future__ import annotations

import asyncio
import gc
import socket
import weakref
from typing import Any

import grpc
import pytest

from benchmarks.half_open import call_head
from fairplay.server.http2.connection import name_peer
from fairplay.server.http2.frames import PREFACE, encode_headers, frame
from fairplay.server.http2.listener import Listener
from tests.server.http2.harness import (
    ACK,
    COMPRESSION_ERROR,
    CONTINUATION,
    DATA,
    ECHO,
    END_HEADERS,
    END_STREAM,
    ENHANCE_YOUR_CALM,
    FLOW_CONTROL_ERROR,
    FRAME_SIZE_ERROR,
    GOAWAY,
    HEADERS,
    NO_ERROR,
    PADDED,
    PING,
    PRIORITY,
    PROTOCOL_ERROR,
    PUSH_PROMISE,
    REFUSED_STREAM,
    RST_STREAM,
    SETTINGS,
    STREAM_CLOSED,
    WINDOW_UPDATE,
    WITH_PRIORITY,
    Frame,
    Message,
    bare,
    local,
    never_read,
    now_s,
    settings,
    u32,
    wrapped,
)
from tests.server.quick import in_simulated_time

FULL = 16_384
PONG = frame(PING, ACK, 0, bytes(8))
OPENED = {":status": "200", "content-type": "application/grpc", "grpc-accept-encoding": "identity"}


def opening(number: int, flags: int = END_HEADERS) -> bytes:
    return frame(HEADERS, flags, number, call_head(ECHO))


def data(number: int, body: bytes = b"", flags: int = 0) -> bytes:
    """Return frames with the body of a call, of which the last has the flags."""
    pieces = [body[start : start + FULL] for start in range(0, len(body), FULL)] or [b""]
    return b"".join(frame(DATA, 0, number, piece) for piece in pieces[:-1]) + frame(DATA, flags, number, pieces[-1])


def grow(number: int, size: int) -> bytes:
    return frame(WINDOW_UPDATE, 0, number, u32(size))


def ping(payload: bytes = bytes(8)) -> bytes:
    return frame(PING, 0, 0, payload)


def reset(number: int, code: int) -> Frame:
    return Frame(RST_STREAM, 0, number, u32(code))


# --- the beginning ---


@in_simulated_time
async def test_a_server_says_first_what_it_takes() -> None:
    async with local(max_calls=7) as (_, connect):
        client = await connect()
        taken = b"\0\3" + u32(7) + b"\0\4" + u32(1_048_576) + b"\0\6" + u32(16_384)
        assert await client.frames() == [
            Frame(SETTINGS, 0, 0, taken),
            Frame(WINDOW_UPDATE, 0, 0, u32(8 * 1_048_576 - 65_535)),
        ]
        client.send(PREFACE, settings())
        assert await client.frames() == [Frame(SETTINGS, ACK, 0, b"")]


@in_simulated_time
async def test_what_comes_byte_by_byte_is_taken_as_what_comes_at_once() -> None:
    async with local() as (_, connect):
        client = await connect()
        for byte in PREFACE + settings() + opening(1) + data(1, wrapped(b"hello"), END_STREAM) + ping(b"12345678"):
            client.send(bytes([byte]))
            await asyncio.sleep(1e-6)
        assert await client.read(SETTINGS, number=0)
        assert await client.read(SETTINGS) == (0, ACK, b"")
        assert await client.headers(1) == OPENED
        assert await client.read(DATA) == (1, 0, wrapped(b"hello"))
        assert await client.headers(1) == {"grpc-status": "0"}
        assert await client.read(PING) == (0, ACK, b"12345678")


@pytest.mark.parametrize("said", [b"PRI * HTTP/1.1", PREFACE[:-1] + b"X", b"X"])
@in_simulated_time
async def test_what_is_not_the_beginning_of_http_2_is_refused_at_once(said: bytes) -> None:
    async with local() as (_, connect):
        client = await connect()
        client.send(said)
        assert await client.goodbye() == (0, PROTOCOL_ERROR, "this is not HTTP/2")
        assert now_s() == 0


@pytest.mark.parametrize("said", [b"", PREFACE, PREFACE + settings()[:-1], PREFACE + ping()])
@in_simulated_time
async def test_first_settings_have_to_come_within_twenty_seconds(said: bytes) -> None:
    async with local() as (_, connect):
        client = await connect()
        client.send(said)
        assert await client.is_over()
        assert now_s() == 20


@in_simulated_time
async def test_settings_that_come_just_in_time_do() -> None:
    async with local() as (_, connect):
        client = await connect()
        await asyncio.sleep(19.9)
        client.send(PREFACE, settings())
        await client.frames()
        await asyncio.sleep(100)
        assert await client.lives()


@pytest.mark.parametrize(
    ("name", "peer"),
    [
        (("10.0.0.7", 51234), "ipv4:10.0.0.7:51234"),
        (("fe80::1%eth0", 51234, 0, 2), "ipv6:%5Bfe80%3A%3A1%25eth0%5D:51234"),
        ("/run/socket", "unix:"),
        ("", "unix:"),
        (None, "unix:"),
    ],
)
def test_the_other_end_is_named_as_grpc_names_it(name: object, peer: str) -> None:
    assert name_peer(name) == peer


# --- frames that are not as they should be ---


@in_simulated_time
async def test_a_frame_may_have_16384_bytes_and_no_more() -> None:
    async with bare() as client:
        client.send(frame(0xFF, 0, 0, bytes(FULL)), opening(1), data(1, wrapped(bytes(FULL - 5)), END_STREAM))
        assert (await client.headers(1), await client.headers(1)) == (OPENED, {"grpc-status": "0"})
        client.send(b"\0\x40\1\xff\0\0\0\0\0")
        assert await client.goodbye() == (1, FRAME_SIZE_ERROR, "a frame is too long")


@in_simulated_time
async def test_the_reserved_bit_of_a_streams_number_does_not_count() -> None:
    async with bare() as client:
        client.send(opening(0x80000001), data(0x80000001, b"", END_STREAM))
        assert (await client.headers(1))["grpc-status"] == "0"


@pytest.mark.parametrize(
    ("kind", "number", "size"), [(PRIORITY, 1, 5), (RST_STREAM, 1, 4), (PING, 0, 8), (WINDOW_UPDATE, 1, 4)]
)
@in_simulated_time
async def test_a_frame_of_another_length_than_its_type_has_breaks_the_connection(
    kind: int, number: int, size: int
) -> None:
    for wrong in (size - 1, size + 1):
        async with bare() as client:
            client.send(opening(1), frame(kind, 0, number, bytes([0] * (size - 2)) + b"\7\7"))
            assert await client.lives()
            client.send(frame(kind, 0, number, bytes(wrong)))
            expected = (1, FRAME_SIZE_ERROR, f"a frame of type {kind} is of another length")
            assert await client.goodbye() == expected


@pytest.mark.parametrize(
    ("kind", "number", "payload"),
    [
        (DATA, 0, b"x"),
        (HEADERS, 0, call_head(ECHO)),
        (PRIORITY, 0, u32(1) + b"\0"),
        (RST_STREAM, 0, u32(8)),
        (PUSH_PROMISE, 0, u32(2)),
        (PUSH_PROMISE, 1, u32(2)),
        (CONTINUATION, 0, b""),
        (CONTINUATION, 1, b""),
        (SETTINGS, 1, b""),
        (PING, 1, bytes(8)),
        (GOAWAY, 1, bytes(8)),
    ],
)
@in_simulated_time
async def test_a_frame_where_none_of_its_type_may_be_breaks_the_connection(
    kind: int, number: int, payload: bytes
) -> None:
    async with bare() as client:
        client.send(opening(1), frame(kind, END_HEADERS if kind == HEADERS else 0, number, payload))
        assert (await client.goodbye())[:2] == (1, PROTOCOL_ERROR)


@pytest.mark.parametrize("number", [0, 1, 4])
@in_simulated_time
async def test_a_frame_of_an_unknown_type_is_let_pass_on_any_stream(number: int) -> None:
    async with bare() as client:
        client.send(frame(10, 0xFF, number, b"x"))
        assert await client.lives()


@in_simulated_time
async def test_an_answer_to_settings_that_holds_some_breaks_the_connection() -> None:
    async with bare() as client:
        client.send(frame(SETTINGS, ACK, 0))
        assert await client.frames() == []
        client.send(frame(SETTINGS, ACK, 0, bytes(6)))
        assert await client.goodbye() == (0, FRAME_SIZE_ERROR, "an answer to settings holds some")


@in_simulated_time
async def test_settings_out_of_range_break_the_connection_and_say_so() -> None:
    async with bare() as client:
        client.send(settings(s5=16_383))
        assert await client.goodbye() == (0, PROTOCOL_ERROR, "MAX_FRAME_SIZE is out of range")


@in_simulated_time
async def test_a_stream_that_depends_on_itself_breaks_the_connection() -> None:
    async with bare() as client:
        client.send(frame(PRIORITY, 0, 3, u32(1) + b"\0"))
        assert await client.lives()
        client.send(frame(PRIORITY, 0, 3, u32(3) + b"\0"))
        assert await client.goodbye() == (0, PROTOCOL_ERROR, "stream 3 depends on itself")


# --- headers ---


@in_simulated_time
async def test_headers_come_in_pieces_with_padding_and_priority() -> None:
    block = call_head(ECHO)
    async with bare() as client:
        client.send(
            frame(HEADERS, END_STREAM | PADDED | WITH_PRIORITY, 1, b"\2" + u32(0) + b"\0" + block[:5] + b"xx"),
            frame(CONTINUATION, 0, 1, block[5:20]),
            frame(CONTINUATION, 0, 1),
            frame(CONTINUATION, END_HEADERS, 1, block[20:]),
        )
        assert (await client.headers(1))["grpc-status"] == "0"


@pytest.mark.parametrize(
    "other",
    [
        frame(DATA, 0, 1, b"x"),
        frame(PING, 0, 0, bytes(8)),
        frame(HEADERS, END_HEADERS, 1, b""),
        frame(CONTINUATION, END_HEADERS, 3, b""),
        frame(10, 0, 1, b""),
    ],
    ids=["data", "ping", "headers", "another stream", "unknown"],
)
@in_simulated_time
async def test_nothing_may_come_between_the_pieces_of_headers(other: bytes) -> None:
    async with bare() as client:
        client.send(opening(1, 0), other)
        assert await client.goodbye() == (0, PROTOCOL_ERROR, "headers were begun and not completed")


@in_simulated_time
async def test_headers_that_were_not_begun_do_not_go_on() -> None:
    async with bare() as client:
        client.send(opening(1), frame(CONTINUATION, END_HEADERS, 1))
        assert await client.goodbye() == (1, PROTOCOL_ERROR, "no headers were begun that could go on")


@pytest.mark.parametrize(("extra", "taken"), [(0, True), (1, False)])
@in_simulated_time
async def test_headers_may_have_16384_bytes_and_no_more(extra: int, taken: bool) -> None:
    block = call_head(ECHO)
    resizing = b"\x20" * (FULL - len(block) + extra)  # of the table of the connection, which costs a byte each time
    async with bare() as client:
        client.send(frame(HEADERS, END_STREAM, 1, resizing[:9_000]), frame(CONTINUATION, 0, 1, resizing[9_000:]))
        client.send(frame(CONTINUATION, END_HEADERS, 1, block))
        if taken:
            assert (await client.headers(1))["grpc-status"] == "0"
        else:
            assert await client.goodbye() == (0, ENHANCE_YOUR_CALM, "headers are too large")


@pytest.mark.parametrize(("extra", "taken"), [(0, True), (1, False)])
@in_simulated_time
async def test_headers_may_unpack_to_16384_bytes_and_no_more(extra: int, taken: bool) -> None:
    fields = [":methodPOST", ":schemehttp", f":path{ECHO}", ":authorityserver"]
    fields += ["tetrailers", "content-typeapplication/grpc", "xy"]
    used = sum(len(field) + 32 for field in fields)
    async with bare() as client:
        client.open(1, xy="z" * (FULL - used + extra))
        if taken:
            client.send(data(1, b"", END_STREAM))
            assert (await client.headers(1))["grpc-status"] == "0"
        else:
            assert await client.goodbye() == (0, ENHANCE_YOUR_CALM, "headers are too large")


@in_simulated_time
async def test_headers_that_cannot_be_unpacked_break_the_connection() -> None:
    async with bare() as client:
        client.send(frame(HEADERS, END_HEADERS, 1, b"\xbe"))
        assert await client.goodbye() == (0, COMPRESSION_ERROR, "headers cannot be read")


@in_simulated_time
async def test_headers_of_no_request_break_their_stream_alone() -> None:
    async with bare() as client:
        client.send(frame(HEADERS, END_HEADERS, 1, encode_headers([(":method", "POST")])))
        assert await client.frames() == [reset(1, PROTOCOL_ERROR)]
        client.send(opening(3, END_HEADERS | END_STREAM))
        assert (await client.headers(3))["grpc-status"] == "0"


@pytest.mark.parametrize(
    ("flags", "name", "status"),
    [(END_STREAM, "x", "0"), (0, "x", None), (END_STREAM, "Upper", None), (END_STREAM, ":path", None)],
    ids=["at the end", "in the middle", "a name in capitals", "a pseudo header"],
)
@in_simulated_time
async def test_headers_behind_messages_end_the_call_or_break_it(flags: int, name: str, status: str | None) -> None:
    async with bare() as client:
        client.send(opening(1), data(1, wrapped(b"x")))
        assert await client.headers(1) == OPENED
        client.send(frame(HEADERS, flags | END_HEADERS, 1, encode_headers([(name, "y")])))
        if status is not None:
            assert (await client.headers(1))["grpc-status"] == status
        else:
            assert await client.code(RST_STREAM, 1) == PROTOCOL_ERROR
            assert await client.lives()


# --- streams ---


@pytest.mark.parametrize("kind", [DATA, RST_STREAM, WINDOW_UPDATE])
@pytest.mark.parametrize("number", [2, 4, 7])
@in_simulated_time
async def test_a_frame_of_a_stream_that_was_never_opened_breaks_the_connection(kind: int, number: int) -> None:
    async with bare() as client:
        client.send(opening(3), opening(5), frame(kind, 0, number, u32(1)))
        assert await client.goodbye() == (5, PROTOCOL_ERROR, f"stream {number} was never opened")


@pytest.mark.parametrize("number", [1, 2, 4, 6])
@in_simulated_time
async def test_streams_have_odd_numbers_that_grow(number: int) -> None:
    async with bare() as client:
        client.send(opening(3), opening(5), opening(number))
        assert await client.goodbye() == (5, PROTOCOL_ERROR, f"stream {number} comes too late")


@pytest.mark.parametrize("more", [data(1, b"x"), opening(1)], ids=["data", "headers"])
@in_simulated_time
async def test_more_behind_the_end_of_an_open_call_breaks_it(more: bytes) -> None:
    async with bare(never_read) as client:
        client.send(opening(1, END_HEADERS | END_STREAM), more)
        assert await client.frames() == [reset(1, STREAM_CLOSED)]
        assert await client.lives()


@pytest.mark.parametrize("more", [data(1), opening(1)], ids=["data", "headers"])
@pytest.mark.parametrize(
    "end",
    [
        opening(1, END_HEADERS | END_STREAM),
        opening(1) + data(1, b"", END_STREAM),
        opening(1) + frame(HEADERS, END_HEADERS | END_STREAM, 1, encode_headers([("x", "y")])),
        opening(1) + frame(RST_STREAM, 0, 1, u32(8)),
    ],
    ids=["headers", "data", "trailers", "reset"],
)
@in_simulated_time
async def test_more_of_a_stream_that_the_caller_has_ended_breaks_the_connection(end: bytes, more: bytes) -> None:
    async with bare() as client:
        client.send(end)
        await client.frames()
        client.send(more)
        assert await client.goodbye() == (1, STREAM_CLOSED, "stream 1 was ended, and goes on")


@pytest.mark.parametrize("cause", [data(1, b"\1\0\0\0\0"), grow(1, 0)], ids=["answered", "reset"])
@in_simulated_time
async def test_what_was_under_way_when_the_server_ended_a_stream_is_let_pass(cause: bytes) -> None:
    async with bare() as client:
        client.send(opening(1), cause)
        assert await client.code(RST_STREAM, 1) in (NO_ERROR, PROTOCOL_ERROR)
        client.send(data(1, wrapped(b"x")), grow(1, 7), opening(1), data(1), frame(PRIORITY, 0, 1, bytes(5)))
        client.send(frame(RST_STREAM, 0, 1, u32(8)), grow(1, 7), grow(1, 0))
        assert await client.frames() == []
        assert await client.lives()


@in_simulated_time
async def test_data_that_is_shorter_than_its_padding_breaks_the_connection() -> None:
    async with bare() as client:
        client.send(opening(1), data(1, b"", PADDED | END_STREAM))
        assert await client.goodbye() == (1, PROTOCOL_ERROR, "a frame is shorter than its padding and priority")


@pytest.mark.parametrize(("count", "known"), [(256, True), (257, False)])
@in_simulated_time
async def test_the_ends_of_256_streams_are_remembered(count: int, known: bool) -> None:
    async with bare() as client:
        client.send(*(opening(2 * number + 1, END_HEADERS | END_STREAM) for number in range(count)))
        await client.frames()
        client.send(data(1))
        if known:
            assert (await client.goodbye())[1] == STREAM_CLOSED
        else:
            assert await client.lives()


@in_simulated_time
async def test_more_calls_than_may_be_open_are_refused_until_one_is_over() -> None:
    async with bare(max_calls=2) as client:
        client.send(opening(1), opening(3), opening(5))
        assert await client.frames() == [reset(5, REFUSED_STREAM)]
        client.send(data(3, b"", END_STREAM))
        assert (await client.headers(3))["grpc-status"] == "0"
        client.send(opening(7), opening(9))
        assert await client.frames() == [reset(9, REFUSED_STREAM)]


@in_simulated_time
async def test_a_call_that_is_reset_ends_for_whoever_writes_into_it() -> None:
    ended: list[str] = []

    async def write(context: Any) -> None:
        try:
            await context.write(Message(b"hello"))
        except ConnectionResetError as error:
            ended.append(str(error))

    writing: list[asyncio.Task[None]] = []

    async def behave(_: Any, context: Any) -> None:
        writing.append(asyncio.create_task(write(context)))  # which does not end with the handler
        await never_read(_, context)

    async with bare(behave, first=settings(s4=0)) as client:
        for number, end in ((1, frame(RST_STREAM, 0, 1, u32(8))), (3, frame(PING, 0, 1, bytes(8)))):
            client.send(opening(number))
            await client.frames()
            assert len(ended) == number // 2
            client.send(end)
            await client.frames()
        assert ended == ["the stream is over"] * 2
    assert [task.done() for task in writing] == [True, True]


# --- windows ---


@in_simulated_time
async def test_the_window_of_a_connection_grows_again_when_half_of_it_is_used() -> None:
    async with bare() as client:
        for number in range(2):
            client.send(opening(2 * number + 1))
            for _ in range(255):
                client.send(data(2 * number + 1, wrapped(bytes(FULL - 5))))
            assert [came for came in await client.frames() if came.kind == WINDOW_UPDATE and not came.stream] == []
            client.send(frame(DATA, PADDED, 2 * number + 1, b"\2" + wrapped(bytes(FULL - 8)) + b"\0\0"))
            updates = [came for came in await client.frames() if came.kind == WINDOW_UPDATE and not came.stream]
            assert updates == [Frame(WINDOW_UPDATE, 0, 0, u32(4 * 1_048_576))]


@in_simulated_time
async def test_what_comes_of_a_stream_that_is_over_uses_the_window_of_its_connection() -> None:
    async with bare() as client:
        client.send(opening(1), data(1, b"\1\0\0\0\0"))
        await client.frames()
        client.send(*[data(1, bytes(FULL))] * 256)
        assert await client.frames() == [Frame(WINDOW_UPDATE, 0, 0, u32(4 * 1_048_576 + 5))]


@in_simulated_time
async def test_a_mebibyte_of_a_call_may_wait_and_no_more() -> None:
    async with bare(never_read) as client:
        client.send(opening(1), *[data(1, wrapped(bytes(FULL - 5)))] * 64)
        assert await client.frames() == []
        client.send(data(1, b"\0"))
        assert await client.frames() == [reset(1, FLOW_CONTROL_ERROR)]
        assert await client.lives()


@in_simulated_time
async def test_what_is_no_message_does_not_wait_and_is_given_back() -> None:
    async with bare(never_read) as client:
        padded = frame(DATA, PADDED, 1, b"\xff" + wrapped(b"x") + bytes(255))
        client.send(opening(1), padded * 2_008)
        assert await client.frames() == []
        client.send(padded)
        assert await client.frames() == [Frame(WINDOW_UPDATE, 0, 1, u32(2_009 * 261))]  # and one byte waits, of each


@in_simulated_time
async def test_the_window_of_a_call_grows_again_when_half_of_it_has_been_read() -> None:
    async def read(_: Any, context: Any) -> None:
        while await context.read() is not grpc.aio.EOF:
            pass

    async with bare(read) as client:
        client.send(opening(1), *[data(1, wrapped(bytes(FULL - 5)))] * 31)
        assert await client.frames() == []
        client.send(data(1, wrapped(bytes(FULL - 6))))
        assert await client.frames() == []
        client.send(data(1, b"\0"))
        assert await client.frames() == [Frame(WINDOW_UPDATE, 0, 1, u32(524_288))]
        client.send(data(1, u32(524_283) + bytes(524_283)))
        assert await client.frames() == []
        client.send(data(1, b"\0"))
        assert await client.frames() == [Frame(WINDOW_UPDATE, 0, 1, u32(524_288))]


@in_simulated_time
async def test_the_window_of_a_call_grows_again_when_what_has_waited_is_read() -> None:
    reading = asyncio.Event()

    async def read(_: Any, context: Any) -> None:
        await reading.wait()
        while await context.read() is not grpc.aio.EOF:
            pass

    async with bare(read) as client:
        client.send(opening(1), *[data(1, wrapped(bytes(FULL - 5)))] * 40)
        assert await client.frames() == []
        reading.set()
        updates = await client.frames()
        assert {(came.kind, came.stream) for came in updates} == {(WINDOW_UPDATE, 1)}
        assert sum(int.from_bytes(came.payload, "big") for came in updates) >= 524_288


@in_simulated_time
async def test_a_message_may_be_longer_than_the_window_of_its_call() -> None:
    async with bare() as client:
        client.send(opening(1), data(1, wrapped(bytes(3 * 1_048_576))))
        updates = [came.payload for came in await client.frames() if came.kind == WINDOW_UPDATE]
        assert updates == [u32(524_288)] * 6


@in_simulated_time
async def test_a_caller_that_has_ended_its_call_is_allowed_no_more() -> None:
    read = asyncio.Event()

    async def read_late(_: Any, context: Any) -> None:
        await read.wait()
        while await context.read() is not grpc.aio.EOF:
            pass

    async with bare(read_late) as client:
        client.send(opening(1), *[data(1, wrapped(bytes(FULL - 5)))] * 63, data(1, wrapped(b""), END_STREAM))
        assert await client.frames() == []
        read.set()
        assert [came.kind for came in await client.frames()] == [HEADERS]


@in_simulated_time
async def test_nothing_is_sent_beyond_the_window_of_a_connection_which_all_calls_share() -> None:
    async with bare(first=settings(s4=100_000)) as client:
        client.send(opening(1), opening(3), data(1, wrapped(bytes(60_000))), data(3, wrapped(bytes(60_000))))
        sent = [came for came in await client.frames() if came.kind == DATA]
        assert sum(len(came.payload) for came in sent) == 65_535
        client.send(grow(0, 0x80000000 | 100))
        sent += [came for came in await client.frames() if came.kind == DATA]
        assert sum(len(came.payload) for came in sent) == 65_635
        client.send(grow(0, 100_000))
        sent += [came for came in await client.frames() if came.kind == DATA]
        for number in (1, 3):
            assert sum(len(came.payload) for came in sent if came.stream == number) == 60_005


@in_simulated_time
async def test_a_window_that_the_caller_has_made_smaller_has_to_grow_above_nothing() -> None:
    async with bare(first=settings(s4=100)) as client:
        client.send(opening(1), data(1, wrapped(bytes(200))))
        assert [len(came.payload) for came in await client.frames() if came.kind == DATA] == [100]
        client.send(settings(s4=40))
        assert [came.kind for came in await client.frames()] == [SETTINGS]
        client.send(grow(1, 60))
        assert await client.frames() == []
        client.send(grow(1, 10))
        assert [len(came.payload) for came in await client.frames()] == [10]
        client.send(settings(s3=1))
        assert [came.kind for came in await client.frames()] == [SETTINGS]
        client.send(opening(3), data(3, wrapped(bytes(200))))
        assert [len(came.payload) for came in await client.frames() if came.kind == DATA] == [40]


@in_simulated_time
async def test_frames_are_as_long_as_the_caller_takes_them() -> None:
    async with bare(first=settings(s4=1_000_000)) as client:
        client.send(opening(1), data(1, wrapped(bytes(20_000))))
        assert [len(came.payload) for came in await client.frames() if came.kind == DATA] == [16_384, 3_621]
        client.send(settings(s5=18_000), settings(s3=1))
        client.send(data(1, wrapped(bytes(20_000))))
        assert [len(came.payload) for came in await client.frames() if came.kind == DATA] == [18_000, 2_005]


@in_simulated_time
async def test_the_window_of_a_connection_may_grow_to_its_limit_and_not_by_nothing() -> None:
    async with bare() as client:
        client.send(grow(0, 2**31 - 1 - 65_535))
        assert await client.lives()
        client.send(grow(0, 1))
        assert await client.goodbye() == (0, FLOW_CONTROL_ERROR, "a window is out of range")
    async with bare() as client:
        client.send(grow(0, 0x80000000))
        assert await client.goodbye() == (0, PROTOCOL_ERROR, "a window does not grow by 0")


@in_simulated_time
async def test_the_window_of_a_call_may_grow_to_its_limit_and_not_by_nothing() -> None:
    async with bare() as client:
        for number, more, code in ((1, 1, FLOW_CONTROL_ERROR), (3, 0, PROTOCOL_ERROR)):
            client.send(opening(number), grow(number, 2**31 - 1 - 65_535))
            assert await client.frames() == []
            client.send(grow(number, more))
            assert await client.frames() == [reset(number, code)]
        assert await client.lives()


@in_simulated_time
async def test_settings_may_let_the_window_of_a_call_grow_to_its_limit() -> None:
    async with bare() as client:
        client.send(opening(1), grow(1, 1), settings(s4=2**31 - 2))
        assert await client.frames() == [Frame(SETTINGS, ACK, 0, b"")]
        client.send(settings(s4=2**31 - 1))
        assert await client.goodbye() == (1, FLOW_CONTROL_ERROR, "a window is out of range")


@in_simulated_time
async def test_who_does_not_read_is_sent_no_more_than_fits_on_the_way_until_it_reads_again() -> None:
    written = 0

    async def flood(_: Any, context: Any) -> None:
        nonlocal written
        for _ in range(2_000):
            await context.write(Message(bytes(10_000)))
            written += 1
            await asyncio.sleep(0)

    async with bare(flood, first=settings(s4=2**31 - 1)) as client:
        transport: Any = client.writer.transport
        transport.pause_reading()
        client.send(grow(0, 2**30), opening(1))
        await asyncio.sleep(1.0)
        assert 0 < written < 1_000
        # What comes meanwhile is no reason to send more, however much it is.
        client.send(data(1, wrapped(b"x") * 10), data(1, wrapped(b"x")) * 900)
        await asyncio.sleep(1.0)
        before = written
        transport.resume_reading()
        received = sum(len(came.payload) for came in await client.frames() if came.kind == DATA)
        assert before < written == 2_000
        assert received == 2_000 * 10_005


@in_simulated_time
async def test_messages_of_who_does_not_read_are_as_pointless_as_frames_without() -> None:
    async with bare(first=settings(s4=2**31 - 1)) as client:
        transport: Any = client.writer.transport
        transport.pause_reading()
        client.send(grow(0, 2**30), opening(1), data(1, wrapped(bytes(FULL - 5))) * 200)
        await asyncio.sleep(1.0)
        client.send(data(1, wrapped(b"x")) * 1_001)
        await asyncio.sleep(0.5)
        transport.resume_reading()
        assert (await client.goodbye())[1] == ENHANCE_YOUR_CALM


# --- floods ---


@in_simulated_time
async def test_a_thousand_frames_may_come_without_a_message_in_a_minute() -> None:
    async with local() as (_, connect):
        client = await connect()
        client.send(PREFACE, settings(), grow(0, 1) * 999)
        await asyncio.sleep(60)
        client.send(grow(0, 1))
        assert await client.goodbye() == (0, ENHANCE_YOUR_CALM, "1,000 frames came without a message")


@in_simulated_time
async def test_frames_of_more_than_a_minute_ago_are_forgotten() -> None:
    async with local() as (_, connect):
        client = await connect()
        client.send(PREFACE, settings(), grow(0, 1) * 999)
        await asyncio.sleep(60.5)
        await client.frames()
        client.send(grow(0, 1) * 1_000)
        await asyncio.sleep(59.9)
        assert await client.frames() == []
        client.send(grow(0, 1))
        assert (await client.goodbye())[1] == ENHANCE_YOUR_CALM


@in_simulated_time
async def test_a_message_makes_up_for_all_frames_before_it() -> None:
    async with bare() as client:
        client.send(opening(1), grow(0, 1) * 997, data(1, wrapped(b"x")), grow(0, 1) * 1_000)
        assert [came.kind for came in await client.frames()] == [HEADERS, DATA]
        client.send(grow(0, 1))
        assert (await client.goodbye())[1] == ENHANCE_YOUR_CALM


@pytest.mark.parametrize(("size", "counts"), [(255, True), (256, False)])
@in_simulated_time
async def test_pieces_of_a_message_count_as_frames_without_one_if_they_have_less_than_256_bytes(
    size: int, counts: bool
) -> None:
    async with bare() as client:
        client.send(opening(1), data(1, (b"\0" + u32(1_000_000)).ljust(256, b"\0")), data(1, bytes(size)) * 999)
        if counts:
            assert (await client.goodbye())[1] == ENHANCE_YOUR_CALM
        else:
            assert await client.lives()


@in_simulated_time
async def test_frames_of_streams_that_are_over_count_as_frames_without_a_message() -> None:
    async with bare() as client:
        client.send(opening(1), data(1, b"\1\0\0\0\0"))
        await client.frames()
        client.send(data(1, bytes(300)) * 996)
        assert await client.frames() == []
        client.send(data(1, bytes(300)) * 2)
        assert (await client.goodbye())[1] == ENHANCE_YOUR_CALM


@in_simulated_time
async def test_calls_may_hold_16_mebibytes_of_messages_and_what_is_less_than_a_share_is_not_counted() -> None:
    def piece(number: int, size: int) -> bytes:
        return data(number, (b"\0" + u32(2_000_000)).ljust(size, b"\0"))

    async with bare() as client:
        for number in range(1, 33, 2):
            client.send(opening(number), piece(number, 1_048_576))
        client.send(opening(33), piece(33, 33_554), opening(35))
        assert {came.kind for came in await client.frames()} == {WINDOW_UPDATE}
        client.send(data(33, b"\0"))
        said = (35, ENHANCE_YOUR_CALM, "too much came of messages without their ends")
        assert await client.goodbye() == said
    async with bare() as client:
        for number in range(1, 33, 2):
            client.send(opening(number), piece(number, 1_048_576))
        assert await client.lives()
        client.send(data(1, b"\0"))
        assert (await client.goodbye())[1] == ENHANCE_YOUR_CALM


# --- signs of life ---


@in_simulated_time
async def test_the_other_end_may_ask_for_a_sign_of_life_every_ten_seconds() -> None:
    async with bare() as client:
        for number in range(10):
            client.send(ping(bytes([number] * 8)))
            assert await client.frames() == [Frame(PING, ACK, 0, bytes([number] * 8))]
            await asyncio.sleep(10.0)


@in_simulated_time
async def test_two_signs_of_life_may_be_asked_for_too_soon() -> None:
    async with bare() as client:
        for _ in range(3):
            client.send(ping())
            assert await client.frames() == [Frame(PING, ACK, 0, bytes(8))]
            await asyncio.sleep(9.9)
        client.send(PONG * 3, ping())
        assert await client.goodbye() == (0, ENHANCE_YOUR_CALM, "too_many_pings")


@pytest.mark.parametrize("what", ["headers", "data"])
@in_simulated_time
async def test_who_is_sent_something_may_ask_at_once_and_as_often_again(what: str) -> None:
    async with bare() as client:
        client.send(opening(1), data(1, wrapped(b"x")))
        await client.frames()
        client.send(ping() * 3)
        assert len(await client.frames()) == 3
        client.send(data(1, wrapped(b"x")) if what == "data" else opening(3, END_HEADERS | END_STREAM))
        await client.frames()
        client.send(ping() * 3)
        assert len(await client.frames()) == 3
        client.send(ping())
        assert (await client.goodbye())[2] == "too_many_pings"


@in_simulated_time
async def test_a_silent_connection_is_asked_for_a_sign_of_life_and_has_its_time_to_answer() -> None:
    async with bare(heartbeat_s=60.0, answer_s=20.0) as client:
        asked_s: list[float] = []
        for wait_s in (0.0, 0.0, 15.0):
            assert await client.read(PING) == (0, 0, bytes(8))
            asked_s.append(now_s())
            await asyncio.sleep(wait_s)
            client.send(PONG)
        assert asked_s == [60, 120, 180]
        await asyncio.sleep(50)  # which is 245: it answered at 195
        client.send(settings())
        assert await client.read(PING) == (0, 0, bytes(8))
        assert now_s() == 305
        assert await client.is_over()
        assert now_s() == 325


# --- the end ---


@in_simulated_time
async def test_who_leaves_is_let_go_when_its_calls_are_over() -> None:
    async with bare() as client:
        client.send(opening(1), frame(GOAWAY, 0, 0, u32(0, 0)), opening(3))
        assert await client.frames() == [reset(3, REFUSED_STREAM)]
        client.send(data(1, b"", END_STREAM))
        assert (await client.headers(1))["grpc-status"] == "0"
        assert await client.goodbye() == (3, NO_ERROR, "")
    async with bare() as client:
        client.send(frame(GOAWAY, 0, 0, u32(0, 0)), ping())
        assert await client.goodbye() == (0, NO_ERROR, "")


@in_simulated_time
async def test_who_leaves_is_let_go_when_its_calls_are_reset() -> None:
    for end in (grow(1, 0), frame(RST_STREAM, 0, 1, u32(8))):
        async with bare() as client:
            client.send(opening(1), frame(GOAWAY, 0, 0, u32(0, 0)), end)
            assert await client.goodbye() == (1, NO_ERROR, "")


@in_simulated_time
async def test_a_server_that_stops_says_which_call_was_the_last() -> None:
    async with local() as (listener, connect):
        busy, idle = await connect(), await connect()
        for client in (busy, idle):
            client.send(PREFACE, settings())
            await client.frames()
        busy.send(opening(1), opening(3))
        await busy.frames()
        stopping = asyncio.create_task(listener.stop(60.0))
        assert await busy.read(GOAWAY) == (0, 0, u32(3, NO_ERROR))
        assert await idle.goodbye() == (0, NO_ERROR, "")
        busy.send(data(1, b"", END_STREAM), opening(5))
        assert await busy.code(RST_STREAM, 5) == REFUSED_STREAM
        assert (await busy.headers(1))["grpc-status"] == "0"
        assert not stopping.done()
        busy.send(data(3, b"", END_STREAM))
        assert await busy.goodbye() == (5, NO_ERROR, "")
        for client in (busy, idle):
            client.writer.close()
        await stopping
        assert now_s() < 0.1


@in_simulated_time
async def test_handlers_end_with_their_connection() -> None:
    ended_s: list[float] = []

    async def wait(_: Any, context: Any) -> None:
        try:
            await context.read()
        finally:
            ended_s.append(now_s())

    for too_many_pings in (True, False):
        async with bare(wait) as client:
            client.send(opening(1), opening(3))
            await client.frames()
            await asyncio.sleep(1.0)
            expected_s = [now_s()] * 2
            if too_many_pings:
                client.send(ping() * 4)
            else:
                client.writer.close()
            await asyncio.sleep(1.0)
        assert ended_s == expected_s
        ended_s.clear()


@in_simulated_time
async def test_who_does_not_close_its_end_is_cut_off_after_a_second() -> None:
    async with local(heartbeat_s=60.0) as (listener, connect):
        client = await connect()
        client.send(PREFACE, settings())
        await asyncio.sleep(59.5)
        client.send(ping() * 4)
        assert (await client.goodbye())[2] == "too_many_pings"
        client.send(ping() * 4)
        (connection,) = listener.connections
        connection.leave()
        await asyncio.sleep(0.9)
        assert listener.connections
        await asyncio.sleep(0.2)
        assert not listener.connections


async def test_an_end_that_finds_the_other_end_gone_already_is_an_end() -> None:
    listener = Listener([], max_message_bytes=1, max_calls=1, heartbeat_s=60.0, answer_s=60.0)
    port = await listener.start("127.0.0.1:0")
    client = socket.create_connection(("127.0.0.1", port))
    client.sendall(PREFACE + settings())
    async with asyncio.timeout(30):
        while not listener.connections:
            await asyncio.sleep(0)
    client.close()
    await listener.stop(30.0)
    assert not listener.connections


@in_simulated_time
async def test_nothing_remembers_a_connection_that_is_over() -> None:
    async with local() as (listener, connect):
        for said in (b"", PREFACE + settings(), PREFACE + settings() + opening(1, END_HEADERS)):
            client = await connect()
            client.send(said)
            await client.frames()
            ended = weakref.ref(next(iter(listener.connections)))
            client.writer.close()
            await asyncio.sleep(1e-3)
            gc.collect()
            assert ended() is None


@in_simulated_time
async def test_a_call_that_is_answered_is_let_go_however_long_it_had() -> None:
    calls: list[weakref.ref[Any]] = []

    async def answer(_: Any, context: Any) -> None:
        calls.append(weakref.ref(context))

    async with bare(answer) as client:
        client.open(1, grpc_timeout="99999999H")
        await client.frames()
        gc.collect()
        assert [call() for call in calls] == [None]
