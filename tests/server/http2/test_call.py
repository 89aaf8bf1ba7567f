"""A call as its handler sees it and as it goes over the line, in simulated time."""

from __future__ import annotations

import asyncio
from itertools import combinations
from typing import Any

import grpc
import pytest

from fairplay.server.http2.frames import encode_headers, frame
from tests.server.http2.harness import (
    CANCEL,
    CONTINUATION,
    DATA,
    END_HEADERS,
    END_STREAM,
    HEADERS,
    NO_ERROR,
    PROTOCOL_ERROR,
    RST_STREAM,
    WINDOW_UPDATE,
    Frame,
    Message,
    Raw,
    bare,
    never_read,
    now_s,
    settings,
    u32,
    wrapped,
)
from tests.server.quick import in_simulated_time

OPENED = {":status": "200", "content-type": "application/grpc", "grpc-accept-encoding": "identity"}


def data(number: int, body: bytes = b"", flags: int = 0) -> bytes:
    return frame(DATA, flags, number, body)


async def status(client: Raw, number: int = 1) -> tuple[str, str]:
    """Return the status of a call and its message."""
    while "grpc-status" not in (headers := await client.headers(number)):
        pass
    return headers["grpc-status"], headers.get("grpc-message", "")


# --- messages that come ---


@in_simulated_time
async def test_messages_are_the_same_however_they_are_cut() -> None:
    body = wrapped(b"", b"x" * 9, b"y", b"z" * 3)
    async with bare() as client:
        for turn, (first, second) in enumerate(combinations(range(1, len(body)), 2)):
            number = 2 * turn + 1
            client.open(number)
            for piece in (body[:first], body[first:second]):
                client.send(data(number, piece))
            client.send(data(number, body[second:], END_STREAM))
            answer = await client.frames()
            assert b"".join(came.payload for came in answer if came.kind == DATA) == body
            assert len([came for came in answer if came.kind == DATA]) == 4


@in_simulated_time
async def test_a_message_is_there_as_soon_as_its_last_byte_is() -> None:
    async with bare() as client:
        client.open(1)
        for size in (1_000, 3, 0, 1):
            body = wrapped(b"x" * size)
            for piece in (body[:4], body[4:-1]):
                client.send(data(1, piece))
                assert [came for came in await client.frames() if came.kind == DATA] == []
            client.send(data(1, body[max(4, len(body) - 1) :]))
            assert await client.read(DATA) == (1, 0, body)


@pytest.mark.parametrize(
    "pieces",
    [[b"\0"], [b"\0\0\0\0\5abcd"], [b"\0\0\0\0\5", b"ab", b""], [b"\0\0\0\0\5", b"ab"], [wrapped(b"x") + b"\0"]],
)
@in_simulated_time
async def test_a_last_message_that_is_cut_off_is_an_error(pieces: list[bytes]) -> None:
    async with bare() as client:
        client.open(1)
        for piece in pieces[:-1]:
            client.send(data(1, piece))
        client.send(data(1, pieces[-1], END_STREAM))
        assert await status(client) == ("13", "the last message is cut off")
        client.open(3)
        client.send(data(3, b"", END_STREAM))
        assert await status(client, 3) == ("0", "")


@pytest.mark.parametrize("before", [b"", wrapped(b"x")], ids=["first", "second"])
@pytest.mark.parametrize(
    ("head", "expected"),
    [
        (b"\0" + u32(11), ("8", "a message of 11 bytes is too large: at most 10 are allowed")),
        (b"\1" + u32(1), ("12", "compressed messages are not taken here")),
        (b"\1" + u32(11), ("12", "compressed messages are not taken here")),
    ],
)
@in_simulated_time
async def test_a_message_that_is_too_large_or_compressed_ends_its_call(
    before: bytes, head: bytes, expected: tuple[str, str]
) -> None:
    async with bare(max_message_bytes=10) as client:
        client.open(1)
        client.send(data(1, wrapped(b"x" * 10)))
        assert await client.read(DATA) == (1, 0, wrapped(b"x" * 10))
        client.send(data(1, before + head, END_STREAM))
        assert await status(client) == expected
        assert await client.frames() == []


