"""The secrets of players that serve: shown to the player, after a restart too, and to nobody else."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest

from fairplay.games.game import find
from fairplay.player.handlers import Handlers
from fairplay.player.serving import start_server
from fairplay.server.manager.states import FINISHED
from fairplay.server.net.errors import reason_of
from fairplay.server.server import Config, Server
from fairplay.v1 import manager_pb2, referee_pb2
from fairplay.v1.game_pb2 import Player
from fairplay.v1.manager_pb2_grpc import ManagerServiceStub
from fairplay.v1.referee_pb2_grpc import RefereeServiceStub
from fairplay.v1.tournament_pb2 import SignUpPolicy, TournamentPlan
from tests.server.harness import plan, serving
from tests.server.lobby.harness import OVER, PATIENT, guests, lobby
from tests.server.lobby.test_restart import again

SECRETS = "secrets.sqlite"
SECRET = "correct-horse-battery"


@asynccontextmanager
async def guarded(secret: str = SECRET) -> AsyncIterator[str]:
    """Serve a player with a secret, and yield its link."""
    served, port = await start_server(Handlers(find("fish").player("first")), "127.0.0.1:0", secret=secret)
    try:
        yield f"grpc://127.0.0.1:{port}"
    finally:
        await served.stop(0)


@asynccontextmanager
async def called(config: Config) -> AsyncIterator[tuple[Server, grpc.aio.Channel]]:
    async with serving(config) as server, grpc.aio.insecure_channel(server.address) as channel:
        yield server, channel


def request(link: str, secret: str, game_id: str = "g") -> referee_pb2.PlayGameRequest:
    made = plan(link, "bot:first")
    made.players[0].secret = secret
    return referee_pb2.PlayGameRequest(game_id=game_id, plan=made)


def open_plan(*entrants: Player) -> TournamentPlan:
    policy = SignUpPolicy(min_entrant_count=2, max_entrant_count=8)
    policy.waiting_period.SetInParent()
    return TournamentPlan(game="fish", sign_up=policy, entrants=entrants)


def signing_up(name: str, link: str, secret: str, token: str = "mine") -> manager_pb2.SignUpRequest:
    return manager_pb2.SignUpRequest(tournament_id="t", player=Player(name=name, link=link, secret=secret), token=token)


def kept(directory: Path, *, but: str = "") -> str:
    """Return all that a server has written, but the file of this name."""
    files = [path for path in directory.rglob("*") if path.is_file() and path.name != but]
    return b"".join(path.read_bytes() for path in files).decode(errors="replace")


async def refused(call: Any) -> str:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await call
    assert SECRET not in str(caught.value)
    return reason_of(caught.value)


@pytest.mark.parametrize("secret", ["", "wrong"])
async def test_a_player_refuses_a_server_that_does_not_know_its_secret(secret: str) -> None:
    async with guarded() as link, called(Config()) as (_, channel):
        game = (await RefereeServiceStub(channel).PlayGame(request(link, secret))).game
    [misconduct] = game.result.misconducts
    assert misconduct.player == "a"
    assert misconduct.call_error.status_code == grpc.StatusCode.UNAUTHENTICATED.value[0]


@pytest.mark.parametrize(
    ("link", "secret"),
    [
        ("grpc://127.0.0.1:9", "two words"),
        ("grpc://127.0.0.1:9", "x" * 257),
        ("bot:first", SECRET),
    ],
)
async def test_a_secret_that_cannot_be_used_is_refused(link: str, secret: str) -> None:
    async with called(Config()) as (server, channel):
        referee, manager = RefereeServiceStub(channel), ManagerServiceStub(channel)
        await manager.CreateTournament(manager_pb2.CreateTournamentRequest(tournament_id="t", plan=open_plan()))
        entering = open_plan(Player(name="a", link=link, secret=secret))
        for call in (
            referee.PlayGame(request(link, secret)),
            manager.SignUp(signing_up("a", link, secret)),
            manager.CreateTournament(manager_pb2.CreateTournamentRequest(plan=entering)),
        ):
            assert await refused(call) == "INVALID_SECRET"
        assert not server.manager.get("t").entrants


async def test_entrants_are_called_with_their_secrets_after_a_restart_too(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    config = Config(records=tmp_path)
    async with guarded() as created, guarded("other-secret") as entered:
        async with called(config) as (_, channel):
            manager = ManagerServiceStub(channel)
            first = open_plan(Player(name="ann", link=created, secret=SECRET))
            made = await manager.CreateTournament(manager_pb2.CreateTournamentRequest(tournament_id="t", plan=first))
            await manager.SignUp(signing_up("bob", entered, "old-secret"))
            await manager.Withdraw(manager_pb2.WithdrawRequest(tournament_id="t", name="bob", token="mine"))
            signed_up = await manager.SignUp(signing_up("bob", entered, "other-secret"))
            await manager.SignUp(signing_up("bob", entered, "another", token="mine"))  # a repeat changes nothing
        assert (tmp_path / SECRETS).stat().st_mode & 0o777 == 0o600
        assert SECRET in kept(tmp_path)
        assert SECRET not in kept(tmp_path, but=SECRETS)
        async with called(config) as (_, channel):
            manager = ManagerServiceStub(channel)
            watching = manager.WatchTournament(manager_pb2.WatchTournamentRequest(tournament_id="t"))
            shown = [await anext(aiter(watching))]
            await manager.StartTournament(manager_pb2.StartTournamentRequest(tournament_id="t"))
            shown += [event async for event in watching]
            over = await manager.GetTournament(manager_pb2.GetTournamentRequest(tournament_id="t"))
    assert over.tournament.status == FINISHED
    assert not over.tournament.result.failures
    everything = f"{made}{signed_up}{shown}{over}{caplog.text}{kept(tmp_path)}"
    assert [each for each in (SECRET, "other-secret", "old-secret", "another") if each in everything] == []


async def test_what_a_crash_leaves_of_a_tournament_that_is_over_is_removed(tmp_path: Path) -> None:
    async with called(Config(records=tmp_path)) as (server, _):
        server.links.secrets.keep("over", {"ann": SECRET})
    assert SECRET in kept(tmp_path)
    async with called(Config(records=tmp_path)) as (server, _):
        assert server.links.secrets.of("over", "ann") == ""
    assert SECRET not in kept(tmp_path)


async def test_a_server_goes_on_where_its_secrets_cannot_be_kept(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / SECRETS).write_text("no database, and far longer than the header of one would be " * 20)
    async with guarded() as link, called(Config(records=tmp_path)) as (_, channel):
        played = await RefereeServiceStub(channel).PlayGame(request(link, SECRET))
    assert not played.game.result.misconducts
    assert "secrets of players will not be known after a restart" in caplog.text
    assert SECRET not in caplog.text


async def test_a_seat_at_a_table_has_a_secret() -> None:
    async with guarded() as link, lobby() as server, guests(server, "ann", "bob") as [ann, bob]:
        await ann.ask("CreateTable", name="t", game="fish")
        assert await ann.refused("JoinTable", table="t", link="bot:first", secret=SECRET) == (
            "INVALID_ARGUMENT",
            "INVALID_SECRET",
        )
        await ann.ask("JoinTable", table="t", link=link, secret="wrong")
        shown = [await ann.ask("JoinTable", table="t", link=link, secret=SECRET)]
        shown.append(await bob.ask("JoinTable", table="t", link="bot:first"))
        await ann.ask("StartTable")
        await bob.sees(lambda known: known.table("t").status == OVER)
        over = bob.mirror.table("t")
    assert not over.result.misconducts
    assert SECRET not in f"{shown}{over}"


async def test_a_seat_has_its_secret_after_a_restart_too_until_it_is_left(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    async with guarded() as link:
        async with lobby(PATIENT, records=tmp_path) as server, guests(server, "ann", "bob") as [ann, bob]:
            await ann.ask("CreateTable", name="t", game="fish")
            await ann.ask("JoinTable", table="t", link=link, secret="old-secret")
            await ann.ask("JoinTable", table="t", link=link, secret=SECRET)
            await bob.ask("JoinTable", table="t", link="bot:first")
            await server.stop()
        assert "old-secret" not in kept(tmp_path)
        assert SECRET in kept(tmp_path)
        assert SECRET not in kept(tmp_path, but=SECRETS)
        async with lobby(PATIENT, records=tmp_path) as server:
            async with again(server, ann, bob) as [ann, bob]:
                await ann.ask("Rename", name="anna")
                await ann.ask("StartTable")
                await bob.sees(lambda known: known.table("t").status == OVER)
                assert not bob.mirror.table("t").result.misconducts
                assert SECRET in kept(tmp_path)  # for the next game
                await ann.ask("LeaveTable")
            assert SECRET not in f"{bob.mirror.table('t')}{caplog.text}{kept(tmp_path)}"
