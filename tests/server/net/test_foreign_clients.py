"""What clients of other stacks may send at both addresses: what is wrong with it ends its stream, and no other."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import grpc
import pytest
from grpc_health.v1.health_pb2 import HealthCheckRequest, HealthCheckResponse
from grpc_health.v1.health_pb2_grpc import HealthStub
from h2.connection import H2Connection
from h2.events import ResponseReceived, StreamEnded, TrailersReceived

from benchmarks.half_open import call_head
from fairplay.server.links.stream import MAX_FRAME_BYTES
from fairplay.server.server import Config, Server
from fairplay.v1.connection_pb2 import DialInRequest, Hello, HostedPlayer
from fairplay.v1.connection_pb2_grpc import ConnectionServiceStub
from tests.server.harness import serving

DIAL_IN = "/fairplay.v1.ConnectionService/DialIn"
CHECK = "/grpc.health.v1.Health/Check"
SERVICE = "fairplay.v1.ConnectionService"
PLAYING, CALL, LAST = 1, 3, 99
"""The streams of a connection: the one that a player has dialled in over, that of the call of a test, and of a last."""
OK = "0"


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
    """A connection of HTTP/2 of a client that is not gRPC's, over which a player has dialled in."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._state = H2Connection()
        self._state.initiate_connection()

    def call(self, stream: int, path: str, *data: bytes, last: bool = True, **headers: str) -> None:
        """Make a call with these frames of DATA, of which the last ends it if so wanted; with none it stays open."""
        self._state.send_headers(stream, call_head(path, **headers))
        for index, each in enumerate(data):
            self._state.send_data(stream, each, end_stream=last and index == len(data) - 1)
        self._writer.write(self._state.data_to_send())

    async def status_of(self, stream: int) -> str | None:
        """Return the status of a call, once it has ended."""
        status = None
        while data := await self._reader.read(65_536):
            for event in self._state.receive_data(data):
                if getattr(event, "stream_id", None) != stream:
                    continue
                if isinstance(event, ResponseReceived | TrailersReceived):
                    status = dict(event.headers).get(b"grpc-status", status)
                elif isinstance(event, StreamEnded):
                    return None if status is None else status.decode()
            self._writer.write(self._state.data_to_send())
        raise EOFError("the server has ended the connection")


@asynccontextmanager
async def playing(server: Server) -> AsyncIterator[Connection]:
    """Connect, dial in with a player, and see at the end that its stream has lasted."""
    host, _, port = server.players_address.rpartition(":")
    async with asyncio.timeout(30):
        reader, writer = await asyncio.open_connection(host, int(port))
        connection = Connection(reader, writer)
        connection.call(PLAYING, DIAL_IN, message(hello("x").SerializeToString()), last=False)
        await server.hub.arrived("x")
        yield connection
        connection.call(LAST, CHECK, message(b""))
        assert await connection.status_of(LAST) == OK
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
        assert await connection.status_of(CALL) not in (None, OK)


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
        assert await connection.status_of(CALL) == OK
        connection.call(CALL + 2, CHECK, *[b""] * 1_000)
        assert await connection.status_of(CALL + 2) not in (None, OK)


@pytest.mark.parametrize("kind", ["application/json", "application/proto", "application/connect+proto", "text/plain"])
@pytest.mark.parametrize("body", [b"", b"{}", b'{"hello": {"players": [{"name": "y"}]}}'])
async def test_a_request_of_another_protocol_is_answered_at_once(server: Server, kind: str, body: bytes) -> None:
    """gRPC's server looks at no content type, and finds that there is no message in what comes."""
    async with playing(server) as connection:
        connection.call(CALL, DIAL_IN, body, content_type=kind)
        assert await connection.status_of(CALL) not in (None, OK)
        assert not server.hub.here("y")


async def test_who_speaks_http_1_is_not_left_waiting(server: Server) -> None:
    host, _, port = server.players_address.rpartition(":")
    async with asyncio.timeout(30):
        reader, writer = await asyncio.open_connection(host, int(port))
        writer.write(b"GET / HTTP/1.1\r\nHost: server\r\n\r\n")
        while await reader.read(1_024):
            pass
        writer.close()
