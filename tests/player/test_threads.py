"""Threads of players: idle ones are used again, and no other work waits for one that hangs."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading

import pytest

from fairplay.player.threads import DaemonThreads


def test_work_is_done_and_errors_are_told() -> None:
    threads = DaemonThreads()
    assert threads.submit(lambda a, b: a + b, 1, b=2).result(5) == 3
    with pytest.raises(ZeroDivisionError):
        threads.submit(lambda: 1 / 0).result(5)


async def test_whoever_waits_in_an_event_loop_is_told_of_an_iteration_that_has_stopped() -> None:
    waiting = asyncio.get_running_loop().run_in_executor(DaemonThreads(), next, iter(()))
    with pytest.raises(RuntimeError, match="StopIteration"):
        await asyncio.wait_for(waiting, 60)


def test_an_idle_thread_is_used_again_and_a_busy_one_holds_nobody_up() -> None:
    threads = DaemonThreads()
    busy = threading.Event()
    names = {threads.submit(lambda: threading.current_thread().name).result(5) for _ in range(3)}
    held = threads.submit(busy.wait)
    assert threads.submit(lambda: "answered").result(5) == "answered"
    busy.set()
    assert held.result(5)
    assert len(names) >= 1


def test_a_process_ends_although_a_thought_hangs() -> None:
    code = (
        "import threading; from fairplay.player.threads import DaemonThreads\n"
        "DaemonThreads().submit(threading.Event().wait)"
    )
    assert subprocess.run([sys.executable, "-c", code], timeout=120, check=False).returncode == 0
