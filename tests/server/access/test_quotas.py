"""How much one caller may ask for, where the server calls players, and the log of who did what."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import grpc
import pytest

from fairplay.games.game import find
from fairplay.player.channels import Credentials, open_channel
from fairplay.player.handlers import Handlers
from fairplay.player.serving import start_server
from fairplay.server.access.quotas import QuotaLimits, Quotas
from fairplay.server.links.networks import DialNetworks
from fairplay.server.net.errors import Refusal, reason_of
from fairplay.server.server import Config
from fairplay.v1 import manager_pb2, referee_pb2
from fairplay.v1.account_pb2 import GetAccountRequest
from fairplay.v1.account_pb2_grpc import AccountServiceStub
from fairplay.v1.connection_pb2 import DialInRequest, Hello, HostedPlayer, Reply
from fairplay.v1.connection_pb2_grpc import ConnectionServiceStub
from fairplay.v1.manager_pb2_grpc import ManagerServiceStub
from fairplay.v1.referee_pb2_grpc import RefereeServiceStub
from fairplay.v1.tournament_pb2 import TournamentPlan
from tests.server.access.harness import NOBODY, calling
from tests.server.harness import plan, serving


async def refused(call: Any) -> grpc.aio.AioRpcError:
    with pytest.raises(grpc.aio.AioRpcError) as failed:
        await call
    return failed.value


def reason(error: grpc.aio.AioRpcError) -> str:
    return reason_of(error)


def test_calls_and_bytes_flow_in_again() -> None:
    now = [0.0]
    quotas = Quotas(QuotaLimits(calls_per_second=2, bytes_per_second=100, burst_s=2), lambda: now[0])
    for _ in range(4):
        quotas.take("a", 10)
    with pytest.raises(Refusal) as refusal:
        quotas.take("a", 10)
    assert refusal.value.reason == "TOO_MANY_REQUESTS"
    assert refusal.value.retry_s > 0
    quotas.take("b", 500)  # has asked for nothing so far
    with pytest.raises(Refusal, match="bytes a second"):
        quotas.take("b", 1)
    now[0] += 10
    quotas.take("a", 10)
    quotas.take("b", 1)


def test_streams_are_counted_for_as_long_as_they_last() -> None:
    quotas = Quotas(QuotaLimits(stream_count=1))
    with quotas.stream("a"), quotas.stream("b"), pytest.raises(Refusal, match="1 streams are open"), quotas.stream("a"):
        pass
    with quotas.stream("a"):
        pass


async def test_an_account_has_so_many_tournaments_that_are_not_over(tmp_path: Path) -> None:
    async with calling(tmp_path, quotas=QuotaLimits(tournament_count=1)) as callers:
        ora, orb = (ManagerServiceStub(callers.channels[name]) for name in ("ora", "orb"))
        first = manager_pb2.CreateTournamentRequest(tournament_id="t", plan=TournamentPlan(game="fish"))
        second = manager_pb2.CreateTournamentRequest(tournament_id="u", plan=TournamentPlan(game="fish"))
        await ora.CreateTournament(first)
        await ora.CreateTournament(first)  # a repeat is the same tournament
        assert reason(await refused(ora.CreateTournament(second))) == "TOO_MANY_REQUESTS"
        await orb.CreateTournament(manager_pb2.CreateTournamentRequest(plan=TournamentPlan(game="fish")))
        await ora.CancelTournament(manager_pb2.CancelTournamentRequest(tournament_id="t"))
        await ora.CreateTournament(second)


async def test_what_players_send_on_their_stream_counts_as_their_accounts(tmp_path: Path) -> None:
    async with calling(tmp_path, quotas=QuotaLimits(bytes_per_second=1_000, burst_s=1)) as callers:
        stream: Any = ConnectionServiceStub(callers.channels["alice"]).DialIn()
        await stream.write(DialInRequest(hello=Hello(players=[HostedPlayer(name="alice")])))
        assert (await stream.read()).HasField("welcome")
        await stream.write(DialInRequest(replies=[Reply(id=1, response=bytes(2_000))]))  # takes what there is, and more
        await stream.write(DialInRequest(replies=[Reply(id=2)]))
        error = await refused(stream.read())
        assert (error.code(), reason(error)) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "TOO_MANY_REQUESTS")
        assert "bytes a second" in (error.details() or "")


async def test_only_addresses_in_the_networks_are_called() -> None:
    served, port = await start_server(Handlers(find("fish").player("first")), "127.0.0.1:0")
    request = referee_pb2.PlayGameRequest(plan=plan(f"grpc://127.0.0.1:{port}", "bot:first"))
    named = referee_pb2.PlayGameRequest(plan=plan(f"grpc://localhost:{port}", "bot:first"))
    for text, allowed in (("127.0.0.0/8,::1/128", True), ("10.0.0.0/8", False), ("", False)):
        config = Config(dial_networks=DialNetworks.parse(text), start_limit_s=30.0)
        async with serving(config) as server, grpc.aio.insecure_channel(server.address) as channel:
            referee = RefereeServiceStub(channel)
            if allowed:
                for each in (request, named):
                    assert not (await referee.PlayGame(each)).game.result.misconducts
                continue
            assert reason(await refused(referee.PlayGame(request))) == "ADDRESS_NOT_ALLOWED"
            if text:  # the name is resolved when the game begins
                (misconduct,) = (await referee.PlayGame(named)).game.result.misconducts
                assert "does not call players" in misconduct.call_error.message
    await served.stop(0)


async def test_the_audit_log_says_who_did_what_and_holds_no_secrets(tmp_path: Path) -> None:
    log = tmp_path / "audit.jsonl"
    async with calling(tmp_path / "records", audit=log) as callers:
        request = referee_pb2.PlayGameRequest(game_id="g", plan=plan("bot:first", "bot:first"))
        await RefereeServiceStub(callers.channels["ora"]).PlayGame(request)
        for caller in ("alice", NOBODY):
            await refused(RefereeServiceStub(callers.channels[caller]).PlayGame(request))
        await AccountServiceStub(callers.channels["bob"]).GetAccount(GetAccountRequest())
        async with open_channel(callers.server.address, Credentials(token="fpt_00000000_guess")) as channel:
            await refused(AccountServiceStub(channel).GetAccount(GetAccountRequest()))
        tokens = callers.tokens.values()
    text = log.read_text()
    lines = [json.loads(line) for line in text.splitlines()]
    assert [(line["account"], line["method"].rpartition("/")[2], line["outcome"]) for line in lines] == [
        ("ora", "PlayGame", "OK"),
        ("alice", "PlayGame", "ROLE_REQUIRED"),
        ("", "PlayGame", "ACCOUNT_REQUIRED"),
        ("", "GetAccount", "ACCOUNT_REQUIRED"),
    ]
    assert lines[0]["game_id"] == "g"
    assert all(line["time"] and line["address"] for line in lines)
    assert not any(token in text for token in [*tokens, "guess"])
    assert log.stat().st_mode & 0o777 == 0o600
