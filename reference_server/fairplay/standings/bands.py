"""Bands: entrants that cannot be told apart by their ratings."""

from __future__ import annotations

from collections.abc import Sequence

from fairplay.standings.rating import Rating


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
