"""Try every mutant on the suite, and write build/zoo.md: which mutant fails which cases.

Run in .venv, in the root of the tree: python -m tools.zoo [GAME ...] [--part N] [--sample N] [--seed N]
Each mutant is tried on the cases that name it and on a part of the others, another part for each mutant: an hour on two
cores. With --sample so many players are tried, mutants and reference players, drawn by the seed, and mutants on no
others: one part more would show something new of some mutant in every other sample, whatever has changed. Reference
players are tried on all cases.

The exit code is 0 if every mutant fails the cases that name it and no unrelated one, and every reference player passes
everything.
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from itertools import groupby
from pathlib import Path

from fairplay.conformance.zoo.mutants import Mutant
from fairplay.conformance.zoo.registry import common_mutants, find_mutants
from fairplay.games.conformance import find_conformance
from fairplay.games.game import find, registered
from fairplay.games.kit.processors import processors
from tools.zoo.findings import Finding
from tools.zoo.trying import Outcome, Row, Task, make_tasks, try_task

PAGE = Path(__file__).parents[2] / "build" / "zoo.md"
HEAD = """\
# Which mutant fails which cases

Made by `make zoo`; `docs/zoo.md` says what it is. The cases that name a mutant are in **bold**. Many failing cases of
one family are counted: `rules.whole-game.*` (9). For `rules.whole-games` one failing case is enough.
"""
MANY = 3
PROGRAMS = "What only a program can do"
SPARE_JOBS = 1
"""So many more processes than cores: some wait, for mutants that hang and for programs that start."""


def page(rows: Sequence[Row]) -> str:
    """Return the whole page."""
    lines, programs = [HEAD], list[Row]()
    for name, group in groupby(rows, key=lambda row: row.game):
        game, shared = find(name), {each.name for each in common_mutants(find(name))}
        tried_here = list(group)
        programs += [row for row in tried_here if _is_program(row)]
        objects = [row for row in tried_here if not _is_program(row)]
        lines.append(f"## {game.title}\n")
        lines += _table(
            f"### What a player of any game can do: {game.title}", [r for r in objects if r.mutant in shared]
        )
        lines += _table(f"### What breaks a rule of {game.title}", [r for r in objects if r.mutant not in shared])
    return "\n".join([*lines, *_table(f"## {PROGRAMS}", programs)])


def _is_program(row: Row) -> bool:
    return find_mutants(find(row.game))[row.mutant].program is not None


def _table(title: str, rows: Iterable[Row]) -> list[str]:
    lines = [_row(find_mutants(find(row.game))[row.mutant], row.found) for row in rows]
    return [f"{title}\n", "| mutant | what such a player does | caught by |", "|---|---|---|", *lines, ""]


def _row(each: Mutant, found: Finding) -> str:
    caught = ", ".join([*(f"**`{case_id}`**" for case_id in each.cases), *_others(each, found.caught_by)])
    return f"| `{each.name}` | {each.sentence.replace('|', chr(92) + '|')} | {caught} |"


def _others(each: Mutant, caught: Iterable[str]) -> Iterator[str]:
    """Yield the other cases, counting those of one family if they are many."""
    rest = [case_id for case_id in caught if case_id not in each.cases]
    families = Counter(map(_family, rest))
    for family, count in families.items():
        if count > MANY:
            yield f"`{family}.*` ({count})"
        else:
            yield from (f"`{case_id}`" for case_id in rest if _family(case_id) == family)


def _family(case_id: str) -> str:
    first, second, *rest = case_id.split(".")
    return f"{first}.{second}" if rest else first


def main(arguments: Sequence[str]) -> int:
    """Try the players, write the page, and return the exit code."""
    chosen, began = _parser().parse_args(arguments), time.monotonic()
    names = chosen.games or [name for name in registered() if find_conformance(name).mutations]
    tasks = _drawn(make_tasks(names, chosen.part if chosen.sample is None else None), chosen)
    outcomes = dict(_tried(tasks, chosen.jobs))
    # Alone: beside others, a mutant that is late by intent can be late where it should not.
    outcomes |= dict(_tried([task for task in outcomes if outcomes[task].problems], 1))
    _write_page([row for task in tasks if (row := outcomes[task].row) is not None])
    problems = [problem for outcome in outcomes.values() for problem in outcome.problems]
    _print_costs(outcomes, time.monotonic() - began)
    sys.stdout.write(f"{len(outcomes)} players tried, {len(problems)} problems; {PAGE.relative_to(Path.cwd())}\n")
    # Last, and as pytest begins such a line, so that the gate's closing lines have them.
    sys.stdout.write("".join(f"FAILED {problem}\n" for problem in problems))
    return 1 if problems or not outcomes else 0


def _drawn(tasks: Sequence[Task], chosen: argparse.Namespace) -> list[Task]:
    """Return the tasks that are tried, those that wait much first."""
    count = len(tasks) if chosen.sample is None else min(chosen.sample, len(tasks))
    drawn = random.Random(chosen.seed).sample(tasks, count)
    return sorted(drawn, key=lambda task: (not task.starts, tasks.index(task)))


def _write_page(rows: Sequence[Row]) -> None:
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(page(rows), encoding="utf-8")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tools.zoo", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("games", metavar="GAME", nargs="*", help="default: all that have mutants")
    parser.add_argument("--part", type=int, default=0, metavar="N", help="of the other cases; default: %(default)s")
    parser.add_argument("--sample", type=int, metavar="N", help="try so many, drawn by the seed; default: all")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of the sample; default: %(default)s")
    jobs = processors() + SPARE_JOBS
    parser.add_argument("--jobs", type=int, default=jobs, metavar="N", help="processes; default here: %(default)s")
    return parser


def _tried(tasks: Sequence[Task], jobs: int) -> Iterator[tuple[Task, Outcome]]:
    """Yield each task with its outcome, as soon as it is known."""
    context = multiprocessing.get_context("spawn")
    # Workers end at Ctrl-C without a word.
    with ProcessPoolExecutor(jobs, context, signal.signal, (signal.SIGINT, signal.SIG_DFL)) as pool:
        running = {pool.submit(try_task, task): task for task in tasks}
        for future in as_completed(running):
            task, outcome = running[future], future.result()
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
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit("stopped; the page is as it was")
