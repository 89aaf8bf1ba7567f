"""Whether a process of the player takes longer for each decision, the more of them it has made."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from statistics import median

from fairplay.conformance.games.trial import Trial
from fairplay.games.steps import CallKind

FIRST = 6
"""Only so many decisions of each method and game are looked at: later ones may be harder."""
LEAST = 40
"""So many decisions must have been made before anything is said."""
QUARTERS = 4
SLOWER = 4
"""Who takes so many times as long in the end slows down."""
SLOW_S = 0.01
"""A player that does not take longer than this for a decision is not called slow."""


class Trend:
    """The times of the first decisions in all games of a process, in the order in which it was asked for them."""

    def __init__(self) -> None:
        self._times: defaultdict[tuple[str, bool], list[float]] = defaultdict(list)
        """Method, and whether it was the first decision of a game, which players may prepare in -> the times."""

    def add(self, trials: Iterable[Trial]) -> None:
        """Add games that came after those before."""
        for trial in trials:
            asked = Counter[str]()
            for each in trial.exchanges:
                name = each.method.name
                if each.kind is not CallKind.NOTIFICATION and asked[name] < FIRST:
                    self._times[name, not asked].append(each.elapsed_s)
                    asked[name] += 1

    @property
    def rises(self) -> bool:
        """Return whether each quarter of some decisions took longer than the one before, and the last one far longer.

        It is a suspicion: what differs between the games, or in what else the machine does, looks like that, too.
        """
        return any(map(_rise, self._times.values()))


def _rise(times: Sequence[float]) -> bool:
    if len(times) < LEAST or times[-1] <= SLOW_S:
        return False
    size = len(times) // QUARTERS
    quarters = [median(times[number * size : (number + 1) * size]) for number in range(QUARTERS)]
    return quarters == sorted(quarters) and quarters[-1] > max(SLOWER * quarters[0], SLOW_S)
