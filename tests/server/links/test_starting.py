"""Programs come up by turns, and are not to blame for a machine that is busy."""

from __future__ import annotations

import asyncio
import json
import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from fairplay.games.kit.processors import processors
from fairplay.server.links.link import DeadLink
from fairplay.server.links.program import read_wanted
from fairplay.server.server import Config
from tests.server.harness import serving

PLAYER = [sys.executable, "-m", "fairplay.terminal", "player", "fish"]
BUSY = """
import sys, time
while time.process_time() < {busy_s}:
    pass
sys.argv = ["fairplay", "player", "fish"]
from fairplay.terminal import main
main()
"""
BURNER = "import time\nwhile True: pass"
COMING_AND_GOING = """
import os
while True:
    for _ in range(10):
        if not os.fork():
            os._exit(0)
    for _ in range(10):
        os.wait()
"""


def busy_player(busy_s: float) -> str:
    """Return the command of a sound player that needs so much of a processor before it comes up."""
    return shlex.join([sys.executable, "-c", BUSY.format(busy_s=busy_s)])


async def test_programs_that_only_wait_keep_no_other_from_coming_up() -> None:
    async with serving(Config(allow_exec=True, start_limit_s=600.0)) as server:
        waiting = [asyncio.create_task(server.programs.link("w", "sleep 600")) for _ in range(processors())]
        link = await server.programs.link("p", shlex.join(PLAYER))
        assert not isinstance(link, DeadLink)
        assert not any(task.done() for task in waiting)
        await link.close()
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)


def test_what_programs_want_is_read_while_their_processes_come_and_go() -> None:
    with subprocess.Popen([sys.executable, "-c", COMING_AND_GOING], start_new_session=True) as storm:
        try:
            until = time.monotonic() + 1
            while time.monotonic() < until:
                wanted = read_wanted(os.getpid())
        finally:
            os.killpg(storm.pid, signal.SIGKILL)
    assert wanted


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_class_of_slow_starters_takes_part(tmp_path: Path) -> None:
    count = 40
    entrants = [f'[[entrant]]\nname = "p{n}"\nlink = {json.dumps("exec:" + busy_player(1.0))}\n' for n in range(count)]
    roster, results = tmp_path / "class.toml", tmp_path / "results.json"
    roster.write_text("".join(entrants))
    command = [*PLAYER[:3], "tournament", "fish", "--roster", str(roster), "--json", str(results)]
    subprocess.run(command, check=True, capture_output=True)
    assert json.loads(results.read_text())["failures"] == []


@pytest.fixture
def busy_machine() -> Iterator[None]:
    """Four programs a processor that compute all the time."""
    with ExitStack() as burning:
        for _ in range(4 * processors()):
            burner = subprocess.Popen([sys.executable, "-c", BURNER])
            burning.callback(burner.wait)
            burning.callback(burner.kill)
        yield


@pytest.mark.slow
@pytest.mark.usefixtures("busy_machine")
async def test_a_machine_that_is_busy_is_not_a_programs_fault() -> None:
    async with serving(Config(allow_exec=True, start_limit_s=4.0)) as server:
        link = await server.programs.link("p", busy_player(2.0))
        assert not isinstance(link, DeadLink)
        await link.close()
