"""What clients of other stacks may send at both addresses: what is wrong with it ends its stream, and no other."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import grpc
import pytest
from grpc_health.v1.health_pb2 import HealthCheckRequest, HealthCheckResponse
from grpc_health.v1.health_pb2_grpc import HealthStub

from benchmarks.half_open import END_HEADERS, HEADERS, PREFACE, call_head, frame
from fairplay.server.links.stream import MAX_FRAME_BYTES
from fairplay.server.server import Config, Server
from fairplay.v1.connection_pb2 import DialInRequest, Hello, HostedPlayer
from fairplay.v1.connection_pb2_grpc import ConnectionServiceStub
from tests.server.harness import serving

DATA, SETTINGS, END_STREAM = 0, 4, 1
NO_TABLE = bytes([0, 1, 0, 0, 0, 0])
"""The setting of a client of HTTP/2 to which headers are sent as they are, and not as numbers of earlier ones."""
DIAL_IN = "/fairplay.v1.ConnectionService/DialIn"
CHECK = "/grpc.health.v1.Health/Check"
SERVICE = "fairplay.v1.ConnectionService"
PLAYING, CALL, LAST = 1, 3, 99
"""The streams of a connection: the one that a player has dialled in over, that of the call of a test, and of a last."""
OK = b"grpc-status\x010"


@pytest.fixture(params=["listen", "players"])
async def server(request: pytest.FixtureRequest) -> AsyncIterator[Server]:
    """Return a server to which players dial in at the address for everything, or at one of their own.

    It waits an hour for the first message of a call: a test fails before if a call is left open.
    """
    config = Config(players="127.0.0.1:0" if request.param == "players" else "", handshake_limit_s=3_600.0)
    async with serving(config) as found:
        yield found


def hello(name: str) -> DialInRequest:
    return DialInRequest(hello=Hello(players=[HostedPlayer(name=name)]))


def message(body: bytes) -> bytes:
    """Return a message as gRPC sends it."""
    return b"\0" + len(body).to_bytes(4, "big") + body


class Connection:
    """A connection of HTTP/2 of which a test writes the frames itself, and over which a player has dialled in."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    def call(self, stream: int, path: str, *data: bytes, **headers: str) -> None:
        """Make a call with these frames of DATA, the last of which ends it; with none it stays open."""
        head = call_head(path)
        for name, value in headers.items():
            text = bytes([len(value)]) + value.encode()
            if name == "content_type":
                head = head.replace(b"\x10application/grpc", text)
            else:
                head += b"\0" + bytes([len(name)]) + name.encode().replace(b"_", b"-") + text
        self._writer.write(frame(HEADERS, END_HEADERS, stream, head))
        for index, each in enumerate(data):
            self._writer.write(frame(DATA, END_STREAM if index == len(data) - 1 else 0, stream, each))

    async def end_of(self, stream: int) -> bytes:
        """Return the headers and trailers of a call, and of no other, once it has ended."""
        blocks = b""
        while True:
            head = await self._reader.readexactly(9)
            payload = await self._reader.readexactly(int.from_bytes(head[:3], "big"))
            if head[3] == HEADERS and int.from_bytes(head[5:], "big") == stream:
                blocks += payload
                if head[4] & END_STREAM:
                    return blocks


@asynccontextmanager
async def playing(server: Server) -> AsyncIterator[Connection]:
    """Connect, dial in with a player, and see at the end that its stream has lasted."""
    host, _, port = server.players_address.rpartition(":")
    async with asyncio.timeout(30):
        reader, writer = await asyncio.open_connection(host, int(port))
        writer.write(
            PREFACE + frame(SETTINGS, 0, 0, NO_TABLE) + frame(HEADERS, END_HEADERS, PLAYING, call_head(DIAL_IN))
        )
        writer.write(frame(DATA, 0, PLAYING, message(hello("x").SerializeToString())))
        await server.hub.arrived("x")
        connection = Connection(reader, writer)
        yield connection
        connection.call(LAST, CHECK, message(b""))
        assert OK in await connection.end_of(LAST)
        assert server.hub.here("x")
        writer.close()


@pytest.mark.parametrize("compression", [grpc.Compression.Gzip, grpc.Compression.Deflate])
async def test_what_is_compressed_is_read_and_counts_by_the_size_that_it_has_then(
    server: Server, compression: grpc.Compression
) -> None:
    async with grpc.aio.insecure_channel(server.players_address, compression=compression) as channel:
        sound = ConnectionServiceStub(channel).DialIn()
        await sound.write(hello("x" * 64))
        assert (await sound.read()).HasField("welcome")
        bomb = ConnectionServiceStub(channel).DialIn()  # some 5 KiB, in which there is more than a frame may have
        await bomb.write(hello("x" * (MAX_FRAME_BYTES + 1)))
        assert await bomb.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
        assert server.hub.here("x" * 64)


async def test_a_coding_that_nobody_knows_ends_its_call(server: Server) -> None:
    async with playing(server) as connection:
        connection.call(CALL, DIAL_IN, grpc_encoding="snappy")
        assert b"grpc-status" in await connection.end_of(CALL)


@pytest.mark.parametrize("size", [20_000, 1_000_000])
async def test_headers_that_are_too_large_end_their_call(server: Server, size: int) -> None:
    async with grpc.aio.insecure_channel(server.players_address) as channel:
        playing = ConnectionServiceStub(channel).DialIn()
        await playing.write(hello("x"))
        assert (await playing.read()).HasField("welcome")
        stream = ConnectionServiceStub(channel).DialIn(metadata=[("much", "x" * size)])
        assert await stream.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
        health = HealthStub(channel)
        assert (await health.Check(HealthCheckRequest(), timeout=30)).status == HealthCheckResponse.SERVING
        assert server.hub.here("x")


async def test_a_message_may_come_in_frames_of_one_byte_and_none(server: Server) -> None:
    async with playing(server) as connection:
        many = [bytes([byte]) for byte in message(HealthCheckRequest(service=SERVICE).SerializeToString())]
        connection.call(CALL, CHECK, *many, b"")
        assert OK in await connection.end_of(CALL)
        connection.call(CALL + 2, CHECK, *[b""] * 1_000)
        await connection.end_of(CALL + 2)


@pytest.mark.parametrize("kind", ["application/json", "application/proto", "application/connect+proto", "text/plain"])
@pytest.mark.parametrize("body", [b"", b"{}", b'{"hello": {"players": [{"name": "y"}]}}'])
async def test_a_request_of_another_protocol_is_answered_at_once(server: Server, kind: str, body: bytes) -> None:
    """gRPC's server looks at no content type, and finds that there is no message in what comes."""
    async with playing(server) as connection:
        connection.call(CALL, DIAL_IN, body, content_type=kind)
        assert b"grpc-status" in await connection.end_of(CALL)
        assert not server.hub.here("y")


async def test_who_speaks_http_1_is_not_left_waiting(server: Server) -> None:
    host, _, port = server.players_address.rpartition(":")
    async with asyncio.timeout(30):
        reader, writer = await asyncio.open_connection(host, int(port))
        writer.write(b"GET / HTTP/1.1\r\nHost: server\r\n\r\n")
        while await reader.read(1_024):
            pass
        writer.close()
