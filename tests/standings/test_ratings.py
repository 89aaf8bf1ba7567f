"""Ratings, their intervals and bands."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.calibration import Event, cover, share_band
from fairplay.standings.rating import MAX_RATED, Rating, divide_into_bands
from fairplay.standings.ratings import rate_entrants
from fairplay.standings.results import Outcome, Results
from tests.standings.events import game, played
from tests.standings.test_points import events

# --- the middle ---


def test_entrants_without_games_have_no_rating_and_struck_ones_lose_theirs() -> None:
    results = played(4, game(0, 1), game(2, 0), game(2, 1))
    assert [each is None for each in rate_entrants(results)] == [False, False, False, True]
    assert [each is None for each in rate_entrants(results, struck=[2])] == [False, False, True, True]
    assert rate_entrants(Results(3)) == [None] * 3
    assert rate_entrants(played(2, game(0), game(1))) == [None, None]


def test_an_event_that_is_too_large_is_not_rated() -> None:
    assert rate_entrants(played(MAX_RATED + 1, game(0, 1))) == [None] * (MAX_RATED + 1)


@given(events())
def test_every_rating_is_finite_within_its_interval_whatever_the_results(results: Results) -> None:
    ratings = [each for each in rate_entrants(results) if each is not None]
    for each in ratings:
        assert -1e4 < each.low <= each.rating <= each.high < 1e4
    if ratings:
        assert sum(each.rating for each in ratings) / len(ratings) == pytest.approx(1500, abs=1e-3)


@given(events(), st.randoms(use_true_random=False))
def test_ratings_do_not_depend_on_the_order_of_games_or_on_numbers(results: Results, rng: Random) -> None:
    names = list(range(results.count))
    rng.shuffle(names)
    outcomes = [
        Outcome([names[each] for each in entrants], places, scores, deal)
        for table in results.tables()
        for entrants, places, scores, deal in zip(
            table.entrants.tolist(), table.places.tolist(), table.scores.tolist(), table.deals.tolist(), strict=True
        )
    ]
    rng.shuffle(outcomes)
    again = rate_entrants(played(results.count, *outcomes))
    for entrant, rating in enumerate(rate_entrants(results)):
        other = again[names[entrant]]
        assert (rating is None) == (other is None)
        if rating is not None and other is not None:
            assert (other.rating, other.low, other.high) == pytest.approx(
                (rating.rating, rating.low, rating.high), abs=0.5
            )


# --- calibration: a short version of `python -m benchmarks.calibration` ---


@pytest.mark.parametrize(
    "event", [Event(2, 2, 60), Event(8, 2, 112), Event(4, 4, 30)], ids=lambda event: f"{event.entrants}x{event.seats}"
)
def test_intervals_hold_the_truth_about_as_often_as_they_say(event: Event) -> None:
    held, _ = cover(event, 200, seed=1)
    assert 0.915 <= held <= 0.985


def test_equal_entrants_share_a_band() -> None:
    assert share_band(Event(4, 2, 24, spread=0.0), 150, seed=1) >= 0.93


# --- bands ---


def rating(low: float, high: float) -> Rating:
    return Rating((low + high) / 2, low, high)


def test_overlapping_intervals_share_a_band_and_gaps_begin_a_new_one() -> None:
    ratings = [rating(1400, 1500), rating(1700, 1800), rating(1490, 1600), None, rating(1000, 1100)]
    assert divide_into_bands(ratings) == [2, 1, 2, 0, 3]


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(0, 6)).map(lambda each: rating(each[0], sum(each)))))
def test_bands_are_as_they_are_described(ratings: list[Rating]) -> None:
    bands = divide_into_bands(ratings)
    for one, band in zip(ratings, bands, strict=True):
        for other, another in zip(ratings, bands, strict=True):
            if one.low <= other.high and other.low <= one.high:
                assert band == another
            elif band < another:
                assert one.low > other.high
    assert set(bands) == set(range(1, max(bands, default=0) + 1))
