"""An event loop in a thread, for cases, which are plain functions, and work side by side in it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine, Iterable
from concurrent.futures import Future
from typing import Any, TypeVar, cast

from fairplay.player.standstill import new_loop

Result = TypeVar("Result")

CLEANUP_LIMIT_S = 10.0
"""How long interrupted work may take to clean up before the loop ends: more than the end of any program takes."""


class LoopThread:
    """Runs coroutines in a thread while the caller waits."""

    def __init__(self) -> None:
        self._loop = new_loop()
        self._asked_for = set[asyncio.Task[Any]]()
        self._thread = threading.Thread(target=self._loop.run_forever, name="fairplay-suite", daemon=True)
        self._thread.start()

    def run(self, work: Coroutine[Any, Any, Result]) -> Result:
        """Return what `work` returns, or raise what it raises. An interrupted caller cancels it and does not wait."""
        future = self.begin(work)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def begin(self, work: Coroutine[Any, Any, Result]) -> Future[Result]:
        """Begin some work, and return what it will return."""
        return asyncio.run_coroutine_threadsafe(self._work(work), self._loop)

    def time(self) -> float:
        """Return the time of the loop, which stands still with the process."""
        return self._loop.time()

    def close(self) -> None:
        """Cancel what still runs, wait until it has cleaned up, and end the thread."""
        try:
            asyncio.run_coroutine_threadsafe(self._end_all(), self._loop).result()
        finally:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()

    async def _work(self, work: Coroutine[Any, Any, Result]) -> Result:
        task = cast(asyncio.Task[Any], asyncio.current_task())
        self._asked_for.add(task)
        try:
            return await work
        finally:
            self._asked_for.discard(task)

    async def _end_all(self) -> None:
        # What was asked for goes first, for it may need the other tasks to clean up. What is cleaning up already is not
        # cancelled again, which would end that in the middle; a caller interrupted early has cancelled nothing.
        if ending := set(self._asked_for):
            for task in ending:
                if not task.cancelling():
                    task.cancel()
            await asyncio.wait(ending, timeout=CLEANUP_LIMIT_S)
        left = asyncio.all_tasks() - {asyncio.current_task()}
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)


async def side_by_side(parts: Iterable[Coroutine[Any, Any, Result]]) -> list[Result]:
    """Return the results of parts of work. Raises what the first one raises that fails, once the others have ended."""
    tasks = [asyncio.ensure_future(part) for part in parts]
    try:
        return await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
