"""The event loop of cases: what is interrupted there cleans up to its end before the loop ends."""

from __future__ import annotations

import asyncio
import signal
import threading

import pytest

from fairplay.conformance.loop_thread import LoopThread


def test_interrupted_work_cleans_up_to_its_end_with_the_help_of_other_tasks() -> None:
    loop, done = LoopThread(), list[str]()
    begun, main = threading.Event(), threading.get_ident()

    async def help_later(cleaning: asyncio.Event) -> None:
        await cleaning.wait()
        for _ in range(10):
            await asyncio.sleep(0)
        done.append("helped")

    async def work() -> None:
        cleaning = asyncio.Event()
        helper = asyncio.create_task(help_later(cleaning))
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            cleaning.set()
            await helper
            done.append("cleaned up")

    def interrupt() -> None:
        begun.wait()
        signal.pthread_kill(main, signal.SIGINT)

    interrupter = threading.Thread(target=interrupt)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        interrupter.start()
        with pytest.raises(KeyboardInterrupt):
            loop.run(work())
    finally:
        interrupter.join()
        signal.signal(signal.SIGINT, before)
        loop.close()
    assert done == ["helped", "cleaned up"]


def test_what_nobody_waits_for_is_cancelled_at_the_end() -> None:
    loop = LoopThread()

    async def begin() -> asyncio.Task[bool]:
        return asyncio.create_task(asyncio.Event().wait())

    left = loop.run(begin())
    loop.close()
    assert left.cancelled()
