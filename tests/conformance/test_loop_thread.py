"""The event loop of cases: what is interrupted there cleans up to its end before the loop ends."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Coroutine
from typing import Any, NoReturn

import pytest

from fairplay.conformance.loop_thread import LoopThread


async def clean_up_with_help(begun: threading.Event, done: list[str]) -> None:
    """Set `begun`, wait to be cancelled, and then need another task to clean up."""
    cleaning = asyncio.Event()

    async def help_later() -> None:
        await cleaning.wait()
        for _ in range(10):
            await asyncio.sleep(0)
        done.append("helped")

    helper = asyncio.create_task(help_later())
    begun.set()
    try:
        await asyncio.Event().wait()
    finally:
        cleaning.set()
        await helper
        done.append("cleaned up")


def test_interrupted_work_cleans_up_to_its_end_with_the_help_of_other_tasks() -> None:
    loop, done = LoopThread(), list[str]()
    begun, main = threading.Event(), threading.get_ident()

    def interrupt() -> None:
        begun.wait()
        signal.pthread_kill(main, signal.SIGINT)

    interrupter = threading.Thread(target=interrupt)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        interrupter.start()
        with pytest.raises(KeyboardInterrupt):
            loop.run(clean_up_with_help(begun, done))
    finally:
        interrupter.join()
        signal.signal(signal.SIGINT, before)
        loop.close()
    assert done == ["helped", "cleaned up"]


def test_work_whose_caller_was_interrupted_before_it_waited_cleans_up_too(monkeypatch: pytest.MonkeyPatch) -> None:
    loop, done, begun = LoopThread(), list[str](), threading.Event()
    start = asyncio.run_coroutine_threadsafe

    def interrupted_early(work: Coroutine[Any, Any, Any], on: asyncio.AbstractEventLoop) -> NoReturn:
        start(work, on)
        begun.wait()
        raise KeyboardInterrupt

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(asyncio, "run_coroutine_threadsafe", interrupted_early)
        loop.run(clean_up_with_help(begun, done))
    loop.close()
    assert done == ["helped", "cleaned up"]


def test_what_nobody_waits_for_is_cancelled_at_the_end() -> None:
    loop = LoopThread()

    async def begin() -> asyncio.Task[bool]:
        return asyncio.create_task(asyncio.Event().wait())

    left = loop.run(begin())
    loop.close()
    assert left.cancelled()
