"""Running the suite, in this process or in a pool of others: the library call behind `fairplay certify`."""

from __future__ import annotations

import contextlib
import pickle
import subprocess
import sys
import threading
from collections import Counter, deque
from collections.abc import Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from threading import Lock
from typing import NamedTuple, TypeAlias

from fairplay.certificate import Verdict
from fairplay.conformance.blame.verdicts import Judged
from fairplay.conformance.case import Case
from fairplay.conformance.evidence import Evidence
from fairplay.conformance.run.judge import Judge, Plan, Result, Tally, Writer
from fairplay.conformance.run.options import Options
from fairplay.conformance.run.plan import make_plan
from fairplay.conformance.run.report import Report
from fairplay.v1.player_pb2 import PlayerDescription

GROUP_SIZE = 4
"""Cases that follow each other look at the same games: a worker that judges several plays fewer of them."""
COMMAND = (sys.executable, "-P", "-m", "fairplay.conformance.run.worker")
EXIT_LIMIT_S = 10.0
ATTEMPTS = 3
"""A case whose worker dies is judged again, since something else on the machine may have killed it; not for ever."""

Messages: TypeAlias = "SimpleQueue[tuple[Worker, str, Result | None]]"
"""What workers report: a case that begins, its result, or with an empty id that the worker has ended."""


class _Group(NamedTuple):
    """Cases of one run that a worker judges one after the other."""

    tally: Tally
    case_ids: Sequence[str]


def judge_in_workers(tallies: Sequence[Tally], jobs: int) -> list[Report]:
    """Judge the cases of some runs in so many processes, and return their reports.

    The cases of a single run are spread over the processes; of several runs each has a process of its own. A tally
    begins and ends with its run, and with the work if that is interrupted.
    """
    pool = _Pool(tallies, jobs)
    try:
        pool.run()
    finally:
        pool.stop()
    return [pool.reports[tally] for tally in tallies]


class _Pool:
    def __init__(self, tallies: Sequence[Tally], jobs: int) -> None:
        self._jobs = jobs
        self._groups = deque(_groups(tallies))
        self._open: list[Tally] = []
        """The runs that have begun and are not over."""
        self.reports: dict[Tally, Report] = {}
        self._messages: Messages = SimpleQueue()
        self._workers: list[Worker] = []
        self._finished: list[Worker] = []
        """Those that have nothing more to judge: they are not waited for until all is judged."""
        self._deaths = Counter[tuple[Tally, str]]()
        """How often a worker has died at a case."""

    def run(self) -> None:
        """Judge all cases, or of runs with `fail_fast` those until one has failed."""
        self._start_workers()
        while self._workers:
            worker, case_id, result = self._messages.get()
            if worker not in self._workers:  # nothing more is wanted of it
                continue
            if not case_id:
                self._replace(worker)
            elif result is None:
                worker.tally.begin_case(case_id)
            else:
                self._add(worker, result)
            self._start_workers()

    def stop(self) -> None:
        """End all workers, whatever they do, and the tallies of runs that are not over."""
        left = [*self._workers, *self._finished]
        try:
            for worker in left:
                worker.finish()
            for worker in left:
                worker.wait()
        finally:  # who interrupts once more does not lose what was judged
            for tally in self._open:
                self.reports[tally] = tally.end()

    def _start_workers(self) -> None:
        while self._groups and len(self._workers) < self._jobs:
            group = self._groups.popleft()
            if group.tally not in self._open:
                group.tally.begin(group.tally.plan.cases)
                self._open.append(group.tally)
            self._workers.append(Worker(group.tally, self._messages))
            self._workers[-1].give(group.case_ids)

    def _add(self, worker: Worker, result: Result) -> None:
        tally = worker.tally
        worker.pending.remove(result.judged.id)
        tally.add(result)
        if result.urgent:
            self._put_first(tally, result.urgent)
        if tally.has_failed_fast:
            self._groups = deque(group for group in self._groups if group.tally is not tally)
            for each in [each for each in self._workers if each.tally is tally]:
                self._dismiss(each)
        elif not worker.pending and self._groups and self._groups[0].tally is tally:
            worker.give(self._groups.popleft().case_ids)
        elif not worker.pending:
            self._dismiss(worker)
        self._end_if_over(tally)

    def _put_first(self, tally: Tally, case_ids: Collection[str]) -> None:
        """Have cases of a run judged next, by whichever worker is free first, as far as none has them yet."""
        left = [each for each in self._groups if each.tally is tally]
        first = [case_id for group in left for case_id in group.case_ids if case_id in case_ids]
        rest = [group._replace(case_ids=[each for each in group.case_ids if each not in first]) for group in left]
        others = [each for each in self._groups if each.tally is not tally]
        self._groups = deque(group for group in (_Group(tally, first), *rest, *others) if group.case_ids)

    def _dismiss(self, worker: Worker) -> None:
        worker.finish()
        self._workers.remove(worker)
        self._finished.append(worker)

    def _replace(self, worker: Worker) -> None:
        """Have another worker do what is left of one that has died. A case at which workers die has no verdict."""
        self._workers.remove(worker)
        tally, code, case_id = worker.tally, worker.wait(), worker.pending[0]
        self._deaths[tally, case_id] += 1
        if self._deaths[tally, case_id] == ATTEMPTS:
            tally.add(_lost(tally, worker.pending.popleft(), code))
        if worker.pending:
            self._groups.appendleft(_Group(tally, [*worker.pending]))
        self._end_if_over(tally)

    def _end_if_over(self, tally: Tally) -> None:
        left = {each.tally for each in self._groups} | {each.tally for each in self._workers}
        if tally not in left:
            self._open.remove(tally)
            self.reports[tally] = tally.end()


