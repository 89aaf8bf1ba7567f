"""Started programs are ended with everything that they started, whatever is cancelled meanwhile."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shlex
import signal
import subprocess
import sys
from typing import Any

import psutil
import pytest

from fairplay.sandbox.limits import Limits
from fairplay.server.links.link import DeadLink
from fairplay.server.links.program import Program
from fairplay.server.server import Config
from fairplay.v1.misconduct_pb2 import CallErrorReason
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


async def test_a_program_that_writes_too_much_is_ended_and_that_is_why_its_calls_fail() -> None:
    flood = [sys.executable, "-c", "import sys\nwhile True: sys.stdout.write('x' * 1000)"]
    program = Program.start(flood, os.environ, Limits(output=100_000))
    async with asyncio.timeout(LIMIT_S):
        await program.ended.wait()
    assert program.failure.reason == CallErrorReason.CALL_ERROR_REASON_LIMIT_EXCEEDED
    assert "output" in program.failure.message
    assert program.exit_code is not None


@pytest.mark.parametrize("command", ["'", f"true {'x' * 300_000}"], ids=["a quote that is open", "too long"])
async def test_a_command_that_cannot_be_started_is_the_players_failure(command: str) -> None:
    async with serving(Config(allow_exec=True)) as server:
        link = await server.programs.link("a", command)
        failed: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        link.call("Start", b"", 1.0, lambda outcome, _: failed.set_result(outcome))
        assert (await failed).message.startswith("the command cannot be started: ")


async def test_who_has_left_and_a_program_that_has_ended_are_lost() -> None:
    async with serving(Config(allow_exec=True, start_limit_s=LIMIT_S)) as server:
        link = await server.programs.link("a", PLAYER)
        assert not server.links.lost(link)
        for process in psutil.Process().children(recursive=True)[1:]:
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()
        async with asyncio.timeout(LIMIT_S):
            while not server.links.lost(link):
                await asyncio.sleep(0.01)
        await link.close()
        gone_link = server.links.gone("it has left")
        assert server.links.lost(gone_link)
        failed: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        gone_link.call("Start", b"", 1.0, lambda outcome, _: failed.set_result(outcome))
        assert (await failed).message == "it has left"


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
