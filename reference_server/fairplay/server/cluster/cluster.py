"""Those who do jobs: a pool of processes on this machine, or a cluster of Ray, which goes on when something is lost."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import logging
import os
import signal
import sys
from typing import Any, Protocol

from fairplay.server.cluster.jobs import (
    KEPT_CHILDREN,
    ClusterError,
    ClusterOptions,
    Job,
    JobError,
    LostError,
    WorkerError,
    packed,
    read_answer,
    to_shipped,
)
from fairplay.server.cluster.pool import Pool

log = logging.getLogger("fairplay.cluster")

COMMAND = (sys.executable, "-P", "-m", "fairplay.server.cluster.dispatcher")
QUIET = {"RAY_USAGE_STATS_ENABLED": "0", **KEPT_CHILDREN}
"""The environment of Ray: it reports to nobody."""
RETRY_S = 2.0
"""How long after a connection was lost the next one is tried, and after each that was not had."""
KNOCK_LIMIT_S = 10.0
"""How long the address of a cluster may take to be reached."""
CONNECT_LIMIT_S = 180.0
"""How long Ray may take to connect: left alone it tries for many minutes."""
END_LIMIT_S = 10.0
MAX_SENTENCE_CHARS = 300


NO_WORKERS = "the cluster has no workers"
LOST_WORKERS = "the cluster has lost all its workers"
LOST_CONNECTION = "the connection to the cluster is lost"


async def _knock(address: str) -> None:
    """Check that somebody listens at an address, if it has a port. Raises ClusterError if nobody does."""
    host, _, port = address.rpartition("//")[2].rpartition(":")
    if not port.isdigit():
        return
    try:
        async with asyncio.timeout(KNOCK_LIMIT_S):
            _, writer = await asyncio.open_connection(host, port)
    except (OSError, TimeoutError):
        raise ClusterError(f"no cluster answers at {address}") from None
    writer.close()


class Workers(Protocol):
    """Those who do jobs, from `start` to `close`."""

    processors: int
    """How many jobs are done at a time; it may change."""

    async def start(self) -> None:
        """Get ready. Raises ClusterError if there is nobody, or nobody answers."""

    async def do(self, job: Job) -> bytes:
        """Return what comes of a job. If this is cancelled, nobody works on it any more.

        Raises JobError if it cannot be done, WorkerError if a worker is not fit for it, LostError if there are none,
        OSError if the machine has no room for a process.
        """

    async def close(self) -> None:
        """Drop all jobs, and end what is one's own."""


def make_workers(options: ClusterOptions) -> Workers:
    """Return those who do the jobs: a pool of processes on this machine, or a cluster of Ray."""
    return Cluster(options) if options.address else Pool(options.jobs)


class Cluster:
    """A cluster of Ray, reached by a dispatcher in a process of its own."""

    def __init__(self, options: ClusterOptions) -> None:
        self.processors = 0
        self._options = options
        self._numbers = itertools.count(1)
        self._open: dict[int, tuple[Job, asyncio.Future[bytes]]] = {}
        self._process: asyncio.subprocess.Process | None = None
        self._task: asyncio.Task[None] | None = None
        self._missing = ""
        """Why there are no processors."""

    async def start(self) -> None:
        """Connect to the cluster. Raises ClusterError if there is none."""
        try:
            await self._connect()
        except BaseException:
            await self._end()
            raise
        if not self.processors:
            self._lack(NO_WORKERS)
        self._task = asyncio.create_task(self._keep())

    async def do(self, job: Job) -> bytes:
        """Return what comes of a job. If this is cancelled, nobody works on it any more.

        Raises JobError if it cannot be done, WorkerError if a worker is not fit for it, LostError if there are none.
        """
        if self._options.shipped:
            job = to_shipped(job)
        number = next(self._numbers)
        future: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        self._open[number] = job, future
        self._send("do", number, job)
        self._look()
        try:
            return await future
        finally:
            if self._open.pop(number, None) is not None:
                self._send("cancel", number)

    async def close(self) -> None:
        """Leave the cluster; jobs are dropped."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])
        await self._end()

    # --- the dispatcher ---

    async def _connect(self) -> None:
        """Start a dispatcher and wait until it has a cluster. Raises ClusterError if it has none."""
        await _knock(self._options.address)
        self._process = await asyncio.create_subprocess_exec(
            *COMMAND,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            env={**os.environ, **QUIET},
            start_new_session=True,
        )
        assert self._process.stdin is not None
        self._process.stdin.write(packed((self._options,)))
        try:
            message = await asyncio.wait_for(self._read(), CONNECT_LIMIT_S)
        except TimeoutError:
            message = ("failed", f"it took more than {CONNECT_LIMIT_S:g} s")
        if message is None or message[0] != "processors":
            reason = "it ended while it started" if message is None else str(message[1])[:MAX_SENTENCE_CHARS]
            await self._end()
            raise ClusterError(f"no cluster answers at {self._options.address}: {reason}")
        self.processors = message[1]

    async def _keep(self) -> None:
        """Read what the dispatcher says, and start another one when it is gone, until the cluster is closed."""
        while True:
            while (message := await self._read()) is not None:
                self._take(*message)
            self.processors = 0
            self._lack(LOST_CONNECTION)
            await self._end()
            while True:
                await asyncio.sleep(RETRY_S)
                try:
                    await self._connect()
                    break
                except ClusterError as error:
                    log.info("the cluster is still away: %s", error)
            log.warning("the cluster is there again")
            if not self.processors:
                self._lack(NO_WORKERS)
            for number, (job, _) in self._open.items():
                self._send("do", number, job)

    async def _read(self) -> tuple[Any, ...] | None:
        assert self._process is not None
        assert self._process.stdout is not None
        return await read_answer(self._process.stdout)

    def _send(self, *message: Any) -> None:
        process = self._process
        if process is not None and process.stdin is not None and not process.stdin.is_closing():
            process.stdin.write(packed(message))

    async def _end(self) -> None:
        """End the dispatcher and what it has started."""
        process, self._process = self._process, None
        if process is not None:
            assert process.stdin is not None
            process.stdin.close()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(process.wait(), END_LIMIT_S)
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            await process.wait()

    # --- what it says ---

    def _take(self, kind: str, *rest: Any) -> None:
        if kind == "processors":
            self._set_processors(rest[0])
            return
        number, content = rest
        _, future = self._open.pop(number, (None, None))
        if future is None or future.done():
            return
        if kind == "done":
            future.set_result(content)
        elif kind == "impossible":
            future.set_exception(JobError(content))
        else:
            future.set_exception(WorkerError(content))

    def _set_processors(self, count: int) -> None:
        had, self.processors = self.processors, count
        if had and not count:
            self._lack(LOST_WORKERS)
        elif count and not had:
            log.warning("the cluster has workers again")

    def _lack(self, what: str) -> None:
        """Take note that there is nobody to do the work, and say so if it waits for somebody."""
        self._missing = what
        if self._options.wait:
            log.warning("%s: the work waits until it is otherwise", what)
        self._look()

    def _look(self) -> None:
        """Give up all jobs if there is nobody to do them, and nobody wants to wait."""
        if self.processors or self._options.wait:
            return
        for _, future in self._open.values():
            if not future.done():
                future.set_exception(LostError(self._missing))
