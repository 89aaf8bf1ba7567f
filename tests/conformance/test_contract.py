"""What cases about the contract say of players in this process."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from types import SimpleNamespace
from typing import Any

import pytest
from google.protobuf.message import DecodeError
from google.protobuf.struct_pb2 import Struct

from fairplay.conformance.case import Case
from fairplay.conformance.case_errors import Failure, NotApplicable, NotTested
from fairplay.conformance.cases import contract, robustness
from fairplay.conformance.cases.contract import newer
from fairplay.conformance.connection import Connection
from fairplay.conformance.objects import ObjectLink
from fairplay.conformance.ways import DIALLING, SERVING
from fairplay.games.game import find
from fairplay.server.links.link import Clock, DeadLink, Link, disconnected
from fairplay.v1.misconduct_pb2 import CallError, CallErrorReason, Overrun
from fairplay.v1.player_pb2 import DescribeRequest, DescribeResponse, GameService, PlayerDescription
from tests.conformance.harness import player, raises, trial_of
from tests.conformance.opened import Opened, WatchedLink, context_of

FISH = GameService(name="fairplay.fish.v1.FishPlayerService", revision=1)


def judge(case: Case, **methods: Any) -> str:
    """Return what a case says of the failure of a player with these methods; nothing if it passes."""
    with context_of(Opened(lambda: player(**methods)).as_objects()) as context:
        try:
            case.run(context)
        except Failure as found:
            return found.evidence.sentence
    return ""


def described(*services: GameService, name: str = "me", version: str = "") -> str:
    """Return what is said of a player that describes itself so."""
    answer = DescribeResponse(
        description=PlayerDescription(display_name=name, software_version=version, services=services)
    )
    return judge(contract.describes_itself, describe=lambda sound, request: answer)


def others(count: int) -> list[GameService]:
    return [GameService(name=f"games.v1.S{number}", revision=9) for number in range(count)]


NAMES = "display_name must have 1 to 80 characters."
VERSIONS = "software_version must have at most 80 characters."
SERVICES = "services must hold each service once, and at most 64 of them."
REVISIONS = "services name a revision that does not exist: the latest is 1."


@pytest.mark.parametrize(
    ("said", "services", "words"),
    [
        ("", [FISH], {"name": "m" * 80, "version": "v" * 80}),
        (NAMES, [FISH], {"name": ""}),
        (NAMES, [FISH], {"name": "m" * 81}),
        (VERSIONS, [FISH], {"version": "v" * 81}),
        ("", [*others(63), FISH], {}),
        (SERVICES, [*others(64), FISH], {}),
        (SERVICES, [FISH, *others(1), *others(1)], {}),
        (f"services must hold {FISH.name}.", others(1), {}),
        (REVISIONS, [GameService(name=FISH.name, revision=2)], {}),
        (REVISIONS, [FISH, GameService(name="fairplay.q.v1.QPlayerService", revision=2)], {}),
        ("", [GameService(name=FISH.name, revision=0)], {}),
    ],
)
def test_what_a_player_says_of_itself_has_its_limits(said: str, services: list[GameService], words: Any) -> None:
    assert described(*services, **words) == said


def test_the_latest_revision_is_known_of_the_game_that_is_played_too() -> None:
    game: Any = copy(find("fish"))
    game.service = "games.v1.Fish"
    for revision, said in ((1, ""), (2, REVISIONS)):
        services = [GameService(name=game.service, revision=revision), *others(1)]
        answer = DescribeResponse(description=PlayerDescription(display_name="me", services=services))
        with context_of(Opened(saying(answer)).as_objects(), game) as context:
            assert sentence_of(contract.describes_itself, context) == said


def saying(answer: DescribeResponse) -> Callable[[], Any]:
    return lambda: player(describe=lambda sound, request: answer)


def sentence_of(case: Case, context: Any) -> str:
    """Return what a case says of the failure of a player; nothing if it passes."""
    try:
        case.run(context)
    except Failure as found:
        return found.evidence.sentence
    return ""


def test_a_player_that_cannot_be_reached_is_said_to_be_so() -> None:
    with context_of(Opened(player).as_started()) as context:
        assert sentence_of(contract.reachable, context) == ""
        assert context.player.reach_count == 1
    with context_of(Opened(player, lambda _: "nobody is there").as_started()) as context:
        assert sentence_of(contract.reachable, context) == "The player cannot be reached: nobody is there"


def test_a_player_says_the_same_twice() -> None:
    def describe(_: Any, request: Any) -> DescribeResponse:
        return DescribeResponse(description=PlayerDescription(display_name=next(answers), services=[FISH]))

    said = "Asked twice, the player must say the same about itself."
    answers = iter("aab")  # it is asked once when it is reached
    assert judge(contract.describes_itself, describe=describe) == said


def test_a_player_that_fails_to_describe_itself() -> None:
    assert judge(contract.describes_itself, describe=raises).startswith("Describe failed: ")


@pytest.mark.parametrize(
    ("outcome", "said"),
    [
        (CallError(message="boom"), "failed: boom"),
        (Overrun(), "did not answer within 0 s."),
    ],
)
def test_what_is_said_of_calls_that_failed(outcome: Any, said: str) -> None:
    if isinstance(outcome, Overrun):
        outcome.limit.FromMilliseconds(1_500)
        said = "did not answer within 1.5 s."
    assert contract._problem(outcome) == said


def test_a_newer_request_has_two_more_fields_in_each_of_its_messages() -> None:
    request: Any = find("fish").turn.request(game_id="g")
    request.state.last_action.skip = True
    request.state.players.add(score=2)
    changed = type(request).FromString(newer(request))
    parts = (changed, changed.state, changed.state.last_action, changed.state.players[0])
    for part in parts:
        assert b"\xc2\xbb\x1e\x03new\xc8\xbb\x1e*" in part.SerializeToString()
    changed.DiscardUnknownFields()
    assert changed == request
    assert request.SerializeToString() != newer(request)


def test_maps_of_a_request_stay_as_they_are() -> None:
    request = Struct()
    request.update({"one": 1.0, "two": {"three": 3.0}})
    changed = Struct.FromString(newer(request))
    assert b"new" in changed.SerializeToString()
    changed.DiscardUnknownFields()
    assert changed == request


# Games


def games_of(context: Any) -> list[tuple[str, int]]:
    """Return the name and length of each game that was played."""
    return [(each.scenario.name, each.scenario.situation.turn_count) for each in context.trials]


WHOLE = ("seat-0-of-2", 0)


def test_every_method_is_looked_for_in_all_whole_games_until_one_lacks_it() -> None:
    with context_of(Opened(player).as_objects()) as context:
        contract.every_method.run(context)
        assert len(context.whole_games_played()) == 10

    def lacking() -> Any:
        made = player()
        made.take_turn = None
        return made

    with context_of(Opened(lacking).as_objects()) as context:
        assert "this player has no method /fairplay.fish.v1.FishPlayerService/TakeTurn" in sentence_of(
            contract.every_method, context
        )
    with context_of(Opened(lambda: player(setup=raises)).as_objects()) as context:
        contract.every_method.run(context)  # which is another case's business
        assert len(context.whole_games_played()) == 1


def test_a_method_that_no_game_came_to_is_called() -> None:
    def lacking() -> Any:
        made: Any = find("eriantys").player("first")
        made.show_disconnection = None
        return made

    eriantys = find("eriantys")
    context: Any
    with context_of(Opened(lacking).as_objects(), eriantys) as context:
        context.whole_games = context.whole_games_played = lambda: [trial_of(eriantys, eriantys.player("first"))]
        said = sentence_of(contract.every_method, context)
    assert said == "The player does not implement fairplay.eriantys.v1.EriantysPlayerService/ShowDisconnection."


@pytest.mark.parametrize(
    ("case", "wrong"),
    [(contract.void_methods_return, {"play_as": raises}), (contract.replies_readable, {"setup": lambda *_: b"\xff"})],
)
def test_what_whole_games_show_belongs_to_the_case_about_it(case: Case, wrong: Any) -> None:
    assert judge(case) == ""
    assert judge(case, **wrong).partition(":")[0] in ("PlayAs failed", "Setup failed")
    others = {"setup": raises} if case is contract.void_methods_return else {"play_as": raises}
    with pytest.raises(NotTested, match="ended before all was seen"):
        judge(case, **others)


def test_a_newer_referee_plays_the_most_ordinary_game() -> None:
    with context_of(Opened(player).as_objects()) as context:
        contract.unknown_fields_ignored.run(context)
        assert games_of(context) == [WHOLE]


class Counted:
    """Counts the replies that nobody asked for: those to calls of some methods; and keeps what was asked, and when."""

    def __init__(self, *stray: str) -> None:
        self.asked: list[str] = []
        self.is_open = True
        self._stray = stray

    def make(self) -> Any:
        def note(name: str) -> Any:
            def answer(sound: Any, request: Any) -> Any:
                self.asked.append(name)
                return sound(request)

            return answer

        return player(describe=note("describe"), setup=note("setup"), take_turn=note("turn"))

    async def stray_reply_count_of_server(self) -> int:
        self.asked.append("count")
        return sum(each in self._stray for each in self.asked)

    @property
    def stray_reply_count(self) -> int:
        self.asked.append("count")
        return sum(each in self._stray for each in self.asked)


@pytest.mark.parametrize(
    ("stray", "said"), [((), ""), (("setup",), "4 replies came in one game that nobody had asked for.")]
)
def test_replies_are_counted_before_a_game_and_once_all_have_come(stray: tuple[str, ...], said: str) -> None:
    counted = Counted(*stray)
    context: Any
    with context_of(Opened(counted.make).as_started()) as context:
        context.player.transport.server = SimpleNamespace(
            stray_reply_count=counted.stray_reply_count_of_server, close=nothing
        )
        assert sentence_of(contract.one_reply_per_call, context) == said
        assert games_of(context) == [WHOLE]
    assert counted.asked[:3] == ["describe", "count", "setup"]
    assert counted.asked[-3:] == ["turn", "describe", "count"]


def test_replies_through_a_stream_are_counted_once_all_have_come(monkeypatch: pytest.MonkeyPatch) -> None:
    counted = Counted()

    async def open_stream(connection: Connection) -> Any:
        return counted

    monkeypatch.setattr(Connection, "open_stream", open_stream)
    with context_of(Opened(counted.make).as_served()) as context:
        assert contract.stream_agrees.run(context) is None
        assert games_of(context) == [WHOLE]
    assert counted.asked[-3:] == ["turn", "describe", "count"]


@pytest.mark.parametrize(
    ("stray", "opens", "said"),
    [
        ((), False, "not applicable: the player offers no stream"),
        (("setup",), True, "4 replies came in one game that nobody had asked for."),
        ((), True, "The player says something else about itself through the stream than without."),
    ],
)
def test_what_is_wrong_with_a_stream_is_said(
    stray: tuple[str, ...], opens: bool, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted, streams = Counted(*stray), list[Any]()

    async def open_stream(connection: Connection) -> Any:
        streams.append(counted if opens else None)
        return streams[-1]

    def make() -> Any:
        made = counted.make()
        if said.startswith("The player says"):
            name = DescribeResponse(description=PlayerDescription(display_name="in a stream"))
            made.describe = lambda request: name if streams else DescribeResponse()
        return made

    monkeypatch.setattr(Connection, "open_stream", open_stream)
    with context_of(Opened(make).as_served()) as context:
        try:
            assert sentence_of(contract.stream_agrees, context) == said
        except NotApplicable as reason:
            assert f"not applicable: {reason}" == said


def test_a_stream_that_does_not_stay_is_remarked_upon(monkeypatch: pytest.MonkeyPatch) -> None:
    counted = Counted()
    counted.is_open = False

    async def open_stream(connection: Connection) -> Any:
        return counted

    monkeypatch.setattr(Connection, "open_stream", open_stream)
    with context_of(Opened(player).as_served()) as context:
        assert (contract.stream_agrees.run(context) or "").startswith("the player ended the stream, which it may")


@pytest.mark.parametrize(
    ("case", "said"),
    [
        (contract.one_reply_per_call, "only a player that dials in can reply more than once"),
        (contract.both_ways_agree, "only a player that is started here can choose between the ways"),
        (contract.stream_agrees, "only a player that serves can be called through a stream"),
    ],
)
def test_a_player_in_this_process_is_reached_in_one_way(case: Case, said: str) -> None:
    with context_of(Opened(player).as_objects()) as context, pytest.raises(NotApplicable, match=said):
        case.run(context)


def test_a_player_that_does_not_say_that_its_stream_is_there_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    async def open_stream(connection: Connection) -> Any:
        raise TimeoutError

    monkeypatch.setattr(Connection, "open_stream", open_stream)
    with context_of(Opened(player).as_served()) as context:
        said = sentence_of(contract.stream_agrees, context)
    assert said == "The player opens the stream, and does not say within 5 s that it is there."


def both_ways(serving: Any, dialling: Any) -> tuple[str, list[tuple[str, int]]]:
    """Return what is said of a player that is these objects when it serves and dials in, and which games it played.

    None: it cannot be reached so. All connections are closed at the end.
    """
    links: list[WatchedLink] = []

    def link(made: Any) -> Link:
        if made is None:
            return DeadLink(Clock(), disconnected("nobody is there"))
        links.append(WatchedLink(ObjectLink(Clock(), made)))
        return links[-1]

    async def open_ways() -> dict[str, Link]:
        return {SERVING: link(serving), DIALLING: link(dialling)}

    context: Any
    with context_of(Opened(player).as_started()) as context:
        context.player.transport.open_ways = open_ways
        try:
            said = sentence_of(contract.both_ways_agree, context)
        except NotApplicable as reason:
            said = str(reason)
        assert all(each.closed for each in links)
        return said, games_of(context)


def named(name: str) -> Any:
    answer = DescribeResponse(description=PlayerDescription(display_name=name))
    return player(describe=lambda sound, request: answer)


def test_a_player_may_be_reached_both_ways_and_is_the_same() -> None:
    assert both_ways(player(), player()) == ("", [WHOLE] * 2)
    said, games = both_ways(named("server"), named("caller"))
    assert said == "The player says different things about itself when serving and when dialling in."
    assert games == [WHOLE] * 2
    assert both_ways(player(), player(setup=raises))[0].startswith("Setup failed")
    assert both_ways(player(setup=raises), player())[0].startswith("Setup failed")


def test_a_player_may_be_reached_in_one_way_only() -> None:
    assert both_ways(player(), None) == ("the player supports only serving", [])
    assert both_ways(None, player()) == ("the player supports only dialling in", [])
    assert both_ways(None, None) == ("the player comes up only where it is offered both ways", [])


def test_processes_for_other_ways_are_started_before_they_are_needed() -> None:
    begun: list[str] = []
    context: Any
    with context_of(Opened(player).as_started()) as context:
        context.player.transport.begin_ways = lambda: begun.append("both")
        context.player.transport.begin_serving = lambda: begun.append("serving")
        for case in (contract.both_ways_agree, contract.stream_agrees):
            assert case.prepare is not None
            case.prepare(context)
    assert begun == ["both", "serving"]


async def nothing() -> None:
    """Do nothing."""


# Requests that are none


class Outcomes:
    """Stands for a context whose player answers requests that are none with these outcomes."""

    def __init__(self, outcome: Any) -> None:
        self._outcome = outcome

    def ask(self, *_: Any) -> tuple[Any, float]:
        return self._outcome, 0.0


@pytest.mark.parametrize(
    ("outcome", "said"),
    [
        (b"", "was answered as if it were one."),
        (Overrun(), "was not answered."),
        (
            CallError(message="gone", reason=CallErrorReason.CALL_ERROR_REASON_DISCONNECTED),
            "ended the player: gone",
        ),
        (CallError(message="no such method", status_code=12), ""),
    ],
)
def test_a_request_that_nobody_can_read_is_refused_and_no_more(outcome: Any, said: str) -> None:
    context: Any = Outcomes(outcome)
    connection: Any = type("Silent", (), {"output": ""})()

    def check() -> None:
        robustness._check_refused(context, connection, find("fish").turn, b"\xff")

    if not said:
        check()
    else:
        with pytest.raises(Failure) as caught:
            check()
        assert caught.value.evidence.sentence == f"A request of TakeTurn that nobody can read {said}"
        assert dict(caught.value.evidence.sections)["Request"]


def test_unreadable_requests_are_of_the_turn_and_describe_and_one_of_no_method() -> None:
    with context_of(Opened(player).as_objects()) as context:
        found = [(method.path.rpartition("/")[2], request) for method, request in robustness._invalid_requests(context)]
    assert [name for name, _ in found] == ["TakeTurn", "Describe", "TakeTurnTwice"]
    types: list[Any] = [find("fish").turn.request, DescribeRequest]
    for type_, (_, request) in zip(types, found, strict=False):
        with pytest.raises(DecodeError):
            type_.FromString(request)
