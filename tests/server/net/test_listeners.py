"""Where a server listens, who reaches that, and how it notices connections that are dead."""

from __future__ import annotations

import asyncio
import dataclasses
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from benchmarks.half_open import PREFACE, SETTINGS
from fairplay.player.exposure import ExposedError, check_exposure, is_loopback
from fairplay.player.serving import AddressInUseError
from fairplay.server.net.listeners import add_listener, heartbeat_options
from fairplay.server.server import Config, Server
from fairplay.v1.referee_pb2 import ListGamesRequest
from fairplay.v1.referee_pb2_grpc import RefereeServiceStub
from tests.server.harness import serving

DOCS = Path(__file__).resolve().parents[3] / "docs"
PLACES = ("listen", "players")
"""Where players dial in: at the address for everything, and at one of their own."""


def at(place: str, listen: str) -> Config:
    """Return the options of a server that has this address in one of these places."""
    if place == "players":
        return Config(players=listen, insecure=True)
    return Config(listen=listen, insecure=True, only_connections=place == "only players")


async def serves(channel: grpc.aio.Channel) -> bool:
    answer = await health_pb2_grpc.HealthStub(channel).Check(health_pb2.HealthCheckRequest(), timeout=30)
    return bool(answer.status == health_pb2.HealthCheckResponse.SERVING)


@pytest.mark.parametrize(
    ("listen", "local"),
    [
        ("127.0.0.1:80", True),
        ("[::1]:80", True),
        ("0.0.0.0:80", False),
        ("[::]:80", False),
        ("192.0.2.1:80", False),
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


@pytest.mark.parametrize("place", PLACES)
async def test_an_address_that_is_taken_is_named_and_the_records_are_free_again(
    taken: str, place: str, tmp_path: Path
) -> None:
    for _ in range(2):  # the second time nothing of the first is in the way
        with pytest.raises(AddressInUseError, match=f"^cannot listen on {taken}: it is in use"):
            await Server.start(dataclasses.replace(at(place, taken), records=tmp_path))
    async with serving(Config(records=tmp_path)):
        pass


async def test_two_servers_do_not_share_a_port() -> None:
    async with serving(Config()) as first:
        with pytest.raises(AddressInUseError):
            await Server.start(Config(listen=first.address))


@pytest.fixture
def several(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a name stand for several addresses, one of which this machine does not have, as localhost without IPv6."""

    def resolve(_host: str, port: int, **_: Any) -> list[tuple[int, int, int, str, tuple[str, int]]]:
        hosts = ("192.0.2.1", "127.0.0.1", "127.0.0.2")
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (host, port)) for host in hosts]

    monkeypatch.setattr(socket, "getaddrinfo", resolve)


@pytest.mark.usefixtures("several")
@pytest.mark.parametrize("place", PLACES)
async def test_a_name_with_several_addresses_is_listened_to_on_each_that_is_there(place: str) -> None:
    async with serving(at(place, "several:0")) as server:
        port = (server.address if place == "listen" else server.players_address).rpartition(":")[2]
        for host in ("127.0.0.1", "127.0.0.2"):
            async with grpc.aio.insecure_channel(f"{host}:{port}") as channel:
                assert await serves(channel)


@pytest.mark.usefixtures("several")
@pytest.mark.parametrize("place", PLACES)
async def test_a_name_of_which_one_address_is_taken_is_refused_and_none_is_kept(place: str) -> None:
    with socket.create_server(("127.0.0.2", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(AddressInUseError, match=f"cannot listen on several:{port}"):
            await Server.start(at(place, f"several:{port}"))
        socket.create_server(("127.0.0.1", port)).close()


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("listen", ["127.0.0.1:99999", "nowhere.invalid:0", "192.0.2.1:0"])
async def test_an_address_that_is_none_of_this_machine_is_refused(place: str, listen: str) -> None:
    with pytest.raises(AddressInUseError, match=f"^cannot listen on {listen}: it is in use, or not an address"):
        await Server.start(at(place, listen))


@pytest.mark.parametrize("place", ["players", "only players"])
async def test_where_players_dial_in_only_that_and_health_is_served(place: str) -> None:
    async with (
        serving(at(place, "127.0.0.1:0")) as server,
        grpc.aio.insecure_channel(server.players_address) as channel,
    ):
        assert await serves(channel)
        listed = await health_pb2_grpc.HealthStub(channel).List(health_pb2.HealthListRequest())
        assert set(listed.statuses) == {"", "fairplay.v1.ConnectionService"}
        with pytest.raises(grpc.aio.AioRpcError) as error:
            await RefereeServiceStub(channel).ListGames(ListGamesRequest())
        assert error.value.code() is grpc.StatusCode.UNIMPLEMENTED


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
        writer.write(PREFACE + SETTINGS)  # and no answer
        async with asyncio.timeout(30):
            while await reader.read(1_024):
                pass
        writer.close()
