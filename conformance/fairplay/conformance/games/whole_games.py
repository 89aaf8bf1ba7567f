"""Whole games from every seat, each played once; of players that are slow, their beginnings and ends side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import TypeAlias

from fairplay.conformance.games.trial import Scenario, Trial

AT_ONCE = 8
"""Games at the same time. Any player must keep its limits in so many: see the case time.under-load."""
Seating: TypeAlias = tuple[int, int]
"""A seat, and the number of players."""


class WholeGames:
    """The games of one player to their ends.

    A game that takes too much of the budget is left early, and the end of one like it is played from a late state. The
    other games are played at the same time then.
    """

    def __init__(
        self,
        seatings: Sequence[Seating],
        scenario: Callable[[int, int], Scenario],
        ending: Callable[[int], Scenario],
        play_each: Callable[[Iterable[Scenario]], Iterator[Trial]],
        is_slow_in: Callable[[Trial], bool] = lambda _: False,
    ) -> None:
        self._seatings = seatings
        self._scenario = scenario
        self._ending = ending
        self._play_each = play_each
        self._is_slow_in = is_slow_in
        self._found: dict[Seating, Trial] = {}
        self._ends: dict[int, Trial] = {}
        self.is_slow = False
        """Whether a game took so long that it was left early, or the player takes long for each decision."""

    @property
    def played(self) -> list[Trial]:
        """Return the games that have been played so far."""
        return list(self._found.values())

    def get(self, seat: int, count: int) -> Trial:
        """Return the game with the player in a seat, played when it is first asked for."""
        asked = seat, count
        if asked not in self._found:
            others = (each for each in self._seatings if each != asked and each not in self._found)
            batch = [asked, *islice(others, AT_ONCE - 1 if self.is_slow else 0)]
            for seating, found in zip(batch, self._play_each(self._scenario(*each) for each in batch), strict=True):
                self._keep(seating, found)
        return self._found[asked]

    def _keep(self, seating: Seating, found: Trial) -> None:
        self.is_slow = self.is_slow or found.is_cut or self._is_slow_in(found)
        _, count = seating
        if found.is_cut and count not in self._ends:
            [self._ends[count]] = self._play_each([self._ending(count)])
        has_failed_at_the_end = found.is_cut and self._ends[count].misconduct is not None
        self._found[seating] = self._ends[count] if has_failed_at_the_end else found
