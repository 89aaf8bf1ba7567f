"""A server whose records cannot be written says so to everybody who needs them, and ends nothing."""

from __future__ import annotations

import shutil
from collections.abc import Awaitable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import grpc
import pytest

from fairplay.server.net.errors import reason_of
from fairplay.server.records.errors import RecordsError
from fairplay.server.server import Config
from fairplay.v1 import lobby_pb2, manager_pb2, referee_pb2
from fairplay.v1.game_pb2 import Player
from fairplay.v1.lobby_pb2_grpc import LobbyServiceStub
from fairplay.v1.manager_pb2_grpc import ManagerServiceStub
from fairplay.v1.referee_pb2_grpc import RefereeServiceStub
from fairplay.v1.tournament_pb2 import TournamentPlan
from tests.server.harness import plan, serving


async def reason(call: Awaitable[Any]) -> tuple[grpc.StatusCode, str]:
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await call
    return refused.value.code(), reason_of(refused.value)


async def test_who_needs_records_that_are_gone_is_told_so(tmp_path: Path) -> None:
    entrants = [Player(name=name, link="bot:first") for name in "ab"]
    records = tmp_path / "records"
    at_the_end = pytest.raises(RecordsError, match="is gone while the server writes to it")
    async with AsyncExitStack() as stack:
        stack.enter_context(at_the_end)
        server = await stack.enter_async_context(serving(Config(records=records)))
        channel = await stack.enter_async_context(grpc.aio.insecure_channel(server.address))
        referee, manager, lobby = RefereeServiceStub(channel), ManagerServiceStub(channel), LobbyServiceStub(channel)
        made = TournamentPlan(game="fish", entrants=entrants)
        await manager.CreateTournament(manager_pb2.CreateTournamentRequest(tournament_id="t", plan=made))
        token = (await lobby.Enter(lobby_pb2.EnterRequest(name="ann"))).token
        game = referee_pb2.PlayGameRequest(game_id="g", plan=plan("bot:first", "bot:first"))
        shutil.rmtree(records)
        gone = (grpc.StatusCode.UNAVAILABLE, "RECORDS_UNAVAILABLE")
        assert await reason(referee.PlayGame(game)) == gone
        for call in (
            referee.PlayGame(game),
            referee.CreateGame(referee_pb2.CreateGameRequest(game_id="h", plan=game.plan)),
            manager.CreateTournament(manager_pb2.CreateTournamentRequest(tournament_id="u", plan=made)),
            manager.SignUp(manager_pb2.SignUpRequest(tournament_id="t", player=Player(name="cy", link="bot:first"))),
            manager.StartTournament(manager_pb2.StartTournamentRequest(tournament_id="t")),
            manager.CancelTournament(manager_pb2.CancelTournamentRequest(tournament_id="t")),
            lobby.CreateTable(lobby_pb2.CreateTableRequest(token=token, name="table", game="fish")),
        ):
            assert await reason(call) == gone
