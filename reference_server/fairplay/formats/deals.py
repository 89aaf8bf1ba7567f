"""Duplicate deals: a group of k players plays each deal k times, with the seats rotated."""

from __future__ import annotations

from collections.abc import Sequence

from fairplay.games.kit.tournament import Pairing


class Deals:
    """The deals of one tournament: it numbers them, from 1. `count` is how many each group of players plays."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._last = 0

    def games(self, group: Sequence[int]) -> tuple[Pairing, ...]:
        """Return the games of a meeting of these entrants; with no deals one game, in the order that is given."""
        if not self._count:
            return (Pairing(tuple(group)),)
        games: list[Pairing] = []
        for _ in range(self._count):
            self._last += 1
            games += (Pairing((*group[turn:], *group[:turn]), self._last) for turn in range(len(group)))
        return tuple(games)
