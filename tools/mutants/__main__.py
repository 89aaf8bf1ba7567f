"""The command: sample, try, report."""

from __future__ import annotations

import argparse
import ast
import json
import random
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from tempfile import TemporaryDirectory

from tools.mutants.equivalents import Change, compare, find_outdated, read_equivalents
from tools.mutants.mutations import Mutation, find_mutations
from tools.mutants.reach import Reach
from tools.mutants.rooms import ROOMS, Room
from tools.mutants.trial import Run, Tree, Verdict, copy_tree, find_limit

ROOT = Path(__file__).parent.parent.parent
FIRST_S, LONGEST_S = 10.0, 150.0
"""Tests that take so long are tried first, since they notice most; whoever is not noticed after the second survives."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """A file of the tree with one mutation."""

    room: str
    path: str
    line: int
    change: Change
    mutation: Mutation
    source: str
    """The text of the file with the mutation."""


@dataclass(frozen=True, slots=True)
class Result:
    """A mutant and what the tests made of it."""

    mutant: Mutant
    run: Run

    def describe(self) -> dict[str, object]:
        """Return what the JSON file says of this mutant."""
        return {
            "room": self.mutant.room,
            "file": self.mutant.path,
            "line": self.mutant.line,
            "removed": self.mutant.change.removed,
            "added": self.mutant.change.added,
            "verdict": self.run.verdict,
            "failed": self.run.failed,
        }


def main(arguments: Sequence[str] | None = None) -> int:
    """Return 0 if enough mutants were noticed, 1 if not, 2 if the tests cannot be run on the code as it is."""
    options = read_options(arguments)
    mutants = sample(options.room or list(ROOMS), options.count, random.Random(options.seed), options.file)
    try:
        results = list(try_all(mutants, options))
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    return report(results, options)


def read_options(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Return the options of the command line."""
    parser = argparse.ArgumentParser(prog="make mutants ARGS=...", description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="chooses the sample; the same seed, the same mutants")
    parser.add_argument("--count", type=int, default=300, help="how many mutants, in equal shares of the rooms")
    parser.add_argument("--room", choices=list(ROOMS), action="append", help="only this room; may be repeated")
    parser.add_argument("--file", default="", help="only mutants of files with this in their path")
    parser.add_argument("--tests", nargs="+", default=[], help="try these tests only, such as those of a new test file")
    parser.add_argument("--trace", type=Path, help="a folder: what the tests reach is kept there, and not traced again")
    parser.add_argument("--jobs", type=int, default=2, help="how many mutants are tried at once")
    parser.add_argument("--least", type=float, default=97.0, help="per cent that have to be noticed")
    parser.add_argument("--json", type=Path, default=ROOT / "build" / "mutants.json", help="where the results go")
    return parser.parse_args(arguments)


def sample(names: Sequence[str], count: int, rng: random.Random, part: str = "") -> list[Mutant]:
    """Return a random sample of mutants, in equal shares of the rooms, without those named equivalent.

    All are of files with `part` in their path.
    """
    equivalents = read_equivalents()
    shares = Counter(names[number % len(names)] for number in range(count))
    chosen: list[Mutant] = []
    for name in names:
        everything = list(find_all(ROOMS[name], part))
        rng.shuffle(everything)
        mutants = (build_mutant(name, *each) for each in everything)
        fresh = (mutant for mutant in mutants if mutant.change not in equivalents and is_python(mutant.source))
        chosen += [mutant for _, mutant in zip(range(shares[name]), fresh, strict=False)]
    return chosen


def find_all(room: Room, part: str = "") -> Iterator[tuple[str, Mutation]]:
    """Yield every mutation of every file of a room that has `part` in its path."""
    for path in room.find_sources(ROOT):
        if part in path:
            for mutation in find_mutations((ROOT / path).read_text(encoding="utf-8")):
                yield path, mutation


def build_mutant(room: str, path: str, mutation: Mutation) -> Mutant:
    """Return the mutant that a mutation of a file makes."""
    before = (ROOT / path).read_text(encoding="utf-8")
    after = mutation.apply(before)
    line, change = compare(path, before, after)
    return Mutant(room, path, line, change, mutation, after)


def is_python(source: str) -> bool:
    """Return whether a text is Python; an edit may leave one that is not, such as two operands without an operator."""
    try:
        ast.parse(source)
    except SyntaxError:
        return False
    return True