def _groups(tallies: Sequence[Tally]) -> Iterator[_Group]:
    for tally in tallies:
        ids = [case.id for case in tally.plan.cases]
        size = GROUP_SIZE if len(tallies) == 1 else len(ids)
        yield from (_Group(tally, ids[first : first + size]) for first in range(0, len(ids), size))


def _lost(tally: Tally, case_id: str, code: int) -> Result:
    """Return the result of a case whose worker ended while it judged the case."""
    [case] = [case for case in tally.plan.cases if case.id == case_id]
    sentence = f"the suite failed: the process that judged this case ended with exit code {code}"
    known = case_id in tally.plan.known
    judged = Judged(case.id, case.level, Verdict.SUITE_ERROR, sentence, 0.0, Evidence(sentence), known)
    return Result(judged, {}, {}, PlayerDescription())


class Worker:
    """A process that judges cases of one run. `pending` are the ids of those that it still has to judge."""

    def __init__(self, tally: Tally, messages: Messages) -> None:
        self.tally = tally
        self.pending: deque[str] = deque()
        self._messages = messages
        # A session of its own: Ctrl-C reaches only the process that was started, which then ends the workers.
        self._process = subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)
        self._send(tally.plan.remade)
        threading.Thread(target=self._read, daemon=True).start()

    def give(self, case_ids: Sequence[str]) -> None:
        """Have some cases judged."""
        self.pending.extend(case_ids)
        for first in range(0, len(case_ids), GROUP_SIZE):  # the process prepares what it is given at once
            self._send(list(case_ids[first : first + GROUP_SIZE]))

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

    def _send(self, order: object) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):  # it has ended: _read notices
            pickle.dump(order, self._process.stdin)
            self._process.stdin.flush()

    def _read(self) -> None:
        assert self._process.stdout is not None
        # The last message may be one that the process did not finish.
        with self._process.stdout as messages, contextlib.suppress(EOFError, pickle.UnpicklingError):
            while True:
                self._messages.put((self, *pickle.load(messages)))
        self._messages.put((self, "", None))


