"""Figures as a table for people, as JSON for programs, and as the last table in docs/performance.md."""

from __future__ import annotations

import json
import os
import platform
import re
import sys
import sysconfig
from collections.abc import Iterable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.figures import KINDS, Figure
from benchmarks.processes import ROOT

RESULTS = ROOT / "benchmarks" / "results.json"
DOCS = ROOT / "docs" / "performance.md"
BEGIN, END = "<!-- benchmarks: begin -->", "<!-- benchmarks: end -->"


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
    """Return the table of docs/performance.md, from what the JSON holds."""
    lines = [machine(), "", "| what | game | value | unit | reach | ok |", "|---|---|--:|---|---|---|"]
    for row in rows:
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
