"""An event loop whose time does not pass while its process stands still: stopped, starved, or in one heavy step.

So no limit that asyncio keeps runs meanwhile, whoever has set it.
"""

from __future__ import annotations

import asyncio
import math
import selectors
import sys
import time
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

Result = TypeVar("Result")

BEAT_S = 1 / 16
"""A loop that waits looks at the time so often: a standstill cannot hide in a long wait."""
STOOD_S = 0.1
"""How long a step of the loop may take, or a wait last too long, before time stands still."""
LONG_S = 1.0
"""A standstill that others may have noticed: they may have given up a connection."""
LATELY_S = 10.0


class _Selector(selectors.DefaultSelector):
    """Waits for the loop, and measures how long the process has stood still."""

    def __init__(self, monotonic_s: Callable[[], float]) -> None:
        super().__init__()
        self.monotonic_s = monotonic_s
        self.seen_s = monotonic_s()
        self.stood_s = 0.0
        self.long_ended_s = -math.inf
        """When the last long standstill ended, in the time of the loop."""

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """Wait as any selector does, but for seconds in which the process did not stand still."""
        self._see(STOOD_S, STOOD_S)
        if timeout is None or timeout <= 0.0:
            ready = super().select(timeout)
            if timeout is None:  # no limit runs: nothing is due at any time
                self.seen_s = self.monotonic_s()
            return ready
        while True:
            wait_s = min(timeout, BEAT_S)
            ready = super().select(wait_s)
            self._see(wait_s + STOOD_S, wait_s)
            timeout -= wait_s
            if ready or timeout <= 0.0:
                return ready

    def _see(self, most_s: float, counted_s: float) -> None:
        """Look at the time. If more than `most_s` has passed since the last look, only `counted_s` of it count."""
        now_s = self.monotonic_s()
        passed_s = now_s - self.seen_s
        if passed_s > most_s:
            self.stood_s += passed_s - counted_s  # first: another thread that reads the time sees no jump
            if passed_s > LONG_S:
                self.long_ended_s = now_s - self.stood_s
        self.seen_s = now_s


class StandstillLoop(asyncio.SelectorEventLoop):
    """An event loop whose time does not pass while its process stands still."""

    def __init__(self, monotonic_s: Callable[[], float] = time.monotonic) -> None:
        self._known = _Selector(monotonic_s)
        super().__init__(self._known)

    def time(self) -> float:
        """Return the seconds in which the process did not stand still, from some moment on; they never go back."""
        known = self._known
        now_s, most_s = known.monotonic_s(), known.seen_s + STOOD_S
        return (now_s if now_s < most_s else most_s) - known.stood_s  # twice in each turn of the loop

    @property
    def stood_lately(self) -> bool:
        """Return whether the process has just stood still for so long that others may have given it up."""
        return self.time() - self._known.long_ended_s < LATELY_S


def new_loop() -> asyncio.AbstractEventLoop:
    """Return a new event loop whose time stands still with the process; a usual one on Windows."""
    return asyncio.new_event_loop() if sys.platform == "win32" else StandstillLoop()


def stood_lately() -> bool:
    """Return whether this process has just stood still for so long that others may have given it up."""
    loop = asyncio.get_running_loop()
    return isinstance(loop, StandstillLoop) and loop.stood_lately


def run(work: Coroutine[Any, Any, Result]) -> Result:
    """Run `work` as asyncio.run does, with a new loop of this kind."""
    with asyncio.Runner(loop_factory=new_loop) as runner:
        return runner.run(work)
