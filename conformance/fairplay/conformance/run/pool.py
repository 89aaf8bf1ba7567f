"""Judging groups of cases side by side, in worker processes that report to this one."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Sequence
from dataclasses import asdict
from queue import SimpleQueue
from typing import Any, TypeAlias

from fairplay.certificate import Verdict
from fairplay.conformance.blame.verdicts import Judged
from fairplay.conformance.evidence import Evidence
from fairplay.conformance.run.events import Tally
from fairplay.conformance.run.judge import Result
from fairplay.conformance.run.options import Options
from fairplay.conformance.run.packing import unpack
from fairplay.conformance.run.plan import Plan
from fairplay.v1.player_pb2 import PlayerDescription

GROUP_SIZE = 4
"""Cases that follow each other look at the same games: a worker that judges several plays fewer of them."""
COMMAND = (sys.executable, "-P", "-m", "fairplay.conformance.run.worker")
EXIT_LIMIT_S = 10.0

Messages: TypeAlias = "SimpleQueue[tuple[Worker | None, dict[str, Any] | None]]"
"""What workers report; None: the worker has ended. Without a worker: the run is interrupted."""


class Interruption:
    """Interrupts runs that wait for their workers in other threads, as Ctrl-C does in the main one."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: list[Messages] = []
        self._interrupted = False

    def join(self, messages: Messages) -> None:
        """Have a run interrupted that waits for these messages."""
        with self._lock:
            self._waiting.append(messages)
            if self._interrupted:
                messages.put((None, None))

    def leave(self, messages: Messages) -> None:
        """Forget a run that is over."""
        with self._lock:
            self._waiting.remove(messages)

    def interrupt(self) -> None:
        """Interrupt all runs, those that have not begun yet too."""
        with self._lock:
            self._interrupted = True
            for messages in self._waiting:
                messages.put((None, None))


def judge_in_workers(plan: Plan, tally: Tally, interruption: Interruption | None = None) -> None:
    """Judge the cases of a plan in `options.jobs` processes. Raises KeyboardInterrupt if it is interrupted."""
    interruption = interruption or Interruption()
    messages: Messages = SimpleQueue()
    pool = _Pool(plan, tally, messages)
    interruption.join(messages)
    try:
        pool.run()
    finally:
        interruption.leave(messages)
        pool.stop()


class _Pool:
    def __init__(self, plan: Plan, tally: Tally, messages: Messages) -> None:
        self._plan = plan
        self._tally = tally
        ids = [case.id for case in plan.cases]
        self._groups = deque(ids[first : first + GROUP_SIZE] for first in range(0, len(ids), GROUP_SIZE))
        self._messages = messages
        self._workers: list[Worker] = []
        self._finished: list[Worker] = []
        """Those that have nothing more to judge: they are not waited for until all is judged."""

    def run(self) -> None:
        """Judge all cases, or with `fail_fast` until one has failed."""
        for _ in range(min(self._plan.options.jobs, len(self._groups))):
            self._start_worker()
        while self._workers and not (self._plan.options.fail_fast and self._tally.failed):
            worker, message = self._messages.get()
            if worker is None:
                raise KeyboardInterrupt
            if message is None:
                self._end_worker(worker)
            elif "began" in message:
                self._tally.begin_case(message["began"])
            else:
                self._add(worker, unpack(message["judged"]))

    def stop(self) -> None:
        """End all workers, whatever they do."""
        left = [*self._workers, *self._finished]
        for worker in left:
            worker.finish()
        for worker in left:
            worker.wait()

    def _start_worker(self) -> None:
        worker = Worker(self._plan.options, self._messages)
        self._workers.append(worker)
        worker.give(self._groups.popleft())

    def _add(self, worker: Worker, result: Result) -> None:
        self._tally.add(result)
        worker.pending.remove(result.judged.id)
        if not worker.pending:
            if self._groups:
                worker.give(self._groups.popleft())
            else:
                worker.finish()
                self._workers.remove(worker)
                self._finished.append(worker)

    def _end_worker(self, worker: Worker) -> None:
        if worker in self._finished:
            return
        self._workers.remove(worker)
        code = worker.wait()
        if worker.pending:
            self._tally.add(self._lost(worker.pending.popleft(), code))
        if worker.pending:
            self._groups.appendleft(list(worker.pending))
        if self._groups:
            self._start_worker()

    def _lost(self, case_id: str, code: int) -> Result:
        """Return the result of a case whose worker ended while it judged the case."""
        [case] = [case for case in self._plan.cases if case.id == case_id]
        sentence = f"the suite failed: the process that judged this case ended with exit code {code}"
        known = case_id in self._plan.known
        judged = Judged(case.id, case.level, Verdict.SUITE_ERROR, sentence, 0.0, Evidence(sentence), known)
        return Result(judged, {}, {}, PlayerDescription())


class Worker:
    """A process that judges cases. `pending` are the ids of those that it still has to judge."""

    def __init__(self, options: Options, messages: Messages) -> None:
        self.pending: deque[str] = deque()
        self._messages = messages
        # A session of its own: Ctrl-C reaches only the process that was started, which then ends the workers.
        self._process = subprocess.Popen(
            COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
        )
        self._send({**asdict(options), "jobs": 1})
        threading.Thread(target=self._read, daemon=True).start()

    def give(self, case_ids: Sequence[str]) -> None:
        """Have some cases judged."""
        self.pending.extend(case_ids)
        self._send(list(case_ids))

    def finish(self) -> None:
        """End the process; if it judges a case, in the middle of that."""
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.close()

    def wait(self) -> int:
        """Return the exit code of the process, which must be about to end; it is killed if it does not."""
        self.finish()
        try:
            return self._process.wait(EXIT_LIMIT_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return self._process.wait()

    def _send(self, message: object) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):  # it has ended: _read notices
            self._process.stdin.write(json.dumps(message) + "\n")
            self._process.stdin.flush()

    def _read(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as lines, contextlib.suppress(ValueError):  # a line that the process did not finish
            for line in lines:
                self._messages.put((self, json.loads(line)))
        self._messages.put((self, None))
