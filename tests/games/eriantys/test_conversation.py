"""The conversation of Eriantys: who is called, when, with what; wrong answers and failures."""

from __future__ import annotations

from typing import Any

import pytest

from fairplay.eriantys.v1 import eriantys_pb2
from fairplay.eriantys.v1.eriantys_pb2 import (
    EndTurn,
)
from fairplay.eriantys.v1.eriantys_player_pb2 import AskActionResponse, AskAssistantCardResponse, AskTowerColorResponse
from fairplay.games.eriantys import rules
from fairplay.games.eriantys.game import GAME
from fairplay.games.eriantys.rules.state import Reason, Settings
from fairplay.games.steps import Call, Eliminate
from fairplay.v1.misconduct_pb2 import CallError, Overrun, RuleBreak
from tests.games.eriantys.playing import (
    does,
    failing,
    game,
    resumed,
    sound,
    tower,
)
from tests.games.eriantys.tables import fresh

TOWER, START, CARD, ACTION, BOARD, LAST, END, GONE = (method.name for method in GAME.methods)


# Tower colours


def test_of_a_team_the_first_player_chooses() -> None:
    assert [said.call.seat for said in game(sound(), 4).of(TOWER)] == [0, 1, 1]
    assert [said.call.seat for said in game(sound(), 4, team_seating="ADJACENT").of(TOWER)] == [0, 2, 2]


@pytest.mark.parametrize(
    ("reply", "rule_id", "reported"),
    [
        (AskTowerColorResponse(), "eriantys.action.required", "no colour"),
        (tower("GREY"), "eriantys.towers.known", "grey towers"),
    ],
)
def test_an_impossible_colour_is_asked_for_again_and_then_misconduct(reply: Any, rule_id: str, reported: str) -> None:
    played = game(failing(1, TOWER, reply), 2)
    asked = [said.call.request for said in played.of(TOWER) if said.call.seat == 1]
    assert [request.first_request for request in asked] == [True, False, False]
    assert {request.refusal.rule_id for request in asked[1:]} == {rule_id}
    (out,) = played.eliminated()
    assert isinstance(out.cause, RuleBreak)
    assert (out.seat, out.cause.rule_id) == (1, rule_id)
    assert out.cause.explanation.endswith(f"Given: {reported}.")
    assert played.groups() == [[0]]
    assert played.last().reason is Reason.LAST_SIDE


def test_a_colour_that_was_free_when_it_was_offered_costs_no_attempt_but_one_that_was_taken_does() -> None:
    played = game(failing(1, TOWER, tower("BLACK")), 2, max_attempts=2)
    asked = [said.call.request for said in played.of(TOWER) if said.call.seat == 1]
    assert [list(request.possible_colors) for request in asked] == [[1, 2], [2], [2]]
    assert [out.seat for out in played.eliminated()] == [1]
    (legal,) = played.eliminated()[0].cause.legal_replies  # type: ignore[union-attr]
    assert legal.Unpack(found := AskTowerColorResponse())
    assert found == tower("WHITE")


def test_the_partner_of_a_player_that_is_eliminated_before_it_chooses_is_asked() -> None:
    played = game(failing(0, TOWER, CallError()), 4, on_disconnect="ELIMINATE")
    assert [said.call.seat for said in played.of(TOWER)] == [0, 1, 2]
    assert (0, START) not in played.calls()


# Impossible answers


def test_the_last_impossible_answer_is_misconduct_with_the_legal_ones_and_the_game_goes_on_without_its_player() -> None:
    played = game(failing(1, ACTION, does(end_turn=EndTurn()), after=4), 3)
    (out,) = played.eliminated()
    assert isinstance(out.cause, RuleBreak)
    assert (out.seat, out.cause.rule_id) == (1, "eriantys.action.phase")
    asked = [said.call.request for said in played.of(ACTION) if said.call.seat == 1]
    assert [request.first_request for request in asked[-3:]] == [True, False, False]
    assert out.cause.legal_reply_count == len(out.cause.legal_replies) > 0
    for packed in out.cause.legal_replies:
        assert packed.Unpack(AskActionResponse())
    assert {seat for seat, _ in played.after(Eliminate)} == {0, 2}
    assert played.after(Eliminate)[:4] == [(0, GONE), (2, GONE), (0, BOARD), (2, BOARD)]
    assert sorted(seat for group in played.groups() for seat in group) == [0, 2]


@pytest.mark.parametrize("attempts", [1, 7])
def test_as_many_answers_as_the_settings_allow_may_be_impossible_but_the_last(attempts: int) -> None:
    wrong = AskAssistantCardResponse()
    spared = game(failing(0, CARD, wrong, times=attempts - 1), 2, max_attempts=attempts)
    assert not spared.eliminated()
    assert len(spared.of(CARD)) == 20 + attempts - 1
    out = game(failing(0, CARD, wrong, times=attempts), 2, max_attempts=attempts)
    assert [each.seat for each in out.eliminated()] == [0]


def test_attempts_are_counted_for_each_question_anew() -> None:
    healthy, count = sound(), {"asked": 0}

    def forgetful(call: Call) -> Any:
        if call.seat == 0 and call.method.name == ACTION and call.request.first_request:
            count["asked"] += 1
            return AskActionResponse()
        return healthy(call)

    played = game(forgetful, 2, max_attempts=2)
    assert count["asked"] > 20
    assert not played.eliminated()


# Players that are lost


def test_skip_turns_no_board_is_shown_twice_when_one_is_lost_as_another_comes_back() -> None:
    away_in: list[int] = []

    def answer(call: Call) -> Any:
        if call.method.name == BOARD and call.request.state.standings[1] == eriantys_pb2.STANDING_AWAY:
            away_in.append(call.request.state.round)
            if call.seat == 2 and call.request.state.round == away_in[0] + 1:
                return CallError()  # of the board with which seat 1 comes back
        return lost_once(call)

    lost_once = failing(1, CARD, CallError(), after=3, times=1)
    played = game(answer, 3, on_disconnect="SKIP_TURNS")
    assert [said.call.request.lost_seat for said in played.of(GONE) if said.call.seat == 0][:2] == [1, 2]
    shown = [said.call.request.state.revision for said in played.of(BOARD) if said.call.seat == 0]
    assert len(shown) == len({*shown})


def test_skip_turns_the_game_is_over_when_everybody_is_away() -> None:
    played = game(lambda call: Overrun() if call.method.name == CARD else sound()(call), 2, on_disconnect="SKIP_TURNS")
    assert played.last().reason is Reason.DISCONNECTED
    assert [list(said.call.request.winner_seats) for said in played.of(END)] == [[], []]
    assert not played.eliminated()


# Games that go on


def test_a_game_that_goes_on_in_its_last_round_shows_it() -> None:
    state = next(state for state in game(sound(), 2).states() if state.last_round)
    assert resumed(sound(), state).calls()[:4] == [(0, START), (1, START), (0, LAST), (1, LAST)]


def test_those_that_are_out_are_not_called_when_a_game_goes_on() -> None:
    state = rules.eliminate(fresh(Settings(), 3), 1)
    assert {seat for seat, _ in resumed(sound(), state).calls()} == {0, 2}
