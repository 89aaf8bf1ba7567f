"""The sequence diagram of Webset: who is asked what and when, which answer counts, what becomes of those that fail."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from fairplay.games.machine import drive
from fairplay.games.steps import Call, Race
from fairplay.games.webset.game import GAME
from fairplay.games.webset.protocol import codec
from fairplay.games.webset.rules.state import Phase
from fairplay.v1.misconduct_pb2 import Overrun, RuleBreak
from fairplay.webset.v1 import webset_player_pb2
from fairplay.webset.v1.webset_player_pb2 import ActResponse, PickCardsResponse
from tests.games.webset.tables import (
    CALL,
    END_SHOW,
    MORE,
    NOTHING,
    SHOW,
    Play,
    answered,
    cards,
    done,
    events,
    fresh,
    message,
    phases,
    sound,
    taken,
)

X0, X1 = "0000 0001 0002", "0010 0011 0012"
WRONG = "0000 0001 0010"


def status(request: Any) -> str:
    return webset_player_pb2.Status.Name(request.status).removeprefix("STATUS_")


def actions(request: Any) -> list[str]:
    return [webset_player_pb2.Action.Name(each).removeprefix("ACTION_") for each in request.actions]


# The order of calls


def test_a_resumed_game_goes_on_in_the_middle_of_a_call() -> None:
    play = Play(done(fresh(3), (1, CALL)))
    assert [call.method.name for call in play.sent] == ["Deal", "Deal", "Deal", "PickCards"]
    play.arrive((1, cards(X0)))
    assert play.state.players[1].points == 1
    shown = Play(done(fresh(2, profile="seed"), (0, SHOW)))
    assert actions(shown.asked("Act")[0]) == ["NOTHING", "SHOW_SOLUTIONS", "END_SOLUTIONS"]


# The first act counts


def test_s13_a_take_before_the_window_ends_counts_and_one_at_its_end_is_late() -> None:
    for elapsed_s, points in ((0.0, 1), (2.999, 1), (3.0, -1), (3.001, -1)):
        play = Play(fresh(2))
        play.arrive((0, answered(CALL), 7.0))
        play.arrive((0, cards(X0), elapsed_s))
        assert play.state.players[0].points == points
        assert play.out == []


def test_if_everybody_does_nothing_all_are_asked_again_and_then_the_game_ends_as_it_stands() -> None:
    play = Play(taken(fresh(3, idle_rounds=3), X0, seat=2))
    for count in range(3):
        assert [request.idle_count for request in play.asked("Act").values()] == [count] * 3
        play.all_arrive(NOTHING)
    assert play.ranking() == [[(2, 1)], [(0, 0), (1, 0)]]
    assert phases(play)[-1] is Phase.OVER
    assert play.out == []


def test_a_call_that_ends_begins_the_count_anew() -> None:
    play = Play(fresh(2, idle_rounds=2))
    play.all_arrive(NOTHING)
    play.arrive((0, answered(CALL)))
    play.arrive((0, cards(WRONG)))
    assert [request.idle_count for request in play.asked("Act").values()] == [0, 0]


# What rode in a cancelled call


def test_a_caller_hears_that_its_call_expired_although_the_question_that_said_so_is_cancelled() -> None:
    play = Play(fresh(2))
    play.arrive((0, answered(CALL)))
    play.arrive((0, Overrun(), 3.01))
    assert status(play.asked("Act")[0]) == "CALL_EXPIRED"
    play.arrive((1, answered(CALL)))  # before the first player has answered
    report = play.last("Report", 0)
    assert (status(report), report.rule_id) == ("CALL_EXPIRED", "webset.take.window")
    assert events(report) == [("CALL_EXPIRED", 0), ("CALLED", 1)]
    play.arrive((1, cards(X0)))
    assert (status(play.asked("Act")[0]), events(play.asked("Act")[0])) == ("UNSPECIFIED", [("GOT_SET", 1)])


def test_each_player_is_told_every_event_once_in_the_calls_that_it_answers() -> None:
    for seed in range(20):
        play, rng, answer = Play(fresh(3, more_rule="anyone", show_enabled=True)), Random(seed), sound("random")
        answered_calls: list[Call] = []
        while play.race is not None:
            answered_calls.append(rng.choice(play.race.calls))
            play.arrive((answered_calls[-1].seat, answer(answered_calls[-1])))
        answered_calls += [call for call in play.sent if call.method.name in ("Report", "GameOver")]
        everything = sorted({event for call in play.sent for event in news(call)})
        assert len(everything) > 5
        for seat in range(3):
            assert sorted(event for call in answered_calls if call.seat == seat for event in news(call)) == everything


def news(call: Call) -> list[tuple[int, int]]:
    request: Any = call.request
    return [(event.revision, event.kind) for event in getattr(request, "events", ())]


# Wrong and late cards


# Misconduct


@pytest.mark.parametrize("number", [0, 6])
def test_no_act_or_an_unknown_one_breaks_a_rule(number: int) -> None:
    play = Play(fresh(2, profile="seed"))
    play.arrive((0, ActResponse(action=number)))  # type: ignore[arg-type]
    (out,) = play.out
    assert isinstance(out.cause, RuleBreak)
    assert out.cause.rule_id == "webset.act.required"
    legal = [reply for packed in out.cause.legal_replies if packed.Unpack(reply := ActResponse())]
    assert [codec.read_act(reply) for reply in legal] == [None, CALL, MORE, SHOW]


# Refusals


def test_a_refused_act_is_told_with_the_next_question_which_comes_at_once() -> None:
    play = Play(fresh(2, show_enabled=False, more_rule="if_no_set"))
    play.arrive((0, answered(SHOW)))
    request = play.asked("Act")[0]
    assert (status(request), request.rule_id) == ("NO_SETS", "webset.show.enabled")
    play.arrive((0, answered(MORE)))
    assert (status(play.asked("Act")[0]), play.asked("Act")[0].rule_id) == ("NOT_NOW", "webset.more.no-set")
    play.arrive((0, answered(END_SHOW)))
    assert status(play.asked("Act")[0]) == "NOT_NOW"
    assert play.out == []


def test_who_is_refused_again_and_again_counts_as_doing_nothing() -> None:
    play = Play(fresh(2, idle_rounds=3))
    for _ in range(3):
        play.arrive((0, answered(END_SHOW)))
    assert list(play.asked("Act")) == [1]
    assert status(play.last("Report", 0)) == "NOT_NOW"
    play.arrive((1, NOTHING))
    assert list(play.asked("Act")) == [0, 1]
    assert play.asked("Act")[0].idle_count == 1


def test_refusals_are_counted_anew_when_the_table_has_changed() -> None:
    play = Play(fresh(2, idle_rounds=3))
    for _ in range(2):
        play.arrive((0, answered(END_SHOW)))
    play.set_by(1, X0)
    for _ in range(2):
        play.arrive((0, answered(END_SHOW)))
        assert set(play.asked("Act")) == {0, 1}
    play.arrive((0, answered(END_SHOW)))
    assert set(play.asked("Act")) == {1}


def test_players_that_only_do_what_is_refused_come_to_an_end() -> None:
    asked = 0

    def stubborn(call: Call) -> Any:
        nonlocal asked
        asked += 1
        return answered(END_SHOW) if call.method.name == "Act" else call.method.response()

    assert drive(GAME.play("g", message(idle_rounds=4), ["a", "b"], Random(1), None), stubborn).ranking
    assert asked < 100


def test_endless_wrong_calls_come_to_an_end() -> None:
    def wrong(call: Call) -> Any:
        if call.method.name == "PickCards":
            return PickCardsResponse(cards=[0, 0, 0])
        return answered(CALL) if call.method.name == "Act" else call.method.response()

    outcome = drive(GAME.play("g", message(act_cap=50), ["a", "b"], Random(1), None), wrong)
    assert outcome.ranking[-1] == [(0, -50)]


# More cards and solutions


def test_players_that_leave_the_solutions_alone_come_to_an_end() -> None:
    play = Play(fresh(2, show_enabled=True, idle_rounds=2))
    play.arrive((0, answered(SHOW)))
    for _ in range(2):
        play.all_arrive(NOTHING)
    assert play.state.phase is Phase.OVER


# Time


def race_of(play: Play) -> Race:
    assert play.race is not None
    return play.race


def test_nobody_is_asked_before_the_reports_are_in_where_acts_are_held() -> None:
    play = Play(fresh(3, min_reaction_ms=500), slow=[2])
    play.arrive((0, answered(CALL), 0.6))
    play.arrive((0, cards(X0), 1.0))
    assert [call.method.name for call in race_of(play).calls] == ["Report"]
    assert race_of(play).hold_s == 0.0
    report = play.last("Report", 2)
    assert events(report) == [("CALLED", 0)]
    play.arrive((2, webset_player_pb2.ReportResponse(), 1.1))
    assert list(play.asked("Act")) == [0, 1, 2]
    assert race_of(play).hold_s == 0.4


def test_a_player_that_is_locked_out_is_not_asked_but_told() -> None:
    play = Play(fresh(3, locked_until_change=True))
    play.arrive((0, answered(CALL)))
    play.arrive((0, cards(WRONG)))
    assert list(play.asked("Act")) == [1, 2]
    assert status(play.last("Report", 0)) == "BAD_SET"
    assert play.last("Report", 0).state.players[0].locked
    play.set_by(1, X0)
    assert list(play.asked("Act")) == [0, 1, 2]


# Rounds


def test_rounds_in_which_nobody_takes_anything_come_to_an_end() -> None:
    play = Play(fresh(2, rounds="earliest", idle_rounds=3))
    for count in range(3):
        assert [request.idle_count for request in play.asked("PickCards").values()] == [count] * 2
        play.answer_round({0: PickCardsResponse(), 1: Overrun()})
    assert play.ranking() == [[(0, 0), (1, 0)]]