def try_all(mutants: Sequence[Mutant], options: argparse.Namespace) -> Iterator[Result]:
    """Try mutants, several at once, and yield the results in the order of the mutants.

    A mutant is tried by the tests that reach it, or by those of the options. Raises ValueError if no test can be run.
    """
    with ExitStack() as stack:
        folders = [Path(stack.enter_context(TemporaryDirectory(prefix="mutants-"))) for _ in range(options.jobs + 1)]
        reach = None if options.tests else trace(options.trace or folders[0])
        free = SimpleQueue[Tree]()
        for folder in folders[1:]:
            free.put(copy_tree(ROOT, folder))

        def attempt(mutant: Mutant) -> Result:
            tree = free.get()
            try:
                with tree.changed(mutant.path, mutant.source):
                    return Result(mutant, try_one(tree, mutant, reach, options.tests))
            finally:
                free.put(tree)

        pool = stack.enter_context(ThreadPoolExecutor(options.jobs))
        for number, result in enumerate(pool.map(attempt, mutants), start=1):
            place = f"{result.mutant.path}:{result.mutant.line}"
            print(f"{number}/{len(mutants)} {result.run.verdict:8} {place} {result.run.failed}", flush=True)
            if result.run.verdict is Verdict.SURVIVED:
                print(*str(result.mutant.change).splitlines()[1:], sep="\n", flush=True)
            yield result


def trace(folder: Path) -> Reach:
    """Return which tests reach which lines. Run them in a copy of the tree, unless that was done in this folder before.

    Print the tests that fail; they try no mutant.
    """
    tree = Tree(folder)
    if not tree.is_traced():
        print("running all quick tests to see what each reaches", flush=True)
        copy_tree(ROOT, folder)
        roots = {pattern.partition("/fairplay/")[0] for room in ROOMS.values() for pattern in room.sources}
        for test in tree.trace(sorted(roots)):
            print(f"fails without any mutation, so it is left out: {test}", flush=True)
    return tree.reach()


def try_one(tree: Tree, mutant: Mutant, reach: Reach | None, tests: Sequence[str]) -> Run:
    """Try a mutant with the tests that reach it: first a few that are near or fast, then the others."""
    if reach is None:
        return tree.try_tests(tests, find_limit(LONGEST_S))
    source = (ROOT / mutant.path).read_text(encoding="utf-8")
    run = Run(Verdict.SURVIVED, "no test gets there")
    for some in split(reach, reach.find_tests(mutant.path, source, mutant.mutation.start, mutant.mutation.end)):
        run = tree.try_tests(some, find_limit(reach.seconds(some)))
        if run.verdict is not Verdict.SURVIVED:
            break
    return run


def split(reach: Reach, tests: Sequence[str]) -> Iterator[list[str]]:
    """Yield the first tests that take FIRST_S together, and then those that follow up to LONGEST_S."""
    parts: tuple[list[str], list[str]] = ([], [])
    total = 0.0
    for test in tests:
        total += reach.seconds([test])
        if total <= LONGEST_S or not parts[0]:
            parts[total > FIRST_S].append(test)
    return filter(None, parts)


def report(results: Sequence[Result], options: argparse.Namespace) -> int:
    """Print the survivors and the score of each room, write the JSON file, and return the exit code."""
    for result in results:
        if result.run.verdict is Verdict.SURVIVED:
            print(f"\n{result.mutant.path}:{result.mutant.line}", *str(result.mutant.change).splitlines()[1:], sep="\n")
    print()
    for name in dict.fromkeys(result.mutant.room for result in results):
        print(f"{name:14} {describe_score([result for result in results if result.mutant.room == name])}")
    print(f"{'all':14} {describe_score(results)}")
    for change in find_outdated(read_equivalents(), ROOT):
        print(f"no longer in the code, take it off the list of equivalents:\n{change}")
    score = compute_score(results)
    options.json.parent.mkdir(parents=True, exist_ok=True)
    summary = {"seed": options.seed, "score": score, "mutants": [result.describe() for result in results]}
    options.json.write_text(json.dumps(summary, indent=1) + "\n", encoding="utf-8")
    return 0 if score >= options.least else 1


def describe_score(results: Sequence[Result]) -> str:
    """Return one line with the numbers of each verdict and the score."""
    counts = Counter(result.run.verdict for result in results)
    numbers = ", ".join(f"{counts[verdict]} {verdict}" for verdict in Verdict)
    return f"{len(results):4} mutants: {numbers}; {compute_score(results):.1f} %"


def compute_score(results: Sequence[Result]) -> float:
    """Return how many per cent of the mutants were noticed; a hang is noticed."""
    noticed = sum(result.run.verdict is not Verdict.SURVIVED for result in results)
    return 100 * noticed / len(results) if results else 100.0


if __name__ == "__main__":
    sys.exit(main())
