"""Whole games from every seat, each played once; of players that are slow, their beginnings and ends side by side."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice
from typing import TypeAlias

from fairplay.conformance.trial import Scenario, Trial

AT_ONCE = 8
"""Games at the same time. Any player must keep its limits in so many: see the case time.under-load."""
Seating: TypeAlias = tuple[int, int]
"""A seat, and the number of players."""


class WholeGames:
    """The games of one player to their ends.

    A game that takes too much of the budget is left early, and the end of one like it is played from a late state. The
    other games are played at the same time then. What goes wrong there is not held against the player: such a game is
    played again alone.
    """

    def __init__(
        self,
        seatings: Sequence[Seating],
        scenario: Callable[[int, int], Scenario],
        ending: Callable[[int], Scenario],
        play: Callable[[Sequence[Scenario]], list[Trial]],
    ) -> None:
        self._seatings = seatings
        self._scenario = scenario
        self._ending = ending
        self._play = play
        self._found: dict[Seating, Trial] = {}
        self._ends: dict[int, Trial] = {}
        self._is_slow = False

    @property
    def played(self) -> list[Trial]:
        """Return the games that have been played so far."""
        return list(self._found.values())

    def get(self, seat: int, count: int) -> Trial:
        """Return the game with the player in a seat, played when it is first asked for."""
        if self._is_slow and (seat, count) not in self._found:
            self._play_ahead((seat, count))
        if (seat, count) not in self._found:
            [found] = self._play([self._scenario(seat, count)])
            self._keep((seat, count), found)
        return self._found[seat, count]

    def _play_ahead(self, asked: Seating) -> None:
        """Play a game and some of those that will be asked for next, and keep those in which all went well."""
        others = (each for each in self._seatings if each != asked and each not in self._found)
        batch = [asked, *islice(others, AT_ONCE - 1)]
        for seating, found in zip(batch, self._play([self._scenario(*each) for each in batch]), strict=True):
            if found.misconduct is None:
                self._keep(seating, found)

    def _keep(self, seating: Seating, found: Trial) -> None:
        self._is_slow = self._is_slow or found.is_cut
        _, count = seating
        if found.is_cut and count not in self._ends:
            [self._ends[count]] = self._play([self._ending(count)])
        has_failed_at_the_end = found.is_cut and self._ends[count].misconduct is not None
        self._found[seating] = self._ends[count] if has_failed_at_the_end else found
