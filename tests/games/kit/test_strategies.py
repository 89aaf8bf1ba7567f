"""Strategies by name, with the keys that they have and the values that these may have."""

from __future__ import annotations

import pytest

from fairplay.games.kit.strategies import StrategyKind, make_strategy, search_depth


def build(**keys: float) -> dict[str, float]:
    return keys


KINDS = {
    "plain": StrategyKind(build, "Does it plainly."),
    "deep": StrategyKind(build, "Thinks.", {"width": (4, 1, 9), "bonus": (0.5, -1.0, 1.0)}),
}


@pytest.mark.parametrize(
    ("spec", "keys"),
    [
        ("plain", {}),
        ("deep:width=1", {"width": 1, "bonus": 0.5}),
        ("deep:width=2,,width=3,", {"width": 3, "bonus": 0.5}),
    ],
)
def test_a_strategy_is_made_with_what_is_given_and_defaults(spec: str, keys: dict[str, float]) -> None:
    assert make_strategy(spec, KINDS, "Nim") == keys


@pytest.mark.parametrize(
    ("spec", "depth"),
    [("plain", 0), ("search:depth=1,depth=0007", 7)],
)
def test_a_strategy_says_how_deep_it_is_asked_to_search(spec: str, depth: int) -> None:
    kinds = {**KINDS, "search": StrategyKind(build, "Searches.", {"depth": (2, 1, 9)})}
    assert search_depth(spec, kinds, "Nim") == depth


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ("", "There is no strategy '' for Nim: it must be one of plain, deep."),
        ("plain:width=3", "The strategy plain has no key 'width': it has none."),
        ("deep:height=3", "The strategy deep has no key 'height': its keys are width, bonus."),
        ("deep:width=0", "width=0 of the strategy deep must be a whole number between 1 and 9."),
        ("deep:bonus=nan", "bonus=nan of the strategy deep must be a number between -1.0 and 1.0."),
    ],
)
def test_what_is_not_allowed_is_refused_with_what_is(spec: str, sentence: str) -> None:
    with pytest.raises(ValueError, match="strategy") as refused:
        make_strategy(spec, KINDS, "Nim")
    assert str(refused.value) == sentence
