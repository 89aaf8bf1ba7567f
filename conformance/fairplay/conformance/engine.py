"""Running the suite: the library call behind the command `fairplay certify`."""

from __future__ import annotations

from collections.abc import Sequence

from fairplay.conformance.events import Writer
from fairplay.conformance.judging import Judge
from fairplay.conformance.options import Options
from fairplay.conformance.plan import Plan, make_plan
from fairplay.conformance.report import Report
from fairplay.conformance.tally import Tally
from fairplay.conformance.workers import judge_in_workers


def run(options: Options, writers: Sequence[Writer] = ()) -> Report:
    """Judge a player and return the report.

    Raises ValueError, with one sentence, if there is no such game, link or case. Raises KeyboardInterrupt if the run
    is interrupted; by then the writers have been told the end of what was judged so far.
    """
    return run_plan(make_plan(options), writers)


def run_plan(plan: Plan, writers: Sequence[Writer] = ()) -> Report:
    """Judge the cases of a plan and return the report, like `run`."""
    tally = Tally(plan, writers)
    tally.begin(plan.cases)
    try:
        if plan.options.jobs > 1:
            judge_in_workers(plan, tally)
        else:
            _judge_here(plan, tally)
    except BaseException:
        tally.end()
        raise
    return tally.end()


def _judge_here(plan: Plan, tally: Tally) -> None:
    with Judge(plan) as judge:
        for case in plan.cases:
            tally.begin_case(case.id)
            tally.add(judge.judge(case))
