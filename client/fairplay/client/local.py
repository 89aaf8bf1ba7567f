"""Servers of our own, and what is asked of the manager of any: to begin a tournament, and how it stands."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TypeVar

import grpc

from fairplay.client.errors import FailedError
from fairplay.player import channels as transport
from fairplay.server.net.errors import reason_of
from fairplay.server.server import Config, Server
from fairplay.v1 import manager_pb2
from fairplay.v1.manager_pb2 import GetStandingsRequest, GetTournamentRequest, ListTournamentGamesRequest
from fairplay.v1.manager_pb2_grpc import ManagerServiceStub
from fairplay.v1.tournament_pb2 import RoundGame, Standings, Tournament, TournamentPlan, TournamentStatus

PAGE_SIZE = 1_000
CANCEL_LIMIT_S = 3.0
PATIENCE_S = 30.0
RETRY_S = 0.25
Answer = TypeVar("Answer")


@asynccontextmanager
async def open_local_channel(config: Config) -> AsyncIterator[grpc.aio.Channel]:
    """Open a channel to a server of our own, which stops when the channel is closed."""
    server = await Server.start(config)
    try:
        async with transport.open_channel(f"{transport.PLAIN}{server.address}") as channel:
            yield channel
    finally:
        await server.stop()


async def patiently(channel: grpc.aio.Channel, ask: Callable[[], Awaitable[Answer]]) -> Answer:
    """Return what `ask` returns; ask again each time the server was away, which goes on where it was.

    Raises FailedError if the server stays away, and AioRpcError if its records cannot be used.
    """
    while True:
        try:
            return await ask()
        except grpc.aio.AioRpcError as error:
            if error.code() is not grpc.StatusCode.UNAVAILABLE or reason_of(error) == "RECORDS_UNAVAILABLE":
                raise
        await asyncio.sleep(RETRY_S)  # while it shuts down it still answers
        try:
            async with asyncio.timeout(PATIENCE_S):
                await channel.channel_ready()
        except TimeoutError:
            sentence = f"the server has been away for {PATIENCE_S:g} s: give the command again when it is back"
            raise FailedError(sentence) from None


async def get_tournament(channel: grpc.aio.Channel, tournament_id: str) -> Tournament:
    """Return a tournament as its server knows it now."""
    request = GetTournamentRequest(tournament_id=tournament_id)
    reply = await patiently(channel, lambda: ManagerServiceStub(channel).GetTournament(request))
    tournament: Tournament = reply.tournament
    return tournament


async def quickly(call: Awaitable[object]) -> None:
    """Wait a little for a call that tidies up; what the server does not do then, its end does."""
    with contextlib.suppress(TimeoutError, grpc.aio.AioRpcError):
        await asyncio.wait_for(asyncio.ensure_future(call), CANCEL_LIMIT_S)


async def start(channel: grpc.aio.Channel, plan: TournamentPlan, tournament_id: str) -> None:
    """Create a tournament and start it."""
    await create(channel, plan, tournament_id)
    await begin(channel, tournament_id)


async def create(channel: grpc.aio.Channel, plan: TournamentPlan, tournament_id: str) -> None:
    """Create a tournament."""
    request = manager_pb2.CreateTournamentRequest(tournament_id=tournament_id, plan=plan)
    await patiently(channel, lambda: ManagerServiceStub(channel).CreateTournament(request))


async def begin(channel: grpc.aio.Channel, tournament_id: str) -> None:
    """Start a tournament unless it has begun: by itself, or with a call whose reply was lost."""
    request = manager_pb2.StartTournamentRequest(tournament_id=tournament_id)

    async def ask() -> None:
        if (await get_tournament(channel, tournament_id)).status == TournamentStatus.TOURNAMENT_STATUS_SIGN_UP:
            await ManagerServiceStub(channel).StartTournament(request)

    await patiently(channel, ask)


async def fetch_standings(channel: grpc.aio.Channel, tournament_id: str) -> Standings:
    """Return the standings of a tournament with all of its entrants."""
    manager, whole, token = ManagerServiceStub(channel), Standings(), ""
    while True:
        request = GetStandingsRequest(tournament_id=tournament_id, page_size=PAGE_SIZE, page_token=token)
        reply = await manager.GetStandings(request)
        listed = [*whole.standings, *reply.standings.standings]
        whole.CopyFrom(reply.standings)
        del whole.standings[:]
        whole.standings.extend(listed)
        token = reply.next_page_token
        if not token:
            return whole


async def fetch_games(channel: grpc.aio.Channel, tournament_id: str) -> list[RoundGame]:
    """Return all games of a tournament, in the order of the rounds."""
    manager, found, token = ManagerServiceStub(channel), list[RoundGame](), ""
    while True:
        request = ListTournamentGamesRequest(tournament_id=tournament_id, page_size=PAGE_SIZE, page_token=token)
        reply = await manager.ListTournamentGames(request)
        found.extend(reply.games)
        token = reply.next_page_token
        if not token:
            return found
