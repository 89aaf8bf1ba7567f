"""The games of a meeting, with seats that come out even."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations

from fairplay.formats.deals import Deals
from fairplay.formats.schedules import Group
from fairplay.games.kit.tournament import Pairing


class Meetings:
    """The games of entrants that meet: duplicate deals with rotated seats, or single games with balanced seats."""

    def __init__(self, deal_count: int) -> None:
        self.deal_count = deal_count
        self._deals = Deals(deal_count)
        self._taken: Counter[tuple[int, int]] = Counter()

    def games(self, group: Sequence[int]) -> tuple[Pairing, ...]:
        """Return the games of these entrants. Of single games each takes the seat that it has had least often."""
        seated = tuple(group) if self.deal_count else self._seat(group)
        self._taken.update((entrant, seat) for seat, entrant in enumerate(seated))
        return self._deals.games(seated)

    def length(self, size: int) -> int:
        """Return how many games a meeting of so many entrants has."""
        return max(1, self.deal_count * size)

    def imbalance(self, entrant: int) -> int:
        """Return how many more single games an entrant has had in the first seat than in the second."""
        return 0 if self.deal_count else self._taken[entrant, 0] - self._taken[entrant, 1]

    def _seat(self, group: Sequence[int]) -> Group:
        """Return the entrants in seats in which the least of them has been before; any two are better so than swapped.

        Of equally good seats they keep those in which they are named.
        """
        seated = [*group]
        better = True
        while better:
            better = False
            for one, other in combinations(range(len(seated)), 2):
                mine, theirs = seated[one], seated[other]
                now = self._taken[mine, one] + self._taken[theirs, other]
                if self._taken[mine, other] + self._taken[theirs, one] < now:
                    seated[one], seated[other] = theirs, mine
                    better = True
        return tuple(seated)
