"""The listener that speaks HTTP/2 itself: what callers get, by their own library and frame by frame."""

from __future__ import annotations

import asyncio
import errno
import logging
import random
import socket
import ssl
from base64 import b64decode
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest

from benchmarks.half_open import call_head
from fairplay.player.tls import TlsFiles, server_context
from fairplay.server.http2.connection import MAX_CALLS, MAX_HEADER_BYTES, MAX_POINTLESS
from fairplay.server.http2.frames import (
    ACK,
    END_HEADERS,
    END_STREAM,
    PADDED,
    PREFACE,
    U32,
    Code,
    Kind,
    Setting,
    encode_headers,
    frame,
    settings_frame,
)
from fairplay.server.http2.listener import Listener
from fairplay.terminal.authority import make_authority, make_client, make_server
from fairplay.v1.connection_pb2 import DialInRequest, Hello, HostedPlayer
from tests.server.http2.harness import ECHO, Raw, local, now_s, settings
from tests.server.quick import in_simulated_time

MAX_BYTES = 100_000
WITHIN_S = 30.0


async def echo(_: Any, context: Any) -> None:
    """Send back what comes; refuse a hello."""
    while (message := await context.read()) is not grpc.aio.EOF:
        if message.HasField("hello"):
            await context.abort(grpc.StatusCode.ALREADY_EXISTS, "nö: 100 %", (("detail-bin", b"\0\1"),))
        await context.write(message)


def replies(size: int) -> DialInRequest:
    """Return a message of about so many bytes."""
    message = DialInRequest()
    message.replies.add(id=1, response=bytes(size))
    return message


def build_listener(heartbeat_s: float = 60.0) -> Listener:
    return Listener([], max_message_bytes=MAX_BYTES, max_calls=MAX_CALLS, heartbeat_s=heartbeat_s, answer_s=heartbeat_s)


@asynccontextmanager
async def listening(
    behaviour: Callable[[Any, Any], Awaitable[None]] = echo, heartbeat_s: float = 60.0
) -> AsyncIterator[tuple[Listener, int]]:
    listener = build_listener(heartbeat_s)
    handler = grpc.stream_stream_rpc_method_handler(behaviour, DialInRequest.FromString)
    listener.add_registered_method_handlers("test.Echo", {"Echo": handler})
    port = await listener.start("127.0.0.1:0")
    try:
        async with asyncio.timeout(WITHIN_S):
            yield listener, port
    finally:
        await listener.stop(0.0)


def own(directory: Path, *, ask: bool) -> TlsFiles:
    return TlsFiles(directory / "server.pem", directory / "server-key.pem", directory / "ca.pem" if ask else None)


def call(channel: grpc.aio.Channel, path: str = ECHO, **how: Any) -> Any:
    return channel.stream_stream(path, DialInRequest.SerializeToString, DialInRequest.FromString)(**how)


@asynccontextmanager
async def raw(port: int, settings: dict[Setting, int] | None = None) -> AsyncIterator[Raw]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    client = Raw(reader, writer)
    client.send(PREFACE, settings_frame(settings or {}))
    try:
        yield client
    finally:
        writer.close()


# --- addresses ---