PREPARED_AFTER = 3
"""So many cases are judged before others are prepared: they show whether the player can be reached at all."""


def run(options: Options, writers: Sequence[Writer] = ()) -> Report:
    """Judge a player and return the report.

    Raises ValueError, with one sentence, if there is no such game, link or case, OSError if something on this machine
    keeps every player from being reached. Raises KeyboardInterrupt if the run is interrupted; by then the writers have
    been told the end of what was judged so far.
    """
    return run_plan(make_plan(options), writers)


def run_plan(plan: Plan, writers: Sequence[Writer] = ()) -> Report:
    """Judge the cases of a plan and return the report, like `run`."""
    tally = Tally(plan, writers)
    with Judge(plan) as judge:
        judge.reach()
        if plan.options is None or plan.options.jobs == 1:
            return _judge_here(judge, tally)
    [report] = judge_in_workers([tally], plan.options.jobs)
    return report


def check_surroundings(plan: Plan) -> None:
    """Raise OSError, with one sentence, if this machine keeps every player from being reached in the way of a plan."""
    with Judge(plan) as judge:
        judge.reach()


def _judge_here(judge: Judge, tally: Tally) -> Report:
    cases, helper = tally.plan.cases, _Helper(tally)
    tally.begin(cases)
    try:
        left = list(cases)
        while left and not tally.has_failed_fast:
            if len(cases) - len(left) == PREPARED_AFTER:
                judge.prepare(left)
            left.remove(case := helper.choose(left))
            tally.begin_case(case.id)
            tally.add(result := helper.judge(case, judge))
            left.sort(key=lambda each: each.id not in result.urgent)
    finally:
        try:
            helper.close()
        finally:  # who interrupts once more does not lose what was judged
            report = tally.end()
    return report


class _Helper:
    """A process that judges some cases of a plan, the last one first, while others are judged here."""

    def __init__(self, tally: Tally) -> None:
        beside = tally.plan.beside
        self._alone = Lock()
        """Held for each case of the process, and for those that are judged alone here."""
        self._next = Lock()
        """Held by who waits for that, or the process would begin one case after the other meanwhile."""
        self._messages: Messages = SimpleQueue()
        self._worker = Worker(tally, self._messages) if beside else None
        self._thread = ThreadPoolExecutor(1)
        self._results = {case_id: self._thread.submit(self._ask, case_id) for case_id in reversed(beside)}

    def choose(self, left: Sequence[Case]) -> Case:
        """Return the first of some cases that the process does not judge at the moment, or else the first."""
        return next((each for each in left if not self._is_judging(each.id)), left[0])

    def _is_judging(self, case_id: str) -> bool:
        return case_id in self._results and self._results[case_id].running()

    def judge(self, case: Case, judge: Judge) -> Result:
        """Return the result of a case. What is not met beside others is judged once more, alone."""
        busy = not all(each.done() for each in self._results.values())
        result = self._take(case.id) or judge.judge(case)
        if result.judged.settled or not busy:
            return result
        with self._next, self._alone:
            return judge.judge(case)

    def _take(self, case_id: str) -> Result | None:
        """Return what the process has found of a case, if that is settled; None: it is to be judged here."""
        found = self._results.get(case_id)
        result = None if found is None or found.cancel() else found.result()
        return result if result is not None and result.judged.settled else None

    def _ask(self, case_id: str) -> Result | None:
        """Have the process judge a case; return None if it has ended."""
        assert self._worker is not None
        with self._next:
            pass
        with self._alone:
            self._worker.give([case_id])
            while True:
                worker, judged_id, result = self._messages.get()
                if not judged_id:
                    self._messages.put((worker, "", None))  # for the next case
                if result is not None or not judged_id:
                    return result

    def close(self) -> None:
        """End the process, also in the middle of a case."""
        if self._worker is not None:
            self._worker.finish()
        self._thread.shutdown(cancel_futures=True)
        if self._worker is not None:
            self._worker.wait()