@pytest.mark.parametrize(
    ("length", "bodies", "taken"),
    [
        ("0", [b""], True),
        ("0", [b"\0"], False),
        ("6", [wrapped(b"x")], True),
        ("6", [b"\0\0", b"\0\0\1x"], True),
        ("6", [b"\0\0", b"\0\0\1"], False),
        ("6", [wrapped(b"x"), b"\0"], False),
        ("6", [wrapped(b"x") + b"\0", None], False),
    ],
)
@in_simulated_time
async def test_a_body_has_to_be_as_long_as_its_headers_say(length: str, bodies: list[Any], taken: bool) -> None:
    async with bare() as client:
        client.open(1, content_length=length)
        for body in bodies[:-1]:
            client.send(data(1, body))
        if bodies[-1] is not None:
            client.send(data(1, bodies[-1], END_STREAM))
        if taken:
            assert await status(client) == ("0", "")
        else:
            assert await client.code(RST_STREAM, 1) == PROTOCOL_ERROR
            assert await client.lives()


@in_simulated_time
async def test_a_handler_may_stop_waiting_for_a_message_and_wait_again() -> None:
    async def impatient(_: Any, context: Any) -> None:
        for _ in range(3):
            try:
                message = await asyncio.wait_for(context.read(), 1.0)
            except TimeoutError:
                message = Message(b"late")
            await context.write(message)

    async with bare(impatient) as client:
        client.open(1)
        assert await client.read(DATA) == (1, 0, wrapped(b"late"))
        client.send(data(1, wrapped(b"1", b"2"), END_STREAM))
        assert await client.read(DATA) == (1, 0, wrapped(b"1"))
        assert await client.read(DATA) == (1, 0, wrapped(b"2"))
    async with bare(impatient) as client:
        client.open(1)
        await client.read(DATA)
        await asyncio.sleep(2.5)  # nobody waits any more when the end comes
        client.send(data(1, b"", END_STREAM))
        assert await status(client) == ("0", "")


@in_simulated_time
async def test_behind_the_last_message_comes_the_end_as_often_as_it_is_asked_for() -> None:
    read: list[Any] = []

    async def behave(_: Any, context: Any) -> None:
        read.extend([await context.read() for _ in range(4)])

    async with bare(behave) as client:
        client.open(1)
        client.send(data(1, wrapped(b"1", b"2"), END_STREAM))
        assert await status(client) == ("0", "")
    assert read == [b"1", b"2", grpc.aio.EOF, grpc.aio.EOF]


# --- messages that are handed on ---


class Taking:
    """A handler that has messages handed on, and what it is told. It sends back what it takes."""

    def __init__(self, failing: bytes = b"bad", after: int = 0) -> None:
        self.failing = failing
        self.after = after
        """How many messages are read before."""
        self.taken: list[bytes] = []
        self.begin = asyncio.Event()

    async def serve(self, _: Any, context: Any) -> None:
        for _ in range(self.after):
            self.taken.append(await context.read())
        await self.begin.wait()
        await context.hand_on(self.take)

    def take(self, message: bytes) -> None:
        if message == self.failing:
            raise ZeroDivisionError
        self.taken.append(message)


@pytest.mark.parametrize("early", [True, False])
@in_simulated_time
async def test_messages_are_handed_on_as_they_come_those_before_and_those_after(early: bool) -> None:
    taking = Taking(after=1)
    async with bare(taking.serve) as client:
        client.open(1)
        client.send(data(1, wrapped(b"0", b"1", b"2")))
        if early:
            client.send(data(1, b"", END_STREAM))
        await client.frames()
        assert taking.taken == [b"0"]
        taking.begin.set()
        await client.frames()
        assert taking.taken == [b"0", b"1", b"2"]
        if not early:
            client.send(data(1, wrapped(b"3")))
            assert await client.frames() == []
            assert taking.taken == [b"0", b"1", b"2", b"3"]
            client.send(data(1, wrapped(b"4"), END_STREAM))
            assert await status(client) == ("0", "")
            assert taking.taken == [b"0", b"1", b"2", b"3", b"4"]


@in_simulated_time
async def test_a_call_ends_well_when_what_it_had_was_handed_on() -> None:
    taking = Taking()
    async with bare(taking.serve) as client:
        client.open(1)
        client.send(data(1, wrapped(b"1"), END_STREAM))
        await client.frames()
        taking.begin.set()
        assert await status(client) == ("0", "")
    assert taking.taken == [b"1"]


@pytest.mark.parametrize("early", [True, False])
@in_simulated_time
async def test_what_fails_to_be_taken_ends_the_call_and_no_more_is_taken(early: bool) -> None:
    taking = Taking()
    async with bare(taking.serve) as client:
        client.open(1)
        if not early:
            taking.begin.set()
            await client.frames()
        client.send(data(1, wrapped(b"1", b"bad", b"2", b"bad"), END_STREAM))
        await client.frames() if early else None
        taking.begin.set()
        assert await status(client) == ("13", "")
        assert taking.taken == [b"1"]
        assert await client.lives()


