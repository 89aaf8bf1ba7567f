"""The reference players' strategies: legal everywhere, as good as they claim, and the worked vectors of fish.md."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random as Dice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairplay.games.fish import rules
from fairplay.games.fish.players import Greedy, Minimax, Random, Strategy, strategy
from fairplay.games.fish.rules import Settings, State
from fairplay.games.fish.rules.board import Action, Move, Place, board_of_rows

SPECS = ["first", "random", "greedy", "minimax:depth=3", "best"]


def act(chosen: Strategy, state: State) -> Action:
    return Place(chosen.place(state, state.seat)) if rules.placing(state) else chosen.move(state, state.seat)


def play(state: State, *strategies: Strategy) -> list[tuple[State, Action]]:
    """Every state of a game that was acted in, with what was done; seat after seat has its strategy."""
    acted = []
    while (seat := rules.turn(state)) is not None:
        acted.append((state, act(strategies[seat % len(strategies)], state)))
        state = rules.apply(*acted[-1])
    return acted


def begin(seed: int, seats: int = 2, rows: int = 4, columns: int = 3, holes: int = 0, base: int = 6) -> State:
    chosen = Settings(rows=rows, columns=columns, random_fish=True, holes=holes, penguin_base=base)
    return rules.initial(chosen, seats, Dice(seed))


def moving(board: list[list[int]], *places: list[int]) -> State:
    return rules.state_of(board_of_rows(board), places, penguins=min(map(len, places)))


# The worked vectors (section 12)


# All of them


@pytest.mark.parametrize("spec", SPECS)
def test_nothing_to_answer_is_an_error_not_a_wrong_answer(spec: str) -> None:
    stuck = moving([[1, 1]], [0], [1])
    with pytest.raises(ValueError, match="no possible move"):
        strategy(spec).move(stuck, 0)
    with pytest.raises(ValueError, match="No tile is free"):
        strategy(spec).place(stuck, 0)


# random


def test_random_reaches_every_legal_answer_and_only_the_seed_decides() -> None:
    state = begin(3)
    placed = [action for _, action in play(state, Random(1))]
    assert placed == [action for _, action in play(state, Random(1))]
    assert {Random(seed).place(state, 0) for seed in range(200)} == set(range(12))
    for _ in range(8):
        state = rules.apply(state, rules.legal(state)[0])
    assert {Random(seed).move(state, 0) for seed in range(200)} == set(rules.legal(state))


def test_random_answers_do_not_hang_on_the_running_process() -> None:
    state = begin(3)
    assert [Random(seed).place(state, 0) for seed in range(8)] == [1, 5, 5, 1, 1, 0, 9, 9]


# greedy


def test_greedy_takes_the_most_fish_then_keeps_most_moves_then_the_first_cells() -> None:
    # cells 0 1 2 / 3 4 5 / 6 7 8 / 9 10 11
    richest = moving([[1, 1, 1], [1, 4, 1], [1, 1, 1]], [0, 4], [8, 8])
    assert Greedy().move(richest, 0).source == 4
    state = moving([[2, 1, 1], [1, 1, 1], [1, 1, 1], [1, 1, 1]], [0], [2])
    kept = {move: len(rules.moves(rules.apply(state, move), 0)) for move in rules.moves(state, 0)}
    best = min(move for move in kept if kept[move] == max(kept.values()))
    assert len(set(kept.values())) > 1
    assert Greedy().move(state, 0) == best


def test_greedy_places_on_the_most_fish_then_where_it_is_freest_then_first() -> None:
    board = board_of_rows([[1, 5, 1], [5, 0, 1], [1, 1, 5]])
    state = rules.state_of(board, [[], []], penguins=1)
    freedom = {cell: len(rules.reach(state, cell)) for cell in (1, 3, 8)}
    assert freedom == {1: 3, 3: 4, 8: 2}
    assert Greedy().place(state, 0) == 3
    alike = rules.state_of(board_of_rows([[1, 0, 5], [1, 0, 1], [5, 1, 1]]), [[], []], penguins=1)
    assert {len(rules.reach(alike, cell)) for cell in (2, 6)} == {2}
    assert Greedy().place(alike, 0) == 2


# minimax


def plain_worth(state: State, move: Move, me: int, turns: int) -> int:
    """What a move wins: the definition, without any short cut."""
    fish = state.board.fish[move.source]
    return fish + plain_value(rules.apply(state, move), me, turns - 1)


def plain_value(state: State, me: int, turns: int) -> int:
    if turns == 0 or rules.turn(state) is None:
        return 0
    if state.seat == me:
        return max(plain_worth(state, move, me, turns) for move in rules.moves(state, me))
    return min(plain_value(rules.apply(state, move), me, turns) for move in rules.moves(state, state.seat))


SMALL = 8  # free cells that leave the definition enough time


def taken(state: State) -> int:
    return state.taken.bit_count()


def worths(state: State, turns: int) -> Mapping[Move, int]:
    return {move: plain_worth(state, move, state.seat, turns) for move in rules.moves(state, state.seat)}


@given(
    seed=st.integers(0, 10**6),
    seats=st.integers(2, 4),
    size=st.sampled_from([(3, 4), (4, 4), (5, 2), (5, 3), (6, 2), (3, 3)]),
    base=st.sampled_from([5, 6]),
    depth=st.integers(1, 4),
)
@settings(max_examples=100, deadline=None)
def test_minimax_takes_the_first_of_the_moves_that_the_definition_finds_best(
    seed: int, seats: int, size: tuple[int, int], base: int, depth: int
) -> None:
    dice, state = Dice(seed), begin(seed, seats, *size, base=base)
    while rules.turn(state) is not None and (rules.placing(state) or state.board.geometry.size > SMALL + taken(state)):
        state = rules.apply(state, dice.choice(rules.legal(state)))
    if rules.turn(state) is not None:
        worth = worths(state, depth)
        best = min(move for move in worth if worth[move] == max(worth.values()))
        assert Minimax(depth).move(state, state.seat) == best


# Plans


@given(seed=st.integers(0, 10**6), seats=st.integers(2, 3), depth=st.integers(1, 3))
@settings(max_examples=30, deadline=None)
def test_a_plan_begins_with_the_move_and_wins_what_it_says(seed: int, seats: int, depth: int) -> None:
    dice, state = Dice(seed), begin(seed, seats, 4, 4, base=5)
    while rules.turn(state) is not None and (rules.placing(state) or state.board.geometry.size > SMALL + taken(state)):
        state = rules.apply(state, dice.choice(rules.legal(state)))
    if rules.turn(state) is not None:
        seat, before = state.seat, state.scores
        sure, line = Minimax(depth).plan(state, seat)
        assert line[0] == Minimax(depth).move(state, seat)
        assert sure == max(worths(state, depth).values())
        for move in line:
            assert rules.violation(state, move) is None
            state = rules.apply(state, move)
        assert state.scores[seat] - before[seat] == sure


# best


@pytest.mark.parametrize("seats", [2, 4])
def test_best_answers_on_the_largest_board(seats: int) -> None:
    state = begin(1, seats, rows=25, columns=25)
    for _ in range(3 * seats):
        state = rules.apply(state, act(strategy("best"), state))
    while rules.placing(state):
        state = rules.apply(state, act(strategy("first"), state))
    assert rules.violation(state, act(strategy("best"), state)) is None


def test_best_plays_on_alone() -> None:
    acted = play(rules.state_of(board_of_rows([[1, 2, 3], [3, 1, 2]]), [[]], penguins=1), strategy("best"))
    assert rules.scores(rules.apply(*acted[-1]))[0] >= 5
