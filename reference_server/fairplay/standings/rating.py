"""What a rating is. How ratings are computed is in `ratings`, which loads numpy: a server that has none to compute yet
does without its memory.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

MEAN = 1500.0
MAX_RATED = 2_000
"""The most entrants of an event that is rated: the fit needs a table of who met whom."""


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
