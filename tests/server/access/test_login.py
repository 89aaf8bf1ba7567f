"""How callers show who they are, and what belongs to them: over real channels, and over new starts of the server."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path
from typing import Any

import grpc
import pytest

from fairplay.games.game import find
from fairplay.player.channels import Credentials, open_channel
from fairplay.player.dialing import DialInError, Hosted, dial_in_async
from fairplay.player.tls import TlsFiles
from fairplay.server.access.accounts import Accounts
from fairplay.server.net.errors import reason_of
from fairplay.server.records.accounts import AccountsDatabase
from fairplay.server.records.place import at
from fairplay.server.server import Config, Server
from fairplay.terminal.operator.authority import make_authority, make_client, make_server
from fairplay.v1 import account_pb2, manager_pb2, referee_pb2, server_pb2
from fairplay.v1.access_pb2 import Role
from fairplay.v1.account_pb2_grpc import AccountServiceStub
from fairplay.v1.game_pb2 import Player
from fairplay.v1.manager_pb2_grpc import ManagerServiceStub
from fairplay.v1.referee_pb2_grpc import RefereeServiceStub
from fairplay.v1.server_pb2_grpc import ServerServiceStub
from fairplay.v1.tournament_pb2 import SignUpPolicy, TournamentPlan
from tests.server.access.harness import NOBODY, Callers, calling
from tests.server.harness import plan

OPEN = TournamentPlan(game="fish", sign_up=SignUpPolicy(min_entrant_count=2, max_entrant_count=8), seed=1)


async def who(channel: grpc.aio.Channel, **call: Any) -> account_pb2.Account:
    reply = await AccountServiceStub(channel).GetAccount(account_pb2.GetAccountRequest(), timeout=30, **call)
    account: account_pb2.Account = reply.account
    return account


async def refused(call: Any) -> str:
    with pytest.raises(grpc.aio.AioRpcError) as failed:
        await call
    return reason_of(failed.value)


def dialling(callers: Callers, caller: str, name: str) -> asyncio.Task[None]:
    hosted = [Hosted(find("fish").player("first"), name)]
    credentials = Credentials(token=callers.tokens.get(caller, ""))
    return asyncio.create_task(
        dial_in_async(hosted, callers.server.players_address, patience_s=30, credentials=credentials)
    )


async def test_the_server_says_who_callers_are_and_what_it_wants(tmp_path: Path) -> None:
    async with calling(tmp_path) as callers:
        root, nobody = await who(callers.channels["root"]), await who(callers.channels[NOBODY])
        assert (root.name, root.role) == ("root", Role.ROLE_OPERATOR)
        assert (nobody.name, nobody.role) == ("", Role.ROLE_SPECTATOR)
        info = await ServerServiceStub(callers.channels[NOBODY]).GetServerInfo(server_pb2.GetServerInfoRequest())
        assert info.server.authentication == server_pb2.Authentication.AUTHENTICATION_TOKEN


@pytest.mark.parametrize("header", ["Bearer nonsense", "Basic YWxpY2U6cHc=", "Bearer", "", "bearer fpt_00000000_x"])
async def test_a_wrong_token_is_refused_rather_than_ignored(tmp_path: Path, header: str) -> None:
    async with calling(tmp_path) as callers:
        assert await refused(who(callers.channels[NOBODY], metadata=[("authorization", header)])) == "ACCOUNT_REQUIRED"


async def test_whoever_goes_on_guessing_has_to_wait_and_others_have_not(tmp_path: Path) -> None:
    async with calling(tmp_path) as callers:
        guess = [("authorization", "Bearer fpt_00000000_guess")]
        guesses = [
            refused(who(callers.channels[NOBODY], metadata=guess)) for _ in range(60)
        ]  # at once: none is forgiven
        reasons = await asyncio.gather(*guesses)
        assert set(reasons) == {"ACCOUNT_REQUIRED", "TOO_MANY_REQUESTS"}
        header = [("authorization", f"Bearer {callers.tokens['bob']}")]
        assert (await who(callers.channels[NOBODY], metadata=header)).name == "bob"  # over the same connection


async def test_a_revoked_token_is_refused(tmp_path: Path) -> None:
    async with calling(tmp_path) as callers:
        assert (await who(callers.channels["bob"])).name == "bob"
        assert callers.server.accounts is not None
        callers.server.accounts.revoke(callers.tokens["bob"].split("_")[1])
        assert await refused(who(callers.channels["bob"])) == "ACCOUNT_REQUIRED"


async def test_whoever_is_invited_makes_an_account_and_plays(tmp_path: Path) -> None:
    async with calling(tmp_path) as callers:
        assert callers.server.accounts is not None
        invitation = callers.server.accounts.invite("player", 1, 3_600.0)
        stub = AccountServiceStub(callers.channels[NOBODY])
        request = account_pb2.CreateAccountRequest(name="Alice", invitation=invitation)
        assert await refused(stub.CreateAccount(request)) == "NAME_TAKEN"
        request.name = "new one"
        assert await refused(stub.CreateAccount(request)) == "NAME_INVALID"
        request.name = "newone"
        made = await stub.CreateAccount(request)
        async with open_channel(callers.server.address, Credentials(token=made.token)) as channel:
            assert (await who(channel)).role == Role.ROLE_PLAYER
        request.name = "another"
        assert await refused(stub.CreateAccount(request)) == "INVITATION_INVALID"


@pytest.mark.parametrize("players", ["", "127.0.0.1:0"])
async def test_a_certificate_counts_as_its_account(tmp_path: Path, players: str) -> None:
    files = tmp_path / "tls"
    make_authority(files, 1)
    make_server(files, ["localhost", "127.0.0.1"], 1)
    make_client(files, "laptop", 1)
    make_client(files, "unknown", 1)
    database = AccountsDatabase(at(tmp_path / "records"))
    Accounts(database).add("alice", "player", "laptop")
    database.close()
    tls = TlsFiles(files / "server.pem", files / "server-key.pem", files / "ca.pem")
    server = await Server.start(Config(records=tmp_path / "records", players=players, accounts=True, tls=tls))
    hosted, address = [Hosted(find("fish").player("first"), "fox")], f"grpcs://{server.players_address}"
    for name, account in (("unknown", ""), ("laptop", "alice")):
        own = Credentials(files / "ca.pem", files / f"{name}.pem", files / f"{name}-key.pem")
        async with open_channel(server.address, own) as channel:
            assert (await who(channel)).name == account
        task = asyncio.create_task(dial_in_async(hosted, address, patience_s=30, credentials=own))
        if not account:
            with pytest.raises(DialInError, match="needs an account"):
                await task
    async with asyncio.timeout(30):
        await server.hub.arrived("fox")
    assert server.hub.belongs("fox", "alice")
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    await server.stop()


@pytest.mark.parametrize("players", ["", "127.0.0.1:0"])
async def test_names_belong_to_accounts_also_when_their_players_are_away(tmp_path: Path, players: str) -> None:
    async with calling(tmp_path, players=players) as callers:
        task = dialling(callers, "alice", "fox")
        async with asyncio.timeout(30):
            await callers.server.hub.arrived("fox")
        for caller in ("bob", "ora"):
            with pytest.raises(DialInError, match="belongs to another account"):
                await dialling(callers, caller, "FOX")
        with pytest.raises(DialInError, match="needs an account"):
            await dialling(callers, "stranger", "owl")
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        with pytest.raises(DialInError, match="belongs to another account"):
            await dialling(callers, "bob", "fox")


async def test_a_player_signs_up_plays_and_withdraws_for_its_account_only(tmp_path: Path) -> None:
    async with calling(tmp_path) as callers:
        task = dialling(callers, "alice", "fox")
        async with asyncio.timeout(30):
            await callers.server.hub.arrived("fox")
        manager = {name: ManagerServiceStub(channel) for name, channel in callers.channels.items()}
        await manager["ora"].CreateTournament(manager_pb2.CreateTournamentRequest(tournament_id="t", plan=OPEN))
        fox = manager_pb2.SignUpRequest(tournament_id="t", player=Player(name="fox", link="dial-in:fox"))
        forged = manager_pb2.SignUpRequest(tournament_id="t", player=Player(name="bobs", link="dial-in:fox"))
        forged.player.account = "alice"
        assert await refused(manager["bob"].SignUp(fox)) == "NAME_TAKEN"
        assert await refused(manager["bob"].SignUp(forged)) == "NOT_OWNER"
        fox.player.account = "root"
        await manager["alice"].SignUp(fox)
        entrants = callers.server.manager.get("t").entrants
        assert [(player.name, player.account) for player in entrants] == [("fox", "alice")]
        leave = manager_pb2.WithdrawRequest(tournament_id="t", name="fox")
        assert await refused(manager["bob"].Withdraw(leave)) == "NAME_TAKEN"
        await manager["alice"].Withdraw(leave)
        assert not callers.server.manager.get("t").entrants
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def test_an_organiser_lets_nobody_play_in_anothers_name(tmp_path: Path) -> None:
    async with calling(tmp_path) as callers:
        task = dialling(callers, "alice", "fox")
        async with asyncio.timeout(30):
            await callers.server.hub.arrived("fox")
        referee = RefereeServiceStub(callers.channels["ora"])
        forged = plan("bot:first", "bot:first")
        forged.players[0].name = "Fox"
        assert await refused(referee.PlayGame(referee_pb2.PlayGameRequest(plan=forged))) == "NAME_TAKEN"
        forged.players[0].link = "dial-in:fox"
        mine = dialling(callers, "ora", "mine")
        async with asyncio.timeout(30):
            await callers.server.hub.arrived("mine")
        borrowed = plan("dial-in:fox", "bot:first")
        borrowed.players[0].name = "mine"
        assert await refused(referee.PlayGame(referee_pb2.PlayGameRequest(plan=borrowed))) == "NOT_OWNER"
        game = (await referee.PlayGame(referee_pb2.PlayGameRequest(plan=forged))).game
        assert not game.result.misconducts
        mine.cancel()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def test_what_belongs_to_whom_survives_a_new_start(tmp_path: Path) -> None:
    async with calling(tmp_path) as callers:
        for name in ("t", "t2"):
            await ManagerServiceStub(callers.channels["ora"]).CreateTournament(
                manager_pb2.CreateTournamentRequest(tournament_id=name, plan=OPEN)
            )
        alice = ManagerServiceStub(callers.channels["alice"])
        await alice.SignUp(
            manager_pb2.SignUpRequest(tournament_id="t", player=Player(name="fox", link="bot:first"), token="forgotten")
        )
        tokens = callers.tokens
    server = await Server.start(Config(records=tmp_path, accounts=True))
    for caller, reason in (("orb", "NOT_OWNER"), ("ora", "")):
        async with open_channel(server.address, Credentials(token=tokens[caller])) as channel:
            call = ManagerServiceStub(channel).CancelTournament(manager_pb2.CancelTournamentRequest(tournament_id="t2"))
            assert (await refused(call) if reason else (await call) and "") == reason
    leave = manager_pb2.WithdrawRequest(tournament_id="t", name="fox")
    for caller, reason in (("bob", "NAME_TAKEN"), ("alice", "")):
        async with open_channel(server.address, Credentials(token=tokens[caller])) as channel:
            call = ManagerServiceStub(channel).Withdraw(leave)
            assert (await refused(call) if reason else (await call) and "") == reason
    assert not server.manager.get("t").entrants
    await server.stop()


async def test_what_cannot_be_made_belongs_to_nobody(tmp_path: Path) -> None:
    async with calling(tmp_path) as callers:
        wrong = TournamentPlan(game="chess")
        request = manager_pb2.CreateTournamentRequest(tournament_id="t", plan=wrong)
        assert await refused(ManagerServiceStub(callers.channels["ora"]).CreateTournament(request)) == "UNKNOWN_GAME"
        request.plan.CopyFrom(OPEN)
        await ManagerServiceStub(callers.channels["orb"]).CreateTournament(request)


def read_all(directory: Path) -> str:
    files = [path for path in directory.rglob("*") if path.is_file()]
    assert {path.name for path in files} >= {"records.sqlite", "accounts.sqlite"}
    return b"".join(path.read_bytes() for path in files).decode(errors="replace")


async def test_tokens_are_nowhere_in_records_and_logs(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    async with calling(tmp_path) as callers:
        task = dialling(callers, "alice", "fox")
        async with asyncio.timeout(30):
            await callers.server.hub.arrived("fox")
        referee = RefereeServiceStub(callers.channels["ora"])
        await referee.PlayGame(referee_pb2.PlayGameRequest(plan=plan("dial-in:fox", "bot:first")))
        secrets = [token.split("_", 2)[2] for token in callers.tokens.values()]
        guess = [("authorization", f"Bearer {callers.tokens['bob']}x")]
        assert await refused(who(callers.channels[NOBODY], metadata=guess)) == "ACCOUNT_REQUIRED"
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    kept = read_all(tmp_path) + caplog.text
    assert [secret for secret in secrets if secret in kept] == []
