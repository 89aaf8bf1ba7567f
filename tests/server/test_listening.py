"""Where a server listens, who reaches that, and how it notices connections that are dead."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator
from pathlib import Path

import grpc
import pytest

from fairplay.player.exposure import ExposedError, check_exposure, is_loopback
from fairplay.player.serving import AddressInUseError
from fairplay.server.listening import add_listener, heartbeat_options
from fairplay.server.server import Config, Server
from tests.server.harness import serving

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.mark.parametrize(
    ("listen", "local"),
    [
        ("127.0.0.1:80", True),
        ("127.9.9.9:80", True),
        ("[::1]:80", True),
        ("localhost:80", True),
        ("LOCALHOST:80", True),
        ("0.0.0.0:80", False),
        ("[::]:80", False),
        ("192.0.2.1:80", False),
        ("example.org:80", False),
        (":80", False),
    ],
)
def test_only_this_machine_reaches_a_loopback_address(listen: str, local: bool) -> None:
    assert is_loopback(listen) is local
    if local:
        check_exposure(listen, {"--tls": False}, insecure=False)
    else:
        with pytest.raises(ExposedError, match="--tls"):
            check_exposure(listen, {"--tls": False}, insecure=False)


def test_what_is_missing_is_named() -> None:
    with pytest.raises(ExposedError) as error:
        check_exposure("0.0.0.0:1", {"--tls": False, "--accounts": False, "--lock": True}, insecure=False)
    assert str(error.value) == (
        "0.0.0.0:1 can be reached from other machines: add --tls and --accounts, or --insecure if you trust everybody "
        "who reaches it"
    )
    check_exposure("0.0.0.0:1", {"--tls": True, "--accounts": True}, insecure=False)
    check_exposure("0.0.0.0:1", {"--tls": False, "--accounts": False}, insecure=True)


@pytest.mark.parametrize(
    ("heartbeat_s", "every_ms", "answer_ms", "interval_ms"),
    [
        (30.0, 30_000, 10_000, 10_000),
        (10.0, 10_000, 10_000, 10_000),
        (9.9, 9_900, 9_900, 9_900),
        (2.0, 2_000, 2_000, 2_000),
        (0.0001, 1, 0, 1),
    ],
)
def test_a_silent_connection_is_asked_for_a_sign_of_life_as_often_as_said(
    heartbeat_s: float, every_ms: int, answer_ms: int, interval_ms: int
) -> None:
    assert dict(heartbeat_options(heartbeat_s)) == {
        "grpc.keepalive_time_ms": every_ms,
        "grpc.keepalive_timeout_ms": answer_ms,
        "grpc.http2.ping_timeout_ms": answer_ms,
        "grpc.http2.min_ping_interval_without_data_ms": interval_ms,
        "grpc.http2.max_pings_without_data": 0,
    }


def test_the_heartbeat_is_the_one_that_is_told() -> None:
    reported = (DOCS / "lobby.md").read_text(encoding="utf-8")
    default_s = Config().heartbeat_s
    answer_ms = dict(heartbeat_options(default_s))["grpc.keepalive_timeout_ms"]
    assert f"asked for a sign of life | {default_s:g} s, and {answer_ms / 1_000:g} s for the answer |" in reported


@pytest.fixture
def taken() -> Iterator[str]:
    """Return an address at which somebody else listens."""
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        yield f"127.0.0.1:{other.getsockname()[1]}"


@pytest.mark.parametrize("place", ["listen", "players", "only players"])
async def test_an_address_that_is_taken_is_named_and_the_records_are_free_again(
    taken: str, place: str, tmp_path: Path
) -> None:
    configs = {
        "listen": Config(records=tmp_path, listen=taken),
        "players": Config(records=tmp_path, players=taken),
        "only players": Config(records=tmp_path, listen=taken, only_connections=True),
    }
    for _ in range(2):  # the second time nothing of the first is in the way
        with pytest.raises(AddressInUseError, match=f"^cannot listen on {taken}: it is in use"):
            await Server.start(configs[place])
    async with serving(Config(records=tmp_path)):
        pass


async def test_two_servers_do_not_share_a_port() -> None:
    async with serving(Config()) as first:
        with pytest.raises(AddressInUseError):
            await Server.start(Config(listen=first.address))


@pytest.mark.parametrize(
    ("listen", "host"), [("0.0.0.0:0", "127.0.0.1"), ("localhost:0", "localhost"), ("127.0.0.1:0", "127.0.0.1")]
)
async def test_a_server_says_where_it_is_reached_from_this_machine(listen: str, host: str) -> None:
    server = grpc.aio.server()
    found, _, port = add_listener(server, listen, None).rpartition(":")
    assert (found, int(port) > 0) == (host, True)
    await server.stop(None)


async def test_a_connection_that_is_silent_is_over_also_while_nothing_is_called() -> None:
    async with serving(Config(heartbeat_s=0.1)) as server:
        host, _, port = server.address.rpartition(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        writer.write(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes([0, 0, 0, 4, 0, 0, 0, 0, 0]))  # and no answer
        async with asyncio.timeout(30):
            while await reader.read(1_024):
                pass
        writer.close()
