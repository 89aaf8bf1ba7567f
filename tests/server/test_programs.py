"""Started programs are ended with everything that they started, whatever is cancelled meanwhile."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shlex
import signal
import subprocess
import sys

import psutil
import pytest

from fairplay.server.links.link import DeadLink
from fairplay.server.links.program import Program
from fairplay.server.server import Config
from tests.server.harness import serving

LIMIT_S = 60.0
SLEEPER = [sys.executable, "-c", "import time; print('up', flush=True); time.sleep(600)"]
PLAYER = shlex.join([sys.executable, "-m", "fairplay.terminal", "player", "fish"])


def processes(program: Program) -> list[psutil.Process]:
    """Return the processes of a program: its guard, and the command once it has been started."""
    guard = psutil.Process(program.guard_id)
    return [guard, *guard.children(recursive=True)]


async def up(program: Program) -> None:
    """Wait until the command of a program has written something."""
    async with asyncio.timeout(LIMIT_S):
        while not program.output:
            await asyncio.sleep(0.01)


async def gone(started: list[psutil.Process]) -> None:
    """Wait until processes have ended, and have been waited for."""
    async with asyncio.timeout(LIMIT_S):
        while any(process.is_running() for process in started):
            await asyncio.sleep(0.01)


@pytest.mark.parametrize("turns", [1, 2])
async def test_a_program_whose_end_is_cancelled_ends_nevertheless(turns: int) -> None:
    program = Program.start(SLEEPER, os.environ)
    await up(program)
    started = processes(program)
    assert len(started) > 1
    ending = asyncio.create_task(program.end())
    for _ in range(turns):
        await asyncio.sleep(0)
    ending.cancel()
    await asyncio.gather(ending, return_exceptions=True)
    assert ending.cancelled()
    assert program.exit_code is not None
    await gone(started)


async def test_a_guard_that_is_stuck_is_killed_though_the_wait_is_cancelled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fairplay.server.links.program.END_LIMIT_S", 0.1)
    program = Program.start(SLEEPER, os.environ)
    await up(program)
    [guard, sleeper] = processes(program)
    guard.suspend()
    ending = asyncio.create_task(program.end())
    await asyncio.sleep(0)
    try:
        while not ending.done():
            ending.cancel()
            await asyncio.sleep(0.01)
    finally:
        for process in (guard, sleeper):  # only its guard would have ended the sleeper
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()
    assert ending.cancelled()
    assert program.ended.is_set()
    assert program.exit_code == -signal.SIGKILL


async def test_a_program_that_is_ended_before_it_runs_leaves_nothing() -> None:
    program = Program.start(SLEEPER, os.environ)
    started = processes(program)
    await program.end()
    await gone(started)
    assert not psutil.Process().children(recursive=True)


LEFT = """
import asyncio, gc, os, sys
from fairplay.server.links.program import Program

async def interrupted():
    program = Program.start(["sleep", "600"], os.environ)
    ending = asyncio.create_task(program.end())
    for _ in range(int(sys.argv[1])):
        await asyncio.sleep(0)

asyncio.run(interrupted())
gc.collect()
"""


@pytest.mark.parametrize("turns", ["0", "1"])
def test_nothing_is_said_about_a_program_that_outlasts_its_event_loop(turns: str) -> None:
    strictly = ["-W", "error"] if turns == "1" else []  # before its first turn nothing has waited for the program
    command = [sys.executable, *strictly, "-c", LEFT, turns]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_S, check=False)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")


async def test_players_whose_links_nobody_closes_end_with_the_server() -> None:
    async with serving(Config(allow_exec=True, start_limit_s=LIMIT_S)) as server:
        links = await asyncio.gather(*(server.programs.link("a", PLAYER) for _ in range(2)))
        assert not any(isinstance(link, DeadLink) for link in links)
        started = psutil.Process().children(recursive=True)
        assert len(started) >= 4
    await gone(started)


async def test_a_start_that_is_cancelled_leaves_no_process() -> None:
    async with serving(Config(allow_exec=True, start_limit_s=LIMIT_S)) as server:
        starting = asyncio.create_task(server.programs.link("a", shlex.join(SLEEPER)))
        async with asyncio.timeout(LIMIT_S):
            while not (started := psutil.Process().children(recursive=True)):
                await asyncio.sleep(0)
        starting.cancel()
        await asyncio.gather(starting, return_exceptions=True)
        assert starting.cancelled()
        await gone(started)
        assert not psutil.Process().children(recursive=True)
