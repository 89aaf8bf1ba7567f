"""An event loop in a thread, for cases, which are plain functions."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

Result = TypeVar("Result")

CLEANUP_LIMIT_S = 10.0
"""How long interrupted work may take to clean up before the loop ends: more than the end of any program takes."""


class LoopThread:
    """Runs coroutines in a thread while the caller waits."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="fairplay-suite", daemon=True)
        self._thread.start()

    def run(self, work: Coroutine[Any, Any, Result]) -> Result:
        """Return what `work` returns, or raise what it raises. An interrupted caller cancels it and does not wait."""
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def close(self) -> None:
        """Cancel what still runs, wait until it has cleaned up, and end the thread."""
        try:
            self.run(_end_all())
        finally:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()


async def _end_all() -> None:
    # Work that was interrupted is cleaning up: a second cancellation would end that in the middle, as would the end of
    # the other tasks, which it may need.
    if ending := [task for task in _others() if task.cancelling()]:
        await asyncio.wait(ending, timeout=CLEANUP_LIMIT_S)
    left = _others()
    for task in left:
        task.cancel()
    await asyncio.gather(*left, return_exceptions=True)


def _others() -> set[asyncio.Task[Any]]:
    return asyncio.all_tasks() - {asyncio.current_task()}
