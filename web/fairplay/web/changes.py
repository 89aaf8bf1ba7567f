"""Waiting for the next change of something that several streams show."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

PAUSE_S = 0.0004
"""How long after a change the next one is told at the earliest, for each who was told: three times what telling it
costs. So pages that many watch leave the processors to the games, however fast these are."""


class Changes:
    """Lets any number of tasks wait for the next change. Changes in between, and shortly after one, are seen as one."""

    def __init__(self, now_s: Callable[[], float] = time.monotonic) -> None:
        self.version = 0
        self._now_s = now_s
        self._next = asyncio.Event()
        self._waiting_count = 0
        self._pause_until_s = 0.0
        self._due: asyncio.TimerHandle | None = None

    def notify(self) -> None:
        """Wake all who wait: at once, or as soon as those have had their pause who were woken last."""
        if self._due is not None:
            return
        left_s = self._pause_until_s - self._now_s()
        if left_s <= 0:
            self._tell()
        else:
            self._due = asyncio.get_running_loop().call_later(left_s, self._tell)

    def _tell(self) -> None:
        self._due = None
        self._pause_until_s = self._now_s() + PAUSE_S * self._waiting_count
        self.version += 1
        self._next.set()
        self._next = asyncio.Event()

    async def wait(self, seen: int) -> int:
        """Return the version as soon as it is another than the one that was seen."""
        self._waiting_count += 1
        try:
            while self.version == seen:
                await self._next.wait()
        finally:
            self._waiting_count -= 1
        return self.version
