"""An account and a token in the request: which of them counts, where both are given (access.proto)."""

from __future__ import annotations

from pathlib import Path

import grpc
import pytest
from google.protobuf.descriptor_pool import Default
from google.protobuf.message import Message

from fairplay.server.net.errors import reason_of
from fairplay.v1.connection_pb2 import DialInRequest, Hello, HostedPlayer
from fairplay.v1.game_pb2 import Player
from fairplay.v1.lobby_pb2 import EnterRequest, ListTablesRequest
from fairplay.v1.lobby_pb2_grpc import LobbyServiceStub
from fairplay.v1.manager_pb2 import CreateTournamentRequest, SignUpRequest, WithdrawRequest
from fairplay.v1.manager_pb2_grpc import ManagerServiceStub
from tests.server.access.harness import Callers, calling
from tests.server.access.test_table import TOURNAMENT_PLAN
from tests.server.harness import serving


async def asked(callers: Callers, caller: str, method: str, request: Message) -> str:
    """Return the reason of the refusal, empty if there is an answer."""
    return await callers.reason(caller, Default().FindMethodByName(f"fairplay.v1.{method}"), request)


def withdraw(token: str) -> WithdrawRequest:
    return WithdrawRequest(tournament_id="t", name="fox", token=token)


def sign_up(token: str) -> SignUpRequest:
    return SignUpRequest(tournament_id="t", player=Player(name="fox", link="bot:first"), token=token)


async def test_an_entrant_is_withdrawn_by_its_account_whatever_the_token(tmp_path: Path) -> None:
    async with calling(tmp_path) as callers:
        made = CreateTournamentRequest(tournament_id="t", plan=TOURNAMENT_PLAN)
        assert await asked(callers, "ora", "ManagerService.CreateTournament", made) == ""
        assert await asked(callers, "alice", "ManagerService.SignUp", sign_up("hers")) == ""
        assert await asked(callers, "bob", "ManagerService.Withdraw", withdraw("hers")) == "NAME_TAKEN"
        assert await asked(callers, "alice", "ManagerService.Withdraw", withdraw("forgotten")) == ""


async def test_a_name_is_dialled_in_under_by_its_account_whatever_the_token(tmp_path: Path) -> None:
    def hello(token: str) -> DialInRequest:
        return DialInRequest(hello=Hello(players=[HostedPlayer(name="fox", token=token)]))

    async with calling(tmp_path) as callers:
        assert await asked(callers, "alice", "ConnectionService.DialIn", hello("hers")) == ""
        assert await asked(callers, "bob", "ConnectionService.DialIn", hello("hers")) == "NAME_TAKEN"
        assert await asked(callers, "alice", "ConnectionService.DialIn", hello("forgotten")) == ""


async def test_in_the_lobby_the_token_says_which_user_asks_and_the_account_must_be_its_own(tmp_path: Path) -> None:
    async with calling(tmp_path) as callers:
        entered = await LobbyServiceStub(callers.channels["alice"]).Enter(EnterRequest(name="fox"))
        listed = ListTablesRequest(token=entered.token)
        assert await asked(callers, "alice", "LobbyService.ListTables", listed) == ""
        assert await asked(callers, "bob", "LobbyService.ListTables", listed) == "NAME_TAKEN"
        assert await asked(callers, "alice", "LobbyService.ListTables", ListTablesRequest(token="x")) == "UNKNOWN_USER"


async def test_without_accounts_the_token_of_the_request_alone_counts() -> None:
    bearer = (("authorization", "Bearer of somebody"),)
    async with serving() as server, grpc.aio.insecure_channel(server.address) as channel:
        manager = ManagerServiceStub(channel)
        await manager.CreateTournament(CreateTournamentRequest(tournament_id="t", plan=TOURNAMENT_PLAN))
        await manager.SignUp(sign_up("hers"), metadata=bearer)
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await manager.Withdraw(withdraw("another"), metadata=bearer)
        assert reason_of(caught.value) == "WRONG_TOKEN"
        await manager.Withdraw(withdraw("hers"))
