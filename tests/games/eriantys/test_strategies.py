"""The reference players of Eriantys: legal, deterministic, blind to what is hidden, and as strong as they should be."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from time import thread_time

import pytest

from fairplay.games.eriantys import rules
from fairplay.games.eriantys.players.strategies import STRATEGIES, Strategy, strategy
from fairplay.games.eriantys.rules import Phase, Settings, State, TakeCloud, ToDiningRoom, ToIsland
from tests.games.eriantys.tables import RED, YELLOW, expert, fresh, states, table
from tests.slow import SLOW

EXPERT = Settings(mode="expert")


def played_out(settings: Settings, brains: Sequence[Strategy], seed: int) -> State:
    """Return the end of a game in which every answer is legal."""
    state = rules.initial(settings, len(brains), Random(seed))
    while (seat := rules.turn(state)) is not None:
        action = brains[seat](rules.view(state, seat))
        assert rules.violation(state, action) is None
        state = rules.apply(state, action)
    return state


def wins(one: str, other: str, seeds: range) -> int:
    """Return how often the first strategy wins two-player Expert games, in turn on either seat."""
    brains = strategy(one), strategy(other)
    ends = {seed: played_out(EXPERT, brains if seed % 2 == 0 else brains[::-1], seed) for seed in seeds}
    return sum(rules.winners(end) == (seed % 2,) for seed, end in ends.items())


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize("name", ["first", "random", "greedy"])
def test_every_answer_is_legal(name: str, seats: int) -> None:
    for seed in range(3):
        for settings in (Settings(), EXPERT, Settings(mode="expert", explicit_end_turn=True, island_address="group")):
            played_out(settings, [strategy(name)] * seats, seed)


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_every_answer_of_best_is_legal(seats: int) -> None:
    settings = Settings(mode="expert", explicit_end_turn=True, island_address="group", allow_zero_swaps=True)
    played_out(settings, [strategy("best:width=2")] * seats, seats)


@pytest.mark.parametrize("characters", [(1, 3, 5), (7, 10, 12), (2, 9, 11)])
def test_best_plays_every_character_legally(characters: tuple[int, ...]) -> None:
    played_out(expert(*characters), [strategy("best:width=3"), strategy("greedy")], 5)


@pytest.mark.parametrize("name", list(STRATEGIES))
def test_the_same_question_has_the_same_answer(name: str) -> None:
    asked = [state for state in states(EXPERT, 2, 8) if state.phase is not Phase.OVER][::9]
    one, other = strategy(name), strategy(name)
    for state in asked:
        seen = rules.view(state, state.active)
        assert one(seen) == one(seen) == other(seen)


@pytest.mark.parametrize("name", list(STRATEGIES))
def test_an_answer_depends_on_nothing_hidden(name: str) -> None:
    brain = strategy(name)
    for state in [state for state in states(EXPERT, 3, 9) if state.phase is not Phase.OVER][::11]:
        hands = tuple(hand if seat == state.active else hand[::-1] for seat, hand in enumerate(state.hands))
        other = state._replace(draw_state=state.draw_state ^ 12345, hands=hands, revision=state.revision)
        assert brain(rules.view(state, state.active)) == brain(rules.view(other, state.active))


def test_random_depends_on_its_seed() -> None:
    asked = [state for state in states(EXPERT, 2, 8) if state.phase is Phase.STUDENTS]
    answers = [[strategy(f"random:seed={seed}")(state) for state in asked] for seed in (1, 2)]
    assert answers[0] != answers[1]


def test_first_fills_tables_before_islands() -> None:
    brain = strategy("first")
    state = table(phase=Phase.STUDENTS, rooms=["RED10"], professors={RED: 0}, entrances=["RED2 YELLOW"])
    assert brain(state) == ToDiningRoom(YELLOW)
    full = table(phase=Phase.STUDENTS, rooms=["RED10"], professors={RED: 0}, entrances=["RED3"])
    assert brain(full) == ToIsland(RED, 0)
    assert brain(table(phase=Phase.CLOUD, clouds=((0, 0, 0, 0, 0), (0, 0, 0, 3, 0)))) == TakeCloud(1)


def test_greedy_takes_a_tower_when_it_can() -> None:
    state = table(held={3: "RED2"}, professors={RED: 0})
    assert strategy("greedy")(state) == rules.MoveMotherNature(3)


def test_best_takes_the_tower_that_wins() -> None:
    state = table(
        groups=[([5, 6, 7], 0), ([9, 10, 11], 0), ([1], 0)],
        held={3: "RED2", 2: "YELLOW"},
        professors={RED: 0},
    )
    assert state.towers[0] == 1
    assert strategy("best")(state) == rules.MoveMotherNature(3)


def test_stronger_strategies_beat_weaker_ones() -> None:
    assert wins("first", "random", range(20)) >= 15
    assert wins("greedy", "random", range(10)) >= 9


@SLOW
def test_best_beats_greedy() -> None:
    assert wins("best:width=4", "greedy", range(10)) >= 7


@pytest.mark.parametrize("characters", [(1, 7, 10), (3, 5, 12)])
def test_best_answers_in_time(characters: tuple[int, ...]) -> None:
    state = fresh(expert(*characters), 3)
    best = strategy("best:width=16")
    while state.phase is not Phase.STUDENTS:
        state = rules.apply(state, rules.legal(state)[0])
    begun = thread_time()
    best(rules.view(state._replace(coins=(9, 1, 1)), state.active))
    assert thread_time() - begun < 1


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ("wise", "must be one of first, random, greedy, best"),
        ("first:width=3", "no key 'width': it has none"),
        ("best:depth=3", "its keys are width"),
        ("best:width=0", "between 1 and 16"),
        ("random:seed=x", "whole number"),
    ],
)
def test_an_unknown_strategy_is_refused(spec: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        strategy(spec)
