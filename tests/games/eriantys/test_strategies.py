"""The reference players of Eriantys: legal, deterministic, blind to what is hidden, and as strong as they should be."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest

from fairplay.games.eriantys import rules
from fairplay.games.eriantys.players import STRATEGIES, Strategy, strategy
from fairplay.games.eriantys.rules.state import MoveMotherNature, Phase, Settings, State, view_of
from tests.games.eriantys.tables import RED, expert, states, table

EXPERT = Settings(mode="expert")


def played_out(settings: Settings, brains: Sequence[Strategy], seed: int) -> State:
    """Return the end of a game in which every answer is legal."""
    state = rules.initial(settings, len(brains), Random(seed))
    while (seat := rules.turn(state)) is not None:
        action = brains[seat](view_of(state, seat))
        assert rules.violation(state, action) is None
        state = rules.apply(state, action)
    return state


def wins(one: str, other: str, seeds: range) -> int:
    """Return how often the first strategy wins two-player Expert games, in turn on either seat."""
    brains = strategy(one), strategy(other)
    ends = {seed: played_out(EXPERT, brains if seed % 2 == 0 else brains[::-1], seed) for seed in seeds}
    return sum(rules.winners(end) == (seed % 2,) for seed, end in ends.items())


@pytest.mark.parametrize("characters", [(1, 3, 5), (7, 10, 12), (2, 9, 11)])
def test_best_plays_every_character_legally(characters: tuple[int, ...]) -> None:
    played_out(expert(*characters), [strategy("best:width=3"), strategy("greedy")], 5)


@pytest.mark.parametrize("name", list(STRATEGIES))
def test_an_answer_depends_on_nothing_hidden(name: str) -> None:
    brain = strategy(name)
    for state in [state for state in states(EXPERT, 3, 9) if state.phase is not Phase.OVER][::11]:
        hands = tuple(hand if seat == state.active else hand[::-1] for seat, hand in enumerate(state.hands))
        other = state._replace(draw_state=state.draw_state ^ 12345, hands=hands, revision=state.revision)
        assert brain(view_of(state, state.active)) == brain(view_of(other, state.active))


def test_greedy_takes_a_tower_when_it_can() -> None:
    state = table(held={3: "RED2"}, professors={RED: 0})
    assert strategy("greedy")(state) == MoveMotherNature(3)


def test_best_takes_the_tower_that_wins() -> None:
    state = table(
        groups=[([5, 6, 7], 0), ([9, 10, 11], 0), ([1], 0)], held={3: "RED2", 2: "YELLOW"}, professors={RED: 0}
    )
    assert state.towers[0] == 1
    assert strategy("best")(state) == MoveMotherNature(3)
