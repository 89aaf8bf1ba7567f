"""Every method, for every role, on what is the caller's own and on what is another's; made from the descriptors."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from google.protobuf import descriptor_pool
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.descriptor_pb2 import MethodOptions
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from fairplay.server.access.caller import method_roles
from fairplay.server.server import SERVICES
from fairplay.v1 import lobby_pb2, manager_pb2, referee_pb2
from fairplay.v1.access_pb2 import Role
from fairplay.v1.account_pb2 import CreateAccountRequest
from fairplay.v1.certification_pb2 import CancelCertificationRequest, CreateCertificationRequest
from fairplay.v1.connection_pb2 import DialInRequest, Hello, HostedPlayer
from fairplay.v1.game_pb2 import Player
from fairplay.v1.tournament_pb2 import Knockout, SignUpPolicy, TournamentFormat, TournamentPlan
from tests.server.access.harness import NOBODY, ROLES, Callers, calling
from tests.server.harness import plan

METHODS = [method for name in SERVICES for method in descriptor_pool.Default().FindServiceByName(name).methods]
OWNERS = {Role.ROLE_PLAYER: "alice", Role.ROLE_ORGANISER: "ora"}
"""Who owns what a method of each role changes."""
ROLE_OF = {NOBODY: Role.ROLE_SPECTATOR} | {name: Role.Value(f"ROLE_{role.upper()}") for name, role in ROLES.items()}
FOREIGN = {"NOT_OWNER", "NAME_TAKEN"}
HIDDEN = {"CERTIFICATION_NOT_FOUND"}
"""What is told of what only its owner may see."""
GAME_PLAN = plan("bot:first", "bot:first")
TOURNAMENT_PLAN = TournamentPlan(
    game="fish", sign_up=SignUpPolicy(max_entrant_count=8), format=TournamentFormat(knockout=Knockout()), seed=1
)

Made = Callable[[str], Message]
"""(token of alice in the lobby) -> a request about what belongs to alice, or to ora."""
CHANGES: dict[str, Made] = {
    "DialIn": lambda _: DialInRequest(hello=Hello(players=[HostedPlayer(name="alices")])),
    "Enter": lambda token: lobby_pb2.EnterRequest(name="alice", token=token),
    "Rename": lambda token: lobby_pb2.RenameRequest(token=token, name="alice"),
    "Leave": lambda token: lobby_pb2.LeaveRequest(token=token),
    "Attend": lambda token: lobby_pb2.AttendRequest(token=token),
    "CreateTable": lambda token: lobby_pb2.CreateTableRequest(token=token, name="new", game="fish"),
    "WatchTable": lambda token: lobby_pb2.WatchTableRequest(token=token, table="table"),
    "JoinTable": lambda token: lobby_pb2.JoinTableRequest(token=token, table="table", link="bot:first"),
    "SetBots": lambda token: lobby_pb2.SetBotsRequest(token=token, count=1, link="bot:first"),
    "SetReady": lambda token: lobby_pb2.SetReadyRequest(token=token, ready=False),
    "LeaveTable": lambda token: lobby_pb2.LeaveTableRequest(token=token),
    "DeleteTable": lambda token: lobby_pb2.DeleteTableRequest(token=token, table="table"),
    "StartTable": lambda token: lobby_pb2.StartTableRequest(token=token),
    "Say": lambda token: lobby_pb2.SayRequest(token=token, text="hello"),
    "ListTables": lambda token: lobby_pb2.ListTablesRequest(token=token),
    "CreateCertification": lambda _: CreateCertificationRequest(game="fish", name="alices"),
    "CancelCertification": lambda _: CancelCertificationRequest(certification_id="c"),
    "CreateTournament": lambda _: manager_pb2.CreateTournamentRequest(tournament_id="t", plan=TOURNAMENT_PLAN),
    "SignUp": lambda _: manager_pb2.SignUpRequest(tournament_id="t", player=Player(name="alices", link="bot:first")),
    "Withdraw": lambda _: manager_pb2.WithdrawRequest(tournament_id="t", name="alices"),
    "StartTournament": lambda _: manager_pb2.StartTournamentRequest(tournament_id="t"),
    "CancelTournament": lambda _: manager_pb2.CancelTournamentRequest(tournament_id="t"),
    "PlayGame": lambda _: referee_pb2.PlayGameRequest(game_id="g", plan=GAME_PLAN),
    "CreateGame": lambda _: referee_pb2.CreateGameRequest(game_id="g", plan=GAME_PLAN),
    "StopGame": lambda _: referee_pb2.StopGameRequest(game_id="g"),
}
"""What methods change, or show to its owner only."""
ENDINGS = {"Withdraw": 1, "CancelTournament": 2, "LeaveTable": 3, "DeleteTable": 4, "Leave": 5}
"""Methods after which there is nothing left to change: the last ones to be tried."""
NOBODYS = {"CreateAccount"}
"""Methods that change something, and nothing that belongs to anybody."""


def role_of(method: MethodDescriptor) -> Role.ValueType:
    return method_roles(SERVICES)[f"/{method.containing_service.full_name}/{method.name}"]


def harmless(method: MethodDescriptor) -> bool:
    return bool(method.GetOptions().idempotency_level == MethodOptions.NO_SIDE_EFFECTS)


async def set_the_table(callers: Callers) -> str:
    """Let alice and ora make what they own; return alice's token in the lobby."""
    by_name = {method.name: method for method in METHODS}
    for who, name in (("ora", "CreateTournament"), ("ora", "PlayGame"), ("alice", "SignUp")):
        assert await callers.reason(who, by_name[name], CHANGES[name]("")) == ""
    token = callers.server.lobby.enter("alice", "", "test").token
    assert await callers.reason("alice", by_name["Enter"], lobby_pb2.EnterRequest(name="alice", token=token)) == ""
    table = lobby_pb2.CreateTableRequest(token=token, name="table", game="fish")
    assert await callers.reason("alice", by_name["CreateTable"], table) == ""
    return token


