"""Ratings on the Elo scale with 95 % intervals, from the results of games of two or more players.

The model is that of Plackett and Luce: in a game, whoever is left is next with a probability in proportion to its
strength. Of any two players the first is ahead of the second with s1 / (s1 + s2), whoever else plays: for two players
that is the model of Bradley and Terry. Strengths are fitted to the pairs of each game ("full rank breaking", Azari
Soufiani et al., 2013), a shared place counted as half a win, as points count them. So in a balanced event ratings and
points give the same order.

- *The unit is the deal*: what the games of one deal say together is one observation. How far deals scatter about the
  fit, compared with what the model expects, widens or narrows the intervals of everybody, and with enough deals those
  of each entrant by itself.
- *A prior whose width is fitted* (empirical Bayes) keeps whoever has won everything at a finite rating, and pulls those
  of whom little is known towards the mean.
- *Few observations* widen the intervals by Student's t.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from functools import cache
from importlib import import_module
from math import exp, log
from statistics import NormalDist
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fairplay.standings.rating import MAX_RATED, MEAN, Rating, Start
from fairplay.standings.results import Results, Table

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController

ELO = 400 / log(10)
"""How many points of Elo one unit of a log-odds is."""
CONFIDENCE = 0.95

OPENMP_VARIABLE = "KMP_DUPLICATE_LIB_OK"
"""The variable that threadpoolctl sets in the environment when it is imported."""

PRIOR_SD = 200 / ELO
"""Where the width of the prior starts from, and with how many entrants it counts against what the event says."""
PRIOR_WEIGHT = 2.0
MAX_PRIOR_SD = 500 / ELO
"""The widest prior: it keeps those finite who have won everything."""
SCATTER_WEIGHT = 10.0
"""With how many observations the scatter that the model expects counts against that which is seen."""
OWN_WEIGHT = 30.0
"""With how many deals the scatter of everybody counts against that of one entrant."""
LEAST_FREEDOM = 10.0
"""The fewest degrees of freedom that an interval is given."""
MAX_SHRINKING = 0.9
"""A step of the prior's width goes as far as all later ones would together, if each is smaller than the one before it
by the ratio of the last two. This is the largest ratio that is used."""
MAX_STEPS = 100
ENOUGH = 3e-4
"""The fit ends when no rating moves by more than this, in log-odds, and the width of the prior by no larger share."""
LAG_WEIGHT = 0.1
"""What a change of the covariances counts beside one of ratings, both as shares."""
NEARLY = 3e-3
"""The same where only the scatter is to be measured."""

Floats = NDArray[np.float64]


class _Pairs(NamedTuple):
    """Of each pair of entrants how much one has won from the other."""

    won: Floats
    met: Floats


def rate_entrants(
    results: Results, *, struck: Iterable[int] = (), warm: Sequence[float] = (), start: Start | None = None
) -> list[Rating | None]:
    """Return the rating of each entrant; None for those without a game against somebody, or with too many entrants.

    Games of entrants in `struck` count for nobody. The fit starts from `start`, and leaves its end there; or
    from the ratings `warm`, e.g. the latest ones.
    """
    start = start or Start()
    tables = [table for table in results.tables(struck) if table.size > 1]
    if results.count > MAX_RATED or not tables:
        return [None] * results.count
    pairs = _count_pairs(tables, results.count)
    rated = np.flatnonzero(pairs.met.sum(axis=1))
    with _threads().limit(limits=1, user_api="blas"):  # more would take from games what they save here
        theta = (np.array(warm) - MEAN) / ELO if warm else np.zeros(results.count)
        fit = _Fit(tables, pairs, rated, theta, start.fit)
        margins = fit.margins()
    fit.forget_games()
    start.fit = fit
    ratings: list[Rating | None] = [None] * results.count
    for entrant, theta, error in zip(rated, fit.theta[rated], margins, strict=True):
        middle = MEAN + ELO * float(theta)
        ratings[entrant] = Rating(middle, middle - ELO * float(error), middle + ELO * float(error))
    return ratings


@cache
def _threads() -> ThreadpoolController:
    before = os.environ.get(OPENMP_VARIABLE)
    controller: ThreadpoolController = import_module("threadpoolctl").ThreadpoolController()
    if before is None:  # players that are started in tournaments would see it, and nowhere else
        os.environ.pop(OPENMP_VARIABLE, None)
    return controller


def _weight(size: int) -> float:
    """Return what a pair counts in a game of this size: the pairs of a game say less than as many games of two.

    With it, the scatter of what equal entrants win in a game is that of the model for pairs.
    """
    return 3.0 / (size + 1)


def _shares(table: Table, one: int, other: int) -> Floats:
    """Return what the player of one seat has won from that of another one, game by game: 0, 0.5 or 1."""
    mine, theirs = table.places[:, one], table.places[:, other]
    shares: Floats = (mine < theirs) + 0.5 * (mine == theirs)
    return shares


def _count_pairs(tables: Sequence[Table], count: int) -> _Pairs:
    won, met = np.zeros(count * count), np.zeros(count * count)
    for table in tables:
        weight = _weight(table.size)
        for one in range(table.size):
            for other in range(table.size):
                if one != other:
                    keys = table.entrants[:, one] * count + table.entrants[:, other]
                    won += weight * np.bincount(keys, _shares(table, one, other), minlength=count * count)
                    met += weight * np.bincount(keys, minlength=count * count)
    return _Pairs(won.reshape(count, count), met.reshape(count, count))


class _Fit:
    """The fit of strengths to pairs: `theta` are the log-odds, 0 in the mean."""

    def __init__(
        self, tables: Sequence[Table], pairs: _Pairs, rated: NDArray[np.intp], theta: Floats, before: _Fit | None
    ) -> None:
        self._rated = rated
        self._won = pairs.won[np.ix_(rated, rated)]
        self._met = pairs.met[np.ix_(rated, rated)]
        self._deals = [_Deals(table) for table in tables]
        self._prior_freedom = PRIOR_WEIGHT + len(rated) - 1
        self._own = np.ones(len(rated))
        self._freedom = np.full(len(rated), np.inf)
        self.theta: Floats = theta
        self._prior: float = PRIOR_SD**2
        self._pooled: float = 1.0
        self._inverse: Floats = np.zeros((len(rated), len(rated)))
        if before is not None and np.array_equal(before._rated, rated):
            self.theta, self._prior, self._pooled = before.theta, before._prior, before._pooled
            self._inverse = before._inverse
        self._solve(NEARLY)
        self._measure_scatter()
        self._solve(ENOUGH)

    def forget_games(self) -> None:
        """Drop what only this fit needs: the next one may start from it long after."""
        self._deals = []
        self._won = self._met = np.zeros((0, 0))

    # --- the middle ---

    def _solve(self, enough: float) -> None:
        """Move to the most likely strengths, and to the width of the prior that follows from them."""
        theta = self.theta[self._rated]
        theta = theta - theta.mean()
        last_growth = 0.0
        for _ in range(MAX_STEPS):
            chance, information = self._expect(theta)
            slope = (self._won - self._met * chance).sum(axis=1) / self._pooled - theta / self._prior
            inverse = np.linalg.inv(information / self._pooled + np.eye(len(theta)) / self._prior)
            step = inverse @ slope
            theta = theta + step * min(1.0, 2.0 / (np.abs(step).max() + 1e-12))
            theta = theta - theta.mean()
            lag = np.abs(inverse - self._inverse).max() / np.abs(inverse).max()
            self._inverse = (self._inverse + inverse) / 2  # without which it swings where somebody wins everything
            spread = float((theta**2).sum() + np.trace(self._center(inverse)))
            growth = log((PRIOR_WEIGHT * PRIOR_SD**2 + spread) / self._prior_freedom / self._prior)
            shrinking = min(max(growth / last_growth, 0.0), MAX_SHRINKING) if last_growth else 0.0
            last_growth = growth
            prior = min(MAX_PRIOR_SD**2, self._prior * exp(growth / (1 - shrinking)))
            moved, self._prior = abs(log(prior / self._prior)), prior
            if max(np.abs(step).max(), moved, lag * LAG_WEIGHT) < enough:
                break
        self.theta = self.theta.copy()
        self.theta[self._rated] = theta

    def _expect(self, theta: Floats) -> tuple[Floats, Floats]:
        """Return with which probability each wins from each, and the information of the games.

        Both are means over what the strengths may be: where little is known, strengths themselves would be taken for
        more certain than they are, and those of whoever wins nearly always for smaller (MacKay, 1992).
        """
        own = np.diag(self._inverse)
        variance = own[:, None] + own[None, :] - 2 * self._inverse
        factor = 1 / np.sqrt(1 + np.pi / 8 * variance)
        chance = 1 / (1 + np.exp(factor * (theta[None, :] - theta[:, None])))
        between = self._met * factor * chance * chance.T
        return chance, np.diag(between.sum(axis=1)) - between

    @staticmethod
    def _center(covariance: NDArray[np.floating]) -> Floats:
        """Return the covariance of what is left when the mean of all is taken away."""
        less = covariance - covariance.mean(axis=0, keepdims=True)
        centered: Floats = less - less.mean(axis=1, keepdims=True)
        return centered

    # --- the intervals ---

    def _measure_scatter(self) -> None:
        """Compare how far deals scatter about the fit with what the model expects."""
        count = len(self.theta)
        squares, deal_counts = np.zeros(count), np.zeros(count)
        observations = 0.0
        for deals in self._deals:
            squares += deals.squares(self.theta)
            deal_counts += deals.counts(count)
            observations += deals.observations
        expected = np.diag(self._expect(self.theta[self._rated])[1])
        squares, deal_counts = squares[self._rated], deal_counts[self._rated]
        left = max(0.0, observations - (len(self._rated) - 1))
        correction = observations / left if left else 0.0
        evidence = self._tell(expected, deal_counts)
        evidence_of_all = left * float((evidence * expected).sum() / (deal_counts * expected).sum())
        seen = squares.sum() / expected.sum() * correction
        self._pooled = (evidence_of_all * seen + SCATTER_WEIGHT) / (evidence_of_all + SCATTER_WEIGHT)
        own = squares / expected * correction
        self._own = (evidence * own + OWN_WEIGHT * self._pooled) / (evidence + OWN_WEIGHT)
        share = evidence / (evidence + OWN_WEIGHT)
        freedom = 1 / (share**2 / evidence + (1 - share) ** 2 / max(evidence_of_all, LEAST_FREEDOM))
        self._freedom = np.maximum(freedom, LEAST_FREEDOM)

    def _tell(self, expected: Floats, deal_counts: Floats) -> Floats:
        """Return how many deals between equals would tell as much of the scatter of each entrant as its deals do.

        Of whoever wins nearly always they tell little: the scatter is that of the few other deals.
        """
        met = self._met.sum(axis=1)
        rarity = np.maximum(met / expected - 6, 0)  # the excess kurtosis of one result
        evidence: Floats = deal_counts * 2 / (2 + rarity * deal_counts / met)
        return evidence

    def margins(self) -> Floats:
        """Return half the widths of the intervals, in log-odds, of those who are rated."""
        expected = self._expect(self.theta[self._rated])[1]
        roots = np.sqrt(self._own)
        scatter = roots[:, None] * expected * roots[None, :] / self._pooled**2
        scatter += np.eye(len(self._rated)) / self._prior
        variances = np.diag(self._center(self._inverse @ scatter @ self._inverse))
        # How wide the prior is, is not known either (Morris, 1983).
        pulled = self.theta[self._rated] * np.diag(self._center(self._inverse)) / self._prior
        variances = np.maximum(variances, 0.0) + 2 * pulled**2 / self._prior_freedom
        widths: Floats = student_quantile(self._freedom) * np.sqrt(variances)
        return widths


class _Deals:
    """The games of one size, deal by deal: what each player of a deal won there beyond what was expected of it."""

    def __init__(self, table: Table) -> None:
        self._table = table
        # The games of a deal have the same players: in the order of their numbers, columns of the games match.
        self._ranks = np.argsort(np.argsort(table.entrants, axis=1), axis=1)
        _, first, self._numbers = np.unique(table.deals, return_index=True, return_inverse=True)
        self._players = np.sort(table.entrants[first], axis=1)
        self.observations = float(len(first) * (table.size - 1))

    def counts(self, count: int) -> Floats:
        """Return how many deals each entrant has played."""
        return np.bincount(self._players.ravel(), minlength=count).astype(np.float64)

    def squares(self, theta: Floats) -> Floats:
        """Return the sum over the deals of each entrant of the square of what it won beyond what was expected."""
        table, size = self._table, self._table.size
        strengths = theta[table.entrants]
        beyond = np.zeros(table.entrants.shape)
        for one in range(size):
            for other in range(size):
                if one != other:
                    chance = 1.0 / (1.0 + np.exp(strengths[:, other] - strengths[:, one]))
                    beyond[:, one] += _weight(size) * (_shares(table, one, other) - chance)
        keys = self._numbers[:, None] * size + self._ranks
        sums = np.bincount(keys.ravel(), beyond.ravel(), minlength=len(self._players) * size)
        return np.bincount(self._players.ravel(), sums**2, minlength=len(theta)).astype(np.float64)


def student_quantile(freedom: Floats) -> Floats:
    """Return the two-sided quantile of Student's t for CONFIDENCE (Abramowitz and Stegun, 26.7.5), from about 3 up."""
    z = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
    )
    quantile: Floats = np.full(freedom.shape, z)
    for power, term in enumerate(terms, start=1):
        quantile += term / freedom**power
    return quantile
