"""Whether a player takes longer for each decision the more it has had: as seen in passing, in all its games."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest

from fairplay.conformance.games.trend import Trend
from fairplay.conformance.games.trial import Exchange, Scenario, Trial
from fairplay.games.conformance import Situation
from fairplay.games.game import find
from fairplay.games.steps import CallKind

FISH = find("fish")
SCENARIO = Scenario("any", Situation(FISH.settings_type(), 2, 0, None, 0), 1)


def rises(times: Sequence[float], kind: CallKind = CallKind.DECISION, size: int = 5) -> bool:
    """Return whether the times of decisions rise, so many in each game."""
    asked = [Exchange(FISH.turn, b"", kind, 1.0, each, FISH.turn.response()) for each in times]
    trend = Trend()
    for start in range(0, len(asked), size):
        trend.add([Trial(SCENARIO, asked[start : start + size])])
    return trend.rises


def noisy(mean_s: float, number: int) -> list[float]:
    rng = Random(1)
    return [mean_s * rng.uniform(0.1, 3) for _ in range(number)]


@pytest.mark.parametrize("a_turn_s", [0.001, 0.004, 0.1])
def test_times_that_grow_with_each_decision_rise(a_turn_s: float) -> None:
    assert rises([a_turn_s * number for number in range(60)])


@pytest.mark.parametrize("times", [[0.2] * 60, noisy(0.2, 200), [0.0001 * number for number in range(60)], [0.1, 0.9]])
def test_times_that_stay_or_are_short_or_few_do_not(times: Sequence[float]) -> None:
    assert not rises(times)


def test_later_decisions_of_games_and_calls_that_ask_for_nothing_do_not_count() -> None:
    harder = [0.001] * 6 + [0.1 * number for number in range(20)]
    assert not rises(harder * 8, size=len(harder))
    assert not rises([0.01 * number for number in range(60)], CallKind.NOTIFICATION)
