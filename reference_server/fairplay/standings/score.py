"""What points and tie-breaks are. How they are computed is in `points`, which loads numpy, as `ratings` does."""

from __future__ import annotations

from dataclasses import dataclass

TIE_BREAKS = ("head-to-head", "Buchholz", "Sonneborn-Berger", "wins", "score difference", "lot")
"""The names of the tie-breaks, in the order in which they decide. Of each of them the higher value is the better."""


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
