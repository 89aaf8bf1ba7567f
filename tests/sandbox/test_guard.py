"""The guard without a sandbox: programs are ended with all that they start, and when they go over a limit."""

from __future__ import annotations

import asyncio
import os
import shlex
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from fairplay.sandbox.groups import ControlGroup, group_name
from fairplay.sandbox.guard import GIVE_WAY
from fairplay.sandbox.limits import Limits
from fairplay.server.links.program import Program
from fairplay.v1.misconduct_pb2 import CallErrorReason
from tests.interrupts import blocking_ctrl_c
from tests.sandbox import hostile

LIMIT_S = 60.0

TIGHT = Limits(
    memory=300 * 2**20,
    processes=60,
    threads=80,
    cpu=2,
    open_files=50,
    file_size=10 * 2**20,
    temp=20 * 2**20,
    output=20 * 2**20,
)


async def ended(command: str, limits: Limits = TIGHT) -> Program:
    """Run a command to its end under guard."""
    program = Program.start(shlex.split(command), dict(os.environ), limits)
    try:
        async with asyncio.timeout(LIMIT_S):
            await program.ended.wait()
    finally:
        await program.end()
    return program


@pytest.mark.parametrize(
    ("code", "limit", "allowed"),
    [
        (hostile.FORK_BOMB, "processes", "60"),
        (hostile.MEMORY_HOG, "memory", "300 MiB"),
        (hostile.MANY_HOGS, "memory", "300 MiB"),
        (hostile.CPU_BURNER, "cpu", "2 s"),
        (hostile.THREADS, "threads", "80"),
        (hostile.OPEN_FILES, "open-files", "50"),
        (hostile.LARGE_FILE, "file-size", "10 MiB"),
        (hostile.FLOOD, "output", "20 MiB"),
    ],
    ids=["fork bomb", "memory hog", "many hogs", "CPU burner", "threads", "open files", "large file", "output"],
)
async def test_a_program_that_goes_over_a_limit_is_ended_and_the_limit_is_named(
    code: str, limit: str, allowed: str, tmp_path: Path
) -> None:
    program = await ended(hostile.hostile(code, str(tmp_path / "file")))
    assert program.failure.reason == CallErrorReason.CALL_ERROR_REASON_LIMIT_EXCEEDED
    assert program.failure.message.startswith(f"the program went over its limit {limit}: it ")
    assert program.failure.message.endswith(f", {allowed} is allowed")
    assert not psutil.Process().children(recursive=True)


@pytest.fixture
def groups(request: pytest.FixtureRequest) -> None:
    """Control groups that limit what the test needs."""
    group = ControlGroup(TIGHT)
    files = {name.name for folder in group.folders for name in Path(folder).iterdir()}
    group.end()
    if not files.intersection(request.param):
        pytest.skip("this user can make no such control groups here")


@pytest.mark.parametrize("groups", [["pids.max"]], indirect=True)
@pytest.mark.usefixtures("groups")
async def test_a_program_that_ends_where_the_kernel_stops_it_has_gone_over_its_limit() -> None:
    """It is over before the guard can look."""
    program = Program.start(shlex.split(hostile.hostile(hostile.THREADS_UNTIL_REFUSED)), dict(os.environ), TIGHT)
    name = group_name(program.guard_id)
    async with asyncio.timeout(LIMIT_S):
        await program.ended.wait()
    await program.end()
    assert program.failure.message.startswith("the program went over its limit threads: it used ")
    assert not left_groups(name)


NESTED = """
import time
from fairplay.sandbox.groups import ControlGroup
from fairplay.sandbox.limits import parse_limits
print(len(ControlGroup(parse_limits("")).folders), flush=True)
time.sleep(60)
"""


@pytest.mark.parametrize("groups", [["pids.max"]], indirect=True)
@pytest.mark.usefixtures("groups")
async def test_the_group_of_a_guard_that_was_killed_is_removed_when_the_next_program_starts() -> None:
    """With it goes what a guard among its processes had made."""
    program = Program.start([sys.executable, "-c", NESTED], dict(os.environ), TIGHT)
    name = group_name(program.guard_id)
    async with asyncio.timeout(LIMIT_S):
        while not program.output:
            await asyncio.sleep(0.01)
    psutil.Process(program.guard_id).kill()
    await program.end()
    assert left_groups(name)
    for _ in range(100):  # the kernel takes a while to end what was in it
        await ended("true")
        if not left_groups(name):
            break
    assert not left_groups(name)


OUT_OF_MEMORY = """
import os
from fairplay.sandbox.groups import ControlGroup
from fairplay.sandbox.limits import parse_limits
group = ControlGroup(parse_limits("memory=30MiB,temp=1MiB"))
if not (child := os.fork()):
    group.enter()
    held = bytearray(b"x") * (200 << 20)
os.waitpid(child, 0)
print(group.excess())
group.end()
"""


@pytest.mark.parametrize("groups", [["memory.max", "memory.limit_in_bytes"]], indirect=True)
@pytest.mark.usefixtures("groups")
def test_the_kernel_ends_a_program_that_takes_memory_faster_than_anybody_looks() -> None:
    ran = subprocess.run([sys.executable, "-c", OUT_OF_MEMORY], capture_output=True, text=True, check=True, timeout=60)
    assert ran.stdout.startswith("the program went over its limit memory: it used ")


def left_groups(name: str) -> list[Path]:
    """Return the folders of a group, while others come and go."""
    return [Path(folder, name) for folder, names, _ in os.walk("/sys/fs/cgroup") if name in names]


async def test_a_program_within_its_limits_ends_by_itself() -> None:
    program = await ended("sh -c 'echo done; exit 3'")
    assert program.failure.reason == CallErrorReason.CALL_ERROR_REASON_DISCONNECTED
    assert program.failure.message == "the player's process ended with exit code 3"
    assert program.output == "done\n"


async def test_signals_that_the_server_blocks_are_not_blocked_in_programs() -> None:
    with blocking_ctrl_c():
        program = await ended("grep SigBlk /proc/self/status")
    assert program.output.split() == ["SigBlk:", "0" * 16]


async def test_programs_give_way_to_the_server() -> None:
    program = await ended("nice")
    assert int(program.output) == max(GIVE_WAY, os.nice(0))


async def test_what_processes_share_counts_once() -> None:
    """A program of many processes that share 200 MiB has not used many times 200 MiB."""
    code = "x = bytearray(b'x') * (200 << 20)\nfor _ in range(3):\n    os.fork() or time.sleep(1)\n"
    program = await ended(hostile.hostile(code))
    assert program.failure.message == "the player's process ended with exit code 0"


async def test_the_time_of_processes_that_are_gone_counts() -> None:
    """Nobody gets around the limit by burning a little in each of many processes."""
    code = """
signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the kernel forgets those that end
while time.monotonic() < GIVE_UP:
    if not os.fork():
        until = time.monotonic() + 0.3
        while time.monotonic() < until:
            pass
        os._exit(0)
    time.sleep(0.3)
"""
    program = await ended(hostile.hostile(code))
    assert "over its limit cpu" in program.failure.message


async def test_a_command_that_cannot_be_started_says_so() -> None:
    program = await ended("/no/such/program")
    assert program.output == "cannot start /no/such/program: No such file or directory\n"
    assert program.failure.message.endswith("exit code 127")
