"""The event loop of cases: what is interrupted there cleans up to its end before the loop ends."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from fairplay.conformance.player.loop import LoopThread


def run_interrupted(loop: LoopThread, work: Coroutine[Any, Any, Any], wait: Callable[[], object]) -> None:
    """Run work and interrupt its caller, this thread, as soon as `wait` returns in another one."""
    main, raised, over = threading.get_ident(), threading.Event(), threading.Event()

    def raise_once(*_: object) -> None:
        if not raised.is_set():
            raised.set()
            raise KeyboardInterrupt

    def interrupt() -> None:
        wait()
        # A signal that comes just before this thread waits for a lock does not wake it: another one does.
        signal.pthread_kill(main, signal.SIGINT)
        while not over.wait(0.1):
            signal.pthread_kill(main, signal.SIGINT)

    interrupter = threading.Thread(target=interrupt)
    before = signal.signal(signal.SIGINT, raise_once)
    try:
        interrupter.start()
        with pytest.raises(KeyboardInterrupt):
            loop.run(work)
    finally:
        over.set()
        interrupter.join()
        signal.signal(signal.SIGINT, before)


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
    begun = threading.Event()
    try:
        run_interrupted(loop, clean_up_with_help(begun, done), begun.wait)
    finally:
        loop.close()
    assert done == ["helped", "cleaned up"]


def test_what_nobody_waits_for_cleans_up_to_its_end() -> None:
    loop, done = LoopThread(), list[str]()

    async def work() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            for _ in range(10):
                await asyncio.sleep(0)
            done.append("cleaned up")

    async def begin() -> asyncio.Task[None]:
        task = asyncio.create_task(work())
        await asyncio.sleep(0)
        return task

    left = loop.run(begin())
    loop.close()
    assert done == ["cleaned up"]
    assert left.cancelled()
