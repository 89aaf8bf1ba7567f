"""The groups of a Swiss tournament of games for more than two.

Whether there are groups in which nobody meets anybody again is as hard to say as the puzzle of the social golfer. So
the groups begin as those who stand next to each other in the ranking, and entrants change places: while some meet
again, the change after which the fewest do, and then while that brings together entrants whose points are closer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations
from random import Random
from typing import NamedTuple

from fairplay.formats.schedules import Group

TRIES = 400
"""How many changes are made, at the most, to keep entrants from meeting again."""
NEAR = 4
"""How many groups apart entrants may change places to be among their equals."""


class Candidate(NamedTuple):
    """An entrant as the groups of a round see it. They are ranked, best first."""

    entrant: int
    score: int


def group_sizes(count: int, seats: int, sizes: range) -> list[int]:
    """Return the sizes of as many groups of `seats` as can be filled, or a little smaller ones.

    They differ by one at the most, and are sizes that a game can have; where that leaves no way for everybody to play,
    some sit out.
    """
    number = -(-count // seats)
    if number and count // number >= sizes.start:
        return [count // number + (place < count % number) for place in range(number)]
    return [seats] * (count // seats)


class Groups:
    """The groups of one tournament: who has met whom, and how often."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self._met: Counter[tuple[int, int]] = Counter()

    def form(self, ranking: Sequence[Candidate], sizes: Sequence[int]) -> tuple[Group, ...]:
        """Return groups of these sizes, which add up to the number of candidates; the best of each come first."""
        seating = _Seating(ranking, sizes, self._met, self._rng)
        seating.part()
        seating.level()
        groups = tuple(tuple(ranking[place].entrant for place in sorted(group)) for group in seating.groups)
        for group in groups:
            self._met.update(combinations(sorted(group), 2))
        return groups


class _Seating:
    """The groups of one round while they are formed, as places in the ranking."""

    def __init__(
        self, ranking: Sequence[Candidate], sizes: Sequence[int], met: Counter[tuple[int, int]], rng: Random
    ) -> None:
        self._ranking = ranking
        self._met = met
        self._rng = rng
        places = iter(range(len(ranking)))
        self.groups = [[next(places) for _ in range(size)] for size in sizes]

    def part(self) -> None:
        """Change places until nobody meets anybody again, or the tries are used up."""
        for _ in range(TRIES):
            again = [group for group in range(len(self.groups)) if self._repeats(self.groups[group])]
            if not again:
                return
            group = self._rng.choice(again)
            members = self.groups[group]
            place = self._rng.choice([each for each in members if self._cost_of(each, members)[0]])
            changes = [
                (self._change(group, place, other, partner), self._rng.random(), other, partner)
                for other in range(len(self.groups))
                if other != group
                for partner in self.groups[other]
            ]
            if not changes:
                return
            _, _, other, partner = min(changes)
            self._exchange(group, place, other, partner)

    def level(self) -> None:
        """Change places while that brings together those with equal points, and nobody meets again who did not."""
        better = True
        while better:
            better = False
            for group, place, other, partner in self._neighbours():
                there = place in self.groups[group] and partner in self.groups[other]
                if there and self._change(group, place, other, partner) < (0, 0):
                    self._exchange(group, place, other, partner)
                    better = True

    def _neighbours(self) -> Iterator[tuple[int, int, int, int]]:
        for group, members in enumerate(self.groups):
            for other in range(group + 1, min(group + 1 + NEAR, len(self.groups))):
                yield from ((group, one, other, two) for one in tuple(members) for two in tuple(self.groups[other]))

    def _exchange(self, group: int, place: int, other: int, partner: int) -> None:
        self.groups[group] = [partner if each == place else each for each in self.groups[group]]
        self.groups[other] = [place if each == partner else each for each in self.groups[other]]

    def _change(self, group: int, place: int, other: int, partner: int) -> tuple[int, int]:
        """Return by how much an exchange makes it worse: meetings again, and squares of differences of points."""
        mine = [each for each in self.groups[group] if each != place]
        theirs = [each for each in self.groups[other] if each != partner]
        after = zip(self._cost_of(partner, mine), self._cost_of(place, theirs), strict=True)
        before = zip(self._cost_of(place, mine), self._cost_of(partner, theirs), strict=True)
        repeats, differences = (sum(now) - sum(then) for now, then in zip(after, before, strict=True))
        return repeats, differences

    def _repeats(self, group: Sequence[int]) -> int:
        return sum(self._cost_of(place, group)[0] for place in group)

    def _cost_of(self, place: int, others: Sequence[int]) -> tuple[int, int]:
        """Return how often somebody has met these others, squared, and how far their points are apart, squared."""
        me = self._ranking[place]
        repeats = differences = 0
        for each in others:
            other = self._ranking[each]
            pair = (me.entrant, other.entrant) if me.entrant < other.entrant else (other.entrant, me.entrant)
            repeats += self._met[pair] ** 2
            differences += (me.score - other.score) ** 2
        return repeats, differences