@in_simulated_time
async def test_who_waits_no_longer_for_what_is_handed_on_takes_no_more() -> None:
    taking = Taking()

    async def behave(_: Any, context: Any) -> None:
        context.hand_on(taking.take).cancel()
        await asyncio.Event().wait()

    async with bare(behave) as client:
        client.open(1)
        await client.frames()
        client.send(data(1, wrapped(b"1", b"bad")), data(1, b"", END_STREAM))
        assert await client.frames() == []
    assert taking.taken == []


# --- what goes ---


@in_simulated_time
async def test_an_answer_begins_once_and_ends_with_its_status() -> None:
    async def behave(_: Any, context: Any) -> None:
        await context.send_initial_metadata((("x", "y"),))
        await context.send_initial_metadata(())
        await asyncio.sleep(1.0)
        await context.write(Message(b"1"))
        await context.write(Message(b"2"))

    async with bare(behave) as client:
        client.open(1)
        (headers,) = await client.frames()
        assert headers[:3] == (HEADERS, END_HEADERS, 1)
        assert {str(name): str(value) for name, value in client.decoder.decode(headers.payload)} == OPENED
        await asyncio.sleep(1.0)
        first, second, trailers, reset = await client.frames()
        assert (first, second) == (Frame(DATA, 0, 1, wrapped(b"1")), Frame(DATA, 0, 1, wrapped(b"2")))
        assert trailers[:3] == (HEADERS, END_HEADERS | END_STREAM, 1)
        assert {str(name): str(value) for name, value in client.decoder.decode(trailers.payload)} == {
            "grpc-status": "0"
        }
        assert reset == Frame(RST_STREAM, 0, 1, u32(NO_ERROR))


@in_simulated_time
async def test_an_answer_of_nothing_but_a_status_is_one_frame_and_a_caller_that_has_ended_is_not_reset() -> None:
    async def behave(_: Any, _context: Any) -> None:
        pass

    async with bare(behave) as client:
        client.open(1)
        client.send(data(1, b"", END_STREAM))
        (only,) = await client.frames()
        assert only[:3] == (HEADERS, END_HEADERS | END_STREAM, 1)
        found = {str(name): str(value) for name, value in client.decoder.decode(only.payload)}
        assert found == {**OPENED, "grpc-status": "0"}


@in_simulated_time
async def test_a_status_has_its_metadata_with_bytes_in_base64() -> None:
    async def behave(_: Any, context: Any) -> None:
        await context.abort(grpc.StatusCode.NOT_FOUND, "no é", (("a-bin", b"\xff\0"), ("b-bin", b"abc"), ("c", "d")))

    async with bare(behave) as client:
        client.open(1)
        headers = await client.headers(1)
        expected = {"grpc-status": "5", "grpc-message": "no %C3%A9", "a-bin": "/wA", "b-bin": "YWJj", "c": "d"}
        assert headers == {**OPENED, **expected}


