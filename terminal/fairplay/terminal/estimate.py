"""How long a run is still going to take."""

from __future__ import annotations

import time
from collections.abc import Callable

CASES_NEEDED = 5
"""So many cases say something about those that follow."""
LINE_EVERY_S = 30.0


class Estimate:
    """An estimate from the cases so far, for a run of so many cases in a budget."""

    def __init__(self, case_count: int, budget_s: float | None, clock: Callable[[], float] = time.monotonic) -> None:
        self._case_count = case_count
        self._budget_s = budget_s
        self._clock = clock
        self._began = self._printed = clock()
        self._before_count = 0
        self._judged_count = 0

    def count_case(self) -> None:
        """Count a case that was judged."""
        self.count_cases(1)

    def count_cases(self, count: int) -> None:
        """Count some cases, or whatever else the run consists of."""
        self._judged_count += count

    def set_before(self, count: int) -> None:
        """Set how many were over before: they say nothing of how long others take."""
        self._before_count = count

    def set_total(self, case_count: int) -> None:
        """Set how many there are, where that has changed."""
        self._case_count = case_count

    @property
    def text(self) -> str:
        """Return how long the run is still going to take, e.g. "about 3 min left"; "" if nothing is known yet."""
        left_count = self._case_count - self._before_count - self._judged_count
        if self._judged_count < CASES_NEEDED or left_count <= 0:
            return ""
        elapsed_s = self._clock() - self._began
        left_s = elapsed_s / self._judged_count * left_count
        if self._budget_s is not None:
            left_s = min(left_s, max(0.0, self._budget_s - elapsed_s))
        return f"about {left_s:.0f} s left" if left_s < 100 else f"about {left_s / 60:.0f} min left"

    def line(self, noun: str = "cases") -> str | None:
        """Return a line about the progress where the last one is long ago, or None."""
        now = self._clock()
        if now - self._printed < LINE_EVERY_S or not (self.text or not self._case_count):
            return None
        self._printed = now
        if not self._case_count:  # nobody knows how many there are
            return f"{self._before_count + self._judged_count} {noun}"
        return f"{self._before_count + self._judged_count} of {self._case_count} {noun}, {self.text}"
