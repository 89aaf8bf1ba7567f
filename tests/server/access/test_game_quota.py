"""What the games of an account may cost: those that run at once, in tournaments and at tables, and its bots."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

import grpc
import pytest
from google.protobuf.duration_pb2 import Duration

from fairplay.games.game import find
from fairplay.server.access.caller import CALLER, Caller
from fairplay.server.access.quotas import GameQuota, QuotaLimits
from fairplay.server.net.errors import Refusal, reason_of
from fairplay.v1 import lobby_pb2, manager_pb2, referee_pb2
from fairplay.v1.access_pb2 import Role
from fairplay.v1.game_pb2 import Player
from fairplay.v1.lobby_pb2_grpc import LobbyServiceStub
from fairplay.v1.manager_pb2_grpc import ManagerServiceStub
from fairplay.v1.referee_pb2_grpc import RefereeServiceStub
from fairplay.v1.tournament_pb2 import RoundRobin, SignUpPolicy, TournamentFormat, TournamentPlan
from tests.server.access.harness import calling
from tests.server.harness import plan

ANN, BOB = (Caller(name, Role.ROLE_PLAYER) for name in ("ann", "bob"))
ROOT = Caller("root", Role.ROLE_OPERATOR)


@contextmanager
def called_by(caller: Caller) -> Iterator[None]:
    token = CALLER.set(caller)
    try:
        yield
    finally:
        CALLER.reset(token)


async def refused(call: grpc.aio.UnaryUnaryCall) -> grpc.aio.AioRpcError:
    with pytest.raises(grpc.aio.AioRpcError) as failed:
        await call
    return failed.value


async def test_a_game_that_nobody_wants_any_more_waits_no_longer() -> None:
    quota = GameQuota(QuotaLimits(game_count=1))
    given_up: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    reached = asyncio.Event()

    async def game() -> None:
        async with quota.place(given_up):
            reached.set()

    with called_by(ANN):
        quota.begin()
        waiting = asyncio.create_task(game())
    await asyncio.sleep(0)
    assert not reached.is_set()
    given_up.set_result(None)
    await waiting


def test_the_time_that_bots_think_flows_in_again() -> None:
    now = [0.0]
    quota = GameQuota(QuotaLimits(thinking_share=0.5, thinking_burst_s=10), lambda: now[0])
    with called_by(ROOT):
        quota.thinking()(1_000)
        quota.check_room()
    with called_by(ANN):
        spend = quota.thinking()
    spend(10)
    with called_by(ANN):
        quota.check_room()
        spend(5)
        with pytest.raises(Refusal, match="thought too long") as caught:
            quota.check_room()
        assert (caught.value.reason, caught.value.retry_s) == ("TOO_MANY_REQUESTS", 10.0)
        now[0] += 10
        quota.check_room()
    with called_by(BOB):
        quota.check_room()


def test_bots_of_accounts_do_not_search_as_deep_as_they_like() -> None:
    quota, fish, bazaar = GameQuota(QuotaLimits(search_depth=3)), find("fish"), find("bazaar")
    with called_by(ANN):
        for strategy in ("greedy", "minimax", "minimax:depth=3", "minimax:depth=10,depth=3"):
            quota.check_strategy(fish, strategy, "link")
        for strategy in ("minimax:depth=4", "minimax:depth=1,depth=10", "minimax:depth=0000000010"):
            with pytest.raises(Refusal, match="at most 3 deep"):
                quota.check_strategy(fish, strategy, "link")
        for strategy in ("best:width=10,ahead=90", "best:depth=8"):  # as deep as without the key
            quota.check_strategy(bazaar, strategy, "link")
        quota.check_strategy(find("q"), "first", "link")
    with called_by(ROOT):
        quota.check_strategy(fish, "minimax:depth=10", "link")


async def test_a_deep_bot_is_refused_wherever_it_is_asked_for(tmp_path: Path) -> None:
    deep = "bot:minimax:depth=9"
    async with calling(tmp_path) as callers:
        ora, alice = callers.channels["ora"], callers.channels["alice"]
        game = RefereeServiceStub(ora).PlayGame(referee_pb2.PlayGameRequest(plan=plan(deep, "bot:first")))
        entrants = [Player(name="a", link=deep)]
        cup = manager_pb2.CreateTournamentRequest(plan=TournamentPlan(game="fish", entrants=entrants))
        lobby = LobbyServiceStub(alice)
        token = (await lobby.Enter(lobby_pb2.EnterRequest(name="alice"))).token
        table = lobby_pb2.CreateTableRequest(token=token, name="deep", game="fish")
        await lobby.CreateTable(table)
        bots = lobby.SetBots(lobby_pb2.SetBotsRequest(token=token, count=1, link=deep))
        for call in (game, ManagerServiceStub(ora).CreateTournament(cup), bots):
            error = await refused(call)
            assert (error.code(), reason_of(error)) == (grpc.StatusCode.INVALID_ARGUMENT, "INVALID_LINK")
            assert "at most 4 deep" in (error.details() or "")
        operator = RefereeServiceStub(callers.channels["root"])
        begun = referee_pb2.CreateGameRequest(game_id="g", plan=plan(deep, "dial-in:late"))
        await operator.CreateGame(begun)
        await operator.StopGame(referee_pb2.StopGameRequest(game_id="g"))


def league(*entrants: Player) -> TournamentPlan:
    policy = SignUpPolicy(min_entrant_count=2, max_entrant_count=4, waiting_period=Duration())
    return TournamentPlan(
        game="fish",
        sign_up=policy,
        format=TournamentFormat(round_robin=RoundRobin()),
        concurrent_game_limit=10,
        entrants=entrants,
    )


async def test_the_games_of_an_accounts_tournaments_count_together(tmp_path: Path) -> None:
    players = [Player(name=name, link="bot:first") for name in "abcd"]
    async with calling(tmp_path, quotas=QuotaLimits(game_count=1)) as callers:
        ora = ManagerServiceStub(callers.channels["ora"])
        for tournament_id in ("t", "u"):
            await ora.CreateTournament(
                manager_pb2.CreateTournamentRequest(tournament_id=tournament_id, plan=league(*players))
            )
            await ora.StartTournament(manager_pb2.StartTournamentRequest(tournament_id=tournament_id))
        for tournament_id in ("t", "u"):
            async for event in ora.WatchTournament(manager_pb2.WatchTournamentRequest(tournament_id=tournament_id)):
                assert not event.cancelled
        games = sorted(callers.server.store.list("game", limit=100)[0], key=lambda game: game.start_time_ns)
        assert len(games) == 12
        for before, after in pairwise(games):
            assert before.end_time_ns is not None and before.end_time_ns <= after.start_time_ns


async def test_the_games_are_the_owners_whoever_signs_up_last(tmp_path: Path) -> None:
    async with calling(tmp_path, quotas=QuotaLimits(game_count=1), start_limit_s=60.0) as callers:
        ora, alice = (callers.channels[name] for name in ("ora", "alice"))
        waiting = referee_pb2.CreateGameRequest(game_id="g", plan=plan("dial-in:late", "bot:first"))
        await RefereeServiceStub(ora).CreateGame(waiting)
        wanted = league(Player(name="a", link="bot:first"))
        wanted.sign_up.max_entrant_count = 2
        manager = ManagerServiceStub(alice)
        await ManagerServiceStub(ora).CreateTournament(
            manager_pb2.CreateTournamentRequest(tournament_id="t", plan=wanted)
        )
        events = manager.WatchTournament(manager_pb2.WatchTournamentRequest(tournament_id="t"))
        entering = Player(name="alice", link="bot:first")
        await manager.SignUp(manager_pb2.SignUpRequest(tournament_id="t", player=entering))
        async for event in events:
            if event.HasField("round_started"):
                break
        assert callers.server.referee.running_ids == ["g"]
        await RefereeServiceStub(ora).StopGame(referee_pb2.StopGameRequest(game_id="g"))
        async for event in events:
            assert not event.cancelled
            if event.HasField("finished"):
                break
