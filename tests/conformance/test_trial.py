"""Trials: how long a game goes on, which limit each call has, and what is an error of the suite."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from fairplay.conformance.breaker import Breaker
from fairplay.conformance.budget import Budget
from fairplay.conformance.case_errors import SuiteError
from fairplay.conformance.connection import Connection
from fairplay.conformance.context import Context
from fairplay.conformance.joining import Joining, StandIn
from fairplay.conformance.rivals import Departure, Fault, Rivals
from fairplay.conformance.trial import CallLimits, Exchange, Scenario, Trial, play_trial, seat_names
from fairplay.eriantys.v1 import eriantys_settings_pb2
from fairplay.games.conformance import Level, Situation
from fairplay.games.game import find
from fairplay.games.steps import Call, CallAll, CallKind, Race, Step
from fairplay.player.handlers import reply_of
from fairplay.server.links.link import duration
from fairplay.v1.game_pb2 import TimeControl
from fairplay.v1.misconduct_pb2 import CallError, CallErrorReason, MisconductKind, Overrun
from fairplay.webset.v1 import webset_pb2
from tests.conformance.harness import player, raises, trial_of
from tests.conformance.opened import Opened, context_of
from tests.conformance.test_ahead import run, turns
from tests.conformance.test_interrupting import Slow, connected

FISH, WEBSET, ERIANTYS = find("fish"), find("webset"), find("eriantys")
LIMITS = CallLimits(41.0, 42.0, 43.0)


@contextmanager
def context(**more: Any) -> Iterator[Context]:
    with context_of(Opened(player).as_objects(), **more) as found:
        found.limits = LIMITS
        yield found


def kinds(found: Trial) -> list[CallKind]:
    return [each.kind for each in found.exchanges]


# Limits


def test_limits_are_those_of_a_time_control() -> None:
    control = TimeControl(
        notification_limit=duration(1.5), decision_limit=duration(2.0), first_decision_limit=duration(3.0)
    )
    limits = CallLimits.of(control)
    assert limits == CallLimits(1.5, 2.0, 3.0)
    assert limits.in_ms == {"notification": 1500, "decision": 2000, "first_decision": 3000}


def test_each_kind_of_call_has_its_limit_unless_the_game_sets_one() -> None:
    wanted = {CallKind.NOTIFICATION: 41.0, CallKind.DECISION: 42.0, CallKind.FIRST_DECISION: 43.0}
    for kind, limit_s in wanted.items():
        assert LIMITS.limit_s(Call(0, FISH.turn, FISH.turn.request(), kind)) == limit_s
        assert LIMITS.limit_s(Call(0, FISH.turn, FISH.turn.request(), kind, 0.0)) == 0.0
    with context() as tried:
        found = tried.play(tried.scenario(0, 2))
    assert {each.kind: each.limit_s for each in found.exchanges} == wanted
    assert all(wanted[each.kind] == each.limit_s for each in found.exchanges)


@pytest.mark.parametrize("method", ["PlayWith", "TakeTurn"])
def test_the_first_call_of_a_player_that_joins_has_the_limit_of_a_first_decision(method: str) -> None:
    with context() as tried:
        found = tried.play(tried.scenario(0, 2)._replace(joins=Joining(method, 1)))
        tried.limits = CallLimits(41.0, 99.0, 43.0)
        longer = tried.play(tried.scenario(0, 2)._replace(joins=Joining("TakeTurn", 2)))
    assert found.exchanges[0].method.name == method
    assert found.exchanges[0].limit_s == 43.0
    assert {each.limit_s for each in found.exchanges[1:] if each.kind is CallKind.DECISION} == {42.0}
    assert longer.exchanges[0].limit_s == 99.0


def test_a_limit_that_the_game_sets_holds_for_a_player_that_joins_too() -> None:
    settings: Any = WEBSET.settings_type()
    settings.rounds = 1
    settings.window.CopyFrom(duration(2.0))
    situation = Situation(WEBSET.full_settings(settings), 2, 0, turn_count=2)
    asked = trial_of(WEBSET, WEBSET.player("first"), Scenario("windows", situation, 1))
    [method] = {each.method.name for each in asked.exchanges if each.limit_s == 2.0}
    joined = trial_of(WEBSET, WEBSET.player("first"), Scenario("windows", situation, 1, joins=Joining(method, 1)))
    assert joined.exchanges[0].limit_s == 2.0, "that of first decisions is longer"


# How long a game goes on


@pytest.mark.parametrize("decisions", [1, 2, 6])
def test_a_game_ends_with_as_many_decisions_as_are_wanted_and_what_follows_at_once(decisions: int) -> None:
    found = trial_of(FISH, FISH.player("first"), situation_of(decisions))
    assert found.decision_count == decisions
    assert kinds(found)[-1] is not CallKind.NOTIFICATION
    assert not found.is_cut


def situation_of(decisions: int, count: int = 2) -> Scenario:
    return Scenario("x", Situation(FISH.full_settings(FISH.settings_type()), count, 0, turn_count=decisions), 1)


def test_a_game_goes_to_its_end_if_no_number_of_decisions_is_wanted() -> None:
    whole = trial_of(FISH, FISH.player("first"), situation_of(0))
    assert whole.decision_count > 10
    assert trial_of(FISH, FISH.player("first"), situation_of(1_000)).decision_count == whole.decision_count


@pytest.mark.parametrize(
    ("about", "decisions"),
    [
        ({}, 8),
        ({"departures": (Departure(1, after=2), Departure(2, after=1))}, 10),
        ({"asked_again": 2}, 10),
        ({"asked_again": 1, "departures": (Departure(1, after=2),)}, 10),
        ({"asked_again": 2, "departures": (Departure(1, after=1),)}, 10),
    ],
)
def test_a_game_that_takes_too_long_is_left_once_all_that_it_is_about_was_some_time_ago(
    about: Any, decisions: int
) -> None:
    with context() as tried:
        tried.player.begin()
        tried.player.budget = Budget(1e-9, lambda: 0.0)
        found = tried.play(tried.scenario(0, 3)._replace(**about))
        assert (found.is_cut, found.decision_count) == (True, decisions)
        later = tried.play(tried.scenario(0, 3))
        assert (later.is_cut, later.decision_count) == (True, 3)
        short = tried.play(tried.scenario(0, 3, 2))
        assert (short.is_cut, short.decision_count) == (False, 2)


def test_the_time_of_a_decision_is_the_mean_of_all_that_were_made() -> None:
    def mean_s(*calls: tuple[CallKind, float]) -> float:
        answer = FISH.turn.response()
        exchanges = [Exchange(FISH.turn, b"", kind, 9.0, elapsed_s, answer) for kind, elapsed_s in calls]
        return Trial(situation_of(0), exchanges).mean_decision_s

    reported, first, decided = CallKind.NOTIFICATION, CallKind.FIRST_DECISION, CallKind.DECISION
    assert mean_s((reported, 8.0)) == mean_s() == 0.0
    assert mean_s((reported, 8.0), (decided, 3.0)) == 3.0
    assert mean_s((first, 1.0), (reported, 8.0), (decided, 3.0), (decided, 5.0)) == 3.0


def test_who_breaks_too_many_of_the_lesser_rules_cannot_play() -> None:
    settings = WEBSET.full_settings(WEBSET.settings_type())
    scenario = Scenario("x", Situation(settings, 2, 0, turn_count=0, rivals="solver:error=1"), 1)
    found = trial_of(WEBSET, Careless(), scenario)
    assert found.has_races
    assert found.infraction_count == 100
    assert found.misconduct is not None
    assert found.misconduct.HasField("rule_break")
    graver = trial_of(WEBSET, Careless(), scenario, level=Level.SHOULD)
    assert (graver.infraction_count, graver.misconduct is None) == (1, False)
    assert not trial_of(FISH, FISH.player("first"), situation_of(1)).has_races


class Careless:
    """A player of Webset that picks cards which are no set."""

    game = "webset"

    def __init__(self) -> None:
        self._sound: Any = WEBSET.player("first")
        for name in ("deal", "act", "report", "game_over"):
            setattr(self, name, getattr(self._sound, name))

    def pick_cards(self, request: Any) -> Any:
        slots = [card for card in request.state.slots if card < 81]
        first, second = slots[:2]
        third = next(card for card in slots[2:] if not is_set(first, second, card))
        return WEBSET.methods[2].response(cards=[first, second, third])


def is_set(*cards: int) -> bool:
    return all(sum(card // 3**place % 3 for card in cards) % 3 == 0 for place in range(4))


# Whose fault it is


def test_a_game_that_cannot_be_played_is_an_error_of_the_suite() -> None:
    with pytest.raises(SuiteError, match="the game x cannot be played: "):
        trial_of(FISH, FISH.player("first"), situation_of(1, count=9))


def test_no_answer_in_time_is_misconduct_although_the_game_skips_the_turns_of_a_player_that_fails() -> None:
    released = threading.Event()
    made: Any = ERIANTYS.player("first")
    made.quick = False
    made.ask_assistant_card = lambda request: released.wait(60)
    settings = ERIANTYS.full_settings(
        eriantys_settings_pb2.Settings(on_disconnect=eriantys_settings_pb2.ON_DISCONNECT_SKIP_TURNS)
    )
    with context_of(Opened(lambda: made).as_objects(), ERIANTYS) as tried:
        tried.limits = CallLimits(41.0, 0.05, 0.05)
        found = tried.play(Scenario("x", Situation(settings, 2, 0, turn_count=3), 1))
        released.set()
    assert found.misconduct is not None
    assert found.misconduct.kind == MisconductKind.MISCONDUCT_KIND_TIMEOUT
    assert found.misconduct.method_name.endswith("/AskAssistantCard")


@pytest.mark.parametrize(("asked_again", "fails"), [(0, 0), (1, 0), (2, 0), (2, 2)])
def test_only_a_decision_that_was_answered_is_asked_for_again(asked_again: int, fails: int) -> None:
    calls: list[str] = []

    def note(name: str) -> Any:
        def answer(sound: Any, request: Any) -> Any:
            calls.append(name)
            if name == "Setup" and calls.count("Setup") == fails:
                raise RuntimeError("this player is broken")
            return sound(request)

        return answer

    made = player(play_as=note("PlayAs"), play_with=note("PlayWith"), setup=note("Setup"))
    found = trial_of(FISH, made, situation_of(2), asked_again=asked_again)
    assert calls == ["PlayAs", "PlayWith", *["Setup"] * (2 if fails or not asked_again else 3)]
    assert [each.method.name for each in found.exchanges] == ["PlayAs", "PlayWith", "Setup", "Setup"]
    assert (found.misconduct is not None) == bool(fails)


class Scripted:
    """Fish with other steps in its games."""

    def __init__(self, *steps: Step) -> None:
        self._steps = steps

    def __getattr__(self, name: str) -> Any:
        return getattr(FISH, name)

    def play(self, *_: object) -> Iterator[Step]:
        yield from (step for step in self._steps)  # a generator, to which answers can be sent


def of_steps(*steps: Step) -> Any:
    return Scripted(*steps)


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("limit_s", [None, 30.0])
def test_a_failed_call_is_misconduct_although_the_game_goes_on_whoever_is_called_first(
    seat: int, limit_s: float | None
) -> None:
    tell = FISH.methods[0]
    calls = [Call(each, tell, tell.request(game_id="g"), CallKind.NOTIFICATION, limit_s) for each in range(2)]
    scenario = situation_of(0)
    scenario = scenario._replace(situation=scenario.situation._replace(seat=seat))
    for steps in ((CallAll(calls),), tuple(calls)):
        found = trial_of(of_steps(*steps), player(play_as=raises), scenario)
        assert found.misconduct is not None
        assert found.misconduct.call_error.message == "RuntimeError: this player is broken"
        assert trial_of(of_steps(*steps), player(), scenario).misconduct is None


def test_a_late_answer_is_no_misconduct_where_the_game_has_set_the_limit() -> None:
    released, tell = threading.Event(), FISH.methods[0]
    step = Call(0, tell, tell.request(game_id="g"), CallKind.NOTIFICATION, 0.05)
    found = trial_of(of_steps(step), player(play_as=lambda sound, request: released.wait(60)), situation_of(0))
    released.set()
    assert isinstance(found.exchanges[0].answer, Overrun)
    assert found.misconduct is None


def test_what_is_open_in_a_race_is_cancelled_when_the_game_is_over() -> None:
    async def test() -> None:
        link = Slow(lambda name, number: None)
        race = Race([Call(seat, FISH.turn, FISH.turn.request(game_id="g"), CallKind.DECISION) for seat in range(2)])
        scenario = situation_of(0)._replace(rivals_wait=False, departures=(Departure(1, 0),))
        found = await play_trial(of_steps(race), connected(link), scenario, LIMITS, "g")
        await turns()
        assert (link.calls, link.cancelled) == (["TakeTurn"], ["TakeTurn"])
        assert found.has_races
        assert found.misconduct is None

    run(test())


def test_rivals_answer_at_once_where_they_do_not_wait() -> None:
    async def test(rivals_wait: bool) -> None:
        link = Slow(lambda name, number: (7.0, b""))
        begin = FISH.methods[0]
        race = Race([Call(seat, begin, begin.request(game_id="g"), CallKind.DECISION) for seat in range(2)])
        began = asyncio.get_running_loop().time()
        await play_trial(
            of_steps(race), connected(link), situation_of(0)._replace(rivals_wait=rivals_wait), LIMITS, "g"
        )
        assert asyncio.get_running_loop().time() - began == (7.0 if rivals_wait else 0.0)

    for rivals_wait in (True, False):
        run(test(rivals_wait))


@pytest.mark.parametrize(("answer_s", "is_cut", "decisions"), [(1.25, False, 13), (1.5, True, 11)])
def test_a_game_takes_too_long_from_its_own_beginning_on(answer_s: float, is_cut: bool, decisions: int) -> None:
    async def test() -> None:
        await asyncio.sleep(1_000.0)
        connection = Connection(Slow(lambda name, number: (answer_s, b"")), Breaker(), Budget(600.0, lambda: 0.0), "me")
        tell = FISH.methods[0]
        steps = [Call(0, tell, tell.request(game_id="g"), CallKind.DECISION)] * 13
        found = await play_trial(of_steps(*steps), connection, situation_of(0), LIMITS, "g")
        assert (found.is_cut, found.decision_count) == (is_cut, decisions)

    run(test())


def test_a_trial_has_what_the_process_of_the_player_has_written() -> None:
    class Writing(Connection):
        output = "what it wrote"

    async def test() -> None:
        link = Slow(lambda name, number: (0.0, b""))
        connection = Writing(link, Breaker(), Budget(600.0), "me")
        assert (await play_trial(of_steps(), connection, situation_of(0), LIMITS, "g")).output == "what it wrote"

    run(test())


def test_who_is_eliminated_for_a_broken_rule_plays_no_further() -> None:
    found = trial_of(FISH, player(take_turn=lambda sound, request: FISH.turn.response()))
    assert found.misconduct is not None
    assert found.misconduct.rule_break.rule_id == "fish.action.required"
    assert [each.method.name for each in found.exchanges].count("TakeTurn") == 1


def test_a_rival_that_is_eliminated_is_an_error_of_the_suite_unless_it_was_to_leave() -> None:
    late = Situation(FISH.full_settings(FISH.settings_type()), 2, 0, turn_count=2, rivals_late_in="Setup")
    with pytest.raises(SuiteError, match="a reference player was eliminated in x: "):
        trial_of(FISH, FISH.player("first"), Scenario("x", late, 1))
    leaves = Scenario("x", late, 1, departures=(Departure(1, after=99),))
    assert trial_of(FISH, FISH.player("first"), leaves).misconduct is None


def test_evidence_tells_the_player_under_test_from_its_rivals() -> None:
    assert seat_names(Situation(FISH.settings_type(), 3, 1)) == ["rival-0", "tested", "rival-2"]


def test_in_its_games_the_player_has_its_name_and_no_other_one_has_it() -> None:
    with context_of(Opened(lambda: ERIANTYS.player("first")).as_objects(), ERIANTYS) as tried:
        found = tried.play(tried.scenario(1, 3, 2))
    requests: list[Any] = [each.method.request.FromString(each.request) for each in found.exchanges]
    [names] = [list(each.player_names) for each in requests if hasattr(each, "player_names")]
    assert names[1] == "Vikoda"
    assert len({*names}) == 3
    assert not any("tested" in name or "rival" in name for name in names)


# Rivals


def call(kind: CallKind = CallKind.DECISION, seat: int = 1, *, turn: bool = True) -> Call:
    method = FISH.turn if turn else FISH.methods[0]
    return Call(seat, method, method.request(), kind)


def rivals(*departures: Departure, **situation: Any) -> Rivals:
    return Rivals(FISH, Situation(FISH.full_settings(FISH.settings_type()), 2, 0, **situation), 1, departures)


@pytest.mark.parametrize(
    ("departure", "fails"),
    [
        (Departure(1, 2), {(CallKind.DECISION, 2), (CallKind.DECISION, 3)}),
        (Departure(1, 3, fault=Fault.ERROR_STATUS), {(CallKind.DECISION, 3)}),
        (
            Departure(1, 3, in_decision=False),
            {(CallKind.DECISION, 3), (CallKind.NOTIFICATION, 3)},
        ),
        (Departure(1, 3, fault=Fault.ILLEGAL_ANSWER), {(CallKind.DECISION, 3), (CallKind.NOTIFICATION, 3)}),
        (Departure(0, 0), set()),
    ],
)
def test_a_rival_fails_from_the_decision_on_after_which_it_is_to_leave(
    departure: Departure, fails: set[tuple[CallKind, int]]
) -> None:
    asked = [(kind, count) for kind in (CallKind.DECISION, CallKind.NOTIFICATION) for count in range(4)]
    found = rivals(departure)
    assert {(kind, count) for kind, count in asked if found.fails(call(kind), count)} == fails
    assert (found.may_leave(1), found.may_leave(2)) == (departure.seat == 1, False)


@pytest.mark.parametrize(("after", "calls"), [(0, 2), (1, 4), (3, 6)])
def test_a_rival_that_is_to_leave_does_not_wait_for_the_player_in_a_race(after: int, calls: int) -> None:
    found = trial_of(WEBSET, WEBSET.player("first"), count=2, departures=(Departure(1, after=after),))
    requests: list[Any] = [each.method.request.FromString(each.request) for each in found.exchanges]
    there = [each.state.players[1].standing == webset_pb2.STANDING_PLAYING for each in requests]
    assert there == [True] * calls + [False] * (len(there) - calls)


def test_an_illegal_answer_is_an_empty_one_in_turns_only() -> None:
    found = rivals(Departure(1, 0, fault=Fault.ILLEGAL_ANSWER))
    assert found.answer(call(), 0) == FISH.turn.response()
    assert not found.fails(call(turn=False), 9)


def test_failures_say_what_has_happened_to_the_rival() -> None:
    lost: Any = rivals(Departure(1)).answer(call(), 0)
    assert (lost.reason, lost.message) == (CallErrorReason.CALL_ERROR_REASON_DISCONNECTED, "this rival has left")
    failed: Any = rivals(Departure(1, fault=Fault.ERROR_STATUS)).answer(call(), 0)
    assert isinstance(failed, CallError)
    assert (failed.reason, failed.status_code) == (CallErrorReason.CALL_ERROR_REASON_STATUS, 13)
    assert failed.message == "this rival has failed"


def test_a_rival_that_is_late_is_late_in_one_method_only() -> None:
    found = rivals(rivals_late_in=FISH.methods[0].name)
    assert isinstance(found.answer(call(CallKind.NOTIFICATION, turn=False), 0), Overrun)
    assert rivals(rivals_late_in="TakeTurn").answer(call(), 0) == Overrun()


def test_a_departure_says_who_leaves_and_when() -> None:
    assert str(Departure(1, 3)) == (
        "seat 1: its connection ends, in its first decision after 3 decisions of the player under test"
    )
    assert str(Departure(2, in_decision=False, fault=Fault.ERROR_STATUS)) == (
        "seat 2: one call fails, in its first call after 0 decisions of the player under test"
    )
    assert Departure(1) == Departure(1, 0, True, Fault.DISCONNECTION)


# Players that join


def test_who_stands_in_answers_until_the_call_with_which_the_player_joins() -> None:
    stand_in = StandIn(FISH, Joining("TakeTurn", 2))
    begin, turn = call(CallKind.NOTIFICATION, turn=False), call()
    asked = (turn, begin, turn, begin, turn)
    assert [stand_in.answers(each) for each in asked] == [True, True, False, False, False]
    assert not StandIn(FISH, None).answers(begin)
    first = StandIn(FISH, Joining("TakeTurn", 1))
    assert [first.answers(each) for each in (begin, turn, begin)] == [True, False, False]


def test_who_stands_in_is_late_where_the_rivals_are() -> None:
    stand_in = StandIn(FISH, Joining("TakeTurn", 2), "random", late_in="TakeTurn")
    assert stand_in.answer(call()) == Overrun()
    begin: Any = FISH.methods[0].request(game_id="a")
    answer = stand_in.answer(Call(0, FISH.methods[0], begin, CallKind.NOTIFICATION))
    assert answer == FISH.methods[0].response()


def test_who_stands_in_plays_as_the_first_reference_player_does_or_as_the_rivals_do() -> None:
    def turns(found: Trial) -> list[Any]:
        requests: list[Any] = [each.method.request.FromString(each.request) for each in found.exchanges]
        for request in requests:
            request.ClearField("game_id")
        return [request for request in requests if isinstance(request, FISH.turn.request)]

    whole = turns(trial_of(FISH, FISH.player("first"), situation_of(0)))
    joined = turns(trial_of(FISH, FISH.player("first"), situation_of(0), joins=Joining("TakeTurn", 3)))
    assert joined == whole[2:]
    answers: list[set[str]] = [set(), set()]
    for request in whole:
        asked = Call(0, FISH.turn, request, CallKind.DECISION)
        for index, strategy in enumerate(("first", "greedy")):
            answer = StandIn(FISH, Joining("TakeTurn", 9), strategy).answer(asked)
            assert answer == reply_of(FISH.player(strategy), asked)
            answers[index].add(str(answer))
    assert answers[0] != answers[1]
