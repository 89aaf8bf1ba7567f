"""A server whose machine runs out of descriptors blames nobody and gives nothing up: what it cannot do waits."""

from __future__ import annotations

import asyncio
import json
import resource
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import grpc
import pytest

from fairplay.server.net.errors import reason_of
from fairplay.v1 import manager_pb2, referee_pb2
from fairplay.v1.game_pb2 import Player
from fairplay.v1.manager_pb2_grpc import ManagerServiceStub
from fairplay.v1.referee_pb2_grpc import RefereeServiceStub
from fairplay.v1.tournament_pb2 import Tournament, TournamentPlan, TournamentStatus
from tests.robustness.harness import Command, exec_player, free_address, until
from tests.server.harness import plan

PATIENCE_S = 60.0


@contextmanager
def without_descriptors(server: Command) -> Iterator[None]:
    """Let a server open nothing more."""
    pid = server.process.pid
    used = {int(each.name) for each in Path(f"/proc/{pid}/fd").iterdir()}
    lowest = next(number for number in range(len(used) + 1) if number not in used)
    before = resource.prlimit(pid, resource.RLIMIT_NOFILE)
    resource.prlimit(pid, resource.RLIMIT_NOFILE, (lowest, before[1]))
    try:
        yield
    finally:
        resource.prlimit(pid, resource.RLIMIT_NOFILE, before)


@asynccontextmanager
async def served(directory: Path) -> AsyncIterator[tuple[Command, grpc.aio.Channel]]:
    """Start a server that starts programs, and yield it with a connection to it."""
    address = free_address()
    serve = ("serve", "--listen", address, "--allow-exec", "--records", str(directory / "records"))
    with Command(directory, *serve) as server:
        await asyncio.to_thread(server.says, "127.0.0.1:")
        async with grpc.aio.insecure_channel(address) as channel, asyncio.timeout(PATIENCE_S):
            await channel.channel_ready()
            yield server, channel


async def over(manager: ManagerServiceStub, tournament_id: str) -> Tournament:
    """Return a tournament when it is over."""
    request = manager_pb2.GetTournamentRequest(tournament_id=tournament_id)
    while True:
        tournament: Tournament = (await manager.GetTournament(request)).tournament
        if tournament.status != TournamentStatus.TOURNAMENT_STATUS_RUNNING:
            return tournament
        await asyncio.sleep(0.1)


async def begin(manager: ManagerServiceStub, *links: str) -> None:
    """Begin a tournament of these players."""
    entrants = [Player(name=f"p{number}", link=link) for number, link in enumerate(links)]
    plan = TournamentPlan(game="fish", entrants=entrants)
    await manager.CreateTournament(manager_pb2.CreateTournamentRequest(tournament_id="t", plan=plan))
    await manager.StartTournament(manager_pb2.StartTournamentRequest(tournament_id="t"))


def says(server: Command, words: str) -> Callable[[], bool]:
    return lambda: words in server.err


@pytest.mark.slow
async def test_a_tournament_whose_players_cannot_be_started_waits_and_goes_on(tmp_path: Path) -> None:
    async with served(tmp_path) as (server, channel):
        manager = ManagerServiceStub(channel)
        with without_descriptors(server):
            await begin(manager, exec_player(), exec_player(), "bot:first")
            await asyncio.to_thread(until, says(server, "tournament t waits: "), "it waits")
            with pytest.raises(grpc.aio.AioRpcError) as refused:
                await manager.StartTournament(manager_pb2.StartTournamentRequest(tournament_id="t"))
            assert (refused.value.code(), reason_of(refused.value)) == (
                grpc.StatusCode.UNAVAILABLE,
                "MACHINE_EXHAUSTED",
            )
        tournament = await over(manager, "t")
    assert tournament.status == TournamentStatus.TOURNAMENT_STATUS_FINISHED
    assert not tournament.result.failures
    assert "Traceback" not in server.err


@pytest.mark.slow
async def test_a_game_whose_player_cannot_be_started_waits_and_goes_on(tmp_path: Path) -> None:
    async with served(tmp_path) as (server, channel):
        referee = RefereeServiceStub(channel)
        made = plan(exec_player(), "bot:first", limit_s=30.0)
        with without_descriptors(server):
            with pytest.raises(grpc.aio.AioRpcError) as refused:
                await referee.PlayGame(referee_pb2.PlayGameRequest(game_id="g", plan=made))
            assert reason_of(refused.value) == "MACHINE_EXHAUSTED"
        watched = [each async for each in referee.WatchGame(referee_pb2.WatchGameRequest(game_id="g"))]
    assert not watched[-1].finished.misconducts
    assert not watched[-1].finished.aborted


@pytest.mark.slow
async def test_a_server_needs_no_descriptors_for_a_tournament_of_bots(tmp_path: Path) -> None:
    async with served(tmp_path) as (server, channel):
        manager = ManagerServiceStub(channel)
        with without_descriptors(server):
            await begin(manager, "bot:first", "bot:greedy", "bot:random")
            tournament = await over(manager, "t")
    assert tournament.status == TournamentStatus.TOURNAMENT_STATUS_FINISHED
    assert len(server.err.splitlines()) < 10, json.dumps(server.err)
