"""How much a server has to do, for those who run it."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable
from pathlib import Path

from fairplay.server.links.link import duration
from fairplay.v1.server_pb2 import ServerLoad

STATM = Path("/proc/self/statm")
BEAT_S = 0.02
"""How long it waits to see how much later than that it is called."""


class LoadGauge:
    """Says how much a server has to do. `counts` returns what it counts itself."""

    def __init__(self, counts: Callable[[], ServerLoad]) -> None:
        self._counts = counts
        self._started_s = time.monotonic()

    async def read(self) -> ServerLoad:
        """Return the load at this moment."""
        load = ServerLoad(
            uptime=duration(time.monotonic() - self._started_s),
            cpu_time=duration(time.process_time()),
            memory_bytes=_memory_bytes(),
            lag=duration(await _lag_s()),
        )
        load.MergeFrom(self._counts())
        return load


async def _lag_s() -> float:
    due_s = time.monotonic() + BEAT_S
    await asyncio.sleep(BEAT_S)
    return max(0.0, time.monotonic() - due_s)


def _memory_bytes() -> int:
    """Return how much memory this process has; 0 where the system does not say so."""
    try:
        return int(STATM.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0
