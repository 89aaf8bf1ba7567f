"""Tournaments that the same command finds again."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from typing import Any

import grpc
from rich.console import Console

from fairplay.games.game import find
from fairplay.server.server import Config, Server
from fairplay.terminal.commands.parameters import Cluster, Files, Programs, Setup
from fairplay.terminal.commands.play import TournamentOptions
from fairplay.terminal.playing.setup import tournament_plan
from fairplay.terminal.playing.tournament import Details, resume_or_start, show_tournament
from fairplay.terminal.reports.outputs import Outputs
from fairplay.v1.manager_pb2 import WatchTournamentRequest
from fairplay.v1.manager_pb2_grpc import ManagerServiceStub

TYPED = TournamentOptions(
    game="fish",
    player=["a=bot:random", "b=bot:random"],
    cluster=Cluster(),
    setup=Setup(set_=["rows=3", "columns=4"], seed=1, programs=Programs(sandbox="off")),
    files=Files(),
)


async def test_one_that_a_resuming_server_ended_before_it_was_asked_for_is_not_played_twice() -> None:
    server = await Server.start(Config())
    try:
        async with grpc.aio.insecure_channel(server.address) as channel:

            async def given(began_ns: int) -> str:
                return await resume_or_start(
                    channel, Console(), tournament_plan(TYPED, None, find("fish")), TYPED, began_ns
                )

            began_ns = time.time_ns()
            first = await given(began_ns)
            stream = ManagerServiceStub(channel).WatchTournament(WatchTournamentRequest(tournament_id=first))
            assert [event async for event in stream]  # to its end
            assert await given(began_ns) == first
            assert await given(time.time_ns()) != first
    finally:
        await server.stop()


class LosesFirstReplies(grpc.aio.UnaryUnaryClientInterceptor):  # type: ignore[misc]
    """A connection that breaks once in a call of each method, when the server has done what was asked."""

    def __init__(self) -> None:
        self.lost: set[bytes] = set()

    async def intercept_unary_unary(
        self, continuation: Callable[[Any, Any], Awaitable[Any]], client_call_details: Any, request: Any
    ) -> Any:
        call = await continuation(client_call_details, request)
        if client_call_details.method not in self.lost:
            self.lost.add(client_call_details.method)
            await call
            nothing = grpc.aio.Metadata()
            raise grpc.aio.AioRpcError(grpc.StatusCode.UNAVAILABLE, nothing, nothing, "Connection reset by peer")
        return call


async def test_a_server_that_goes_away_in_any_call_is_asked_again() -> None:
    server, breaking = await Server.start(Config()), LosesFirstReplies()
    console, fish = Console(quiet=True), find("fish")
    try:
        async with grpc.aio.insecure_channel(server.address, interceptors=[breaking]) as channel:
            tournament_id = await resume_or_start(channel, console, tournament_plan(TYPED, None, fish), TYPED, 0)
            details = Details({}, {}, Outputs())
            assert await show_tournament(channel, console, fish, tournament_id, details) == 0
    finally:
        await server.stop()
    assert {str(method).rpartition("/")[2].rstrip("'") for method in breaking.lost} >= {
        *("ListTournaments", "CreateTournament", "StartTournament", "GetTournament"),
        *("ListTournamentGames", "GetStandings"),
    }
