"""Tournaments that the same command finds again."""

from __future__ import annotations

import time

import grpc
from rich.console import Console

from fairplay.games.game import find
from fairplay.server.server import Config, Server
from fairplay.terminal.playing.options import Options
from fairplay.terminal.playing.tournament import _resume_or_start
from fairplay.v1.manager_pb2 import WatchTournamentRequest
from fairplay.v1.manager_pb2_grpc import ManagerServiceStub

TYPED = Options(
    game="fish",
    players=["a=bot:random", "b=bot:random"],
    server=None,
    assignments=["rows=3", "columns=4"],
    settings_file=None,
    seed=1,
    limit=None,
    first_limit=None,
    bank=None,
    start_limit="10s",
    sandbox="off",
    program_limits="",
    program_folders="",
    records=None,
)


async def test_one_that_a_resuming_server_ended_before_it_was_asked_for_is_not_played_twice() -> None:
    server = await Server.start(Config())
    try:
        async with grpc.aio.insecure_channel(server.address) as channel:

            async def given(began_ns: int) -> str:
                return await _resume_or_start(channel, Console(), TYPED.tournament_plan(find("fish")), TYPED, began_ns)

            began_ns = time.time_ns()
            first = await given(began_ns)
            stream = ManagerServiceStub(channel).WatchTournament(WatchTournamentRequest(tournament_id=first))
            assert [event async for event in stream]  # to its end
            assert await given(began_ns) == first
            assert await given(time.time_ns()) != first
    finally:
        await server.stop()
