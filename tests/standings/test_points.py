"""Points, places and tie-breaks."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairplay.standings.points import score_entrants
from fairplay.standings.rating import TIE_BREAKS, Score
from fairplay.standings.results import FAILED, Outcome, Results, read_outcome
from fairplay.v1.misconduct_pb2 import Misconduct
from fairplay.v1.result_pb2 import GameResult, RankedPlayer, RankGroup
from tests.standings.events import game, played


def points(results: Results) -> list[float]:
    scores = {score.entrant: score.points for score in score_entrants(results, seed=1)}
    return [scores[entrant] for entrant in range(results.count)]


def by_entrant(results: Results, name: str) -> list[float]:
    index = TIE_BREAKS.index(name)
    values = {score.entrant: score.tie_breaks[index] for score in score_entrants(results, seed=1)}
    return [values[entrant] for entrant in range(results.count)]


# --- points ---


def test_games_with_a_struck_entrant_count_for_nobody() -> None:
    results = played(3, game(0, 1), game(2, 0), game(2, 1))
    scores = {score.entrant: score for score in score_entrants(results, seed=1, struck=[2])}
    assert [(scores[each].points, scores[each].game_count) for each in range(3)] == [(1, 1), (0, 1), (0, 0)]


def test_wins_ties_and_losses_are_counted_by_the_first_place() -> None:
    results = played(4, game(0, 1, 2, 3), game([0, 1], 2, 3), game(0, failed=[3]))
    counts = {
        each.entrant: (each.win_count, each.tie_count, each.loss_count) for each in score_entrants(results, seed=1)
    }
    assert counts == {0: (2, 1, 0), 1: (0, 1, 1), 2: (0, 0, 2), 3: (0, 0, 3)}


def test_what_cannot_be_the_outcome_of_a_game_is_refused() -> None:
    for outcome in [
        Outcome((0, 0), (1, 2), (0, 0)),
        Outcome((0, 3), (1, 2), (0, 0)),
        Outcome((0, 1), (1,), (0, 0)),
        Outcome((0, 1), (0, 1), (0, 0)),
        Outcome((0, 1), (1, 3), (0, 0)),
    ]:
        with pytest.raises(ValueError, match=r"entrants|places"):
            Results(3).add(outcome)


def test_the_outcome_of_a_game_is_read_from_its_result() -> None:
    ann, bob, eve = (RankedPlayer(seat=seat, name=name, score=5 - seat) for seat, name in enumerate(["a", "b", "e"]))
    result = GameResult(
        ranking=[RankGroup(players=[bob, eve]), RankGroup(players=[ann])], misconducts=[Misconduct(player="d")]
    )
    assert read_outcome([7, 5, 3, 1], result, 2) == Outcome((7, 5, 3, 1), (3, 1, 1, FAILED), (5, 4, 3, 3), 2)
    assert read_outcome([7, 5], GameResult(aborted="the power failed")) is None


# --- tie-breaks ---


def test_among_equal_points_who_won_against_the_other_is_first() -> None:
    results = played(4, game(3, 0), game(3, 1), game(1, 2), game(2, 0), game(0, 1), game(3, 2))
    order = [score.entrant for score in score_entrants(results, seed=1)]
    assert order[0] == 3
    assert points(results) == [1, 1, 1, 3]
    assert by_entrant(results, "head-to-head") == [1, 1, 1, 0]
    pair = played(3, game(0, 1), game(1, 2), game(1, 2), game(0, 2), game([0, 2]))
    assert points(pair) == [2.5, 2, 0.5]


def test_head_to_head_decides_nothing_where_not_all_have_met() -> None:
    results = played(4, game(0, 1), game(1, 3), game(2, 3))
    assert points(results) == [1, 1, 1, 0]
    assert by_entrant(results, "head-to-head") == [0, 0, 0, 0]


def test_buchholz_and_sonneborn_berger_are_those_of_the_field() -> None:
    # 0 beats 1, draws 2; 1 beats 2; 2 beats 3.
    results = played(4, game(0, 1), game([0, 2]), game(1, 2), game(2, 3))
    assert points(results) == [1.5, 1, 1.5, 0]
    assert by_entrant(results, "Buchholz") == [2.5, 3, 2.5, 1.5]
    assert by_entrant(results, "Sonneborn-Berger") == [1 + 0.75, 1.5, 0.75, 0]


def test_the_score_difference_counts_a_score_less_the_mean_of_the_others() -> None:
    results = played(3, Outcome((0, 1, 2), (1, 2, 3), (10, 4, 1)))
    assert by_entrant(results, "score difference") == [7.5, -1.5, -6.0]


def test_the_lot_follows_from_the_seed_and_decides_last() -> None:
    results = Results(20)
    orders = [[score.entrant for score in score_entrants(results, seed=seed)] for seed in (1, 1, 2)]
    assert orders[0] == orders[1] != orders[2]
    assert sorted(by_entrant(results, "lot")) == list(range(1, 21))


# --- against plain arithmetic ---


@st.composite
def events(draw: st.DrawFn) -> Results:
    count = draw(st.integers(2, 7))
    results = Results(count)
    for _ in range(draw(st.integers(0, 12))):
        entrants = draw(st.permutations(range(count)))[: draw(st.integers(2, min(count, 5)))]
        values = draw(st.lists(st.integers(0, 3), min_size=len(entrants), max_size=len(entrants)))
        fails = draw(st.lists(st.booleans(), min_size=len(entrants), max_size=len(entrants)))
        sound = [value for value, fail in zip(values, fails, strict=True) if not fail]
        places = [
            FAILED if fail else 1 + sum(each > value for each in sound)
            for value, fail in zip(values, fails, strict=True)
        ]
        results.add(Outcome(entrants, places, values, draw(st.integers(0, 3))))
    return results


def pairs(results: Results) -> list[tuple[int, int, Fraction]]:
    """Return who met whom, and what the first won from the second."""
    found = []
    for table in results.tables():
        for entrants, places in zip(table.entrants.tolist(), table.places.tolist(), strict=True):
            for one, mine in zip(entrants, places, strict=True):
                for other, theirs in zip(entrants, places, strict=True):
                    if one != other:
                        half = Fraction(mine == theirs != FAILED, 2)
                        found.append((one, other, ((mine < theirs) + half) / (table.size - 1)))
    return found


@given(events())
def test_points_and_tie_breaks_agree_with_exact_sums_over_pairs(results: Results) -> None:
    met = pairs(results)
    exact = [sum((won for one, _, won in met if one == each), Fraction(0)) for each in range(results.count)]
    assert points(results) == pytest.approx([float(each) for each in exact])
    berger = [
        sum((won * exact[other] for one, other, won in met if one == each), Fraction(0)) for each in range(len(exact))
    ]
    assert by_entrant(results, "Sonneborn-Berger") == pytest.approx([float(each) for each in berger])


@given(events())
def test_places_follow_points_then_tie_breaks_and_are_all_different(results: Results) -> None:
    scores = score_entrants(results, seed=3)
    assert [score.place for score in scores] == list(range(1, results.count + 1))
    keys = [(round(score.points, 9), *score.tie_breaks) for score in scores]
    assert keys == sorted(keys, reverse=True)


def test_many_sizes_of_games_in_one_event_do_not_overflow() -> None:
    rng = Random(1)
    results = Results(30)
    for size in range(2, 30):
        for _ in range(3):
            entrants = rng.sample(range(30), size)
            results.add(Outcome(entrants, tuple(range(1, size + 1)), [0] * size))
    scores: list[Score] = score_entrants(results, seed=1)
    assert sum(score.points for score in scores) == pytest.approx(sum(3 * size / 2 for size in range(2, 30)))
    assert all(score.tie_breaks[1] >= 0 for score in scores)
