"""Balanced schedules where no result matters: who plays whom, in which seat, and on which deals.

For games of two the schedule is that of the circle method, known as Berger's tables. For games of more it is cyclic: a
few base games are shifted along the circle of entrants, each as often as there are entrants. So everybody plays equally
often, and has each seat equally often. How often two entrants meet depends on their distance on the circle alone; base
games are searched for in which all distances come equally often, the difference being at most one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations
from math import exp
from random import Random
from typing import TypeAlias

from fairplay.games.kit.tournament import Pairing

Group: TypeAlias = tuple[int, ...]
"""Entrants that play a game, in the order of their seats."""
Round: TypeAlias = tuple[Group, ...]
"""Games that can be played at the same time: nobody is in two of them."""
STEPS = 3_000
"""How many changes of one game the search tries, before it goes on with one base game more."""
WAYS = 4
"""How many numbers of base games are tried, before a greater difference is accepted."""


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


def schedule(count: int, seats: int, meetings: int = 1) -> Iterator[Round]:
    """Return the rounds of a schedule in which each pair of entrants meets at least `meetings` times.

    The entrants are the numbers from 0 to `count` - 1, no fewer than `seats`. For games of two each pair meets exactly
    that often. For games of more some pairs meet once more; with more than 24 entrants two or three times more, where
    the search finds nothing better.
    """
    if seats == 2:
        return (each for cycle in range(meetings) for each in _circle(count, turned=cycle % 2 == 1))
    return (each for base in base_games(count, seats, meetings) for each in _shifts(count, base))


def game_count(count: int, seats: int, meetings: int = 1) -> int:
    """Return how many games at the least such a schedule has."""
    pairs = meetings * count * (count - 1)
    return pairs // 2 if seats == 2 else count * _fewest(count, seats, meetings)


def _circle(count: int, *, turned: bool) -> Iterator[Round]:
    """Return a round robin for games of two; `turned`: with the seats exchanged. With an odd number one sits out."""
    rim = count - 1 if count % 2 == 0 else count
    for turn in range(rim):
        games = [
            ((turn + step) % rim, (turn - step) % rim)[:: 1 if step % 2 else -1] for step in range(1, (rim + 1) // 2)
        ]
        if rim < count:
            games.insert(0, (turn, rim)[:: 1 if turn % 2 else -1])
        yield tuple(game[::-1] if turned else game for game in games)


def _shifts(count: int, base: Group) -> Iterator[Round]:
    """Return a base game and all its shifts, those that share nobody together in a round."""
    differences = {(one - other) % count for one in base for other in base}
    rounds: list[list[int]] = []
    for shift in range(count):
        fitting = (each for each in rounds if all((shift - other) % count not in differences for other in each))
        free = next(fitting, None)
        if free is None:
            rounds.append([shift])
        else:
            free.append(shift)
    for each in rounds:
        yield tuple(tuple((place + shift) % count for place in base) for shift in each)


# --- base games whose distances are balanced ---


def _fewest(count: int, seats: int, meetings: int) -> int:
    """Return how many base games are needed at the least for so many meetings."""
    return max(1, -(-meetings * (count - 1) // (seats * (seats - 1))))


@cache
def base_games(count: int, seats: int, meetings: int) -> tuple[Group, ...]:
    """Return base games of a cyclic schedule, as few as are found."""
    rng = Random(f"{count}/{seats}/{meetings}")
    least = _fewest(count, seats, meetings)
    best: _Search | None = None
    for number in range(least, least + WAYS):
        search = _Search(count, seats, number, rng)
        search.run()
        if search.least >= meetings and (best is None or search.spread < best.spread):
            best = search
            if best.spread <= 1:
                break
    while best is None:
        number += 1
        search = _Search(count, seats, number, rng)
        search.run()
        best = search if search.least >= meetings else None
    return best.games


class _Search:
    """A search for a number of base games whose distances come equally often: simulated annealing.

    `games` are the best ones so far. In them the entrants at some distance meet `least` times, and no others more than
    `spread` times more often.
    """

    def __init__(self, count: int, seats: int, number: int, rng: Random) -> None:
        self._count = count
        self._rng = rng
        self._games = [[0, *rng.sample(range(1, count), seats - 1)] for _ in range(number)]
        # Two entrants opposite each other on the circle meet twice in the shifts of a game which both are in.
        self._weights = [2 if 2 * distance == count else 1 for distance in range(count // 2 + 1)]
        self._mean = number * seats * (seats - 1) / (count - 1)
        self._meetings = [0] * (count // 2 + 1)
        for game in self._games:
            for place, one in enumerate(game):
                for other in game[:place]:
                    self._count_meeting(self._meetings, one, other, 1)
        self._note()

    def run(self) -> None:
        """Change the games until they are balanced, or the steps are used up."""
        for _ in range(STEPS + 100 * len(self._games)):
            if self.spread <= 1:
                return
            self._try_change()

    def _try_change(self) -> None:
        game = self._games[self._rng.randrange(len(self._games))]
        place, new = self._rng.randrange(1, len(game)), self._rng.randrange(1, self._count)
        if new in game:
            return
        changes: Counter[int] = Counter()
        for other in game[:place] + game[place + 1 :]:
            self._count_meeting(changes, game[place], other, -1)
            self._count_meeting(changes, new, other, 1)
        worse = sum(
            change * (2 * (self._meetings[distance] - self._mean) + change) for distance, change in changes.items()
        )
        if worse <= 0 or self._rng.random() < exp(-2 * worse):
            game[place] = new
            for distance, change in changes.items():
                self._meetings[distance] += change
            if max(self._meetings[1:]) - min(self._meetings[1:]) < self.spread:
                self._note()

    def _count_meeting(self, meetings: list[int] | Counter[int], one: int, other: int, sign: int) -> None:
        distance = min((one - other) % self._count, (other - one) % self._count)
        meetings[distance] += sign * self._weights[distance]

    def _note(self) -> None:
        self.games = tuple(map(tuple, self._games))
        self.least = min(self._meetings[1:])
        self.spread = max(self._meetings[1:]) - self.least


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
