"""A sequential test on deals: is one player better than another one? It stops as soon as it is sure.

The test is the generalised sequential probability ratio test (GSPRT) in the form that testers of chess programs use,
with bounds in logistic Elo: how likely is what happened if the difference is `elo1`, compared with `elo0`? A deal is
one observation: the mean result of its games, in which both players had each seat and the same luck. So luck that the
games of a deal share cancels, or widens the spread of the deals, as it really is.

The spread is not known beforehand, but estimated from the deals. With few of them it may come out far too small by
chance, and the test would be too sure: so no answer is given before LEAST_DEALS, and until there are many, the spread
that results of independent games would have at most counts, too.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from math import log, log10, sqrt
from statistics import NormalDist

LEAST_DEALS = 8
"""Before so many deals no answer is given."""
SPREAD_WEIGHT = 4.0
"""With how many deals the spread of results of independent games counts against that which is seen."""
CAREFUL = 0.6
"""The limits are those of so much of the error that is asked: that the spread is estimated takes up the rest."""
MAX_ELO = 1_200.0
"""A difference is shown as no more than this: who has won everything may be better by any amount."""


class Answer(Enum):
    """What a comparison says: the new player is better, is not, or it is not known yet."""

    BETTER = "better"
    NOT_BETTER = "not better"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class Bounds:
    """What is asked of a test: `elo0` or less is not better, `elo1` or more is, and how often it may err.

    Raises ValueError if the bounds are not in this order, or the error is not a probability below a half.
    """

    elo0: float = 0.0
    elo1: float = 50.0
    error: float = 0.05

    def __post_init__(self) -> None:
        if not -MAX_ELO < self.elo0 < self.elo1 < MAX_ELO:
            raise ValueError(f"the bounds {self.elo0:g} and {self.elo1:g} Elo must ascend, within ± {MAX_ELO:g}")
        if not 0.0001 <= self.error < 0.5:
            raise ValueError(f"the error is {self.error:g}; it must be 0.0001 to 0.5")

    @property
    def limit(self) -> float:
        """Return how far the log-likelihood ratio must be from 0 for an answer, up for better and down for not."""
        error = CAREFUL * self.error
        return log((1 - error) / error)


class SequentialTest:
    """A test that is going on. `games_per_deal` is how many games each deal has."""

    def __init__(self, bounds: Bounds, games_per_deal: int) -> None:
        self.bounds = bounds
        self.deal_count = 0
        self._games_per_deal = games_per_deal
        self._sum = 0.0
        self._squares = 0.0

    def add(self, score: float) -> None:
        """Add a deal in which the new player's mean result against the old one was `score`, from 0 to 1."""
        self.deal_count += 1
        self._sum += score
        self._squares += score * score

    @property
    def score(self) -> float:
        """Return the mean of the deals; 0.5 if there are none."""
        return self._sum / self.deal_count if self.deal_count else 0.5

    @property
    def variance(self) -> float:
        """Return the variance of a deal."""
        seen = max(0.0, self._squares - self.deal_count * self.score**2)
        return (seen + SPREAD_WEIGHT * 0.25 / self._games_per_deal) / (self.deal_count + SPREAD_WEIGHT - 1)

    @property
    def ratio(self) -> float:
        """Return the logarithm of the likelihood ratio of `elo1` over `elo0`.

        The spread of the deals is taken as what is most likely under each of the two, and not the same under both:
        where the mean is far from one of them by chance, the spread about it is wide, and the test stays careful.
        """
        low, high = (self.score - expected_score(elo) for elo in (self.bounds.elo0, self.bounds.elo1))
        return self.deal_count / 2 * log((self.variance + low**2) / (self.variance + high**2))

    @property
    def answer(self) -> Answer:
        """Return what the deals so far say."""
        if self.deal_count < LEAST_DEALS or abs(self.ratio) < self.bounds.limit:
            return Answer.UNDECIDED
        return Answer.BETTER if self.ratio > 0 else Answer.NOT_BETTER

    @property
    def elo(self) -> float:
        """Return the estimated difference in Elo."""
        return elo_of(self.score)

    def interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """Return the interval of the difference in Elo, as if the number of deals had been fixed beforehand."""
        width = NormalDist().inv_cdf((1 + confidence) / 2) * sqrt(self.variance / max(1, self.deal_count))
        return elo_of(self.score - width), elo_of(self.score + width)

    def deals_left(self) -> int | None:
        """Return about how many more deals an answer takes if they go on like this; None if that is not known."""
        if not self.deal_count or not self.ratio:
            return None
        missing = (self.bounds.limit / abs(self.ratio) - 1) * self.deal_count
        return max(1, LEAST_DEALS - self.deal_count, round(missing))


def expected_score(elo: float) -> float:
    """Return the mean result of a player that is better by so much Elo."""
    return float(1 / (1 + 10 ** (-elo / 400)))


def elo_of(score: float) -> float:
    """Return the difference in Elo that a mean result means, within ± MAX_ELO."""
    if not 0 < score < 1:
        return MAX_ELO if score >= 1 else -MAX_ELO
    return min(max(-400 * log10(1 / score - 1), -MAX_ELO), MAX_ELO)
