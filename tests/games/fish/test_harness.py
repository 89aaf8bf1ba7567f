"""Plain values in and out of the rules of fish: total round trips, and refusals that say where."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairplay.games.fish import rules
from fairplay.games.fish import testdata as harness
from fairplay.games.fish.rules import Move, Place, Settings, State

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
            written = json.loads(json.dumps(harness.write_state(harness.Game(state, rules.COLORS))))
            game = harness.read_state(written, state.penguins)
            assert seen(game.state) == seen(state)
            assert harness.write_state(game) == written


def test_seats_are_numbered_in_the_order_of_the_players() -> None:
    game = harness.read_state(STATE)
    assert game.colors == ("brown", "red")
    assert (game.state.places, game.state.scores, rules.turn(game.state)) == (((0,), (3,)), (4, 7), 0)
    assert harness.write_state(game) == STATE


def test_the_eliminated_are_not_written() -> None:
    written = harness.eliminate(STATE, "red")
    assert written["players"] == STATE["players"][:1]
    assert harness.legal_moves(written) == [[[0, 0], [1, 0]], [[0, 0], [2, 1]], [[0, 0], [2, 0]]]


@given(st.lists(st.lists(st.integers(0, 5), max_size=6), min_size=1, max_size=6).filter(any))
def test_a_board_is_the_same_after_reading_and_writing_but_for_the_padding(rows: list[list[int]]) -> None:
    width = max(map(len, rows))
    written = harness.write_board(rules.state_of(harness.read_board(rows), [()], penguins=0))
    assert written == [row + [0] * (width - len(row)) for row in rows]


@given(st.integers(0, 8), st.integers(0, 8))
def test_actions_are_read_and_what_is_off_the_board_is_cell_minus_1(row: int, column: int) -> None:
    cell = row * 6 + column if row < 5 and column < 6 else -1
    board = rules.board_of(6, [1] * 30)
    assert harness.read_action([row, column], board) == Place(cell)
    assert harness.read_action([[row, column], [0, 1]], board) == Move(cell, 1)
    assert harness.read_action(False, board) is None


# Questions


@pytest.mark.parametrize(
    ("board", "reached"),
    [([[1, 2, 3], [4, 0, 5]], [[1, 0]]), ([[1, 2, 3], [4, 0, 5], [1, 1, 0]], [[1, 0], [2, 1], [2, 0]])],
)
def test_vector_f1(board: list[list[int]], reached: list[list[int]]) -> None:
    assert harness.reach(board, [0, 0]) == reached


def test_the_first_player_moves_and_the_next_one_is_first() -> None:
    assert harness.legal_moves(STATE) == [[[0, 0], [2, 0]]]
    assert harness.refusal(STATE, [[0, 0], [2, 0]]) is None
    after = harness.apply(STATE, [[0, 0], [2, 0]])
    assert after["board"] == [[0, 2, 3], [4, 0, 5], [1, 1, 2]]
    assert after["players"] == [
        {"color": "red", "score": 7, "places": [[1, 0]]},
        {"color": "brown", "score": 5, "places": [[2, 0]]},
    ]
    assert harness.scores(after) == {"red": 7, "brown": 5}
    assert harness.ranking(after) == [["red"], ["brown"]]


def test_a_refused_action_names_its_rule() -> None:
    assert harness.refusal(STATE, [[0, 0], [0, 1]]) == "fish.move.straight-line"
    assert harness.refusal(STATE, [[0, 0], [9, 9]]) == "fish.move.on-board"
    assert harness.refusal(STATE, [0, 1]) == "fish.place.before-moving"
    assert harness.refusal(STATE, False) == "fish.move.mandatory"
    with pytest.raises(ValueError, match=r"fish\.move\.own-penguin: "):
        harness.apply(STATE, [[1, 0], [2, 0]])


def test_placing_goes_on_while_a_player_has_too_few_penguins() -> None:
    setup = changed(["players", 0, "places"], [])
    assert harness.refusal(setup, [0, 1], penguins=1) is None
    assert harness.refusal(setup, [1, 0], penguins=1) == "fish.place.free"
    after = harness.apply(setup, [0, 1], penguins=1)
    assert [player["places"] for player in after["players"]] == [[[1, 0]], [[0, 1]]]
    assert harness.answer(setup, "minimax", penguins=1) == [0, 0]


def test_a_stuck_first_player_has_no_moves_and_may_only_skip() -> None:
    stuck = changed(["board"], [[1, 2, 3], [4, 0, 5], [0, 1, 2]])
    assert harness.legal_moves(stuck) == []
    assert harness.answer(stuck, "first") is False
    assert harness.refusal(stuck, [[0, 0], [1, 0]]) == "fish.move.clear-path"
    assert harness.refusal(stuck, False) is None
    assert [player["color"] for player in harness.apply(stuck, False)["players"]] == ["red", "brown"]


@pytest.mark.parametrize("spec", ["first", "random:seed=1", "greedy", "minimax:depth=2"])
def test_a_strategy_answers_the_first_player(spec: str) -> None:
    assert harness.answer(STATE, spec) == [[0, 0], [2, 0]]


# Refusals


@pytest.mark.parametrize(
    ("path", "value", "complaint"),
    [
        (["players"], {}, "players must be an array"),
        (["players"], [], "0 seats"),
        (["players", 0], [], r"players\[0\] must be an object with color, score, places"),
        (["players", 0, "age"], 7, r"players\[0\] must be an object with"),
        (["players", 0, "color"], "blue", "must be one of red, white, brown, black"),
        (["players", 0, "color"], "red", "same color"),
        (["players", 1, "score"], -1, r"players\[1\]\.score must be a natural number"),
        (["players", 1, "score"], True, r"players\[1\]\.score must be a natural number"),
        (["players", 1, "places"], None, r"players\[1\]\.places must be an array"),
        (["players", 1, "places"], [[0, 0]], "same tile"),
        (["players", 1, "places"], [[1, 1]], r"players\[1\]\.places\[0\] is a hole"),
        (["players", 1, "places"], [[3, 0]], "not on the board of 3 rows and 3 columns"),
        (["players", 1, "places"], [[1]], r"must be \[row, column\]"),
        (["players", 1, "places"], [[1, "0"]], r"places\[0\]\[1\] must be a natural number"),
        (["board"], [], "no tiles"),
        (["board"], [[], []], "no tiles"),
        (["board"], [1], r"board\[0\] must be an array"),
        (["board", 1], [1, 2.0], r"board\[1\]\[1\] must be a natural number"),
        (["board", 1], [1, 9], "0 to 5 fish, not 9"),
        (["board", 1], [1] * 26, "1 to 25 rows and columns"),
    ],
)
def test_a_value_of_another_shape_is_refused_and_says_where(
    path: list[str | int], value: object, complaint: str
) -> None:
    with pytest.raises(ValueError, match=complaint):
        harness.read_state(changed(path, value))


@pytest.mark.parametrize("action", [True, None, "skip", [], [[0, 0]], [[0, 0], [1, 0], [2, 0]], [[0, 0], 1], [1, -1]])
def test_an_action_of_another_shape_is_refused(action: object) -> None:
    with pytest.raises(ValueError, match=r"action"):
        harness.refusal(STATE, action)


def test_unknown_colors_and_positions_are_refused() -> None:
    with pytest.raises(ValueError, match="the players are brown, red"):
        harness.eliminate(STATE, "white")
    with pytest.raises(ValueError, match="not on the board"):
        harness.reach(BOARD, [3, 0])


F3_START = {
    "players": [
        {"color": "red", "score": 0, "places": [[0, 0], [0, 2], [1, 1], [2, 0]]},
        {"color": "white", "score": 0, "places": [[0, 1], [1, 0], [1, 2], [2, 1]]},
    ],
    "board": [[3, 3, 3], [3, 3, 3], [3, 3, 3]],
}
SMALL = {
    "players": [{"color": "red", "score": 0, "places": []}, {"color": "white", "score": 0, "places": []}],
    "board": [[2, 2, 2, 2]] * 4,
}


def test_a_whole_game_is_played_as_vector_f3_says() -> None:
    played = harness.play(F3_START, [["minimax"], ["minimax"]])
    assert played == {"ranking": [["red"], ["white"]], "scores": {"red": 3, "white": 0}, "out": []}


@pytest.mark.parametrize(
    "fault",
    [
        ["raises", "setup", 1],
        ["hangs", "setup", 2],
        ["raises", "take-turn", 1],
        ["hangs", "take-turn", 2],
        *(["cheats", kind] for kind in harness.CHEATS),
    ],
)
def test_an_actor_with_a_fault_is_out_and_the_other_is_ranked_alone(fault: list[object]) -> None:
    played = harness.play(SMALL, [["minimax", *fault], ["greedy"]], penguins=2)
    assert (played["out"], played["ranking"]) == (["red"], [["white"]])


@pytest.mark.parametrize(
    "actors", [[["minimax"]], [["nobody"], ["first"]], [["first", "sulks"], ["first"]], [[], ["first"]]]
)
def test_actors_that_make_no_sense_are_refused(actors: object) -> None:
    with pytest.raises(ValueError, match=r"actors|strategy"):
        harness.play(SMALL, actors, penguins=2)
