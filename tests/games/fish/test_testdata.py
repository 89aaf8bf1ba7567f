"""Test data of Fish: total round trips of its forms, every kind of question, and refusals that say where."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairplay.games.fish import rules, testdata
from fairplay.games.fish.rules import Settings, State
from fairplay.games.fish.rules.board import Move, Place, board_of

BOARD = [[1, 2, 3], [4, 0, 5], [1, 1, 2]]
STATE: dict[str, Any] = {
    "players": [
        {"color": "brown", "score": 4, "places": [[0, 0]]},
        {"color": "red", "score": 7, "places": [[1, 0]]},
    ],
    "board": BOARD,
}


def changed(path: list[str | int], value: object) -> Any:
    """STATE with one value replaced."""
    copied = json.loads(json.dumps(STATE))
    inner = copied
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return copied


def states_of_a_game(seed: int, seats: int) -> list[State]:
    rng = Random(seed)
    states = [rules.initial(Settings(rows=4, columns=4, random_fish=True, holes=2), seats, rng)]
    while rules.turn(states[-1]) is not None:
        state = rules.apply(states[-1], rng.choice(rules.legal(states[-1])))
        states.append(rules.eliminate(state, rng.randrange(seats)) if rng.random() < 0.05 else state)
    return states


def seen(state: State) -> tuple[object, ...]:
    """What a plain value says of a state, but for the numbers of the seats."""
    around = [seat % len(state.places) for seat in range(state.seat, state.seat + len(state.places))]
    survivors = [seat for seat in around if state.alive[seat]]
    players = [(state.scores[seat], state.places[seat]) for seat in survivors]
    return rules.tiles(state), state.board.columns, state.penguins, state.over, players, state.taken


# Round trips


@given(seed=st.integers(0, 10**6), seats=st.integers(2, 4))
def test_a_state_is_the_same_after_writing_and_reading(seed: int, seats: int) -> None:
    for state in states_of_a_game(seed, seats):
        if any(state.alive):
            written = json.loads(json.dumps(testdata.write_state(testdata.Table(state, rules.COLORS))))
            game = testdata.read_state(written, state.penguins)
            assert seen(game.state) == seen(state)
            assert testdata.write_state(game) == written


@given(st.lists(st.lists(st.integers(0, 5), max_size=6), min_size=1, max_size=6).filter(any))
def test_a_board_is_the_same_after_reading_and_writing_but_for_the_padding(rows: list[list[int]]) -> None:
    width = max(map(len, rows))
    written = testdata.write_board(rules.state_of(testdata.read_board(rows), [()], penguins=0))
    assert written == [row + [0] * (width - len(row)) for row in rows]


@given(st.integers(0, 8), st.integers(0, 8))
def test_actions_are_read_and_what_is_off_the_board_is_cell_minus_1(row: int, column: int) -> None:
    cell = row * 6 + column if row < 5 and column < 6 else -1
    board = board_of(6, [1] * 30)
    assert testdata.read_action([row, column], board) == Place(cell)
    assert testdata.read_action([[row, column], [0, 1]], board) == Move(cell, 1)
    assert testdata.read_action(False, board) is None


# Questions


def test_the_first_player_moves_and_the_next_one_is_first() -> None:
    assert testdata.legal(STATE) == [[[0, 0], [2, 0]]]
    assert testdata.refusal(STATE, [[0, 0], [2, 0]]) is None
    after = testdata.apply(STATE, [[0, 0], [2, 0]])
    assert after["board"] == [[0, 2, 3], [4, 0, 5], [1, 1, 2]]
    assert after["players"] == [
        {"color": "red", "score": 7, "places": [[1, 0]]},
        {"color": "brown", "score": 5, "places": [[2, 0]]},
    ]
    assert testdata.scores(after) == {"red": 7, "brown": 5}
    assert testdata.ranking(after) == [["red"], ["brown"]]


def test_a_refused_action_names_its_rule() -> None:
    assert testdata.refusal(STATE, [[0, 0], [0, 1]]) == "fish.move.straight-line"
    assert testdata.refusal(STATE, [[0, 0], [9, 9]]) == "fish.move.on-board"
    assert testdata.refusal(STATE, [0, 1]) == "fish.place.before-moving"
    assert testdata.refusal(STATE, False) == "fish.move.mandatory"
    assert testdata.refusal(STATE, [[1, 0], [2, 0]]) == "fish.move.own-penguin"
    assert testdata.apply(STATE, [[1, 0], [2, 0]]) is False


def test_placing_goes_on_while_a_player_has_too_few_penguins() -> None:
    setup = changed(["players", 0, "places"], [])
    assert testdata.refusal(setup, [0, 1], penguins=1) is None
    assert testdata.refusal(setup, [1, 0], penguins=1) == "fish.place.free"
    after = testdata.apply(setup, [0, 1], penguins=1)
    assert [player["places"] for player in after["players"]] == [[[1, 0]], [[0, 1]]]
    assert testdata.step(setup, "minimax", penguins=1) == [0, 0]


def test_a_stuck_first_player_has_no_moves_and_may_only_skip() -> None:
    stuck = changed(["board"], [[1, 2, 3], [4, 0, 5], [0, 1, 2]])
    assert testdata.legal(stuck) == []
    assert testdata.step(stuck, "first") is False
    assert testdata.refusal(stuck, [[0, 0], [1, 0]]) == "fish.move.clear-path"
    assert testdata.refusal(stuck, False) is None
    assert [player["color"] for player in testdata.apply(stuck, False)["players"]] == ["red", "brown"]


# Refusals


def test_unknown_colors_and_positions_are_refused() -> None:
    with pytest.raises(ValueError, match="color is 'white': it must be one of brown, red"):
        testdata.eliminate(STATE, "white")
    with pytest.raises(ValueError, match="not on the board"):
        testdata.reach(BOARD, [3, 0])


F3_START = {
    "players": [
        {"color": "red", "score": 0, "places": [[0, 0], [0, 2], [1, 1], [2, 0]]},
        {"color": "white", "score": 0, "places": [[0, 1], [1, 0], [1, 2], [2, 1]]},
    ],
    "board": [[3, 3, 3], [3, 3, 3], [3, 3, 3]],
}


# Plans and starts


def test_a_plan_is_the_line_of_play_and_the_fish_it_brings() -> None:
    assert testdata.plan(F3_START, 2) == [3, [[[0, 2], [2, 2]]]]
    assert testdata.plan(changed(["board"], [[1, 2, 3], [4, 0, 5], [0, 1, 2]]), 2) == [0, []]


def test_a_board_can_be_given() -> None:
    assert testdata.start({"board": [[1, 2, 3, 4], [5, 4], [1, 1, 1, 1]]}, 2)[0]["board"] == [
        [1, 2, 3, 4],
        [5, 4, 0, 0],
        [1, 1, 1, 1],
    ]


# Tournaments: vectors F7 and section 7


@pytest.mark.parametrize(
    ("defect", "winners"),
    [(["start"], "b"), (["end"], ""), (["take-turn"], "b"), (["setup", 2], "b"), (["a cheat", "stay"], "b")],
)
def test_who_fails_anywhere_in_a_tournament_has_failed(defect: list[object], winners: str) -> None:
    played = testdata.tournament([["a", "minimax", *defect], ["b", "minimax"]])
    assert (played["winners"], played["failed"]) == (list(winners), ["a"])


def test_who_fails_in_end_has_not_failed_if_that_is_chosen() -> None:
    played = testdata.tournament([["a", "minimax", "end"], ["b", "minimax"]], {}, 0, False)
    assert (played["winners"], played["failed"]) == ([], [])


def test_the_course_of_a_tournament_follows_from_its_outcomes() -> None:
    outcomes = [[["b"], ["a"]], [["d", "e"], []], [["e"], []]]
    assert testdata.knockouts(["a", "b", "c", "d", "e"], outcomes) == {
        "winners": ["e"],
        "failed": ["a"],
        "rounds": [[["a", "b", "c"], ["d", "e"]], [["b", "d", "e"]]],
    }


@pytest.mark.parametrize(
    ("outcomes", "complaint"),
    [([], "the outcome of the game of a, b"), ([[["c"], []]], "outcome is 'c': it must be one of a, b")],
)
def test_outcomes_that_fit_no_game_are_refused(outcomes: object, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        testdata.knockouts(["a", "b"], outcomes)
