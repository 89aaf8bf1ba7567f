"""Points, as formats need them between rounds: whole numbers, so that equal is equal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from math import lcm

from fairplay.games.kit.tournament import Played


class Points:
    """The points of entrants: of each game of k players 1 for the first place, 0 for the last, in equal steps.

    Places that are shared share their points; whoever failed is last. A game that was aborted counts for nobody.
    """

    def __init__(self, sizes: range) -> None:
        self._unit = 2 * lcm(*(max(1, size - 1) for size in sizes))
        self._points: Counter[int] = Counter()

    def add(self, played: Iterable[Played]) -> None:
        """Add the points of games."""
        for game in played:
            if not game.result.aborted and len(game.pairing.entrants) > 1:
                self._add(game)

    def _add(self, game: Played) -> None:
        entrants = game.pairing.entrants
        step = self._unit // (2 * (len(entrants) - 1))
        behind = len(entrants)
        for group in game.result.ranking:
            behind -= len(group.players)
            for player in group.players:
                self._points[entrants[player.seat]] += step * (2 * behind + len(group.players) - 1)

    def add_wins(self, entrant: int, count: int) -> None:
        """Add the points of so many games that were won."""
        self._points[entrant] += self._unit * count

    def of(self, entrant: int) -> int:
        """Return the points of an entrant; only comparisons with others mean something."""
        return self._points[entrant]

    def quarters(self, entrant: int, games: int) -> int:
        """Return the points of an entrant in quarters of what so many games are worth."""
        return round(4 * self._points[entrant] / (self._unit * games))
