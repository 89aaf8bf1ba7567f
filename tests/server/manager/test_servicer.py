"""ManagerService over a real channel."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import grpc
import pytest

from fairplay.server.manager.states import FINISHED
from fairplay.server.net.errors import reason_of
from fairplay.server.server import Config, Server
from fairplay.v1 import manager_pb2 as pb
from fairplay.v1.game_pb2 import Player
from fairplay.v1.manager_pb2_grpc import ManagerServiceStub
from fairplay.v1.tournament_pb2 import Tournament
from tests.server.manager.harness import plan


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    running = await Server.start(Config())
    yield running
    await running.stop()


@pytest.fixture
async def manager(server: Server) -> AsyncIterator[Any]:
    async with grpc.aio.insecure_channel(server.address) as channel:
        yield ManagerServiceStub(channel)


async def watch(manager: Any, tournament_id: str) -> list[pb.WatchTournamentResponse]:
    return [event async for event in manager.WatchTournament(pb.WatchTournamentRequest(tournament_id=tournament_id))]


async def played(manager: Any, tournament_id: str) -> Tournament:
    """Watch a tournament to its end and return it."""
    events = await watch(manager, tournament_id)
    assert events[-1].HasField("finished") or events[-1].tournament.status == FINISHED
    over: Tournament = (await manager.GetTournament(pb.GetTournamentRequest(tournament_id=tournament_id))).tournament
    return over


async def refused(call: Any) -> tuple[grpc.StatusCode, str]:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await call
    return caught.value.code(), reason_of(caught.value)


async def test_nobody_says_which_account_it_has(manager: Any) -> None:
    await manager.CreateTournament(pb.CreateTournamentRequest(tournament_id="t", plan=plan("ab")))
    player = Player(name="c", link="bot:greedy", account="root")
    await manager.SignUp(pb.SignUpRequest(tournament_id="t", player=player, token="secret"))
    shown: Tournament = (await manager.GetTournament(pb.GetTournamentRequest(tournament_id="t"))).tournament
    assert [(entrant.name, entrant.account) for entrant in shown.entrants] == [("a", ""), ("b", ""), ("c", "")]


async def test_a_server_that_stops_tells_those_who_watch_and_goes_on_when_it_is_back(tmp_path: Path) -> None:
    server = await Server.start(Config(records=tmp_path))
    async with grpc.aio.insecure_channel(server.address) as channel:
        manager: Any = ManagerServiceStub(channel)
        await manager.CreateTournament(pb.CreateTournamentRequest(tournament_id="t", plan=plan("ab")))
        call = manager.WatchTournament(pb.WatchTournamentRequest(tournament_id="t"))
        assert (await call.read()).HasField("tournament")
        await server.stop()
        assert await refused(call.read()) == (grpc.StatusCode.UNAVAILABLE, "SHUTTING_DOWN")
    server = await Server.start(Config(records=tmp_path))
    async with grpc.aio.insecure_channel(server.address) as channel:
        manager = ManagerServiceStub(channel)
        await manager.StartTournament(pb.StartTournamentRequest(tournament_id="t"))
        assert (await played(manager, "t")).status == FINISHED
    await server.stop()