def test_every_method_says_its_role() -> None:
    assert [method.full_name for method in METHODS if not role_of(method)] == []


def test_every_method_that_changes_something_is_in_the_table() -> None:
    assert {method.name for method in METHODS if not harmless(method)} - CHANGES.keys() == NOBODYS


def made(method: MethodDescriptor, token: str) -> Message:
    change = CHANGES.get(method.name)
    return change(token) if change is not None else GetMessageClass(method.input_type)()


def refusals(method: MethodDescriptor, caller: str) -> set[str]:
    """Return the reasons with which a caller must be refused, none if it must be let in."""
    needed = role_of(method)
    if ROLE_OF[caller] < needed:
        return {"ACCOUNT_REQUIRED"} if caller == NOBODY else {"ROLE_REQUIRED"}
    if method.name in CHANGES and caller not in (OWNERS[needed], "root"):
        return FOREIGN | HIDDEN
    return set()


async def test_whoever_may_not_is_refused(tmp_path: Path) -> None:
    tried = 0
    async with calling(tmp_path) as callers:
        token = await set_the_table(callers)
        for method in METHODS:
            for caller in ROLE_OF:
                if expected := refusals(method, caller):
                    reason = await callers.reason(caller, method, made(method, token))
                    assert reason in expected, (caller, method.full_name)
                    tried += 1
    assert tried > 3 * len(CHANGES)


@pytest.mark.parametrize("caller", ROLE_OF)
async def test_whoever_may_is_let_in(caller: str, tmp_path: Path) -> None:
    async with calling(tmp_path) as callers:
        token = await set_the_table(callers)
        for method in sorted(METHODS, key=lambda method: ENDINGS.get(method.name, 0)):
            if not refusals(method, caller):
                reason = await callers.reason(caller, method, made(method, token))
                assert reason not in FOREIGN | {"ACCOUNT_REQUIRED", "ROLE_REQUIRED"}, (caller, method.full_name)


async def test_a_method_without_a_role_is_not_served() -> None:
    from fairplay.server.access.caller import method_roles

    with pytest.raises(ValueError, match="does not say which role it needs"):
        method_roles(["fairplay.v1.PlayerService"])


async def test_invitations_are_asked_for(tmp_path: Path) -> None:
    method = next(method for method in METHODS if method.name == "CreateAccount")
    async with calling(tmp_path) as callers:
        for caller in (NOBODY, *ROLES):
            request = CreateAccountRequest(name="mallory", invitation="fpi_00000000_guess")
            assert await callers.reason(caller, method, request) == "INVITATION_INVALID"
