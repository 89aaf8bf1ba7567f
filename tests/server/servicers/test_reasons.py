"""Every method is refused with the reasons that its comment names: each is met on a real server, and no other one.

tests/conftest.py looks for other ones in all tests.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf import descriptor_pool
from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from fairplay.fish.v1 import fish_player_pb2
from fairplay.player.channels import Credentials, open_channel
from fairplay.server.access.caller import SERVER
from fairplay.server.access.quotas import QuotaLimits
from fairplay.server.links.networks import NOWHERE
from fairplay.server.lobby.users import LobbyLimits
from fairplay.server.net.errors import reason_of
from fairplay.server.net.limits import METHODS
from fairplay.server.server import SERVICES, Config
from fairplay.v1.certification_pb2 import CreateCertificationRequest
from fairplay.v1.connection_pb2 import DialInRequest, Hello, HostedPlayer
from fairplay.v1.game_pb2 import GameSettings, GameState, Player, TimeControl
from fairplay.v1.referee_pb2 import GamePlan
from fairplay.v1.rules_pb2 import Position
from fairplay.v1.tournament_pb2 import CertificatePolicy, TournamentPlan, TournamentStatus
from tests.server.access.harness import NOBODY, Callers, calling
from tests.server.access.test_table import CHANGES, set_the_table
from tests.server.harness import ONE_MOVE, ByHand, plan, seconds, serving

ALL = {
    f"{name.removeprefix('fairplay.v1.')}.{method.name}": method
    for name in SERVICES
    for method in descriptor_pool.Default().FindServiceByName(name).methods
}
"""All methods by service and name, e.g. "RefereeService.PlayGame"."""
DIAL_IN = "ConnectionService.DialIn"
LOBBY = [each for each in ALL if each.startswith("LobbyService.") and not each.endswith(".Enter")]
SHOWN_ELSEWHERE = {
    "INTERNAL": "a fault of the server: test_faults.py has one",
    "MACHINE_EXHAUSTED": "tests/robustness/test_exhausted.py takes descriptors and threads away",
    "RECORDS_UNAVAILABLE": "tests/robustness/test_postgresql.py stops the database, test_disk.py there fills the disk",
    "REPLY_FLOOD": "tests/server/links/test_stream.py sends as many replies",
    f"{DIAL_IN} SHUTTING_DOWN": "tests/server/examining/test_handover.py has an examination end",
    f"{DIAL_IN} WRONG_TOKEN": "tests/server/links/test_one_player.py dials in under another name than the program's",
    "STREAM_NOT_READ": "test_patience.py leaves a stream unread until what was sent fills all windows",
}
"""Reasons that no single call brings about, and the tests that do."""
OWN_CONNECTION = [("grpc.use_local_subchannel_pool", 1)]
Pair = tuple[str, str]
"""A method, and a reason with which it was refused."""


class Asking:
    """Asks a server as one caller, and keeps which method was refused with which reason."""

    def __init__(self, callers: Callers, caller: str, met: set[Pair]) -> None:
        self.callers = callers
        self.server = callers.server
        self.met = met
        self._caller = caller

    async def __call__(self, method: str, made: Message | None = None, **fields: Any) -> str:
        """Call a method with a request or its fields; return the reason of the refusal, empty if there is none."""
        made = made if made is not None else GetMessageClass(ALL[method].input_type)(**fields)
        async with asyncio.timeout(60):
            reason = await self.callers.reason(self._caller, ALL[method], made)
        if reason:
            self.met.add((method, reason))
        return reason


def wrong_plans(make: Callable[[], Any], players: str) -> Iterator[Any]:
    """Yield plans of a game or tournament with one fault each; `players` is the field for those who play."""

    def of_first(name: str, value: str) -> Callable[[Any], object]:
        return lambda made: setattr(getattr(made, players)[0], name, value)

    faults: list[Callable[[Any], object]] = [
        lambda made: made.MergeFromString(b"\xf8\x7f\x01"),  # a field that nobody knows
        lambda made: setattr(made, "game", "chess"),
        lambda made: setattr(made, "seed", 2**53),
        lambda made: setattr(made.settings.fish, "rows", 999),
        lambda made: getattr(made, players).append(getattr(made, players)[0]),
        lambda made: made.time_control.decision_limit.CopyFrom(seconds(7_200)),
        *(of_first("link", link) for link in ("x", "exec:true", "grpc://192.0.2.1:1")),
        of_first("name", "a b"),
        of_first("secret", "s"),
    ]
    for fault in faults:
        made = make()
        fault(made)
        yield made


def league(*entrants: str, most: int = 8) -> TournamentPlan:
    made = TournamentPlan(game="fish", seed=1, entrants=[Player(name=name, link="bot:first") for name in entrants])
    made.format.round_robin.SetInParent()
    made.sign_up.max_entrant_count = most
    return made


async def ask_beyond_limits(ask: Asking) -> None:
    """Give each text and number of bytes of each request more than any of them may have."""
    for name, method in ALL.items():
        for field in method.input_type.fields if not method.client_streaming else ():
            if field.type in (FieldDescriptor.TYPE_STRING, FieldDescriptor.TYPE_BYTES):
                value: Any = "x" * 10_000 if field.type == FieldDescriptor.TYPE_STRING else b"x" * 2_000_000
                fields: dict[str, Any] = {field.name: [value] * 65 if field.is_repeated else value}
                await ask(name, **fields)


async def ask_for_games(ask: Asking) -> None:
    sound = plan("bot:first", "bot:first")
    for method in ("RefereeService.PlayGame", "RefereeService.CreateGame"):
        for wrong in wrong_plans(lambda: plan("bot:first", "bot:first"), "players"):
            await ask(method, plan=wrong)
        await ask(method, plan=plan("bot:first"))
        state = GamePlan(initial_state=GameState(fish=ONE_MOVE))
        state.initial_state.fish.columns = 99
        state.MergeFrom(sound)
        await ask(method, plan=state)
        await ask(method, plan=sound, game_id="a b")
        await ask(method, plan=sound, game_id=method)
        await ask(method, plan=plan("bot:first", "bot:first", seed=2), game_id=method)
    for name in ("GetGame", "WatchGame", "StopGame"):
        await ask(f"RefereeService.{name}", game_id="none")
    await ask("RefereeService.ListGames", page_token="x")
    assert (
        await ask("RefereeService.CreateGame", game_id="open", plan=plan("dial-in:other", "bot:first", limit_s=60))
        == ""
    )
    await ask("RecordService.GetRecord", record_id="none")
    await ask("RecordService.GetRecord", record_id="open")


async def ask_about_rules(ask: Asking) -> None:
    position = Position(game="fish", state=GameState(fish=ONE_MOVE))
    for name in ("ListLegalReplies", "CheckReply", "ApplyReply"):
        wrong = [Position(), *(Position() for _ in range(4))]
        for each in wrong[1:]:
            each.CopyFrom(position)
        wrong[1].settings.fish.rows = 999
        wrong[2].state.fish.columns = 99
        wrong[3].state.MergeFromString(b"\xf8\x7f\x01")
        wrong[4].seat = 1
        for each in wrong:
            await ask(f"RulesService.{name}", position=each)
    reply = AnyMessage()
    reply.Pack(fish_player_pb2.TakeTurnResponse())
    for name in ("CheckReply", "ApplyReply"):
        await ask(f"RulesService.{name}", position=position)
    await ask("RulesService.ApplyReply", position=position, reply=reply)
    sound: dict[str, Any] = {"game": "fish", "strategies": ["first", "first"]}
    unknown = GameSettings()
    unknown.fish.MergeFromString(b"\xf8\x7f\x01")
    large = GameSettings()
    large.fish.rows = 999
    changes: list[dict[str, Any]] = [{"game": "x"}, {"seed": 2**53}, {"settings": large}, {"settings": unknown}]
    for change in [*changes, {"strategies": ["none", "first"]}]:
        await ask("RulesService.SimulateGame", **{**sound, **change})


async def ask_for_tournaments(ask: Asking) -> None:
    create, over = "ManagerService.CreateTournament", TournamentStatus.TOURNAMENT_STATUS_FINISHED
    for wrong in wrong_plans(lambda: league("a"), "entrants"):
        await ask(create, plan=wrong)
    await ask(create, plan=league(), tournament_id="a b")
    await ask(create, plan=TournamentPlan(game="fish", title="\n"))
    await ask(create, plan=TournamentPlan(game="fish", deal_count=2**31))
    await ask(create, plan=league(most=1))
    unfit = league("a", "b", "c", most=3)
    unfit.format.gauntlet.challengers.append("z")
    await ask(create, plan=unfit)
    assert await ask(create, plan=league("a"), tournament_id="t") == ""
    await ask(create, plan=league("b"), tournament_id="t")
    certified = league()
    certified.sign_up.certificate.CopyFrom(CertificatePolicy(max_age=seconds(60)))
    assert await ask(create, plan=certified, tournament_id="certified") == ""
    unfit.sign_up.max_entrant_count = 8
    assert await ask(create, plan=unfit, tournament_id="unfit") == ""
    assert await ask(create, plan=league("a", "b", most=2), tournament_id="short") == ""
    for name in (
        *("SignUp", "Withdraw", "StartTournament", "CancelTournament"),
        *("GetTournament", "GetStandings", "ListTournamentGames", "WatchTournament"),
    ):
        await ask(f"ManagerService.{name}", tournament_id="none")
    for name in ("GetStandings", "ListTournamentGames", "ListTournaments"):
        await ask(f"ManagerService.{name}", page_token="x")
    sign_up, bot = "ManagerService.SignUp", Player(name="p", link="bot:first")
    assert await ask(sign_up, tournament_id="t", player=bot, token="p") == ""
    for link in ("x", "exec:true", "grpc://192.0.2.1:1", "dial-in:none", "dial-in:other"):
        await ask(sign_up, tournament_id="t", player=Player(name="q", link=link), token="q")
    await ask(sign_up, tournament_id="t", player=Player(name="a b", link="bot:first"))
    await ask(sign_up, tournament_id="t", player=Player(name="P", link="bot:first"))
    await ask(sign_up, tournament_id="t", player=Player(name="q", link="bot:first", secret="s"))
    await ask(sign_up, tournament_id="certified", player=Player(name="q", link="dial-in:other"), token="token")
    await ask("ManagerService.Withdraw", tournament_id="t", name="p", token="q")
    await ask("ManagerService.StartTournament", tournament_id="certified")
    await ask("ManagerService.StartTournament", tournament_id="unfit")
    await ask("ManagerService.CancelTournament", tournament_id="t", reason="\n")
    async with asyncio.timeout(60):
        while ask.server.manager.get("short").status != over:
            await asyncio.sleep(0)
    await ask(sign_up, tournament_id="short", player=bot)
    await ask("ManagerService.Withdraw", tournament_id="short", name="a")
    await ask("ManagerService.StartTournament", tournament_id="short")
    await ask("ManagerService.CancelTournament", tournament_id="short")


async def ask_for_certifications(ask: Asking) -> None:
    create = "CertificationService.CreateCertification"
    wrong: list[dict[str, Any]] = [{"game": "x"}, {"name": "a b"}, {"profile": "none"}, {"time_limit": seconds(7_200)}]
    for each in wrong:
        await ask(create, **{"game": "fish", "name": "free", **each})
    assert await ask(create, game="fish", name="free") == ""
    await ask(create, game="fish", name="free")
    for name in ("Get", "Cancel", "Watch"):
        await ask(f"CertificationService.{name}Certification", certification_id="none")
    await ask("CertificationService.GetCertificationReport", certification_id="none")
    [made] = ask.server.certifications.list(1, None, SERVER)[0]
    await ask("CertificationService.GetCertificationReport", certification_id=made.certification_id)
    await ask("CertificationService.ListCertifications", page_token="x")


async def ask_in_the_lobby(ask: Asking) -> None:
    server = ask.server
    ann, bob, cy, dan = (server.lobby.enter(name, "", "test").token for name in ("ann", "bob", "cy", "dan"))
    for method in LOBBY:
        await ask(method, token="none")
    await ask("LobbyService.Enter", name="a b")
    await ask("LobbyService.Enter", name="ann")
    await ask("LobbyService.Enter", name="ann", token="wrong")
    await ask("LobbyService.Enter", name="eve")
    await ask("LobbyService.Rename", token=ann, name="a b")
    await ask("LobbyService.Rename", token=ann, name="bob")
    await ask("LobbyService.ListTables", token=ann, page_token="x")
    await ask("LobbyService.Say", token=ann, text="hello")
    await ask("LobbyService.WatchTable", token=ann, table="none")
    await ask("LobbyService.SetBots", token=ann, count=1)
    await ask("LobbyService.SetReady", token=ann)
    await ask("LobbyService.StartTable", token=ann)
    large, unknown = GameSettings(), GameSettings()
    large.fish.rows = 999
    unknown.fish.MergeFromString(b"\xf8\x7f\x01")
    table: dict[str, Any] = {"name": "t", "game": "fish", "time_control": TimeControl(decision_limit=seconds(60))}
    too_long = TimeControl(decision_limit=seconds(7_200))
    changes: list[dict[str, Any]] = [{"name": ""}, {"game": "x"}, {"seat_count": 9}, {"time_control": too_long}]
    for change in [*changes, {"settings": large}, {"settings": unknown}]:
        await ask("LobbyService.CreateTable", token=ann, **{**table, **change})
    assert await ask("LobbyService.CreateTable", token=ann, **table) == ""
    await ask("LobbyService.CreateTable", token=ann, **table)
    await ask("LobbyService.CreateTable", token=ann, **{**table, "name": "second"})
    await ask("LobbyService.Say", token=ann)
    await ask("LobbyService.SetBots", token=ann, link="grpc://127.0.0.1:1")
    await ask("LobbyService.StartTable", token=ann)
    await ask("LobbyService.JoinTable", token=bob)
    await ask("LobbyService.JoinTable", token=bob, table="none")
    for link in ("x", "exec:true", "grpc://192.0.2.1:1", "", "dial-in:other"):
        await ask("LobbyService.JoinTable", token=bob, table="t", link=link)
    await ask("LobbyService.JoinTable", token=bob, table="t", link="bot:first", secret="s")
    await ask("LobbyService.DeleteTable", token=bob, table="t")
    await ask("LobbyService.DeleteTable", token=bob, table="none")
    await ask_to_play(ask, ann, bob, cy, dan)


async def ask_to_play(ask: Asking, ann: str, bob: str, cy: str, dan: str) -> None:
    """Have games played at the table t, which belongs to ann, and one of cy; these are the tokens of the users."""
    server = ask.server
    async with ByHand(server, "ann", token=ann) as player:
        await player.say_hello()
        assert await ask("LobbyService.JoinTable", token=ann) == ""
    assert await ask("LobbyService.JoinTable", token=bob, table="t", link="bot:first") == ""
    async with asyncio.timeout(60):
        while server.hub.here("ann"):
            await asyncio.sleep(0)
    await ask("LobbyService.StartTable", token=ann)
    small = GameSettings()
    small.fish.rows, small.fish.columns, small.fish.holes = 2, 4, 2
    assert await ask("LobbyService.CreateTable", token=cy, name="small", game="fish", settings=small) == ""
    assert await ask("LobbyService.JoinTable", token=cy, link="bot:first") == ""
    assert await ask("LobbyService.SetBots", token=cy, count=3) == ""
    await ask("LobbyService.StartTable", token=cy)
    await ask("LobbyService.JoinTable", token=dan, table="small", link="bot:first")
    async with ByHand(server, "ann", token=ann) as player:
        await player.say_hello()
        assert await ask("LobbyService.StartTable", token=ann) == ""
        await player.next_call()
        for method in ("StartTable", "SetBots", "SetReady"):
            await ask(f"LobbyService.{method}", token=ann)
        await ask("LobbyService.JoinTable", token=dan, table="t", link="bot:first")
        await ask("LobbyService.DeleteTable", token=ann, table="t")
        await ask("LobbyService.CreateTable", token=bob, name="third", game="fish")
        await ask("LobbyService.Rename", token=bob, name="rob")
        await ask("LobbyService.WatchTable", token=bob, table="small")
        assert await ask("LobbyService.CreateTable", token=dan, name="free", game="fish") == ""
        await ask("LobbyService.JoinTable", token=bob, table="free", link="bot:first")
        assert await ask("LobbyService.WatchTable", token=dan, table="small") == ""
        await ask("LobbyService.SetBots", token=dan)
    await replace_streams(ask, ann)


async def replace_streams(ask: Asking, token: str) -> None:
    """Open one stream of a user after the other, so that each ends the one before."""
    method = ALL["LobbyService.Attend"]
    request = GetMessageClass(method.input_type)(token=token)
    channel = ask.callers.channels[NOBODY]
    first: Any = channel.unary_stream("/fairplay.v1.LobbyService/Attend")(request.SerializeToString())
    await first.read()
    assert await ask("LobbyService.Attend", request) == ""
    ask.met.add(("LobbyService.Attend", await end_of(first)))


async def end_of(stream: Any) -> str:
    """Read a stream to its end, and return the reason for it."""
    with pytest.raises(grpc.aio.AioRpcError) as error:
        async with asyncio.timeout(60):
            while await stream.read() is not grpc.aio.EOF:
                pass
    return reason_of(error.value)


async def ask_what_cannot_be_read(ask: Asking) -> None:
    for name, method in ALL.items():
        path = f"/{method.containing_service.full_name}/{method.name}"
        stream = ask.callers.channels[NOBODY].stream_stream(path)()
        await stream.write(b"\xff")
        ask.met.add((name, await end_of(stream)))


async def ask_to_dial_in(ask: Asking) -> None:
    names = [["other"], ["a", "a"], ["a b"], [f"x{number}" for number in range(1_001)], []]
    for players in ([HostedPlayer(name=name) for name in each] for each in names):
        await ask(DIAL_IN, DialInRequest(hello=Hello(players=players)))
    await ask(DIAL_IN, DialInRequest())


async def ask_while_it_shuts_down(ask: Asking) -> None:
    channel, streams = ask.callers.channels[NOBODY], {}
    [open_] = ask.server.certifications.list(1, None, SERVER)[0]
    for method, fields in (
        ("CertificationService.WatchCertification", {"certification_id": open_.certification_id}),
        ("RefereeService.PlayGame", {"game_id": "open", "plan": plan("dial-in:other", "bot:first", limit_s=60)}),
        ("RefereeService.WatchGame", {"game_id": "open"}),
        ("ManagerService.WatchTournament", {"tournament_id": "t"}),
    ):
        streams[method] = stream = channel.stream_stream("/fairplay.v1." + method.replace(".", "/"))()
        await stream.write(GetMessageClass(ALL[method].input_type)(**fields).SerializeToString())
    for method in (
        "CertificationService.WatchCertification",
        "RefereeService.WatchGame",
        "ManagerService.WatchTournament",
    ):
        await streams[method].read()
    await ask.server.lobby.close()
    await ask.server.referee.suspend_all()
    await ask.server.manager.suspend_all()
    await ask.server.certifications.close()
    for method, stream in streams.items():
        ask.met.add((method, await end_of(stream)))
    await ask("CertificationService.CreateCertification", game="fish", name="late")
    await ask("CertificationService.CancelCertification", certification_id=open_.certification_id)
    await ask("LobbyService.Enter", name="eve")
    for method in LOBBY:
        await ask(method)
    await ask("RefereeService.CreateGame", plan=plan("bot:first", "bot:first"))
    await ask("ManagerService.CreateTournament", plan=league())
    for name in ("SignUp", "Withdraw", "StartTournament", "CancelTournament"):
        await ask(f"ManagerService.{name}", tournament_id="t")


SCENES = (
    ask_what_cannot_be_read,
    ask_beyond_limits,
    ask_to_dial_in,
    ask_for_games,
    ask_about_rules,
    ask_for_tournaments,
    ask_for_certifications,
    ask_in_the_lobby,
    ask_while_it_shuts_down,
)


async def ask_as_others(callers: Callers, met: set[Pair]) -> None:
    """Ask for what belongs to others, and for what needs another role."""
    token = await set_the_table(callers)
    for caller in (NOBODY, "bob", "orb", "alice"):
        ask = Asking(callers, caller, met)
        for name, method in ALL.items():
            if method.name in CHANGES and (caller != "alice" or not name.startswith("LobbyService.")):
                await ask(name, CHANGES[method.name](token))
        await ask("ServerService.GetServerLoad")
    own = callers.server.lobby.enter("bob", "", "test").token
    bob, orb, anybody = (Asking(callers, caller, met) for caller in ("bob", "orb", NOBODY))
    assert await bob("LobbyService.Enter", name="bob", token=own) == ""
    await bob("LobbyService.JoinTable", token=own, table="table", link="dial-in:alices")
    await bob("ManagerService.SignUp", tournament_id="t", player=Player(name="bobs", link="dial-in:alices"))
    asked = CreateCertificationRequest(game="fish", name="x", published=True)
    shown = await callers.server.certifications.create(asked, SERVER)
    await bob("CertificationService.CancelCertification", certification_id=shown.certification_id)
    taken = plan("bot:first", "bot:first")
    taken.players[0].name = "alices"
    for name in ("PlayGame", "CreateGame"):
        await orb(f"RefereeService.{name}", plan=taken)
    await orb("ManagerService.CreateTournament", plan=league("alices"))
    assert callers.server.accounts is not None
    invitation = callers.server.accounts.invite("player", 9, None)
    for name in ("alice", "a b"):
        await anybody("AccountService.CreateAccount", name=name, invitation=invitation)
    await anybody("AccountService.CreateAccount", name="mallory", invitation="wrong")
    for name in ALL:  # each over a connection of its own, of which few may have a wrong token
        async with open_channel(callers.server.address, Credentials(token="wrong"), OWN_CONNECTION) as channel:
            await Asking(Callers(callers.server, {}, {NOBODY: channel}), NOBODY, met)(name)


async def meet_all(records: Path) -> set[Pair]:
    """Return all methods and reasons that are met, by servers that keep their records in folders of this one."""
    found: set[Pair] = set()
    limits = LobbyLimits(
        requests_per_second=10_000, burst=10_000, enter_burst=10_000, max_user_count=4, max_owned_count=1
    )
    config = Config(dial_networks=NOWHERE, lobby=limits)
    async with serving(config) as server, grpc.aio.insecure_channel(server.address) as channel:
        ask = Asking(Callers(server, {}, {NOBODY: channel}), NOBODY, found)
        async with ByHand(server, "other", token="other") as other:
            await other.say_hello()
            for scene in SCENES:
                await scene(ask)
        await ask("AccountService.CreateAccount", name="eve", invitation="x")
    async with calling(records / "accounts", allow_exec=True) as callers:
        await ask_as_others(callers, found)
    quotas = QuotaLimits(calls_per_second=1, burst_s=1)
    async with calling(records / "quotas", quotas=quotas) as callers:
        ask = Asking(callers, "root", found)
        for name in ALL:
            while await ask(name) != "TOO_MANY_REQUESTS":
                pass
    async with serving(Config(handshake_limit_s=0.05)) as server, grpc.aio.insecure_channel(server.address) as channel:
        paths = [f"/{method.containing_service.full_name}/{method.name}" for method in ALL.values()]
        ends = await asyncio.gather(*(end_of(channel.stream_stream(path)()) for path in paths))
        found.update(zip(ALL, ends, strict=True))
    return found


def stated() -> set[Pair]:
    """Return all methods and reasons that the comments name."""
    return {(name.removeprefix("fairplay.v1."), each) for name, method in METHODS.items() for each in method.reasons}


async def test_every_method_is_refused_with_each_reason_that_its_comment_names_and_no_other(tmp_path: Path) -> None:
    met = await meet_all(tmp_path)
    elsewhere = {pair for pair in stated() if pair[1] in SHOWN_ELSEWHERE or " ".join(pair) in SHOWN_ELSEWHERE}
    assert (sorted(stated() - met - elsewhere), sorted(met - stated())) == ([], [])
