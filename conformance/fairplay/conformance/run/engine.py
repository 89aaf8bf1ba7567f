"""Running the suite: the library call behind the command `fairplay certify`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from fairplay.conformance.case import Case
from fairplay.conformance.run.events import Tally, Writer
from fairplay.conformance.run.judge import CasePlan, Judge
from fairplay.conformance.run.options import Options
from fairplay.conformance.run.plan import Plan, make_plan
from fairplay.conformance.run.pool import Interruption, judge_in_workers
from fairplay.conformance.run.report import Report

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
    if plan.options.jobs > 1:
        check_surroundings(plan)
        return _tallied(plan, writers, lambda tally: judge_in_workers(plan, tally))
    return run_here(plan, writers, fail_fast=plan.options.fail_fast)


def run_apart(plan: Plan, writers: Sequence[Writer], interruption: Interruption) -> Report:
    """Judge the cases of a plan in other processes, and return the report, like `run`, in any thread."""
    return _tallied(plan, writers, lambda tally: judge_in_workers(plan, tally, interruption))


def run_here(plan: CasePlan, writers: Sequence[Writer] = (), *, fail_fast: bool = False) -> Report:
    """Judge the cases of a plan one after the other in this process, and return the report, like `run`."""
    with Judge(plan) as judge:
        judge.reach()
        return _tallied(plan, writers, lambda tally: _judge_here(judge, plan.cases, tally, fail_fast=fail_fast))


def check_surroundings(plan: CasePlan) -> None:
    """Raise OSError, with one sentence, if this machine keeps every player from being reached in the way of a plan."""
    with Judge(plan) as judge:
        judge.reach()


def _tallied(plan: CasePlan, writers: Sequence[Writer], judge_all: Callable[[Tally], None]) -> Report:
    tally = Tally(plan, writers)
    tally.begin(plan.cases)
    try:
        judge_all(tally)
    except BaseException:
        tally.end()
        raise
    return tally.end()


def _judge_here(judge: Judge, cases: Sequence[Case], tally: Tally, *, fail_fast: bool) -> None:
    for index, case in enumerate(cases):
        if index == PREPARED_AFTER:
            judge.prepare(cases[index:])
        tally.begin_case(case.id)
        tally.add(judge.judge(case))
        if fail_fast and tally.failed:
            return
