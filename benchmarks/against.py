"""Two revisions measured in turn, and how many times as good the one is as the other.

Absolute figures of two runs tell little: a machine may be twice as fast a minute later. So each round measures both
revisions, one right after the other, and who comes first changes from round to round.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple, TypeAlias

from rich.console import Console
from rich.table import Table

from benchmarks.figures import KINDS, Unmeasurable
from benchmarks.processes import ROOT
from benchmarks.report import machine, number, warn

CHECKOUTS = ROOT / ".bench"
ROUNDS = 5

Key: TypeAlias = tuple[str, str]
"""The name of a figure and its game."""
Values: TypeAlias = Mapping[Key, float]


class Tree(NamedTuple):
    """A checkout with an environment of its own."""

    folder: Path
    python: Path


class Comparison(NamedTuple):
    """A figure of both trees, in the order of the rounds."""

    name: str
    game: str
    this: Sequence[float]
    other: Sequence[float]

    @property
    def ratios(self) -> list[float]:
        """Return how many times as good this tree is, round by round: above 1 it is better, also where less is."""
        pairs = zip(self.this, self.other, strict=True)
        return [other / this if KINDS[self.name].at_most else this / other for this, other in pairs]


def compare(revision: str, arguments: Sequence[str], console: Console, rounds: int = ROUNDS) -> None:
    """Measure this tree and `revision` in turn, and print the ratios.

    `arguments` choose the measures, as for one tree. Each tree runs its own benchmarks, which know its interfaces; if
    these differ, that is said. Raises Unmeasurable if the revision does not exist, cannot be set up, or one of the two
    takes no measure.
    """
    commit = _git("rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}", failing=f"there is no {revision!r}")
    this, other = Tree(ROOT, Path(sys.executable)), check_out(commit, CHECKOUTS)
    if changed := _git("diff", "--name-only", commit, "--", "benchmarks", failing="git does not compare").split():
        console.print(f"The benchmarks themselves differ, compare with care: {', '.join(changed)}")
    found: dict[Tree, list[Values]] = {this: [], other: []}
    for turn in range(rounds):
        for tree in (this, other) if turn % 2 == 0 else (other, this):
            print(f"round {turn + 1} of {rounds}: {'this tree' if tree is this else revision}", file=sys.stderr)
            found[tree].append(_measured(tree, arguments))
    _print_table(pair(found[this], found[other]), revision, console)


def check_out(commit: str, checkouts: Path) -> Tree:
    """Return the tree of a commit below `checkouts`, with its environment. One that is there already is used again."""
    folder = checkouts / commit[:12]
    ready = folder / ".venv" / ".ready-dev"
    if not ready.exists():
        folder.mkdir(parents=True, exist_ok=True)
        archive = folder.with_suffix(".tar")
        _git("archive", f"--output={archive}", commit, failing=f"{commit} cannot be checked out")
        _run(["tar", "-xf", str(archive), "-C", str(folder)], folder, "the archive cannot be unpacked")
        archive.unlink()
        _run(["make", "--silent", ".venv/.ready-dev"], folder, "its environment cannot be made")
    return Tree(folder, folder / ".venv" / "bin" / "python")


def pair(this: Sequence[Values], other: Sequence[Values]) -> list[Comparison]:
    """Return the figures that every round gave of both trees, in the order of the first round."""
    keys = [key for key in this[0] if all(key in values for values in (*this, *other))]
    return [Comparison(*key, [values[key] for values in this], [values[key] for values in other]) for key in keys]


def _measured(tree: Tree, arguments: Sequence[str]) -> Values:
    with tempfile.TemporaryDirectory(prefix="fairplay-bench-") as folder:
        results = Path(folder) / "results.json"
        command = [str(tree.python), "-m", "benchmarks", *arguments, "--results", str(results)]
        _run(command, tree.folder, "it cannot be measured")
        rows = json.loads(results.read_text("utf-8"))
        return {(row["name"], row["game"]): row["value"] for row in rows if row["value"] and row["name"] in KINDS}


def _git(*arguments: str, failing: str) -> str:
    return _run(["git", *arguments], ROOT, failing).strip()


def _run(command: Sequence[str], folder: Path, failing: str) -> str:
    """Run a command and return its output. Raises Unmeasurable, with what it said last, if it fails."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        said = (done.stderr or done.stdout).strip().splitlines()[-1:]
        raise Unmeasurable(": ".join([f"{folder.name}: {failing}", *said]))
    return done.stdout


def _print_table(comparisons: Sequence[Comparison], revision: str, console: Console) -> None:
    table = Table(title=machine(), title_justify="left")
    table.add_column("what", no_wrap=True)
    table.add_column("game")
    for heading in ("this tree", revision, "times as good", "lowest to highest"):
        table.add_column(heading, justify="right", no_wrap=True)
    for each in comparisons:
        ratios = each.ratios
        table.add_row(
            *(KINDS[each.name].title, each.game, number(median(each.this)), number(median(each.other))),
            *(f"{median(ratios):.2f} x", f"{min(ratios):.2f} - {max(ratios):.2f}"),
        )
    console.print(table)
    warn(console)
