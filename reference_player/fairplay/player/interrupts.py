"""The orderly end of a program by Ctrl-C or another signal, however often it is sent."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from fairplay.games.kit.ending import Ended, on_end
from fairplay.player import standstill

Result = TypeVar("Result")


def run(work: Coroutine[Any, Any, Result]) -> Result:
    """Run `work` as asyncio.run does, in a loop whose time stands still with the process.

    Raises Ended, once the work has ended, if a signal asked the program to end. The first one cancels the work; see
    `on_end`. For programs that end when the work ends.
    """
    signals: list[int] = []

    async def watched() -> Result:
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        assert task is not None

        def cancel(number: int) -> None:
            signals.append(number)
            loop.call_soon_threadsafe(task.cancel)

        with on_end(cancel):
            return await work

    try:
        return standstill.run(watched())
    except asyncio.CancelledError:
        if not signals:
            raise
        raise Ended(signals[0]) from None