@pytest.mark.parametrize("size", [26_120, 26_121, 26_122, 26_123, 26_124, 26_125, 26_126, 26_127, 79_000])
@in_simulated_time
async def test_long_trailers_go_in_pieces_of_16384_bytes(size: int) -> None:
    async def behave(_: Any, context: Any) -> None:
        await context.abort(grpc.StatusCode.NOT_FOUND, "", (("x", "0" * size),))

    async with bare(behave) as client:
        client.decoder.max_header_list_size = 1_000_000
        client.open(1)
        client.send(data(1, b"", END_STREAM))
        first, *more = await client.frames()
        block = b"".join(came.payload for came in (first, *more))
        assert {str(name): str(value) for name, value in client.decoder.decode(block)}["x"] == "0" * size
        lengths = [len(came.payload) for came in (first, *more)]
        assert lengths == [*[16_384] * (-(-len(block) // 16_384) - 1), len(block) - 16_384 * (len(lengths) - 1)]
        kinds = [(came.kind, came.flags) for came in (first, *more)]
        if more:
            middle = [(CONTINUATION, 0)] * (len(more) - 1)
            assert kinds == [(HEADERS, END_STREAM), *middle, (CONTINUATION, END_HEADERS)]
        else:
            assert kinds == [(HEADERS, END_STREAM | END_HEADERS)]


@in_simulated_time
async def test_a_message_that_just_fits_goes_in_one_frame() -> None:
    async with bare(first=settings(s4=105)) as client:
        client.open(1)
        client.send(data(1, wrapped(bytes(100)), END_STREAM))
        assert [(came.kind, came.flags) for came in await client.frames()] == [
            (HEADERS, END_HEADERS),
            (DATA, 0),
            (HEADERS, END_HEADERS | END_STREAM),
        ]
        client.open(3)
        client.send(data(3, wrapped(bytes(101)), END_STREAM))
        assert [len(came.payload) for came in await client.frames() if came.kind == DATA] == [105]
        client.send(frame(WINDOW_UPDATE, 0, 3, u32(1)))
        assert [len(came.payload) for came in await client.frames() if came.kind == DATA] == [1]


@pytest.mark.parametrize(("window", "expected"), [(0, "4"), (7, None), (13, "4")])
@in_simulated_time
async def test_a_status_comes_behind_whole_messages_only(window: int, expected: str | None) -> None:
    async with bare(first=settings(s4=window)) as client:
        client.open(1, grpc_timeout="1S")
        client.send(data(1, wrapped(b"12345678", b"12345678")))
        await client.frames()
        await asyncio.sleep(1.0)
        if expected is not None:
            assert await status(client) == (expected, "Deadline Exceeded")
        else:
            assert await client.frames() == [Frame(RST_STREAM, 0, 1, u32(CANCEL))]
        assert await client.lives()


# --- HTTP that is not gRPC ---


@pytest.mark.parametrize("method", ["GET", "HEAD", "POST"])
@in_simulated_time
async def test_a_request_that_is_not_of_grpc_is_answered_once_it_is_complete(method: str) -> None:
    request = {":method": method, ":scheme": "http", ":path": "/", "content-type": "text/plain"}
    async with bare() as client:
        client.send(frame(HEADERS, END_HEADERS, 1, encode_headers(tuple(request.items()))))
        client.send(data(1, b"\1hello, and more"))
        assert await client.frames() == []
        client.send(data(1, b"", END_STREAM))
        first, *more = await client.frames()
        assert {str(name): str(value) for name, value in client.decoder.decode(first.payload)} == {
            ":status": "415" if method == "POST" else "405",
            "content-type": "text/plain",
            "content-length": "44",
        }
        text = b"This address speaks gRPC, and nothing else.\n"
        assert more == ([] if method == "HEAD" else [Frame(DATA, END_STREAM, 1, text)])
        assert first.flags == (END_HEADERS | END_STREAM if method == "HEAD" else END_HEADERS)


@in_simulated_time
async def test_a_request_that_is_not_of_grpc_has_twenty_seconds() -> None:
    request = {":method": "GET", ":scheme": "http", ":path": "/"}
    async with bare() as client:
        client.send(frame(HEADERS, END_HEADERS, 1, encode_headers(tuple(request.items()))))
        begun_s = now_s()
        assert (await client.headers(1))["grpc-status"] == "0"
        assert now_s() - begun_s == pytest.approx(20.0)


# --- time, and what is known of the caller ---


@pytest.mark.parametrize(
    ("given", "seconds"),
    [("2H", 7_200), ("3M", 180), ("5S", 5), ("7m", 0.007), ("800u", 0.0008), ("90000000n", 0.09), ("00000012S", 12)],
)
@in_simulated_time
async def test_a_call_has_the_time_that_its_caller_gives(given: str, seconds: float) -> None:
    async with bare(never_read) as client:
        client.open(1, grpc_timeout=given)
        begun_s = now_s()
        assert await status(client) == ("4", "Deadline Exceeded")
        assert now_s() - begun_s == pytest.approx(seconds, abs=1e-5)


@pytest.mark.parametrize("given", ["soon", "5", "S", "5s", "-5S", "123456789S", "5S "])
@in_simulated_time
async def test_a_time_that_cannot_be_read_ends_the_call_before_it_is_served(given: str) -> None:
    served: list[object] = []

    async def behave(_: Any, context: Any) -> None:
        served.append(context)

    async with bare(behave) as client:
        client.open(1, grpc_timeout=given)
        assert await status(client) == ("13", "grpc-timeout cannot be read")
        await client.frames()
    assert served == []


@in_simulated_time
async def test_a_handler_knows_what_its_caller_has_said() -> None:
    known: list[object] = []

    async def behave(_: Any, context: Any) -> None:
        known.extend([context.peer(), context.auth_context(), dict(context.invocation_metadata())["x-y"]])

    async with bare(behave) as client:
        client.open(1, x_y="z")
        assert await status(client) == ("0", "")
    assert known == ["unix:", {}, "z"]
