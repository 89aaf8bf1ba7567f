"""Room for programs to come up: as many compute at once as there are processors, and load is not their fault."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

from fairplay.games.kit.processors import processors
from fairplay.sandbox.processes import Descendants

LOOK_EVERY_S = 0.5
IDLE_SHARE = 0.1
"""A program that wants less of a processor than this while it comes up leaves its turn to another one."""
MOST_FACTOR = 6.0
"""How many start limits a program may take at the most, however long it has waited for a processor."""


class Wanted(NamedTuple):
    """The seconds of processors that the processes of a program have had, and for which their threads waited."""

    had_s: float
    waited_s: float


class Room:
    """Has programs come up by turns, of which at most `at_once` compute at a time; 0: one a processor.

    The start limit of a program counts from its turn, and does not count while it waits for a processor.
    """

    def __init__(self, limit_s: float, at_once: int = 0) -> None:
        self.limit_s = limit_s
        self._free = asyncio.Semaphore(at_once or processors())

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[Turn]:
        """Wait for the turn of a program, and end it behind the block at the latest."""
        await self._free.acquire()
        turn = Turn(self.limit_s, self._free)
        try:
            yield turn
        finally:
            turn.end()


class Turn:
    """The turn of a program to come up."""

    def __init__(self, limit_s: float, free: asyncio.Semaphore) -> None:
        self._limit_s = limit_s
        self._free: asyncio.Semaphore | None = free

    def end(self) -> None:
        """Let the next program begin, once."""
        if self._free is not None:
            self._free.release()
            self._free = None

    async def wait(self, ways: Collection[asyncio.Task[Any]], ancestor: int) -> None:
        """Return when one of the ways is open, or the time of the program is over that descends from `ancestor`."""
        loop = asyncio.get_running_loop()
        began, had_s, waited_s = loop.time(), 0.0, 0.0
        while True:
            most_s = min(self._limit_s + waited_s, MOST_FACTOR * self._limit_s)
            left_s = began + most_s - loop.time()
            if left_s <= 0:
                return
            done, _ = await asyncio.wait(ways, timeout=min(left_s, LOOK_EVERY_S), return_when=asyncio.FIRST_COMPLETED)
            if done:
                return
            # In a thread, as a program may have hundreds of threads, each with a file.
            if (wanted := await asyncio.to_thread(read_wanted, ancestor)) is not None:
                if wanted.had_s + wanted.waited_s - had_s - waited_s < IDLE_SHARE * LOOK_EVERY_S:
                    self.end()
                had_s, waited_s = wanted.had_s, max(waited_s, wanted.waited_s)


def read_wanted(ancestor: int) -> Wanted | None:
    """Return what the descendants of a process want of the processors; None where the system does not say so.

    Of the threads of a process the one counts that has waited longest: they wait side by side.
    """
    had_s = waited_s = 0.0
    for pid in Descendants(ancestor).ids():
        threads = [each for file in Path(f"/proc/{pid}/task").glob("*/schedstat") if (each := _read(file)) is not None]
        had_s += sum(each.had_s for each in threads)
        waited_s += max((each.waited_s for each in threads), default=0.0)
    return Wanted(had_s, waited_s) if had_s else None


def _read(file: Path) -> Wanted | None:
    try:
        had, waited, _ = file.read_text("ascii").split()
    except OSError:  # it has ended
        return None
    return Wanted(int(had) / 1e9, int(waited) / 1e9)
