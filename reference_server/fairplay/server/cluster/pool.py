"""A pool of processes on this machine: each does one job at a time, and another one takes over when one is lost."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Sequence
from typing import Any

from fairplay.server.cluster.jobs import MOST_LOSSES, Job, JobError, LostError, WorkerError, packed, read_answer

COMMAND = (sys.executable, "-P", "-m", "fairplay.server.cluster.worker")


class Pool:
    """A pool of `size` processes that do jobs; `command` starts one, and `close` ends all.

    A process is started when there is a job for it, and serves for many.
    """

    def __init__(self, size: int, command: Sequence[str] = COMMAND) -> None:
        self.processors = size
        self._command = command
        self._room = asyncio.Semaphore(size)
        self._idle: list[asyncio.subprocess.Process] = []
        self._processes: set[asyncio.subprocess.Process] = set()
        self._closed = False

    async def start(self) -> None:
        """Do nothing: processes are started for jobs."""

    async def do(self, job: Job) -> bytes:
        """Return what comes of a job, once it is its turn. If this is cancelled, nobody works on it any more.

        Raises JobError if it cannot be done, WorkerError if a worker is not fit for it, OSError if none can be started.
        """
        async with self._room:
            for _ in range(MOST_LOSSES):
                if self._closed:
                    raise LostError("the processes have been ended")
                if (answer := await self._ask(packed((job,)))) is not None:
                    break
            else:
                raise WorkerError(f"{MOST_LOSSES} workers were lost with the same work")
        kind, content = answer
        if kind == "done":
            done: bytes = content
            return done
        raise JobError(content) if kind == "impossible" else WorkerError(content)

    async def _ask(self, frame: bytes) -> tuple[Any, ...] | None:
        """Have an idle process do a job, or a new one, and return its answer; None if the process was lost."""
        process = self._idle.pop() if self._idle else await self._started()
        assert process.stdin is not None
        assert process.stdout is not None
        answer = None
        try:
            process.stdin.write(frame)
            answer = await read_answer(process.stdout)
        finally:
            if answer is not None:
                self._idle.append(process)
            else:
                await self._end(process)
        return answer

    async def _started(self) -> asyncio.subprocess.Process:
        process = await asyncio.create_subprocess_exec(
            *self._command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C is for the command, which ends its workers
        )
        self._processes.add(process)
        return process

    async def _end(self, process: asyncio.subprocess.Process) -> None:
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process.pid, signal.SIGKILL)  # process.kill() would take its end from asyncio, which warns then
        await asyncio.shield(process.wait())
        self._processes.discard(process)  # only now: whoever closes the pool waits for it too

    async def close(self) -> None:
        """End all processes; jobs are dropped."""
        self._closed = True
        await asyncio.gather(*map(self._end, [*self._processes]))
