"""Standstills of the server: times in which its event loop did not turn, because it was stopped or starved."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable

BEAT_S = 1 / 16
STOOD_S = 0.2
"""How late a beat must be for a standstill. A loop that is only busy is late by less."""
KEPT = 64
"""How many standstills are remembered."""


class Standstills:
    """The latest standstills, noticed by a beat that goes on for as long as `needed` says so after `watch`.

    A standstill is noticed also by who asks before the beat that is late: replies that came meanwhile are read first.
    """

    def __init__(self, time_s: Callable[[], float], needed: Callable[[], bool]) -> None:
        self._loop = asyncio.get_running_loop()
        self._time_s = time_s
        self._needed = needed
        self._known: deque[tuple[float, float]] = deque(maxlen=KEPT)
        self._last_s: float | None = None

    @property
    def watched(self) -> bool:
        """Return whether the beat goes on."""
        return self._last_s is not None

    def watch(self) -> None:
        """Begin to beat."""
        self._last_s = self._time_s()
        self._loop.call_later(BEAT_S, self._beat)

    def _beat(self) -> None:
        now = self._time_s()
        if (late := self._late(now)) is not None:
            self._known.append(late)
        if self._needed():
            self.watch()
        else:
            self._last_s = None

    def _late(self, now: float) -> tuple[float, float] | None:
        if self._last_s is None or now - self._last_s <= BEAT_S + STOOD_S:
            return None
        return self._last_s, now

    def seconds_since(self, began_s: float) -> float:
        """Return for how many seconds the server has stood still since then."""
        now = self._time_s()
        late = self._late(now)
        stops = [*self._known, late] if late is not None else self._known
        return sum(max(0.0, ended - max(stopped, began_s)) for stopped, ended in stops)
