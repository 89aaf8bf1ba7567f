"""A server as a whole: what it is started with, what it leaves when it cannot start, and how it stops."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import grpc
import psutil
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from fairplay.games.game import find
from fairplay.player.exposure import ExposedError
from fairplay.player.tls import TlsFiles
from fairplay.server.cluster.jobs import ClusterOptions
from fairplay.server.game.running import Running
from fairplay.server.net.errors import Refusal
from fairplay.server.records.errors import RecordsError
from fairplay.server.records.store import Store
from fairplay.server.server import Config, Server
from fairplay.terminal.operator.authority import make_authority, make_server
from fairplay.v1.connection_pb2 import GoodbyeReason, Reply
from fairplay.v1.game_pb2 import Player
from fairplay.v1.referee_pb2 import GetGameRequest
from fairplay.v1.referee_pb2_grpc import RefereeServiceStub
from tests.server.harness import ByHand, plan, serving
from tests.server.links.test_secrets import open_plan
from tests.server.played import until

SERVING, NOT_SERVING = health_pb2.HealthCheckResponse.SERVING, health_pb2.HealthCheckResponse.NOT_SERVING


def tls(directory: Path) -> TlsFiles:
    directory.mkdir()
    make_authority(directory, 1)
    make_server(directory, ["localhost"], 1)
    return TlsFiles(directory / "server.pem", directory / "server-key.pem", None)


# --- starting ---


async def test_an_address_for_players_alone_needs_accounts_nowhere(tmp_path: Path) -> None:
    config = Config(listen="0.0.0.0:0", only_connections=True, tls=tls(tmp_path / "tls"))
    async with serving(config) as server:
        assert server.address == server.players_address
    with pytest.raises(ExposedError, match="add --tls CERT KEY, or"):
        await Server.start(Config(listen="0.0.0.0:0", only_connections=True))


async def test_with_tls_and_accounts_a_server_listens_to_everybody(tmp_path: Path) -> None:
    config = Config(listen="0.0.0.0:0", tls=tls(tmp_path / "tls"), accounts=True, records=tmp_path / "records")
    async with serving(config) as server:
        assert server.address.startswith("127.0.0.1:")


async def test_players_dial_in_from_elsewhere_only_if_strangers_are_kept_apart() -> None:
    with pytest.raises(ExposedError, match=r"^0\.0\.0\.0:0 can be reached"):
        await Server.start(Config(players="0.0.0.0:0"))


async def test_accounts_are_kept_beside_records_that_are_named(tmp_path: Path) -> None:
    async with serving(Config(accounts=True)) as server:
        assert server.accounts is None
    async with serving(Config(records=tmp_path)) as server:
        assert server.accounts is None
    async with serving(Config(records=tmp_path, accounts=True)) as server:
        assert server.accounts is not None


async def test_of_a_tournament_several_games_are_played_at_once() -> None:
    names = "abcdefgh"
    methods = {method.path: method for method in find("fish").methods}
    async with serving(Config()) as server, ByHand(server, *names) as by_hand:
        await by_hand.say_hello()
        await server.manager.create("t", open_plan(*(Player(name=name, link=f"dial-in:{name}") for name in names)))
        await server.manager.start("t")
        games: set[str] = set()
        while len(games) < 2:
            call = await by_hand.next_call()
            if (method := methods.get(call.method_name)) is not None:
                games.add(getattr(method.request.FromString(call.request), "game_id", ""))
            else:
                await by_hand.reply(Reply(id=call.id, response=b""))
    assert games == {"t/r1g1", "t/r1g2"}


# --- what a start that fails leaves ---


async def free(records: Path) -> bool:
    """Return whether nobody has the records."""
    try:
        store = Store.open(records)
    except RecordsError:
        return False
    await store.close()
    return True


async def test_a_server_that_cannot_be_made_frees_its_records(tmp_path: Path) -> None:
    with pytest.raises(RecordsError, match="the audit log"):
        await Server.start(Config(records=tmp_path / "records", audit=tmp_path / "missing" / "audit.jsonl"))
    assert await free(tmp_path / "records")


async def test_a_server_whose_start_is_cancelled_stops(tmp_path: Path) -> None:
    for turns in range(4):
        starting = asyncio.create_task(Server.start(Config(records=tmp_path)))
        for _ in range(turns):
            await asyncio.sleep(0)
        starting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await starting
        assert await free(tmp_path)


async def test_a_server_without_the_cluster_that_it_needs_stops(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="no cluster answers"):
        await Server.start(Config(records=tmp_path, cluster=ClusterOptions(address="127.0.0.1:9")))
    assert await free(tmp_path)


# --- stopping ---


async def test_a_server_that_stops_says_so_and_goodbye_and_listens_no_more() -> None:
    server = await Server.start(Config(players="127.0.0.1:0"))
    async with ByHand(server, "x") as by_hand, grpc.aio.insecure_channel(server.address) as channel:
        await by_hand.say_hello()
        health: Any = health_pb2_grpc.HealthStub(channel)
        watching = health.Watch(health_pb2.HealthCheckRequest())
        assert (await watching.read()).status == SERVING
        stopping = asyncio.create_task(server.stop())
        frame = await by_hand.frame()
        assert frame.goodbye.reason == GoodbyeReason.GOODBYE_REASON_SHUTTING_DOWN
        assert (await watching.read()).status == NOT_SERVING
        watching.cancel()
        by_hand.stream.cancel()
        await stopping
        with pytest.raises(grpc.aio.AioRpcError) as error:
            await RefereeServiceStub(channel).GetGame(GetGameRequest(game_id="g"))
        assert error.value.code() is grpc.StatusCode.UNAVAILABLE
    for address in {server.address, server.players_address}:
        host, _, port = address.rpartition(":")
        with pytest.raises(ConnectionRefusedError):
            await asyncio.open_connection(host, int(port))


async def test_a_server_that_stops_waits_for_nobody_and_leaves_no_task() -> None:
    before = asyncio.all_tasks()
    server = await Server.start(Config(start_limit_s=3_600.0))
    await server.manager.create("t", open_plan(*(Player(name=name, link=f"dial-in:{name}") for name in "ab")))
    await server.manager.start("t")
    for _ in range(5):
        await asyncio.sleep(0)
    begun = server.referee.create(plan("dial-in:nobody", "bot:first"), "g")
    assert isinstance(begun, Running)
    await asyncio.sleep(0)
    async with asyncio.timeout(30):
        await server.stop()
    with pytest.raises(Refusal, match="shuts down"):
        await begun.over
    await until(lambda: asyncio.all_tasks() <= before)


async def test_a_server_that_stops_leaves_nothing_open(tmp_path: Path) -> None:
    server = await Server.start(Config(records=tmp_path / "records", accounts=True, audit=tmp_path / "audit.jsonl"))
    server.links.secrets.keep("g", {"a": "s3cret"})
    with pytest.raises(Refusal, match="there is no game"):
        server.referee.get("g")
    assert opened(tmp_path)
    await server.stop()
    assert opened(tmp_path) == []
    with pytest.raises(Refusal, match="shuts down"):
        server.referee.create(plan("bot:first", "bot:first"), "g")


def opened(directory: Path) -> list[str]:
    """Return the files below a directory that this process has open."""
    return [each.path for each in psutil.Process().open_files() if each.path.startswith(f"{directory}/")]
