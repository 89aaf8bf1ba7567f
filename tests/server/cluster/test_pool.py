"""A pool of processes: jobs come back as they would here, whatever happens to the processes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace

import psutil
import pytest

from fairplay.server.cluster.jobs import Job, JobError, LostError, WorkerError, make_job
from fairplay.server.cluster.pool import COMMAND, Pool
from fairplay.server.cluster.runner import GameWork
from fairplay.server.links.ways import Ways
from fairplay.v1.record_pb2 import Record
from tests.server.harness import plan

WITHIN_S = 60.0
SLOW = "bot:minimax:depth=9"
"""A player that thinks for longer than any test waits."""


def job(*links: str, seed: int = 1, rows: int = 4) -> Job:
    made = plan(*links, seed=seed, limit_s=600, rows=rows, columns=4)
    return make_job("play", GameWork("g", "", made.SerializeToString(), Ways()), links)


def workers() -> list[psutil.Process]:
    alive = (each for each in psutil.Process().children() if each.status() != psutil.STATUS_ZOMBIE)
    return [each for each in alive if COMMAND[-1] in each.cmdline()]


async def until_one_works(*killed: psutil.Process) -> psutil.Process:
    """Return the only worker, once it does something; it is none of those that were killed."""
    async with asyncio.timeout(WITHIN_S):
        while not (found := workers()) or found[0] in killed or found[0].cpu_times().user < 1:
            await asyncio.sleep(0.05)
    [worker] = found
    return worker


@pytest.fixture
async def pool() -> AsyncIterator[Pool]:
    made = Pool(1)
    yield made
    await made.close()
    assert not workers()


async def test_a_process_does_one_job_after_the_other(pool: Pool) -> None:
    done = await asyncio.gather(*(pool.do(job("bot:first", "bot:greedy", seed=seed)) for seed in (1, 2, 1)))
    first, other, again = (Record.FromString(each).entries for each in done)
    assert len(workers()) == 1
    assert first[-1].entry != other[-1].entry
    assert len(first) == len(again)


async def test_what_cannot_be_done_is_told_and_the_process_goes_on(pool: Pool) -> None:
    with pytest.raises(JobError, match="no strategy"):
        await pool.do(job("bot:nonsense", "bot:first"))
    with pytest.raises(WorkerError, match=r"and not 0\.0\.0"):
        await pool.do(replace(job("bot:first", "bot:first"), version="0.0.0"))
    assert await pool.do(job("bot:first", "bot:first"))
    assert len(workers()) == 1


@pytest.mark.slow
async def test_the_job_of_a_process_that_is_killed_is_done_again(pool: Pool) -> None:
    await pool.do(job("bot:first", "bot:first"))
    [idle] = workers()
    idle.kill()
    assert await pool.do(job("bot:first", "bot:first"))
    doing = asyncio.create_task(pool.do(job(SLOW, "bot:first", rows=6)))
    busy = await until_one_works()
    busy.kill()
    await until_one_works(busy)
    assert not doing.done()
    doing.cancel()
    await asyncio.wait([doing])


async def test_a_job_that_is_cancelled_is_worked_on_no_more_and_makes_room(pool: Pool) -> None:
    doing = asyncio.create_task(pool.do(job(SLOW, "bot:first", rows=6)))
    busy = await until_one_works()
    doing.cancel()
    await asyncio.wait([doing])
    assert not busy.is_running() or busy.status() == psutil.STATUS_ZOMBIE
    assert await pool.do(job("bot:first", "bot:first"))


async def test_a_pool_that_is_closed_does_nothing_more(pool: Pool) -> None:
    doing = asyncio.create_task(pool.do(job(SLOW, "bot:first", rows=6)))
    await until_one_works()
    await pool.close()
    with pytest.raises(LostError, match="have been ended"):
        await doing
