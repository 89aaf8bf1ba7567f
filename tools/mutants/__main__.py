"""The command: sample, try, report."""

from __future__ import annotations

import argparse
import ast
import json
import random
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue

from tools.mutants.equivalents import Change, compare, find_outdated, read_equivalents
from tools.mutants.mutations import Mutation, find_mutations
from tools.mutants.rooms import ROOMS, Room
from tools.mutants.trial import Run, Tree, Verdict, copy_tree, find_limit

ROOT = Path(__file__).parent.parent.parent


@dataclass(frozen=True, slots=True)
class Mutant:
    """A file of the tree with one mutation."""

    name: str
    room: Room
    path: str
    line: int
    change: Change
    source: str


@dataclass(frozen=True, slots=True)
class Result:
    """A mutant and what the tests made of it."""

    mutant: Mutant
    run: Run

    def describe(self) -> dict[str, object]:
        """Return what the JSON file says of this mutant."""
        return {
            "room": self.mutant.name,
            "file": self.mutant.path,
            "line": self.mutant.line,
            "removed": self.mutant.change.removed,
            "added": self.mutant.change.added,
            "verdict": self.run.verdict,
            "failed": self.run.failed,
        }


def main(arguments: Sequence[str] | None = None) -> int:
    """Return 0 if enough mutants were noticed, 1 if not, 2 if the tests do not pass on the code as it is."""
    options = read_options(arguments)
    mutants = sample(options.room or list(ROOMS), options.count, random.Random(options.seed))
    if options.file:
        mutants = [mutant for mutant in mutants if options.file in mutant.path]
    try:
        results = list(try_all(mutants, options.jobs))
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
    parser.add_argument("--file", default="", help="of the sample, only mutants of files with this in their path")
    parser.add_argument("--jobs", type=int, default=2, help="how many mutants are tried at once")
    parser.add_argument("--least", type=float, default=97.0, help="per cent that have to be noticed")
    parser.add_argument("--json", type=Path, default=ROOT / "build" / "mutants.json", help="where the results go")
    return parser.parse_args(arguments)


def sample(names: Sequence[str], count: int, rng: random.Random) -> list[Mutant]:
    """Return a random sample of mutants, in equal shares of the rooms, without those named equivalent."""
    equivalents = read_equivalents()
    shares = Counter(names[number % len(names)] for number in range(count))
    chosen: list[Mutant] = []
    for name in names:
        everything = list(find_all(ROOMS[name]))
        rng.shuffle(everything)
        mutants = (build_mutant(name, *each) for each in everything)
        fresh = (mutant for mutant in mutants if mutant.change not in equivalents and is_python(mutant.source))
        chosen += [mutant for _, mutant in zip(range(shares[name]), fresh, strict=False)]
    return chosen


def find_all(parts: Sequence[Room]) -> Iterator[tuple[Room, str, Mutation]]:
    """Yield every mutation of every file of a room."""
    for room in parts:
        for path in room.find_sources(ROOT):
            for mutation in find_mutations((ROOT / path).read_text(encoding="utf-8")):
                yield room, path, mutation


def build_mutant(name: str, room: Room, path: str, mutation: Mutation) -> Mutant:
    """Return the mutant that a mutation of a file makes."""
    before = (ROOT / path).read_text(encoding="utf-8")
    after = mutation.apply(before)
    line, change = compare(path, before, after)
    return Mutant(name, room, path, line, change, after)


def is_python(source: str) -> bool:
    """Return whether a text is Python; an edit may leave one that is not, such as two operands without an operator."""
    try:
        ast.parse(source)
    except SyntaxError:
        return False
    return True


def try_all(mutants: Sequence[Mutant], jobs: int) -> Iterator[Result]:
    """Try mutants, several at once, and yield the results in the order of the mutants.

    Raises ValueError if a test fails without any mutation.
    """
    with ExitStack() as stack:
        trees = [stack.enter_context(copy_tree(ROOT)) for _ in range(jobs)]
        free: SimpleQueue[Tree] = SimpleQueue()
        for tree in trees:
            free.put(tree)
        seconds = {room: measure(trees[0], room) for room in dict.fromkeys(mutant.room for mutant in mutants)}

        def attempt(mutant: Mutant) -> Result:
            tree = free.get()
            try:
                return Result(mutant, try_one(tree, mutant, seconds[mutant.room]))
            finally:
                free.put(tree)

        pool = stack.enter_context(ThreadPoolExecutor(jobs))
        for number, result in enumerate(pool.map(attempt, mutants), start=1):
            place = f"{result.mutant.path}:{result.mutant.line}"
            print(f"{number}/{len(mutants)} {result.run.verdict:8} {place} {result.run.failed}", flush=True)
            if result.run.verdict is Verdict.SURVIVED:
                print(*str(result.mutant.change).splitlines()[1:], sep="\n", flush=True)
            yield result


def measure(tree: Tree, room: Room) -> dict[str, float]:
    """Return the seconds of each test file of a room, nearest to unchanged code. Raises ValueError if a test fails."""
    tests = list(room.find_tests(tree.root))
    print(f"measuring {len(tests)} test files: {', '.join(room.tests)}", flush=True)
    return tree.measure(tests)


def try_one(tree: Tree, mutant: Mutant, seconds: Mapping[str, float]) -> Run:
    """Try a mutant with the nearest tests first and then with the others, the fastest first."""
    tests = sorted(seconds, key=lambda test: (seconds[test], test))
    nearest = [test for test in tests if mutant.room.is_nearest(test, mutant.path)]
    others = [test for test in tests if test not in nearest]
    run = Run(Verdict.SURVIVED)
    with tree.changed(mutant.path, mutant.source):
        for some in filter(None, (nearest, others)):
            run = tree.try_tests(some, find_limit(sum(seconds[test] for test in some)))
            if run.verdict is not Verdict.SURVIVED:
                break
    return run


def report(results: Sequence[Result], options: argparse.Namespace) -> int:
    """Print the survivors and the score of each room, write the JSON file, and return the exit code."""
    for result in results:
        if result.run.verdict is Verdict.SURVIVED:
            print(f"\n{result.mutant.path}:{result.mutant.line}", *str(result.mutant.change).splitlines()[1:], sep="\n")
    print()
    for name in dict.fromkeys(result.mutant.name for result in results):
        print(f"{name:14} {describe_score([result for result in results if result.mutant.name == name])}")
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
