"""The reference players of Nim. They keep nothing between two calls, so each can be in any number of games."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from operator import xor
from random import Random
from typing import TypeAlias

from fairplay.games.kit.strategies import StrategyKind, make_strategy
from fairplay_nim import rules
from fairplay_nim.protocol import read_state
from fairplay_nim.v1 import nim_pb2 as pb

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


class StrategyPlayer:
    """Answers each call of the service as its strategy says."""

    game = "nim"
    quick = True
    """It answers within microseconds, so the referee may call it in its own thread."""

    def __init__(self, spec: str) -> None:
        self.name = spec
        self._decide: Strategy = make_strategy(spec, STRATEGIES, "Nim")

    def play_as(self, request: pb.PlayAsRequest) -> None:
        """Accept the seat: every state tells whose turn it is."""

    def take(self, request: pb.TakeRequest) -> pb.TakeResponse:
        """Return the matches to take."""
        return pb.TakeResponse(**self._decide(read_state(request.state))._asdict())
