"""Points and tie-breaks, in whole numbers, so that equal is equal.

Points: of each game of k players 1 for the first place and 0 for the last, in equal steps, shared on ties. That is the
share of the opponents that a player has beaten, one with whom it shares a place counted as half. Whoever failed has
beaten nobody, and everybody who did not fail has beaten it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from math import lcm
from random import Random

import numpy as np

from fairplay.standings.rating import Score
from fairplay.standings.results import FAILED, Ints, Results, Table

MAX_UNIT = 5_000
"""The largest unit with which sums of products of two points fit into 64 bits; beyond it numbers have any size."""
MAX_DENSE = 2_000
"""The most entrants with tie-breaks that need to know who met whom; with more, these are 0 for everybody."""


def score_entrants(results: Results, *, seed: int, struck: Iterable[int] = ()) -> list[Score]:
    """Return the points table, best first; the lot that decides last is drawn from the seed.

    Games of entrants in `struck` count for nobody.
    """
    tables = list(results.tables(struck))
    unit = 2 * lcm(1, *(table.size - 1 for table in tables if table.size > 1))
    tally = _Tally(results.count, unit)
    for table in tables:
        tally.add(table)
    lots = list(range(1, results.count + 1))
    Random(f"lot/{seed}").shuffle(lots)
    return tally.ranked(lots)


class _Tally:
    """Sums over games, in units of which a whole point has `unit`."""

    def __init__(self, count: int, unit: int) -> None:
        self._count = count
        self._unit = unit
        whole = np.int64 if unit <= MAX_UNIT else object
        self._points = np.zeros(count, dtype=whole)
        self._games, self._wins, self._ties = (np.zeros(count, dtype=np.int64) for _ in range(3))
        self._differences = np.zeros(count)
        dense = count if count <= MAX_DENSE else 0
        self._beaten = np.zeros((dense, dense), dtype=whole)
        self._met = np.zeros((dense, dense), dtype=whole)

    def add(self, table: Table) -> None:
        """Add games. One with a single player is a bye: it has points, but is no game that was played."""
        if table.size == 1:
            self._points += self._unit * self._count_rows(table.entrants[table.places == 1])
            return
        first = table.places == 1
        alone = first & (first.sum(axis=1, keepdims=True) == 1)
        self._games += self._count_rows(table.entrants)
        self._wins += self._count_rows(table.entrants[alone])
        self._ties += self._count_rows(table.entrants[first & ~alone])
        # A game counts the score of a player less the mean of the others.
        others = (table.scores.sum(axis=1, keepdims=True) - table.scores) / (table.size - 1)
        np.add.at(self._differences, table.entrants, table.scores - others)
        weight = self._unit // (table.size - 1)
        for one in range(table.size):
            for other in range(table.size):
                if one == other:
                    continue
                mine, theirs = table.places[:, one], table.places[:, other]
                halves = 2 * (mine < theirs) + ((mine == theirs) & (mine != FAILED))
                won = halves.astype(self._points.dtype) * (weight // 2)
                np.add.at(self._points, table.entrants[:, one], won)
                if len(self._met):
                    np.add.at(self._beaten, (table.entrants[:, one], table.entrants[:, other]), won)
                    np.add.at(self._met, (table.entrants[:, one], table.entrants[:, other]), weight)

    def _count_rows(self, entrants: Ints) -> Ints:
        return np.bincount(entrants.ravel(), minlength=self._count)

    def ranked(self, lots: Sequence[int]) -> list[Score]:
        """Return the entrants, best first."""
        unit, points = self._unit, self._points.tolist()
        if len(self._met):
            buchholz, berger = (self._met @ self._points).tolist(), (self._beaten @ self._points).tolist()
        else:
            buchholz = berger = [0] * self._count
        direct = self._head_to_head()
        exact = [
            (points[each], direct[each], buchholz[each], berger[each], int(self._wins[each]))
            for each in range(self._count)
        ]
        keys = [(*exact[each], float(self._differences[each].round(6)), lots[each]) for each in range(self._count)]
        order = sorted(range(self._count), key=lambda each: keys[each], reverse=True)
        scales = (unit, unit * unit, unit * unit, 1, 1, 1)
        return [
            Score(
                entrant=each,
                place=place,
                points=points[each] / unit,
                tie_breaks=tuple(value / scale for value, scale in zip(keys[each][1:], scales, strict=True)),
                game_count=int(self._games[each]),
                win_count=int(self._wins[each]),
                tie_count=int(self._ties[each]),
                loss_count=int(self._games[each] - self._wins[each] - self._ties[each]),
            )
            for place, each in enumerate(order, start=1)
        ]

    def _head_to_head(self) -> list[int]:
        """Return what each entrant won from those with equal points, where all of these met equally often; else 0."""
        direct = [0] * self._count
        if not len(self._met):
            return direct
        by_points = sorted(range(self._count), key=lambda each: int(self._points[each]))
        for _, equal in groupby(by_points, key=lambda each: int(self._points[each])):
            group = list(equal)
            met = self._met[np.ix_(group, group)]
            between = met[~np.eye(len(group), dtype=bool)]
            if len(group) > 1 and between.min() == between.max() > 0:
                for each, won in zip(group, self._beaten[np.ix_(group, group)].sum(axis=1), strict=True):
                    direct[each] = int(won)
        return direct