@pytest.fixture
def resolved(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a name stand for several addresses, one of which this machine does not have."""

    def resolve(_host: str, port: int, **_: Any) -> list[tuple[int, int, int, str, tuple[str, int]]]:
        hosts = ("192.0.2.1", "127.0.0.1", "127.0.0.2")
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (host, port)) for host in hosts]

    monkeypatch.setattr(socket, "getaddrinfo", resolve)


@pytest.mark.usefixtures("resolved")
async def test_a_name_with_several_addresses_is_listened_to_on_each_that_is_there() -> None:
    listener = build_listener()
    port = await listener.start("several:0")
    for host in ("127.0.0.1", "127.0.0.2"):
        _, writer = await asyncio.open_connection(host, port)
        writer.close()
    await listener.stop(0.0)


@pytest.mark.usefixtures("resolved")
async def test_a_name_of_which_one_address_is_taken_is_refused_and_none_is_kept() -> None:
    with socket.create_server(("127.0.0.2", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(OSError, match="in use"):
            await build_listener().start(f"several:{port}")
        socket.create_server(("127.0.0.1", port)).close()


async def test_an_address_that_this_machine_does_not_have_is_refused() -> None:
    with pytest.raises(OSError, match=r"192\.0\.2\.1 is not an address of this machine") as error:
        await build_listener().start("192.0.2.1:0")
    assert error.value.errno == errno.EADDRNOTAVAIL


async def test_no_host_stands_for_every_address() -> None:
    listener = build_listener()
    port = await listener.start(":0")
    hosts = ["127.0.0.1", *(["::1"] if socket.has_dualstack_ipv6() else [])]
    for host in hosts:
        reader, writer = await asyncio.open_connection(host, port)
        await Raw(reader, writer).read(Kind.SETTINGS)
        writer.close()
    await listener.stop(0.0)
    for host in hosts:
        with pytest.raises(ConnectionRefusedError):
            await asyncio.open_connection(host, port)


async def test_a_path_has_no_port(tmp_path: Path) -> None:
    listener = build_listener()
    assert await listener.start(f"unix:{tmp_path}/s") == 0
    reader, writer = await asyncio.open_unix_connection(tmp_path / "s")
    await Raw(reader, writer).read(Kind.SETTINGS)
    writer.close()
    await listener.stop(0.0)
    with pytest.raises(OSError, match="s"):
        await asyncio.open_unix_connection(tmp_path / "s")


# --- handlers, and the end ---


async def test_the_first_interceptor_is_the_outermost() -> None:
    seen: list[tuple[str, str]] = []

    class Noting(grpc.aio.ServerInterceptor):  # type: ignore[misc]
        def __init__(self, name: str) -> None:
            self.name = name

        async def intercept_service(self, proceed: Any, details: Any) -> Any:
            seen.append((f"{self.name} sees", details.method))
            handler = await proceed(details)

            async def behave(request: Any, context: Any) -> None:
                seen.append((f"{self.name} serves", ECHO))
                await handler.stream_stream(request, context)

            return grpc.stream_stream_rpc_method_handler(behave, handler.request_deserializer)

    limits: Any = {"max_message_bytes": MAX_BYTES, "max_calls": 1, "heartbeat_s": 60.0, "answer_s": 60.0}
    listener = Listener([Noting("first"), Noting("second")], **limits)
    handler = grpc.stream_stream_rpc_method_handler(echo, DialInRequest.FromString)
    listener.add_registered_method_handlers("test.Echo", {"Echo": handler})
    port = await listener.start("127.0.0.1:0")
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        stream = call(channel)
        await stream.done_writing()
        assert await stream.code() is grpc.StatusCode.OK
    await listener.stop(0.0)
    assert [what for what, _ in seen] == ["second sees", "first sees", "first serves", "second serves"]
    assert {method for _, method in seen} == {ECHO}


@in_simulated_time
async def test_a_stop_waits_for_no_connection_where_there_is_none() -> None:
    async with local() as (listener, _):
        await listener.stop(60.0)
        assert now_s() == 0


@pytest.mark.parametrize("grace_s", [0.0, 5.0])
@in_simulated_time
async def test_a_stop_waits_for_open_calls_and_then_ends_them(grace_s: float) -> None:
    ended: list[str] = []

    async def wait(_: Any, context: Any) -> None:
        try:
            await context.read()
        finally:
            ended.append("")

    async with local(wait) as (listener, connect):
        for _ in range(2):  # of which the first goes before
            client = await connect()
            client.send(PREFACE, settings())
            client.open(1)
            await client.frames()
            if not ended:
                client.writer.close()
                await asyncio.sleep(1.0)
                assert listener.idle.is_set()
        begun_s = now_s()
        await listener.stop(grace_s)
        assert now_s() - begun_s == pytest.approx(grace_s)
        assert not listener.connections
        assert await client.is_over()
        assert ended == ["", ""]


# --- over TLS ---


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("tls")
    make_authority(directory, 1)
    make_server(directory, ["localhost", "127.0.0.1"], 1)
    make_client(directory, "alice", 1)
    return directory


@pytest.mark.parametrize(("name", "known"), [("alice", [b"alice"]), ("", [])])
async def test_a_handler_knows_the_name_in_its_callers_certificate(files: Path, name: str, known: list[bytes]) -> None:
    async def behave(_: Any, context: Any) -> None:
        detail = b",".join(context.auth_context()["x509_common_name"])
        await context.abort(grpc.StatusCode.NOT_FOUND, "", (("names-bin", detail), ("peer", context.peer())))

    listener = build_listener()
    handler = grpc.stream_stream_rpc_method_handler(behave, DialInRequest.FromString)
    listener.add_registered_method_handlers("test.Echo", {"Echo": handler})
    tls = server_context(own(files, ask=bool(name)), ("h2",))
    port = await listener.start("127.0.0.1:0", tls)
    context = ssl.create_default_context(cafile=files / "ca.pem")
    context.set_alpn_protocols(["h2"])
    if name:
        context.load_cert_chain(files / f"{name}.pem", files / f"{name}-key.pem")
    reader, writer = await asyncio.open_connection("127.0.0.1", port, ssl=context)
    client = Raw(reader, writer)
    client.send(PREFACE, settings_frame({}))
    client.open(1)
    headers = await client.headers(1)
    assert b64decode(headers["names-bin"] + "==") == b",".join(known)
    assert headers["peer"] == f"ipv4:127.0.0.1:{writer.get_extra_info('sockname')[1]}"
    client.send(frame(Kind.SETTINGS, 0, 1))
    assert await client.code(Kind.GOAWAY) == Code.PROTOCOL_ERROR
    assert await client.is_over()
    writer.close()
    await listener.stop(0.0)


# --- by the library of gRPC ---


async def test_messages_of_any_size_go_both_ways() -> None:
    async with listening() as (_, port), grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        stream = call(channel)
        for size in (0, 1, 16_000, 70_000, MAX_BYTES - 100):
            message = replies(size)
            await stream.write(message)
            assert await stream.read() == message
        await stream.done_writing()
        assert await stream.read() is grpc.aio.EOF
        assert await stream.code() is grpc.StatusCode.OK


async def test_many_calls_of_a_connection_do_not_wait_for_each_other() -> None:
    async with listening() as (_, port), grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        streams = [call(channel) for _ in range(100)]
        await asyncio.gather(*(stream.write(replies(20_000)) for stream in streams))
        for stream in reversed(streams):
            assert await stream.read() == replies(20_000)


async def test_a_status_arrives_with_its_message_and_metadata() -> None:
    async with listening() as (_, port), grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        stream = call(channel)
        await stream.write(DialInRequest(hello=Hello(players=[HostedPlayer(name="x")])))
        with pytest.raises(grpc.aio.AioRpcError) as error:
            await stream.read()
    assert (error.value.code(), error.value.details()) == (grpc.StatusCode.ALREADY_EXISTS, "nö: 100 %")
    assert dict(error.value.trailing_metadata() or ())["detail-bin"] == b"\0\1"


async def test_a_method_that_is_not_there_is_unimplemented() -> None:
    async with listening() as (_, port), grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        assert await call(channel, "/test.Echo/Other").code() is grpc.StatusCode.UNIMPLEMENTED


async def test_a_call_ends_with_its_deadline_and_so_does_its_handler() -> None:
    ended = asyncio.Event()

    async def wait(_: Any, context: Any) -> None:
        try:
            await context.read()
        finally:
            ended.set()

    async with listening(wait) as (_, port), raw(port) as client:
        client.open(1, grpc_timeout="50m")
        assert (await client.headers(1))["grpc-status"] == "4"
        await ended.wait()


async def test_a_cancelled_call_ends_its_handler() -> None:
    begun, ended = asyncio.Event(), asyncio.Event()

    async def wait(_: Any, context: Any) -> None:
        begun.set()
        try:
            await context.read()
        finally:
            ended.set()

    async with listening(wait) as (_, port), grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        stream = call(channel)
        await begun.wait()
        stream.cancel()
        await ended.wait()


async def test_a_handler_that_fails_is_the_servers_fault_and_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    async def fail(_: Any, _context: Any) -> None:
        raise ZeroDivisionError

    async with listening(fail) as (_, port), grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        assert await call(channel).code() is grpc.StatusCode.INTERNAL
    said = [record for record in caplog.records if record.name == "fairplay.server"]  # gRPC's clients log things, too
    assert [record.exc_info is not None for record in said] == [True]


async def test_a_server_that_stops_lets_calls_end_and_takes_no_others() -> None:
    async with listening() as (listener, port), raw(port) as client:
        client.open(1)
        client.send(frame(Kind.PING, 0, 0, bytes(8)))
        await client.read(Kind.PING)
        stopping = asyncio.create_task(listener.stop(WITHIN_S))
        assert await client.code(Kind.GOAWAY) == Code.NO_ERROR
        client.open(3)
        assert await client.code(Kind.RST_STREAM, 3) == Code.REFUSED_STREAM
        client.send(frame(Kind.DATA, END_STREAM, 1))
        assert (await client.headers(1))["grpc-status"] == "0"
        await stopping
        assert await client.is_over()


# --- messages that are not as they should be ---


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"\1\0\0\0\0", "12"),
        (b"\0" + U32.pack(MAX_BYTES + 1), "8"),
        (b"\0\0\0\0\2x", "13"),
    ],
    ids=["compressed", "too large", "cut off"],
)
async def test_a_message_that_cannot_be_taken_ends_its_call_alone(body: bytes, status: str) -> None:
    async with listening() as (_, port), raw(port) as client:
        for number in (1, 3):
            client.open(number)
        client.send(frame(Kind.DATA, END_STREAM, 1, body))
        assert (await client.headers(1))["grpc-status"] == status
        client.send(frame(Kind.DATA, END_STREAM, 3, b"\0\0\0\0\0"))
        assert (await client.headers(3))[":status"] == "200"
        assert (await client.headers(3))["grpc-status"] == "0"


async def test_a_message_may_come_byte_by_byte_and_padded() -> None:
    message = replies(10).SerializeToString()
    async with listening() as (_, port), raw(port) as client:
        client.open(1)
        for byte in b"\0" + U32.pack(len(message)) + message:
            client.send(frame(Kind.DATA, PADDED, 1, bytes([2, byte, 0, 0])))
        _, _, payload = await client.read(Kind.DATA)
        assert payload[5:] == message


async def test_a_timeout_that_cannot_be_read_is_refused() -> None:
    async with listening() as (_, port), raw(port) as client:
        client.open(1, grpc_timeout="soon")
        assert (await client.headers(1))["grpc-status"] == "13"


@pytest.mark.parametrize(("method", "status"), [("GET", "405"), ("HEAD", "405"), ("POST", "415")])
async def test_who_speaks_no_grpc_is_told_so(method: str, status: str) -> None:
    request = {":method": method, ":scheme": "http", ":path": "/", "content-type": "text/plain"}
    async with listening() as (_, port), raw(port) as client:
        client.send(frame(Kind.HEADERS, END_HEADERS, 1, encode_headers(tuple(request.items()))))
        client.send(frame(Kind.DATA, END_STREAM, 1, b"hello"))
        assert (await client.headers(1))[":status"] == status
        if method != "HEAD":
            assert b"speaks gRPC" in (await client.read(Kind.DATA))[2]


# --- windows ---


async def test_nothing_is_sent_beyond_the_window_of_the_caller() -> None:
    async with listening() as (_, port), raw(port, {Setting.INITIAL_WINDOW_SIZE: 0}) as client:
        client.open(1)
        message = replies(100).SerializeToString()
        client.send(frame(Kind.DATA, 0, 1, b"\0" + U32.pack(len(message)) + message))
        client.send(frame(Kind.WINDOW_UPDATE, 0, 1, U32.pack(7)))
        assert len((await client.read(Kind.DATA))[2]) == 7
        client.send(settings_frame({Setting.INITIAL_WINDOW_SIZE: 3}))
        assert len((await client.read(Kind.DATA))[2]) == 3
        client.send(frame(Kind.WINDOW_UPDATE, 0, 1, U32.pack(1_000)))
        assert len((await client.read(Kind.DATA))[2]) == 5 + len(message) - 10


async def test_who_ends_a_call_in_the_middle_of_a_message_gets_no_status_behind_it() -> None:
    async with listening() as (_, port), raw(port, {Setting.INITIAL_WINDOW_SIZE: 7}) as client:
        client.open(1, grpc_timeout="100m")
        message = replies(100).SerializeToString()
        client.send(frame(Kind.DATA, 0, 1, b"\0" + U32.pack(len(message)) + message))
        assert await client.code(Kind.RST_STREAM, 1) == Code.CANCEL


async def test_a_handler_that_does_not_read_holds_its_caller_up_and_no_other() -> None:
    read = asyncio.Event()

    async def read_late(_: Any, context: Any) -> None:
        await read.wait()
        await echo(_, context)

    async with listening(read_late) as (_, port), raw(port) as client:
        client.open(1)
        size = 16_000
        piece = frame(Kind.DATA, 0, 1, b"\0" + U32.pack(size) + replies(size - 6).SerializeToString()[:size])
        for _ in range(66):  # as many bytes as may wait for a handler, and more
            client.send(piece)
        assert await client.code(Kind.RST_STREAM, 1) == Code.FLOW_CONTROL_ERROR
        read.set()
        client.open(3)
        client.send(frame(Kind.DATA, END_STREAM, 3, b"\0\0\0\0\0"))
        assert (await client.headers(3))[":status"] == "200"


async def test_windows_grow_again_with_what_is_read() -> None:
    async with listening() as (_, port), grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        stream = call(channel)
        for _ in range(200):
            await stream.write(replies(90_000))
            assert len((await stream.read()).replies[0].response) == 90_000


# --- floods, silence, nonsense ---


@pytest.mark.parametrize(
    "flood",
    [
        lambda number: frame(Kind.SETTINGS, 0, 0),
        lambda number: (
            frame(Kind.HEADERS, END_HEADERS, 2 * number + 3, call_head(ECHO))
            + frame(Kind.RST_STREAM, 0, 2 * number + 3, U32.pack(Code.CANCEL))
        ),
        lambda number: frame(Kind.DATA, 0, 1),
        lambda number: frame(Kind.DATA, 0, 1, b"\0\0\1\0\0" if number == 0 else b"x"),
        lambda number: frame(Kind.WINDOW_UPDATE, 0, 1, U32.pack(1)),
        lambda number: frame(Kind.PRIORITY, 0, 1, bytes(5)),
        lambda number: frame(99, 0, 0),
    ],
    ids=["settings", "rapid reset", "empty data", "a byte at a time", "windows", "priorities", "unknown"],
)
async def test_a_flood_of_frames_without_messages_ends_the_connection(flood: Callable[[int], bytes]) -> None:
    async with listening() as (_, port), raw(port) as client:
        client.open(1)
        client.send(*(flood(number) for number in range(MAX_POINTLESS)))
        assert await client.code(Kind.GOAWAY) == Code.ENHANCE_YOUR_CALM
        assert await client.is_over()


async def test_calls_that_hold_too_much_of_unfinished_messages_end_the_connection() -> None:
    half = frame(Kind.DATA, 0, 0, bytes(16_000))
    async with listening() as (_, port), raw(port) as client:
        for number in range(1, 2 * MAX_CALLS, 2):
            client.open(number)
            client.send(frame(Kind.DATA, 0, number, b"\0" + U32.pack(MAX_BYTES)))
        for number in range(1, 2 * MAX_CALLS, 2):
            client.send(*[half[:5] + U32.pack(number) + half[9:]] * 5)
        assert await client.code(Kind.GOAWAY) == Code.ENHANCE_YOUR_CALM
        assert await client.is_over()


async def test_large_messages_may_come_at_once() -> None:
    async with listening() as (_, port), grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        streams = [call(channel) for _ in range(100)]  # ten megabytes, in pieces
        await asyncio.gather(*(stream.write(replies(90_000)) for stream in streams))
        for stream in streams:
            assert len((await stream.read()).replies[0].response) == 90_000


async def test_signs_of_life_over_hours_are_no_flood(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fairplay.server.http2.connection.MAX_POINTLESS", 5)
    monkeypatch.setattr("fairplay.server.http2.connection.POINTLESS_S", 0.0)
    async with listening() as (_, port), raw(port) as client:
        await client.read(Kind.SETTINGS, number=0)
        for _ in range(20):
            client.send(frame(Kind.SETTINGS, 0, 0))
            _, flags, _ = await client.read(Kind.SETTINGS, Kind.GOAWAY)
            assert flags == ACK


async def test_the_reason_of_an_end_arrives_whatever_comes_behind_its_cause() -> None:
    async with listening() as (_, port), raw(port) as client:
        client.send(frame(Kind.PUSH_PROMISE, 0, 1, bytes(4)), bytes(1_000_000))
        assert await client.code(Kind.GOAWAY) == Code.PROTOCOL_ERROR
        assert await client.reader.read() == b""  # and no ConnectionResetError


async def test_too_many_pings_end_the_connection_as_grpc_ends_it() -> None:
    async with listening() as (_, port), raw(port) as client:
        client.send(*(frame(Kind.PING, 0, 0, bytes(8)) for _ in range(4)))
        _, _, payload = await client.read(Kind.GOAWAY)
        assert payload[4:] == U32.pack(Code.ENHANCE_YOUR_CALM) + b"too_many_pings"


async def test_endless_headers_end_the_connection() -> None:
    async with listening() as (_, port), raw(port) as client:
        client.send(frame(Kind.HEADERS, 0, 1, b""))
        client.send(*(frame(Kind.CONTINUATION, 0, 1, bytes(8_000)) for _ in range(MAX_HEADER_BYTES // 8_000 + 1)))
        assert await client.code(Kind.GOAWAY) == Code.ENHANCE_YOUR_CALM


async def test_headers_that_unpack_to_much_end_the_connection() -> None:
    field = b"\x40\x01x\x7f\x01" + bytes(128)  # kept in the table of the connection, and named again and again
    async with listening() as (_, port), raw(port) as client:
        client.send(frame(Kind.HEADERS, END_HEADERS, 1, field + b"\xbe" * 1_000))
        assert await client.code(Kind.GOAWAY) == Code.ENHANCE_YOUR_CALM


async def test_more_calls_than_a_connection_may_have_are_refused_one_by_one() -> None:
    async with listening() as (_, port), raw(port) as client:
        for number in range(MAX_CALLS + 1):
            client.open(2 * number + 1)
        assert await client.code(Kind.RST_STREAM, 2 * MAX_CALLS + 1) == Code.REFUSED_STREAM
        client.send(frame(Kind.DATA, END_STREAM, 1))
        assert (await client.headers(1))["grpc-status"] == "0"


async def test_a_silent_connection_is_asked_for_a_sign_of_life_and_ended_without() -> None:
    async with listening(heartbeat_s=0.05) as (listener, port), raw(port) as client:
        for _ in range(3):
            _, flags, payload = await client.read(Kind.PING)
            assert flags == 0
            client.send(frame(Kind.PING, ACK, 0, payload))
        assert await client.is_over()
        assert not listener.connections


async def test_what_is_not_http_2_is_ended() -> None:
    async with listening() as (_, port):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"GET / HTTP/1.1\r\n\r\n")
        assert await Raw(reader, writer).code(Kind.GOAWAY) == Code.PROTOCOL_ERROR
        writer.close()


@pytest.mark.parametrize("seed", range(20))
async def test_random_frames_disturb_nobody_else_and_break_nothing(seed: int, caplog: pytest.LogCaptureFixture) -> None:
    rng = random.Random(seed)
    caplog.set_level(logging.WARNING)
    async with listening() as (_, port), raw(port) as neighbour:
        neighbour.open(1)
        for _ in range(20):
            async with raw(port) as client:
                for _ in range(rng.randrange(30)):
                    kind, number, size = rng.randrange(11), rng.randrange(6), rng.choice((0, 4, 5, 6, 8, 50))
                    payload = rng.choice((call_head(ECHO), rng.randbytes(size), bytes(size)))
                    client.send(frame(kind, rng.randrange(64), number, payload)[: rng.choice((5, 9, 1_000, 1_000))])
                await client.writer.drain()
        neighbour.send(frame(Kind.DATA, END_STREAM, 1, b"\0\0\0\0\0"))
        assert (await neighbour.headers(1))[":status"] == "200"
        assert (await neighbour.headers(1))["grpc-status"] == "0"
    assert [record.getMessage() for record in caplog.records] == []
