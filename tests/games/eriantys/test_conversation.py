"""The conversation of Eriantys: who is called, when, with what; wrong answers and failures."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from fairplay.eriantys.v1 import eriantys_pb2
from fairplay.eriantys.v1.eriantys_pb2 import (
    EndTurn,
)
from fairplay.eriantys.v1.eriantys_player_pb2 import AskActionResponse, AskAssistantCardResponse, AskTowerColorResponse
from fairplay.games.eriantys import rules
from fairplay.games.eriantys.game import GAME
from fairplay.games.eriantys.rules.state import NOBODY, Phase, Reason, Settings, Standing
from fairplay.games.steps import Call, CallAll, Eliminate
from fairplay.v1.misconduct_pb2 import CallError, Overrun, RuleBreak
from tests.games.eriantys.playing import (
    does,
    failing,
    game,
    lost,
    messages,
    resumed,
    sound,
    tower,
)
from tests.games.eriantys.tables import expert, fresh, table

TOWER, START, CARD, ACTION, BOARD, LAST, END, GONE = (method.name for method in GAME.methods)
LOST = Overrun()


def boards(seat_count: int) -> list[tuple[int, str]]:
    return [(seat, BOARD) for seat in range(seat_count)]


# The order of calls


def test_twelve_questions_in_a_round_of_two_and_twenty_one_of_three() -> None:
    for seat_count, expected in ((2, 12), (3, 21)):
        played = game(sound(), seat_count)
        asked = [said for said in played.of(CARD, ACTION) if said.call.request.state.round == 2]
        assert len(asked) == expected


def test_notifications_go_to_everybody_at_once_and_questions_of_a_turn_one_at_a_time() -> None:
    played = game(sound(), 3)
    for step in played.steps:
        if isinstance(step, CallAll):
            assert {call.method.name for call in step.calls} <= {TOWER, START, BOARD, LAST, END}
            assert len({call.seat for call in step.calls}) == len(step.calls)
        elif isinstance(step, Call):
            assert step.method.name in (CARD, ACTION)


def test_everybody_is_told_every_board_with_the_revision_of_the_state_that_was_shown() -> None:
    played = game(sound(), 3, mode="EXPERT")
    shown = {state.revision for state in played.states()}
    reported = Counter(said.call.request.state.revision for said in played.of(BOARD))
    assert set(reported.values()) == {3}
    assert set(reported) == {revision for revision in shown if revision > 3}  # towers are chosen before


def test_start_game_tells_seat_names_settings_and_hand() -> None:
    played = game(sound(), 3, mode="EXPERT", max_attempts=5)
    for said in played.of(START):
        request = said.call.request
        assert request.seat == said.call.seat
        assert list(request.player_names) == ["a", "b", "c"]
        assert request.settings == messages(mode="EXPERT", max_attempts=5)
        assert list(request.hand) == list(range(1, 11))
        assert request.state.phase == eriantys_pb2.PHASE_ASSISTANT
        assert request.state.active_seat == request.state.first_seat


# Tower colours


def test_of_those_that_choose_the_same_colour_at_once_the_first_seat_gets_it_and_the_others_are_asked_again() -> None:
    played = game(sound(), 3, max_attempts=1)
    asked = [(said.call.seat, list(said.call.request.possible_colors)) for said in played.of(TOWER)]
    assert asked == [(0, [1, 2, 3]), (1, [1, 2, 3]), (2, [1, 2, 3]), (1, [2, 3]), (2, [2, 3]), (2, [3])]
    again = played.of(TOWER)[3].call.request
    assert not again.first_request
    assert again.refusal.rule_id == "eriantys.towers.taken"
    assert [said.call.request.first_request for said in played.of(TOWER)] == [True] * 3 + [False] * 3
    assert not played.eliminated()
    assert played.states()[3].tower_colors == (0, 1, 2)


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


def test_a_player_lost_before_the_start() -> None:
    ended = game(failing(1, TOWER, LOST), 3)
    assert ended.calls()[:4] == [(0, TOWER), (1, TOWER), (2, TOWER), (2, TOWER)] or ended.eliminated()
    assert (ended.last().reason, ended.groups()) == (Reason.DISCONNECTED, [[0, 2]])
    skipped = game(failing(1, TOWER, LOST), 3, on_disconnect="SKIP_TURNS")
    assert sorted(skipped.last().tower_colors) == [0, 1, 2]
    assert not skipped.eliminated()
    out = game(failing(1, TOWER, LOST), 3, on_disconnect="ELIMINATE")
    assert out.last().tower_colors[1] == NOBODY
    assert sorted(seat for group in out.groups() for seat in group) == [0, 2]


def test_a_game_that_is_over_before_all_colours_are_chosen_does_not_begin() -> None:
    played = game(failing(1, TOWER, CallError()), 3)
    assert played.last().reason is Reason.DISCONNECTED
    assert [call for call in played.calls() if call[1] != TOWER] == [(0, GONE), (2, GONE), (0, END), (2, END)]
    assert {said.call.request.reason for said in played.of(END)} == {eriantys_pb2.REASON_DISCONNECTED}
    eliminated = game(failing(1, TOWER, tower("GREY")), 2, on_disconnect="ELIMINATE")
    assert [call for call in eliminated.calls() if call[1] != TOWER] == [(0, GONE), (0, END)]


def test_the_partner_of_a_player_that_is_eliminated_before_it_chooses_is_asked() -> None:
    played = game(failing(0, TOWER, CallError()), 4, on_disconnect="ELIMINATE")
    assert [said.call.seat for said in played.of(TOWER)] == [0, 1, 2]
    assert (0, START) not in played.calls()


# Impossible answers


EXPERT = table(
    settings=expert(1, 7, 10), entrances=["GREEN2 RED", "RED"], phase=Phase.STUDENTS, coins=(2, 0), reserve=18
)


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


@pytest.mark.parametrize("method", [CARD, ACTION, BOARD])
def test_skip_turns_a_lost_player_is_away_until_it_answers_the_first_board_of_a_later_round(method: str) -> None:
    played = game(failing(1, method, LOST, after=3, times=1), 3, on_disconnect="SKIP_TURNS")
    gone = next(place for place, said in enumerate(played.said) if said.answer is LOST)
    lost_in = next(state for state in played.states() if state.standings[1] is Standing.AWAY).round
    reported = played.of(GONE)
    assert [(said.call.seat, said.call.request.lost_seat, said.call.request.standing) for said in reported] == [
        (0, 1, eriantys_pb2.STANDING_AWAY),
        (2, 1, eriantys_pb2.STANDING_AWAY),
    ]
    later = [said for said in played.said[gone + 1 :] if said.call.seat == 1]
    assert later[0].call.method.name == BOARD
    assert later[0].call.request.state.round == lost_in + 1
    assert later[0].call.request.state.standings[1] == eriantys_pb2.STANDING_AWAY
    assert later[1].call.request.state.standings[1] == eriantys_pb2.STANDING_PLAYING
    assert later[2].call.request.state.round >= lost_in + 1
    assert any(said.call.method.name == ACTION for said in later)
    assert not played.eliminated()
    assert sorted(seat for group in played.groups() for seat in group) == [0, 1, 2]


def test_skip_turns_one_that_stays_away_is_called_once_a_round_and_blamed_at_the_end() -> None:
    played = game(lost(1, CallError(message="gone"), after=20), 3, on_disconnect="SKIP_TURNS")
    away = [said for said in played.said if said.call.seat == 1][21:]
    rounds = [said.call.request.state.round for said in away if said.call.method.name == BOARD]
    assert rounds == list(range(rounds[0], rounds[-1] + 1))
    assert [said.call.method.name for said in away] == [BOARD] * len(rounds) + [END]
    shown = [said.call.request.state.revision for said in played.of(BOARD) if said.call.seat == 0]
    assert len(shown) == len({*shown})
    assert played.eliminated() == [Eliminate(1, CallError(message="gone"))]
    assert played.steps[-2] == played.eliminated()[0]
    assert played.last().standings[1] is Standing.FAILED
    assert sorted(seat for group in played.groups() for seat in group) == [0, 2]


def test_skip_turns_one_that_is_back_for_the_end_is_ranked_and_not_blamed() -> None:
    def answer(call: Call) -> Any:
        return CallError() if call.seat == 1 and call.method.name in (BOARD, CARD) else sound()(call)

    played = game(answer, 3, on_disconnect="SKIP_TURNS")
    assert not played.eliminated()
    assert sorted(seat for group in played.groups() for seat in group) == [0, 1, 2]
    assert len(played.of(END)) == 3


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


@pytest.mark.parametrize("policy", ["END_GAME", "SKIP_TURNS", "ELIMINATE"])
def test_several_that_are_lost_in_the_same_moment_are_not_called_in_between(policy: str) -> None:
    answer = failing(1, BOARD, CallError(), after=10, others=failing(3, BOARD, CallError(), after=10))
    played = game(answer, 4, on_disconnect=policy)
    failed = [said for said in played.said if isinstance(said.answer, CallError)]
    assert [(said.call.seat, said.step) for said in failed[:2]] == [(1, failed[0].step), (3, failed[0].step)]
    between = [said for said in played.said if said.step > failed[0].step and said.call.method.name == GONE]
    assert [said.call.seat for said in between][:4] == [0, 2, 0, 2][: len(between)]
    assert sorted(out.seat for out in played.eliminated()) == ([] if policy == "SKIP_TURNS" else [1, 3])
    assert (len(failed) == 2) is (policy != "SKIP_TURNS")


@pytest.mark.parametrize("policy", ["END_GAME", "ELIMINATE"])
def test_where_everybody_is_lost_nobody_is_told_and_nobody_is_ranked(policy: str) -> None:
    played = game(lambda call: Overrun(), 3, on_disconnect=policy)
    assert played.calls() == [(0, TOWER), (1, TOWER), (2, TOWER)]
    assert sorted(out.seat for out in played.eliminated()) == [0, 1, 2]
    assert not any(played.groups())


def test_one_that_fails_while_it_is_told_of_another_is_lost_too() -> None:
    played = game(failing(0, GONE, Overrun(), others=failing(1, ACTION, CallError())), 3, on_disconnect="ELIMINATE")
    assert [out.seat for out in played.eliminated()] == [1, 0]
    assert (2, GONE) in played.calls()
    assert played.groups() == [[2]]


# The last round, and the end


def test_the_last_round_is_shown_once_to_everybody_after_the_board_in_which_it_shows() -> None:
    for seat_count, reason in ((2, eriantys_pb2.REASON_LAST_ASSISTANT), (3, eriantys_pb2.REASON_BAG_EMPTY)):
        played = game(sound(), seat_count)
        reported = played.of(LAST)
        assert [said.call.seat for said in reported] == list(range(seat_count))
        assert {said.call.request.reason for said in reported} == {reason}
        before = [said for said in played.said if said.step < reported[0].step]
        assert before[-1].call.method.name == BOARD
        assert before[-1].call.request.state.last_round_reason == reason
        assert all(
            said.call.request.state.last_round_reason == 0
            for said in before[: -2 * seat_count]
            if said.call.method.name == BOARD
        )


def test_one_that_fails_when_the_last_round_is_shown_is_lost() -> None:
    played = game(failing(1, LAST, LOST), 3, on_disconnect="ELIMINATE")
    assert played.eliminated() == [Eliminate(1, LOST)]
    assert 1 not in {seat for seat, _ in played.after(Eliminate)}


def test_a_game_that_ends_at_once_shows_no_last_round() -> None:
    state = table(groups=[((0, 1, 2, 3, 4, 5, 6), 0)], held={7: "GREEN2"}, professors={0: 0}, mother_nature=6)
    played = resumed(sound(), state)
    assert LAST not in {method for _, method in played.calls()}
    assert played.last().reason is Reason.LAST_TOWER
    assert played.calls()[-4:] == [*boards(2), (0, END), (1, END)]
    end = played.of(END)[0].call.request
    assert (list(end.winner_seats), end.reason) == ([0], eriantys_pb2.REASON_LAST_TOWER)
    assert (list(end.state.winner_seats), end.state.end_reason) == ([0], eriantys_pb2.REASON_LAST_TOWER)
    assert played.outcome.ranking == [[(0, 8)], [(1, 0)]]


def test_a_team_wins_together() -> None:
    played = game(sound(), 4)
    assert list(played.of(END)[0].call.request.winner_seats) == played.groups()[0] == [0, 2]


@pytest.mark.parametrize("policy", ["SKIP_TURNS", "ELIMINATE"])
def test_one_that_fails_at_the_end_is_not_ranked_and_nobody_moves_up(policy: str) -> None:
    whole = game(sound(), 3, on_disconnect=policy)
    winner = whole.groups()[0][0]
    played = game(failing(winner, END, Overrun()), 3, on_disconnect=policy)
    assert played.eliminated() == [Eliminate(winner, Overrun())]
    assert played.last().standings[winner] is Standing.FAILED
    assert [group for group in played.groups() if group] == whole.groups()[1:]
    assert GONE not in {method for _, method in played.calls()}
    assert rules.winners(played.last()) == ()


# Games that go on from a state


def test_a_game_that_goes_on_in_its_last_round_shows_it() -> None:
    state = next(state for state in game(sound(), 2).states() if state.last_round)
    assert resumed(sound(), state).calls()[:4] == [(0, START), (1, START), (0, LAST), (1, LAST)]


def test_those_that_are_out_are_not_called_when_a_game_goes_on() -> None:
    state = rules.eliminate(fresh(Settings(), 3), 1)
    assert {seat for seat, _ in resumed(sound(), state).calls()} == {0, 2}


# The explicit end of a turn, and the driver


def test_the_end_of_a_turn_is_asked_for_where_the_settings_want_it() -> None:
    played = game(sound(), 2, explicit_end_turn=True)
    kinds = [list(said.call.request.possible_actions.kinds) for said in played.of(ACTION)]
    assert kinds.count([eriantys_pb2.ACTION_KIND_END_TURN]) == 20
    assert not played.eliminated()
