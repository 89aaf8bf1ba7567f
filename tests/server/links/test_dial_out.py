"""Players that serve: what a call tells them, and what becomes of what they answer."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest
from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.events import StreamEnded

from benchmarks.half_open import SETTINGS
from fairplay.games.game import find
from fairplay.player.channels import Credentials
from fairplay.player.handlers import Handlers
from fairplay.player.serving import start_server
from fairplay.player.tls import TlsFiles
from fairplay.server.links.dial_out import DialOutLink, dial_out_link
from fairplay.server.links.link import Clock, Link
from fairplay.terminal.operator.authority import make_authority, make_server
from fairplay.v1.misconduct_pb2 import CallErrorReason, Overrun

AMPLE_S = 60.0
METHOD = "/a.B/C"


async def ask(link: Link, limit_s: float = AMPLE_S, **more: Any) -> Any:
    """Call a method, and return what became of that."""
    answered: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
    link.call(METHOD, b"", limit_s, lambda outcome, _: answered.set_result(outcome), **more)
    return await answered


@asynccontextmanager
async def answering(answer: Callable[[Any], Awaitable[bytes]]) -> AsyncIterator[int]:
    """Serve a player that answers a call by its context; yield its port."""

    async def behave(_: bytes, context: Any) -> bytes:
        return await answer(context)

    server = grpc.aio.server()
    server.add_registered_method_handlers("a.B", {"C": grpc.unary_unary_rpc_method_handler(behave)})
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    try:
        async with asyncio.timeout(AMPLE_S):
            yield port
    finally:
        await server.stop(0)


@asynccontextmanager
async def linked(port: int, clock: Clock | None = None, **more: Any) -> AsyncIterator[DialOutLink]:
    link = await dial_out_link(clock or Clock(), f"127.0.0.1:{port}", AMPLE_S, **more)
    assert isinstance(link, DialOutLink)
    yield link
    await link.close()


# --- what a player is told ---


async def test_each_link_has_a_connection_of_its_own() -> None:
    peers: list[str] = []

    async def note(context: Any) -> bytes:
        peers.append(context.peer())
        return b""

    async with answering(note) as port, linked(port) as first, linked(port) as second:
        for link in (first, second, first):
            await ask(link)
    assert peers[0] == peers[2] != peers[1]


async def test_a_player_that_was_found_at_an_address_is_called_by_its_name() -> None:
    reported: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(SETTINGS)
        before = await reader.readuntil(b".example:")  # gRPC packs no text of its headers
        reported.set_result((before[-15:] + await reader.readexactly(len(str(port)))).decode())
        writer.close()

    server = await asyncio.start_server(connected, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    link = await dial_out_link(Clock(), f"player.example:{port}", AMPLE_S, None, f"127.0.0.1:{port}")
    answered = asyncio.create_task(ask(link))
    async with asyncio.timeout(AMPLE_S):
        assert await reported == f"player.example:{port}"
        await answered
    await link.close()
    server.close()


async def test_a_player_over_tls_that_was_found_at_an_address_has_to_have_a_certificate_for_its_name(
    tmp_path: Path,
) -> None:
    make_authority(tmp_path, 1)
    make_server(tmp_path, ["player.example"], 1)
    files = TlsFiles(tmp_path / "server.pem", tmp_path / "server-key.pem")
    served, port = await start_server(Handlers(find("fish").player("first")), "127.0.0.1:0", files)
    trusting = Credentials(ca=tmp_path / "ca.pem")
    known = await dial_out_link(Clock(), f"player.example:{port}", AMPLE_S, trusting, f"127.0.0.1:{port}")
    assert isinstance(known, DialOutLink)
    await known.close()
    other = await dial_out_link(Clock(), f"other.example:{port}", 0.5, trusting, f"127.0.0.1:{port}")
    said = f"nothing answered over TLS with a certificate that is trusted on other.example:{port} within 0.5 s"
    assert (await ask(other)).message == said
    await served.stop(0)


async def test_a_player_that_cannot_be_called_over_tls_is_not_connected(tmp_path: Path) -> None:
    link = await dial_out_link(Clock(), "host:1", AMPLE_S, Credentials(ca=tmp_path / "missing.pem"))
    failure = await ask(link)
    assert failure.reason == CallErrorReason.CALL_ERROR_REASON_DISCONNECTED
    assert failure.message.startswith("host:1 cannot be called over TLS: ")


# --- what it answers ---


class OneCall(asyncio.Protocol):
    """A connection on which a player answers one call, and says of the next one that it has not processed it."""

    def __init__(self) -> None:
        self.lost = asyncio.Event()

    def connection_lost(self, _: Exception | None) -> None:
        self.lost.set()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self.http2 = H2Connection(H2Configuration(client_side=False))
        self.http2.initiate_connection()

    def data_received(self, data: bytes) -> None:
        for event in self.http2.receive_data(data):
            if isinstance(event, StreamEnded) and event.stream_id == 1:
                self.http2.send_headers(1, [(":status", "200"), ("content-type", "application/grpc")])
                self.http2.send_data(1, b"\0\0\0\0\1x")
                self.http2.send_headers(1, [("grpc-status", "0")], end_stream=True)
            elif isinstance(event, StreamEnded):
                self.http2.close_connection(last_stream_id=1)
        self.transport.write(self.http2.data_to_send())


async def test_a_call_that_a_connection_says_it_has_not_processed_is_sent_on_another_one() -> None:
    connections: list[OneCall] = []

    def connect() -> OneCall:
        connections.append(OneCall())
        return connections[-1]

    async with asyncio.timeout(AMPLE_S):
        server = await asyncio.get_running_loop().create_server(connect, "127.0.0.1", 0)
        async with server, linked(server.sockets[0].getsockname()[1]) as link:
            assert [await ask(link) for _ in range(3)] == [b"x", b"x", b"x"]
        for each in connections:
            await each.lost.wait()


@pytest.mark.parametrize("compression", [grpc.Compression.Gzip, grpc.Compression.Deflate])
async def test_a_compressed_reply_is_measured_as_it_was_before(compression: grpc.Compression) -> None:
    async def compress(context: Any) -> bytes:
        context.set_compression(compression)
        return bytes(2 << 20)

    async with answering(compress) as port, linked(port) as link:
        assert (await ask(link)).reason == CallErrorReason.CALL_ERROR_REASON_TOO_LARGE


async def test_a_reply_of_more_than_four_mebibytes_is_too_large_in_the_words_of_grpc() -> None:
    async def answer(_: Any) -> bytes:
        return bytes(4_194_305)

    async with answering(answer) as port, linked(port) as link:
        outcome = await ask(link)
    assert outcome.reason == CallErrorReason.CALL_ERROR_REASON_TOO_LARGE
    assert "4194304" in outcome.message


@pytest.mark.parametrize(
    ("passed_s", "least_s", "most_s"),
    [(0.85 * AMPLE_S, None, None), (0.95 * AMPLE_S, AMPLE_S, AMPLE_S), (1.5 * AMPLE_S, 1.5 * AMPLE_S, 2 * AMPLE_S)],
    ids=["early", "nearly in time", "late"],
)
async def test_a_player_that_says_its_time_was_over_has_overrun_it_if_that_may_be(
    passed_s: float, least_s: float | None, most_s: float
) -> None:
    passed: list[float] = []

    async def fail(context: Any) -> bytes:
        passed.append(passed_s)
        await context.abort(grpc.StatusCode.DEADLINE_EXCEEDED, "no time")
        return b""

    clock = Clock(lambda: time.monotonic() + sum(passed))
    async with answering(fail) as port, linked(port, clock) as link:
        outcome = await ask(link)
    if least_s is None:
        assert outcome.reason == CallErrorReason.CALL_ERROR_REASON_STATUS
    else:
        assert isinstance(outcome, Overrun)
        assert outcome.limit.ToSeconds() == AMPLE_S
        assert least_s <= outcome.elapsed.ToNanoseconds() / 1e9 <= most_s
