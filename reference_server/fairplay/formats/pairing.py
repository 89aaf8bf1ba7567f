"""The pairings of a Swiss tournament of games for two, after the ideas of FIDE's Dutch system.

A round of games of two is a perfect matching of those who have not met. A matching that is good now may leave pairs of
which no matchings can be made any more: of two groups of three, say, in which everybody has met the other group. So
where rounds are many, those to come are held in reserve, as matchings without a common pair. There are always some: the
rounds of the circle method at the beginning, and after each round those that are left.

What decides, in this order: nobody meets twice, and nobody sits out twice, while that can be avoided, also in the
rounds to come; the lowest sits out; nobody has one seat three times more often than the other; those who meet have
equal points; the seats are balanced; the upper half of those with equal points meets the lower half, in order.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain, combinations
from math import prod
from random import Random
from typing import NamedTuple, TypeAlias

from fairplay.formats.schedules import schedule

Pair: TypeAlias = tuple[int, int]
"""Two numbers, the smaller one first."""

NOISE_BITS = 40
WEIGHT_BITS = 120
"""rustworkx takes weights of 128 bits, and adds up to four of them."""

Matching: TypeAlias = tuple[Pair, ...]
RETRIES = 40
"""How many matchings are taken back, in a search for many, before it is given up."""
MANY = 64
"""With more entrants, pairs that are far apart in the ranking are looked at only where there is no other way."""
NEAR = 20
"""How many places apart pairs may be at first, with many entrants."""
FAR = 1_000
"""Places in the ranking that are farther apart than this count as this far."""
NOBODY = -1
"""Whom an entrant meets that sits out."""


def match(count: int, costs: Mapping[Pair, int], rng: Random) -> tuple[Pair, ...] | None:
    """Return the perfect matching of the numbers below `count` of least cost; None if there is none.

    Only the pairs in `costs` may be chosen; no cost is negative. Among equally good matchings `rng` draws: a little
    noise on each cost makes the best one unique, so that each implementation of the algorithm finds the same.
    """
    import rustworkx  # noqa: PLC0415 - only some formats need it

    room = (count // 2).bit_length()  # all noise of a matching together is less than a cost of 1
    bits = max(0, min(NOISE_BITS, WEIGHT_BITS - max(costs.values(), default=0).bit_length() - room))
    noisy = [(one, other, (costs[one, other] << bits + room) + rng.getrandbits(bits)) for one, other in sorted(costs)]
    top = max((cost for *_, cost in noisy), default=0)
    graph: rustworkx.PyGraph[None, int] = rustworkx.PyGraph()
    graph.add_nodes_from([None] * count)
    graph.add_edges_from([(one, other, top - cost) for one, other, cost in noisy])
    found = rustworkx.max_weight_matching(graph, max_cardinality=True, weight_fn=lambda weight: weight)
    return tuple(sorted((min(pair), max(pair)) for pair in found)) if 2 * len(found) == count else None


def rank_costs(criteria: Mapping[Pair, Sequence[int]], pair_count: int) -> dict[Pair, int]:
    """Return costs for `match` from criteria: the sum of the first one decides, then that of the second, and so on.

    `pair_count` is how many pairs a matching has. No criterion is negative.
    """
    sums = [pair_count * max(values) + 1 for values in zip(*criteria.values(), strict=True)]
    factors = [prod(sums[place + 1 :]) for place in range(len(sums))]
    return {
        pair: sum(value * factor for value, factor in zip(values, factors, strict=True))
        for pair, values in criteria.items()
    }


def is_safe(count: int, least_degree: int, rounds: int) -> bool:
    """Return whether so many rounds without a repetition are certain, whatever is played in them.

    `least_degree` is the fewest others that somebody has not met. Where everybody has not met half of all there is a
    matching (Dirac's theorem), and each round takes one.
    """
    return rounds == 0 or 2 * (least_degree - rounds + 1) >= count


def find_matchings(count: int, pairs: Collection[Pair], wanted: int, rng: Random) -> list[Matching] | None:
    """Return so many matchings without a common pair, made of these pairs; None if none were found."""
    left, found, retries = set(pairs), list[Matching](), 0
    while len(found) < wanted:
        matching = match(count, dict.fromkeys(left, 0), rng)
        if matching is not None:
            found.append(matching)
            left -= set(matching)
            continue
        retries += 1
        if retries > RETRIES or not found:
            return None
        for _ in range(min(len(found), 2 + retries % 3)):
            left |= set(found.pop())
    return found


def take_best(matchings: Sequence[Matching], cost: Callable[[Pair], int]) -> tuple[Matching, list[Matching]]:
    """Return a good matching that can be made of pairs of these, and matchings of the pairs that are left over.

    It begins with the best one. Two matchings make circles of pairs that are in turn of the one and of the other; where
    a circle is better with the others, they change places.
    """
    first, *others = sorted(matchings, key=lambda matching: (sum(map(cost, matching)), matching))
    best, rest = set(first), [set(matching) for matching in others]
    while sum(_exchange(best, other, cost) for other in rest):
        pass
    return tuple(sorted(best)), [tuple(sorted(matching)) for matching in rest]


def _exchange(best: set[Pair], other: set[Pair], cost: Callable[[Pair], int]) -> bool:
    """Exchange the pairs of the circles in which the other matching is better; return whether there were any."""
    better = [(mine, theirs) for mine, theirs in _circles(best, other) if sum(map(cost, theirs)) < sum(map(cost, mine))]
    for mine, theirs in better:
        best -= mine
        best |= theirs
        other -= theirs
        other |= mine
    return bool(better)


def _circles(one: Collection[Pair], other: Collection[Pair]) -> Iterator[tuple[set[Pair], set[Pair]]]:
    """Return the circles of two matchings, each as its pairs of the one and of the other."""
    ones = {number: pair for pair in one for number in pair}
    others = {number: pair for pair in other for number in pair}
    seen: set[int] = set()
    for start in sorted(ones):
        mine, theirs, number = set[Pair](), set[Pair](), start
        while number not in seen:
            partner = sum(ones[number]) - number
            seen |= {number, partner}
            mine.add(ones[number])
            theirs.add(others[partner])
            number = sum(others[partner]) - partner
        if mine:
            yield mine, theirs


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
