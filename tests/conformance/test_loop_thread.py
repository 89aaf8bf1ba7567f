"""The event loop of cases: what is interrupted there cleans up to its end before the loop ends."""

from __future__ import annotations

import asyncio
import gc
import signal
import sys
import threading
import time
import weakref
from collections.abc import Callable, Coroutine
from types import FrameType
from typing import Any, NoReturn

import pytest

from fairplay.conformance.loop_thread import LoopThread


def run_interrupted(loop: LoopThread, work: Coroutine[Any, Any, Any], wait: Callable[[], object]) -> None:
    """Run work and interrupt its caller, this thread, as soon as `wait` returns in another one."""
    main = threading.get_ident()

    def interrupt() -> None:
        wait()
        signal.pthread_kill(main, signal.SIGINT)

    interrupter = threading.Thread(target=interrupt)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        interrupter.start()
        with pytest.raises(KeyboardInterrupt):
            loop.run(work)
    finally:
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


class Thing:
    """Something that work returns."""


def test_work_has_its_result_or_error_and_nothing_of_it_is_kept() -> None:
    loop = LoopThread()

    async def make(*, fails: bool) -> Thing:
        if fails:
            raise KeyError("no")
        return Thing()

    with pytest.raises(KeyError):
        loop.run(make(fails=True))
    left = weakref.ref(loop.run(make(fails=False)))
    loop.run(asyncio.sleep(0))
    gc.collect()
    assert left() is None
    loop.close()


def is_in(thread: int, function: str) -> bool:
    """Return whether a thread is in a function of this name."""
    frame: FrameType | None = sys._current_frames()[thread]
    while frame is not None and frame.f_code.co_name != function:
        frame = frame.f_back
    return frame is not None


def test_interrupted_work_is_cancelled_at_once() -> None:
    loop, begun, ended = LoopThread(), threading.Event(), threading.Event()
    main = threading.get_ident()

    async def work() -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    def wait_until_it_waits() -> None:
        begun.wait()
        while not is_in(main, "result"):  # an interruption that comes before cancels nothing
            time.sleep(0)

    run_interrupted(loop, work(), wait_until_it_waits)
    assert ended.wait(30)
    loop.close()


def test_the_thread_holds_no_program_up_and_is_gone_at_the_end() -> None:
    before = set(threading.enumerate())
    loop = LoopThread()
    [thread] = set(threading.enumerate()) - before
    assert thread.daemon
    loop.close()
    assert not thread.is_alive()
