"""The time for all cases together."""

from __future__ import annotations

import time
from collections.abc import Callable

from fairplay.conformance.case_errors import NotTested
from fairplay.conformance.run.options import duration_text

GAME_SHARE = 1 / 40
"""A game that takes longer than this share of the budget is left early."""
NO_TIME = "there was no time left in the budget of"
"""How the reason begins for which a case is not tested."""
MIN_DECISIONS = 8
"""The decisions that a game has before it is left for want of time."""
ALL_DECISIONS = 4_000
"""About so many decisions a player is asked for that is quick."""
LATER_SHARE, LATER_DECISIONS = 1 / 160, 3
"""The same for the games that come after such a game: there are many of them."""


class Budget:
    """How long the player may be asked. The time begins to run at once."""

    def __init__(self, total_s: float, clock: Callable[[], float] = time.monotonic) -> None:
        self.total_s = total_s
        self._clock = clock
        self._began = clock()
        self._is_short = False
        """Whether a game has been left for want of time."""

    @property
    def elapsed_s(self) -> float:
        """Return the seconds since the time began to run."""
        return self._clock() - self._began

    def check(self) -> None:
        """Raise NotTested if there is no time left."""
        if self.elapsed_s >= self.total_s:
            raise NotTested(f"{NO_TIME} {duration_text(self.total_s)}", given_up=True)

    def is_short_for(self, decision_s: float) -> bool:
        """Return whether a player that takes so long for a decision must be asked for fewer of them than others."""
        return decision_s * ALL_DECISIONS > self.total_s

    def is_spent_on(self, elapsed_s: float, decision_count: int) -> bool:
        """Return whether a game has taken its share, and shown how the player begins.

        `decision_count` is the number of decisions since everything has happened that the game is about.
        """
        share, least = (LATER_SHARE, LATER_DECISIONS) if self._is_short else (GAME_SHARE, MIN_DECISIONS)
        is_spent = elapsed_s > self.total_s * share and decision_count >= least
        self._is_short = self._is_short or is_spent
        return is_spent
