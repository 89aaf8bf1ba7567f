"""The pairings of a Swiss tournament of games for two, after the ideas of FIDE's Dutch system.

What decides, in this order: nobody meets twice, and nobody sits out twice, while that can be avoided, also in the
rounds to come; the lowest sits out; nobody has one seat three times more often than the other; those who meet have
equal points; the seats are balanced; the upper half of those with equal points meets the lower half, in order.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from itertools import chain, combinations
from random import Random
from typing import NamedTuple

from fairplay.formats.matching import Pair, match, rank_costs
from fairplay.formats.reserve import Matching, find_matchings, is_safe, take_best
from fairplay.formats.schedules import schedule

MANY = 64
"""With more entrants, pairs that are far apart in the ranking are looked at only where there is no other way."""
NEAR = 20
"""How many places apart pairs may be at first, with many entrants."""
FAR = 1_000
"""Places in the ranking that are farther apart than this count as this far."""
NOBODY = -1
"""Whom an entrant meets that sits out."""


class Ranked(NamedTuple):
    """An entrant as the pairing of a round sees it. They are ranked, best first."""

    entrant: int
    score: int
    """Its points, in quarters of a match."""
    imbalance: int
    """How many more games it has played in the first seat than in the second."""


class Pairings:
    """The pairings of one tournament: who has met whom, and which rounds are in reserve."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self._met: defaultdict[int, Counter[int]] = defaultdict(Counter)
        self._reserve: list[frozenset[Pair]] | None = None
        self._everybody: list[int] = []

    def pair(self, ranking: Sequence[Ranked], rounds: int) -> tuple[tuple[int, int], ...]:
        """Return the pairs of a round, the better ranked first; `rounds` are still to be played, this one included.

        Of an odd number of entrants one is in no pair, and sits out.
        """
        everybody = sorted(each.entrant for each in ranking)
        if everybody != self._everybody:
            self._reserve, self._everybody = None, everybody
        round_ = _Round(ranking, self._met)
        best, self._reserve = self._choose(round_, rounds)
        pairs = [(round_.entrant(one), round_.entrant(other)) for one, other in best]
        for one, other in pairs:
            self._met[one][other] += 1
            self._met[other][one] += 1
        return tuple(pair for pair in pairs if NOBODY not in pair)

    def _choose(self, round_: _Round, rounds: int) -> tuple[Matching, list[frozenset[Pair]] | None]:
        """Return the matching of a round, of places in the ranking, and the reserve for the rounds to come."""
        best = round_.best(self._rng)
        if best is None:
            return round_.least_repeated(self._rng), None
        if is_safe(round_.count, round_.least_degree - 1, rounds - 1):
            return best, None
        reserve = round_.recall(self._reserve) if self._reserve else round_.whole_schedule(rounds)
        later = None
        if reserve is None or round_.count <= MANY:
            later = find_matchings(round_.count, round_.fresh - set(best), rounds - 1, self._rng)
        if later is None:
            if reserve is None:
                return best, None
            best, later = take_best(reserve, round_.costs(round_.fresh).__getitem__)
        return best, [round_.remember(matching) for matching in later]


class _Round:
    """One round: who may be paired, and at what cost. Its numbers are places in the ranking, from 0.

    With an odd number of entrants there is one number more, for nobody: whoever is paired with it sits out.
    """

    def __init__(self, ranking: Sequence[Ranked], met: Mapping[int, Counter[int]]) -> None:
        self._ranking = ranking
        self.count = len(ranking) + len(ranking) % 2
        self._met = [met.get(self.entrant(place), Counter[int]()) for place in range(self.count)]
        sizes = Counter(each.score for each in ranking)
        self._half = [max(1, sizes[each.score] // 2) for each in ranking]

    def entrant(self, place: int) -> int:
        """Return the entrant at a place of the ranking."""
        return self._ranking[place].entrant if place < len(self._ranking) else NOBODY

    @property
    def least_degree(self) -> int:
        """Return the fewest that somebody may still be paired with."""
        everybody = {self.entrant(place) for place in range(self.count)}
        return min(self.count - 1 - len(everybody.intersection(met)) for met in self._met)

    @cached_property
    def fresh(self) -> set[Pair]:
        """Return the pairs that have not met."""
        return {(one, other) for one, other in combinations(range(self.count), 2) if not self._times(one, other)}

    def _times(self, one: int, other: int) -> int:
        return self._met[one][self.entrant(other)]

    def best(self, rng: Random) -> Matching | None:
        """Return the best matching of those who have not met; None if there is none."""
        if self.count > MANY:
            near = ((one, one + apart) for one in range(self.count) for apart in range(1, NEAR + 1))
            last = ((one, self.count - 1) for one in range(self.count - 1))
            some = {
                (one, other) for one, other in chain(near, last) if other < self.count and not self._times(one, other)
            }
            if (found := match(self.count, self.costs(some), rng)) is not None:
                return found
        return match(self.count, self.costs(self.fresh), rng)

    def least_repeated(self, rng: Random) -> Matching:
        """Return the best of the matchings in which the fewest meet again, and not those who have met most."""
        pairs = combinations(range(self.count), 2)
        criteria = {pair: (self._times(*pair) ** 2, *self._criteria(pair)) for pair in pairs}
        found = match(self.count, rank_costs(criteria, self.count // 2), rng)
        assert found is not None  # of all pairs there is a matching
        return found

    def costs(self, pairs: Collection[Pair]) -> dict[Pair, int]:
        """Return what each pair costs."""
        return rank_costs({pair: self._criteria(pair) for pair in pairs}, self.count // 2)

    def _criteria(self, pair: Pair) -> tuple[int, ...]:
        one, other = pair
        if self.entrant(other) == NOBODY:
            return other - 1 - one, 0, 0, 0, 0
        better, worse = self._ranking[one], self._ranking[other]
        worst = _imbalance_after(better.imbalance, worse.imbalance)
        difference = better.score - worse.score
        half = self._half[one] if difference == 0 else 1
        return 0, max(0, worst - 2), difference * difference, worst * worst, min(FAR, abs(other - one - half))

    def remember(self, matching: Matching) -> frozenset[Pair]:
        """Return the pairs of entrants of a matching of places."""
        return frozenset(_sorted(self.entrant(one), self.entrant(other)) for one, other in matching)

    def recall(self, reserve: Sequence[frozenset[Pair]]) -> list[Matching]:
        """Return the matchings of places of those that were remembered as pairs of entrants."""
        places = {self.entrant(place): place for place in range(self.count)}
        return [tuple(sorted(_sorted(places[one], places[other]) for one, other in each)) for each in reserve]

    def whole_schedule(self, rounds: int) -> list[Matching] | None:
        """Return the rounds of the circle method, where nobody has met anybody yet; else None."""
        if any(self._met) or rounds >= self.count:
            return None
        matchings = [tuple(sorted(_sorted(*game) for game in each)) for each in schedule(self.count, 2)]
        return matchings[:rounds]


def _imbalance_after(one: int, other: int) -> int:
    """Return the greater imbalance of two after a game, in the seats that are better for them."""
    return min(max(abs(one + turn), abs(other - turn)) for turn in (1, -1))


def _sorted(one: int, other: int) -> Pair:
    return (one, other) if one < other else (other, one)
