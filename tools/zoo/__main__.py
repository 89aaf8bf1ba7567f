"""Try every mutant on the suite, and write docs/zoo.md: which mutant fails which cases.

Run in .venv, in the root of the tree: python -m tools.zoo [GAME ...] [--check [--budget SECONDS]] [--whole] [--seed N]
Each mutant is tried on the cases that name it and on a part of the others, another part for each mutant and each seed:
up to 10 minutes on two cores. With --whole it is tried on all, which takes three times as long. Reference players are
tried on all in any case.

Rows of the page that are still right stay as they are, but for --whole. With --check nothing is written; a page that
has other mutants, or names other cases, is wrong. With --budget those are left out that would begin after so many
seconds, others for each seed; they are counted. The exit code is 0 if every mutant fails the cases that name it and
no unrelated one, and every reference player passes everything.
"""

from __future__ import annotations

import argparse
import math
import multiprocessing
import random
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from itertools import islice

from fairplay.games.conformance import find_conformance
from fairplay.games.game import registered
from fairplay.games.kit.processors import processors
from tools.zoo.page import PAGE, is_outdated, page, with_kept_rows
from tools.zoo.trying import Outcome, Task, make_tasks, try_task

MAX_AGAIN = 2
"""How often a mutant is tried again that is not as it should be."""
SPARE_JOBS = 1
"""So many more processes than cores: some wait, for mutants that hang and for programs that start."""


def main(arguments: Sequence[str]) -> int:
    """Make the page, or check what would be in it, and return the exit code."""
    parser, began = _parser(), time.monotonic()
    chosen = parser.parse_args(arguments)
    if chosen.budget < math.inf and not chosen.check:
        parser.error("--budget goes with --check: the page is made of all mutants")
    names = chosen.games or [name for name in registered() if find_conformance(name).mutations]
    tasks = make_tasks(names, None if chosen.whole else chosen.seed)
    outcomes = dict(_tried(_in_order(tasks, chosen), chosen.jobs, began + chosen.budget))
    for _ in range(MAX_AGAIN):
        # One at a time: a machine that stands still for seconds fails mutants in cases that are not theirs.
        outcomes.update(_tried([task for task in outcomes if outcomes[task].problems], 1))
    problems = [problem for outcome in outcomes.values() for problem in outcome.problems]
    if not chosen.games:
        now = PAGE.read_text("utf-8")
        if not chosen.check:
            made = page([row for task in tasks if (row := outcomes[task].row) is not None])
            PAGE.write_text(made if chosen.whole else with_kept_rows(made, now), encoding="utf-8")
        elif is_outdated(now, tasks):
            problems.append("docs/zoo.md has other mutants or names other cases: run make zoo")
    sys.stdout.write("".join(f"{problem}\n" for problem in problems))
    _print_costs(outcomes, time.monotonic() - began)
    left = len(tasks) - len(outcomes)
    sys.stdout.write(f"{len(outcomes)} players tried, {left} left out for want of time, {len(problems)} problems\n")
    return 1 if problems or not outcomes else 0


def _in_order(tasks: Sequence[Task], chosen: argparse.Namespace) -> list[Task]:
    """Return tasks as they are to be tried: those that wait much first, or a mixture if time may end before."""
    if chosen.budget < math.inf:
        return random.Random(chosen.seed).sample(tasks, len(tasks))
    return sorted(tasks, key=lambda task: not task.starts)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tools.zoo", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("games", metavar="GAME", nargs="*", help="default: all that have mutants")
    parser.add_argument("--check", action="store_true", help="write nothing; compare with the page")
    parser.add_argument("--whole", action="store_true", help="try every mutant on all cases")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of the parts; default: %(default)s")
    parser.add_argument(
        "--budget", type=float, default=math.inf, metavar="SECONDS", help="with --check: begin to try none after these"
    )
    jobs = processors() + SPARE_JOBS
    parser.add_argument("--jobs", type=int, default=jobs, metavar="N", help="processes; default here: %(default)s")
    return parser


def _tried(tasks: Sequence[Task], jobs: int, until: float = math.inf) -> Iterator[tuple[Task, Outcome]]:
    """Yield each task with its outcome, as soon as it is known. From `until` on (a monotonic time) none begins."""
    if not tasks:
        return
    with ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn")) as pool:
        waiting, running = iter(tasks), dict[Future[Outcome], Task]()
        while True:
            # No more than there are processes: what waits in the pool would be tried even if this program is gone.
            free = jobs - len(running) if time.monotonic() < until else 0
            running |= {pool.submit(try_task, task): task for task in islice(waiting, free)}
            if not running:
                return
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                task, outcome = running.pop(future), future.result()
                sys.stdout.write(f"{task}: {'; '.join(outcome.problems) or 'as it should be'}\n")
                sys.stdout.flush()
                yield task, outcome


def _print_costs(outcomes: Mapping[Task, Outcome], elapsed_s: float) -> None:
    costs = dict.fromkeys((task.game for task in outcomes), 0.0)
    for task, outcome in outcomes.items():
        costs[task.game] += outcome.processor_s
    each = ", ".join(f"{game} {cost_s:.0f}" for game, cost_s in sorted(costs.items()))
    sys.stdout.write(f"{elapsed_s:.0f} s; seconds of processor time: {each}; all {sum(costs.values()):.0f}\n")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
