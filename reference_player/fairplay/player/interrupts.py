"""Ctrl-C ends a program in order, however often it is pressed."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Coroutine
from typing import Any, TypeVar

Result = TypeVar("Result")


def run(work: Coroutine[Any, Any, Result]) -> Result:
    """Runs `work` as asyncio.run does. KeyboardInterrupt: it was interrupted, and has ended.

    The first Ctrl-C cancels it. Those that follow are ignored until the program has ended: they would tear down what
    is being put away. For programs that end with it.
    """
    interrupted = False

    async def watched() -> Result:
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        assert task is not None

        def interrupt() -> None:
            nonlocal interrupted
            interrupted = True
            loop.remove_signal_handler(signal.SIGINT)
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            task.cancel()

        # Who was started with it ignored goes on ignoring it. On Windows asyncio's own way has to do.
        if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
            with contextlib.suppress(NotImplementedError):
                loop.add_signal_handler(signal.SIGINT, interrupt)
        return await work

    try:
        return asyncio.run(watched())
    except asyncio.CancelledError:
        if not interrupted:
            raise
        raise KeyboardInterrupt from None
