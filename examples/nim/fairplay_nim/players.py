"""The strategies of the reference players of Nim."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from operator import xor
from random import Random
from typing import TypeAlias

from fairplay.games.kit.strategies import StrategyKind
from fairplay_nim import rules

Strategy: TypeAlias = Callable[[rules.State], rules.Take]


def chance(seed: int) -> Strategy:
    """Return the strategy that takes anything: the same for the same seed and state, so that games can be repeated."""
    return lambda state: Random(f"{seed} {state}").choice(rules.legal(state))


def best() -> Strategy:
    """Return the strategy that leaves its opponent a lost state where it can."""
    return lambda state: max(rules.legal(state), key=lambda take: is_lost(rules.apply(state, take)))


def is_lost(state: rules.State) -> bool:
    """Return whether the one of two players whose turn it is loses against the best play."""
    return reduce(xor, (size % (state.most + 1) for size in state.heaps)) == 0


STRATEGIES = {
    "first": StrategyKind(lambda: lambda state: rules.legal(state)[0], "Takes one match of the first heap there is."),
    "random": StrategyKind(chance, "Takes anything that is legal, by its seed.", {"seed": (0, 0, 999_999)}),
    "best": StrategyKind(best, "Leaves its opponent a lost state where it can."),
}
