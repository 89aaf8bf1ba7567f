"""Schedules, rounds of a Swiss and ratings, computed once more as proto/SPECIFICATION.md says them, and compared."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from math import log, pi
from random import Random
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from fairplay.formats.pairing import NOBODY, Pairings, Ranked
from fairplay.formats.schedules import schedule
from fairplay.standings.ratings import rate_entrants, student_quantile
from fairplay.standings.results import FAILED, Outcome, Results

ELO = 400 / log(10)
Floats = NDArray[np.float64]
Pair = tuple[int, int]


# --- round robin: the circle method ---


def circle(count: int, *, turned: bool) -> Iterator[tuple[Pair, ...]]:
    around = count - 1 if count % 2 == 0 else count
    for turn in range(around):
        games = []
        if count % 2 == 0:
            games.append((turn, count - 1) if turn % 2 else (count - 1, turn))
        for step in range(1, (around + 1) // 2):
            one, other = (turn + step) % around, (turn - step) % around
            games.append((one, other) if step % 2 else (other, one))
        yield tuple((other, one) for one, other in games) if turned else tuple(games)


@pytest.mark.parametrize("count", range(2, 13))
def test_the_rounds_of_a_round_robin_are_as_specified(count: int) -> None:
    assert [*schedule(count, 2, 2)] == [*circle(count, turned=False), *circle(count, turned=True)]


# --- Swiss: the least sums of the criteria ---


def all_rounds(places: Sequence[int]) -> Iterator[list[Pair]]:
    if not places:
        yield []
        return
    first, *others = places
    for other in others:
        for rest in all_rounds([place for place in others if place != other]):
            yield [(first, other), *rest]


def costs(round_: Sequence[Pair], ranking: Sequence[Ranked], met: Counter[Pair]) -> tuple[int, ...]:
    """How often pairs meet again, squared, and the five criteria, each summed over the pairs of a round."""
    equals = Counter(each.score for each in ranking)
    sums = [0] * 6
    for one, other in round_:
        sums[0] += met[pair_of(ranking, one, other)] ** 2
        if other == len(ranking):
            sums[1] += len(ranking) - 1 - one
            continue
        better, worse = ranking[one], ranking[other]
        imbalance = min(max(abs(better.imbalance + turn), abs(worse.imbalance - turn)) for turn in (1, -1))
        apart = better.score - worse.score
        half = max(1, equals[better.score] // 2) if apart == 0 else 1
        for number, value in enumerate(
            (max(0, imbalance - 2), apart**2, imbalance**2, min(1000, abs(other - one - half))), 2
        ):
            sums[number] += value
    return tuple(sums)


def pair_of(ranking: Sequence[Ranked], one: int, other: int) -> Pair:
    entrants = [ranking[place].entrant if place < len(ranking) else NOBODY for place in (one, other)]
    return min(entrants), max(entrants)


@pytest.mark.parametrize("seed", range(20))
def test_a_round_of_a_swiss_is_the_best_by_the_criteria_or_keeps_later_rounds_possible(seed: int) -> None:
    rng = Random(seed)
    count = rng.choice([4, 5, 6, 7, 8])
    rounds = rng.randint(2, count - 1)
    pairings, met, points, imbalance = Pairings(Random(seed)), Counter[Pair](), [0] * count, [0] * count
    others = 0
    for number in range(rounds):
        order = sorted(range(count), key=lambda entrant: -points[entrant])
        ranking = [Ranked(each, points[each], imbalance[each]) for each in order]
        places = {entrant: place for place, entrant in enumerate(order)}
        paired = pairings.pair(ranking, rounds - number)
        round_ = [(places[one], places[other]) for one, other in paired]
        round_ += [(place, count) for place in {*range(count)}.difference(*round_)]
        assert all(one < other for one, other in round_)
        found = costs(round_, ranking, met)
        assert found[0] == 0
        others += found != min(costs(each, ranking, met) for each in all_rounds(range(count + count % 2)))
        met.update(pair_of(ranking, one, other) for one, other in round_)
        for one, other in paired:
            won = rng.choice([0, 2, 4])
            points[one], points[other] = points[one] + won, points[other] + 4 - won
            imbalance[one], imbalance[other] = imbalance[one] + 1, imbalance[other] - 1
    assert others <= 1  # of the reserve


# --- ratings: the equations, solved slowly ---


class Game(NamedTuple):
    entrants: Sequence[int]
    places: Sequence[int]
    deal: int

    def shares(self) -> Iterator[tuple[int, int, float]]:
        for seat, one in enumerate(self.entrants):
            for other_seat, other in enumerate(self.entrants):
                mine, theirs = self.places[seat], self.places[other_seat]
                if seat != other_seat:
                    yield one, other, (mine < theirs) + 0.5 * (mine == theirs)

    @property
    def weight(self) -> float:
        return 3 / (len(self.entrants) + 1)


def centred(covariance: NDArray[np.floating[Any]]) -> Floats:
    less: Floats = covariance - covariance.mean(axis=0, keepdims=True)
    both: Floats = less - less.mean(axis=1, keepdims=True)
    return both


class Equations:
    def __init__(self, count: int, games: Sequence[Game]) -> None:
        self.count = count
        self.won, self.met = np.zeros((count, count)), np.zeros((count, count))
        for game in games:
            for one, other, share in game.shares():
                self.won[one, other] += game.weight * share
                self.met[one, other] += game.weight

    def information(self, strengths: Floats, covariance: Floats) -> tuple[Floats, Floats]:
        own = np.diag(covariance)
        factor = 1 / np.sqrt(1 + pi / 8 * (own[:, None] + own[None, :] - 2 * covariance))
        chance = 1 / (1 + np.exp(factor * (strengths[None, :] - strengths[:, None])))
        information = -self.met * factor * chance * (1 - chance)
        return chance, information - np.diag(information.sum(axis=1))

    def solve(self, scatter: float) -> tuple[Floats, float, Floats]:
        strengths, prior, covariance = np.zeros(self.count), (200 / ELO) ** 2, np.zeros((self.count, self.count))
        for _ in range(1_000):
            chance, information = self.information(strengths, covariance)
            inverse = np.linalg.inv(information / scatter + np.eye(self.count) / prior)
            slope = (self.won - self.met * chance).sum(axis=1) / scatter - strengths / prior
            strengths = strengths + inverse @ slope / 2
            strengths -= strengths.mean()
            covariance = (covariance + inverse) / 2
            spread = float((strengths**2).sum() + np.trace(centred(inverse)))
            wanted = (2 * (200 / ELO) ** 2 + spread) / (2 + self.count - 1)
            prior = min((500 / ELO) ** 2, (prior + wanted) / 2)
        return strengths, prior, covariance


def specified(count: int, games: Sequence[Game]) -> tuple[Floats, Floats]:
    """The ratings and margins of all entrants, as the specification says them."""
    equations = Equations(count, games)
    strengths, _, covariance = equations.solve(1.0)
    expected = np.diag(equations.information(strengths, covariance)[1])
    deals = defaultdict[tuple[int, ...], list[Game]](list)
    for number, game in enumerate(games):
        deals[(game.deal, *sorted(game.entrants)) if game.deal else (-1 - number,)].append(game)
    squares, played = np.zeros(count), np.zeros(count)
    for deal in deals.values():
        beyond = Counter[int]()
        for game in deal:
            for one, other, share in game.shares():
                beyond[one] += game.weight * (share - 1 / (1 + np.exp(strengths[other] - strengths[one])))
        for entrant in deal[0].entrants:
            squares[entrant] += beyond[entrant] ** 2
            played[entrant] += 1
    observations = sum(len(deal[0].entrants) - 1 for deal in deals.values())
    left = max(0, observations - (count - 1))
    correction = observations / left if left else 0.0
    met = equations.met.sum(axis=1)
    evidence = 2 * played / (2 + np.maximum(met / expected - 6, 0) * played / met)
    of_all = left * (evidence * expected).sum() / (played * expected).sum()
    scatter = (of_all * correction * squares.sum() / expected.sum() + 10) / (of_all + 10)
    own = (evidence * correction * squares / expected + 30 * scatter) / (evidence + 30)
    share = evidence / (evidence + 30)
    freedom = np.maximum(1 / (share**2 / evidence + (1 - share) ** 2 / max(of_all, 10)), 10)
    strengths, prior, covariance = equations.solve(float(scatter))
    information = equations.information(strengths, covariance)[1]
    middle = np.sqrt(own)[:, None] * information * np.sqrt(own)[None, :] / scatter**2 + np.eye(count) / prior
    variances = np.diag(centred(covariance @ middle @ covariance))
    variances = variances + 2 * (strengths * np.diag(centred(covariance)) / prior) ** 2 / (2 + count - 1)
    return 1500 + ELO * strengths, ELO * student_quantile(freedom) * np.sqrt(variances)


@pytest.mark.parametrize(("count", "seats", "duplicate"), [(4, 3, True), (6, 3, False), (5, 2, True), (6, 2, False)])
def test_ratings_and_intervals_are_as_specified(count: int, seats: int, duplicate: bool) -> None:
    rng = Random(count * seats)
    true, games, results = [rng.gauss(0, 1) for _ in range(count)], list[Game](), Results(count)
    for deal in range(1, 25):
        group = rng.sample(range(count), seats)
        for turn in range(seats):
            entrants = group[turn:] + group[:turn]
            order = sorted(range(seats), key=lambda seat: rng.gauss(0, 1) - true[entrants[seat]])
            places = [order.index(seat) + 1 for seat in range(seats)]
            if rng.random() < 0.1:
                places[order[-1]] = FAILED
            games.append(Game(entrants, places, deal if duplicate else 0))
            results.add(Outcome(entrants, places, [0] * seats, games[-1].deal))
    ratings, margins = specified(count, games)
    for rating, margin, given in zip(ratings, margins, rate_entrants(results), strict=True):
        assert given is not None
        assert given.rating == pytest.approx(rating, abs=0.2)
        assert given.margin == pytest.approx(margin, rel=0.01)
