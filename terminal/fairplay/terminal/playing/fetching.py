"""What a server tells of a tournament beside the tournament itself, page by page: standings, games, seeds, records."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence

import grpc

from fairplay.server.records.errors import RecordsError
from fairplay.terminal.reports.findings import Findings
from fairplay.v1.manager_pb2 import GetStandingsRequest, ListTournamentGamesRequest
from fairplay.v1.manager_pb2_grpc import ManagerServiceStub
from fairplay.v1.record_pb2 import Record
from fairplay.v1.record_service_pb2 import GetRecordRequest
from fairplay.v1.record_service_pb2_grpc import RecordServiceStub
from fairplay.v1.referee_pb2 import GetGameRequest
from fairplay.v1.referee_pb2_grpc import RefereeServiceStub
from fairplay.v1.tournament_pb2 import RoundGame, Standings

PAGE_SIZE = 1_000


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


async def fetch_seeds(channel: grpc.aio.Channel, games: Sequence[RoundGame]) -> dict[str, int]:
    """Return the seeds of games, by the ids of those that the server still knows."""
    referee, seeds = RefereeServiceStub(channel), {}
    for game in games:
        with contextlib.suppress(grpc.aio.AioRpcError):
            reply = await referee.GetGame(GetGameRequest(game_id=game.game_id))
            seeds[game.game_id] = reply.game.plan.seed
    return seeds


async def read_records(channel: grpc.aio.Channel, game_ids: Sequence[str], findings: Findings) -> None:
    """Add the records of games to the findings; those that cannot be had or read are left out."""
    service = RecordServiceStub(channel)
    for game_id in game_ids:
        record = Record()
        with contextlib.suppress(grpc.aio.AioRpcError, RecordsError):
            async for part in service.GetRecord(GetRecordRequest(record_id=game_id)):
                record.entries.extend(part.entries)
            findings.add(record)
