"""Other processes that a measure needs. None of them outlives it, however it ends."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

from benchmarks.figures import Unmeasurable
from fairplay.sandbox.limits import NO_LIMITS, Spec
from fairplay.server.links.program import guard_command

ROOT = Path(__file__).resolve().parent.parent
START_LIMIT_S = 60.0
END_LIMIT_S = 10.0


def halves(players: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
    """Return the players of each of the two processes in which all players live."""
    middle = len(players) // 2
    return players[:middle], players[middle:]


class Started(NamedTuple):
    """A process that said it was ready: the id of its guard, whose only child it is, and what it said."""

    guard: int
    line: str


@asynccontextmanager
async def started(module: str, *arguments: str, limit_s: float = START_LIMIT_S) -> AsyncIterator[Started]:
    """Run a module under guard, from its first line of output on. Raises Unmeasurable if none comes in time."""
    process = await asyncio.create_subprocess_exec(
        *guard_command(Spec(NO_LIMITS), [sys.executable, "-m", module, *arguments]),
        stdin=PIPE,
        stdout=PIPE,
        stderr=DEVNULL,
        cwd=ROOT,
        start_new_session=True,
    )
    assert process.stdin is not None and process.stdout is not None
    try:
        try:
            async with asyncio.timeout(limit_s):
                line = await process.stdout.readline()
        except TimeoutError:
            raise Unmeasurable(f"{module} was not ready within {limit_s:g} s") from None
        if not line:
            raise Unmeasurable(f"{module} ended before it was ready")
        yield Started(process.pid, line.decode().strip())
    finally:
        process.stdin.close()  # at which the guard ends everything
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(END_LIMIT_S):
                await process.wait()
        if process.returncode is None:
            process.kill()
            await process.wait()
