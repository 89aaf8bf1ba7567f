"""How busy this machine is, measured by what the suite's own process gets of it."""

from __future__ import annotations

import time

WANTED_S = 0.03
BUSY_SHARE = 0.8
"""A process that gets less than this share of a processor, all the time that it wants one, shares it with others."""


def is_busy() -> bool:
    """Work for a moment, and return whether this thread had to wait for a processor meanwhile.

    One other program that never rests is enough on a machine with one processor, on larger ones it takes as many as
    there are processors: then a player gets about half of what it would get otherwise.
    """
    began, had = time.monotonic(), time.thread_time()
    while time.thread_time() - had < WANTED_S:
        pass
    return WANTED_S / (time.monotonic() - began) < BUSY_SHARE


PAUSE_S = 0.25


def wait_until_quiet(limit_s: float) -> float:
    """Wait until no other programs want this machine, for so many seconds at most; return how many it took."""
    began = time.monotonic()
    while (waited_s := time.monotonic() - began) < limit_s and is_busy():
        time.sleep(min(PAUSE_S, limit_s - waited_s))
    return time.monotonic() - began
