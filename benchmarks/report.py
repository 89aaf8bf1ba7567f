"""Figures as a table for people, as JSON, as the last table in docs/performance.md, and against another revision."""

from __future__ import annotations

import json
import os
import platform
import re
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import version
from itertools import chain
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple, TypeAlias

from rich.console import Console
from rich.table import Table

from benchmarks.figures import KINDS, Figure, Unmeasurable
from benchmarks.processes import ROOT

RESULTS = ROOT / "benchmarks" / "results.json"
DOCS = ROOT / "docs" / "performance.md"
BEGIN, END = "<!-- benchmarks: begin -->", "<!-- benchmarks: end -->"
CHECKOUTS = ROOT / ".bench"
ROUNDS = 5
Key: TypeAlias = tuple[str, str]
"""The name of a figure and its game."""
Values: TypeAlias = Mapping[Key, float]


def machine() -> str:
    """Return what this machine is and what runs on it, in one line."""
    python, grpcio = platform.python_version(), version("grpcio")
    built = "" if optimised() else " built without optimisations"
    return f"{platform.node()}: {_processor()}, {os.cpu_count()} cores, Python {python}{built}, grpcio {grpcio}"


def optimised() -> bool:
    """Return whether this interpreter was built with profile-guided optimisation.

    Those of Linux distributions are, without a word of it in their configuration.
    """
    configured = "--enable-optimizations" in str(sysconfig.get_config_var("CONFIG_ARGS") or "")
    return configured or sys.base_prefix == "/usr"


def warn(console: Console) -> None:
    """Say so if the interpreter makes everything slower than it need be."""
    if not optimised():
        console.print(
            "This Python was built without optimisations, as pyenv does unless it is told otherwise: "
            "see 'What an operator can do' in docs/performance.md.",
            style="yellow",
        )


def _processor() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists() and (model := re.search(r"model name\s*:\s*(.+)", cpuinfo.read_text("utf-8"))):
        return model[1]
    return platform.processor() or platform.machine()


def number(value: float) -> str:
    """Return a value with three digits or more."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def bound(name: str, reach: float | None) -> str:
    """Return what a figure of this name should reach, with its direction."""
    if reach is None:
        return ""
    text = f"{reach:,.0f}" if reach >= 100 else f"{reach:g}"
    return f"{'≤' if KINDS[name].at_most else '≥'} {text}"


def verdict(reach: float | None, ok: bool) -> str:
    """Return whether it is reached, in a word."""
    return "" if reach is None else "yes" if ok else "no"


def print_table(figures: Iterable[Figure], console: Console) -> None:
    """Print the table, headed by the machine's name."""
    table = Table(title=machine(), title_justify="left")
    table.add_column("what", no_wrap=True)
    table.add_column("game")
    for heading in ("value", "lowest to highest"):
        table.add_column(heading, justify="right", no_wrap=True)
    for heading in ("unit", "reach", "ok"):
        table.add_column(heading, no_wrap=True)
    for each in figures:
        spread = f"{number(each.low)} - {number(each.high)}"
        reached = verdict(each.reach, each.ok)
        table.add_row(
            *(KINDS[each.name].title, each.game, number(each.value), spread, each.unit),
            *(bound(each.name, each.reach), f"[{'green' if each.ok else 'red'}]{reached}[/]"),
        )
    console.print(table)
    warn(console)


def write_json(figures: Iterable[Figure], path: Path) -> None:
    """Write a list of {name, game, value, unit, reach, ok}; `reach` null: nothing is asked, and `ok` is true."""
    rows = [
        {
            "name": each.name,
            "game": each.game,
            "value": float(f"{each.value:.4g}"),
            "unit": each.unit,
            "reach": each.reach,
            "ok": each.ok,
        }
        for each in figures
    ]
    path.write_text(json.dumps(rows, indent=2) + "\n", "utf-8")


def markdown(rows: Sequence[dict[str, Any]]) -> str:
    """Return the table of docs/performance.md, from what the JSON holds; what is missed comes first."""
    lines = [machine(), "", "| what | game | value | unit | reach | ok |", "|---|---|--:|---|---|---|"]
    groups: list[list[dict[str, Any]]] = []  # each is a row with those that explain it
    for row in rows:
        if KINDS[row["name"]].title.startswith(" "):
            groups[-1].append(row)
        else:
            groups.append([row])
    groups.sort(key=lambda group: bool(group[0]["ok"]))
    for row in chain.from_iterable(groups):
        what = re.sub(r"^ +", "&emsp;", KINDS[row["name"]].title)
        reach, reached = bound(row["name"], row["reach"]), verdict(row["reach"], row["ok"])
        lines.append(f"| {what} | {row['game']} | {number(row['value'])} | {row['unit']} | {reach} | {reached} |")
    return "\n".join(lines)


def write_docs(results: Path, docs: Path) -> None:
    """Put the table between the markers. Raises ValueError if the markers or the results are not there."""
    if not results.exists():
        raise ValueError(f"there is no {results.name} yet: take all measures first, with make bench")
    before, begin, rest = docs.read_text("utf-8").partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"{docs.name} has no place for the table: it must have the lines {BEGIN} and {END}")
    table = markdown(json.loads(results.read_text("utf-8")))
    docs.write_text(f"{before}{BEGIN}\n\n{table}\n\n{END}{after}", "utf-8")


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
