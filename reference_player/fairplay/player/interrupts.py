"""The orderly end of a program by Ctrl-C, however often it is pressed."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Coroutine
from typing import Any, TypeVar

from fairplay.player import standstill

Result = TypeVar("Result")


def run(work: Coroutine[Any, Any, Result]) -> Result:
    """Run `work` as asyncio.run does, in a loop whose time stands still with the process.

    Raises KeyboardInterrupt, once the work has ended, if it was interrupted. The first Ctrl-C cancels the work. Those
    that follow are ignored until the program has ended: they would interrupt its cleanup. For programs that end when
    the work ends.
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
        return standstill.run(watched())
    except asyncio.CancelledError:
        if not interrupted:
            raise
        raise KeyboardInterrupt from None
