"""How many processors there are."""

from __future__ import annotations

import os


def processors() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):  # not on every system, and where it is, containers may have given fewer
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
