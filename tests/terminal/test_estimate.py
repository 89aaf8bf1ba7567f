"""How long a run is still going to take."""

from __future__ import annotations

from fairplay.terminal.printing import Estimate


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def judged(count: int, seconds: float, budget_s: float | None, case_count: int = 20) -> Estimate:
    """Return the estimate after some cases of so many seconds each."""
    clock = Clock()
    estimate = Estimate(case_count, budget_s, clock)
    for _ in range(count):
        clock.now += seconds
        estimate.count()
    return estimate


def test_the_rest_takes_as_long_as_what_was() -> None:
    assert judged(10, 2.0, None).text == "about 20 s left"
    assert judged(10, 30.0, None).text == "about 5 min left"


def test_a_run_takes_no_longer_than_its_budget() -> None:
    assert judged(10, 30.0, 360.0).text == "about 60 s left"


def test_what_was_over_before_says_nothing_of_how_long_the_rest_takes() -> None:
    clock = Clock()
    estimate = Estimate(1_800, None, clock)
    estimate.before_count = 866
    clock.now += 100.0
    estimate.count(100)
    assert estimate.line("games") == "966 of 1800 games, about 14 min left"
