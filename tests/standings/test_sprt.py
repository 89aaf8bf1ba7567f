"""The sequential test of a comparison."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.calibration import PLAYED, err
from fairplay.standings.sprt import LEAST_DEALS, MAX_ELO, Answer, Bounds, SequentialTest, elo_of, expected_score


def after(*scores: float, bounds: Bounds | None = None) -> SequentialTest:
    test = SequentialTest(bounds or Bounds(), 2)
    for score in scores:
        test.add(score)
    return test


def test_nothing_is_said_before_there_is_anything() -> None:
    test = after()
    assert (test.answer, test.ratio, test.elo, test.deals_left()) == (Answer.UNDECIDED, 0, 0, None)


def test_who_wins_everything_is_better_but_not_at_once() -> None:
    test = after()
    while test.answer is Answer.UNDECIDED:
        test.add(1.0)
    assert test.answer is Answer.BETTER
    assert LEAST_DEALS <= test.deal_count <= 40
    assert test.elo == pytest.approx(MAX_ELO)


def test_the_same_program_is_not_better_than_itself() -> None:
    test = after(*[0.5] * 200)
    assert test.answer is Answer.NOT_BETTER
    assert test.elo == 0


def test_luck_that_the_games_of_a_deal_share_makes_the_test_slower() -> None:
    rng = Random(1)
    apart = [(rng.random() < 0.6) / 2 + (rng.random() < 0.6) / 2 for _ in range(40)]
    alike = [float(round(score + rng.choice([-0.1, 0.1]))) for score in apart]
    assert after(*alike).variance > 1.3 * after(*apart).variance


@given(st.lists(st.sampled_from([0, 0.25, 0.5, 0.75, 1]), min_size=1, max_size=60), st.integers(5, 300))
def test_bounds_that_mirror_each_other_give_opposite_ratios(scores: list[float], elo: int) -> None:
    one = after(*scores, bounds=Bounds(-elo, elo))
    other = after(*(1 - score for score in scores), bounds=Bounds(-elo, elo))
    assert one.ratio == pytest.approx(-other.ratio, abs=1e-9)
    low, high = one.interval()
    assert -MAX_ELO <= low <= one.elo <= high <= MAX_ELO


@given(st.floats(-1_000, 1_000))
def test_elo_and_scores_are_the_same_thing(elo: float) -> None:
    assert elo_of(expected_score(elo)) == pytest.approx(elo, abs=1e-6)


def test_the_games_that_are_left_are_about_those_that_it_takes() -> None:
    test = after(*[1, 0.5, 0.5, 1, 0.5, 0] * 4)
    left = test.deals_left()
    assert left is not None
    more = [1, 0.5, 0.5, 1, 0.5, 0] * (left // 6 + 2)
    before = test.deal_count
    for score in more:
        test.add(score)
        if test.answer is not Answer.UNDECIDED:
            break
    assert test.answer is Answer.BETTER
    assert 0.6 * left <= test.deal_count - before <= 1.4 * left + 6


def test_bounds_that_make_no_sense_are_refused() -> None:
    for bounds in [(50, 0, 0.05), (0, 0, 0.05), (0, 5_000, 0.05), (0, 50, 0), (0, 50, 0.5)]:
        with pytest.raises(ValueError, match=r"bounds|error"):
            Bounds(*bounds)


@pytest.mark.parametrize("kind", PLAYED, ids=lambda kind: kind.name)
def test_answers_are_wrong_no_more_often_than_was_asked(kind: object) -> None:
    """A short version of `python -m benchmarks.calibration`; with 200 comparisons 9 % is nearly three deviations up."""
    for elo in (0.0, 150.0):
        wrong, _ = err(kind, elo, 150.0, 200, seed=1)  # type: ignore[arg-type]
        assert wrong <= 0.09
