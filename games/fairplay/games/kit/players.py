"""The reference players of a game: a strategy behind the methods of the game's service."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, TypeVar

from fairplay.games.kit.strategies import StrategyKind, make_strategy
from fairplay.games.steps import Method

Strategy = TypeVar("Strategy")


def snake_case(name: str) -> str:
    """Return the name of a player's Python method for a method of the contract: "TakeTurn" -> "take_turn"."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()


class StrategyPlayer:
    """A player that plays as its strategy says; it has a method for each method of the service.

    It keeps nothing between calls: it may be in any number of games, and join one after its beginning.
    """

    def __init__(self, game: str, name: str, quick: bool, answers: Mapping[str, Callable[[Any], Any]]) -> None:
        self.game = game
        self.name = name
        self.quick = quick
        """Whether it answers within microseconds, so that the referee may call it in its own thread."""
        vars(self).update(answers)


def build_players(
    game: str,
    title: str,
    methods: Iterable[Method],
    strategies: Mapping[str, StrategyKind[Strategy]],
    answers: Mapping[Method, Callable[[Strategy, Any], Any]],
) -> Callable[[str], Any]:
    """Return what makes the reference player of a strategy, e.g. of "best:width=4", for `Game.player`.

    `answers` has for each method that asks something (strategy, request) -> reply; what the other methods tell is in
    every request again, and is ignored. Raises ValueError, when it is called, for an unknown strategy, key or value.
    """

    names = {snake_case(method.name): method for method in methods}

    def build_player(spec: str) -> StrategyPlayer:
        strategy = make_strategy(spec, strategies, title)
        asked = {
            name: partial(answers[method], strategy) if method in answers else _ignore for name, method in names.items()
        }
        return StrategyPlayer(game, spec, strategies[spec.partition(":")[0]].is_quick, asked)

    return build_player


def _ignore(request: Any) -> None:
    """Ignore a call that only tells something."""
