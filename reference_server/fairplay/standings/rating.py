"""What ratings, bands, points and tie-breaks are. What computes them loads numpy: `ratings` and `points`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

MEAN = 1500.0
MAX_RATED = 2_000
"""The most entrants of an event that is rated: the fit needs a table of who met whom."""

TIE_BREAKS = ("head-to-head", "Buchholz", "Sonneborn-Berger", "wins", "score difference", "lot")
"""The names of the tie-breaks, in the order in which they decide. Of each of them the higher value is the better."""


@dataclass(frozen=True, slots=True)
class Rating:
    """The rating of an entrant with its interval, on the Elo scale."""

    rating: float
    low: float
    high: float

    @property
    def margin(self) -> float:
        """Return half the width of the interval."""
        return (self.high - self.low) / 2


class Start:
    """Where the next fit of an event starts from: the end of the one before, which makes it quicker, and no other."""

    def __init__(self) -> None:
        self.fit: Any = None


@dataclass(frozen=True, slots=True)
class Score:
    """What the points table says of one entrant."""

    entrant: int
    place: int
    points: float
    tie_breaks: tuple[float, ...]
    """The values of TIE_BREAKS, in their order."""
    game_count: int
    win_count: int
    """First alone."""
    tie_count: int
    """Shared the first place."""
    loss_count: int


def divide_into_bands(ratings: Sequence[Rating | None]) -> list[int]:
    """Return the band of each entrant, from 1 for the best; 0 for those without a rating.

    Entrants whose intervals overlap share a band, and so do those who are linked by others between them. Everybody in
    a band is better than everybody in the next one, as surely as the intervals hold.
    """
    rated = [(rating, entrant) for entrant, rating in enumerate(ratings) if rating is not None]
    bands = [0] * len(ratings)
    band, lowest = 0, float("inf")
    for rating, entrant in sorted(rated, key=lambda each: each[0].high, reverse=True):
        if rating.high < lowest:
            band += 1
            lowest = rating.low
        lowest = min(lowest, rating.low)
        bands[entrant] = band
    return bands
