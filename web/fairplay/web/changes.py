"""Waiting for the next change of something that several streams show."""

from __future__ import annotations

import asyncio


class Changes:
    """Counts changes, and lets any number of tasks wait for the next one. Changes in between are seen as one."""

    def __init__(self) -> None:
        self.version = 0
        self._next = asyncio.Event()

    def notify(self) -> None:
        """Count a change, and wake all who wait."""
        self.version += 1
        self._next.set()
        self._next = asyncio.Event()

    async def wait(self, seen: int) -> int:
        """Return the version as soon as it is another than the one that was seen."""
        while self.version == seen:
            await self._next.wait()
        return self.version
