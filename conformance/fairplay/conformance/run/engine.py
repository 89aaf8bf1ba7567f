"""Running the suite: the library call behind the command `fairplay certify`."""

from __future__ import annotations

from collections.abc import Sequence

from fairplay.conformance.run.events import Tally, Writer
from fairplay.conformance.run.judge import Judge, Plan
from fairplay.conformance.run.options import Options
from fairplay.conformance.run.plan import make_plan
from fairplay.conformance.run.pool import judge_in_workers
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
    cases = tally.plan.cases
    tally.begin(cases)
    try:
        for index, case in enumerate(cases):
            if index == PREPARED_AFTER:
                judge.prepare(cases[index:])
            tally.begin_case(case.id)
            tally.add(judge.judge(case))
            if tally.has_failed_fast:
                break
    finally:
        report = tally.end()
    return report
