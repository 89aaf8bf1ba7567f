"""Run everything that is tried before a release: steps in a row, a table at the end.

Run in the root of the tree: python3 -m tools.all_checks [STEP ...] [--again]
A step that has passed on this very tree is not run again, so that an interrupted run goes on where it was; --again runs
all. What a step prints is in build/all-checks/STEP.log. The exit code is 0 if every step has passed; a step for which
this machine lacks something has not.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "build" / "all-checks"
RESULTS = FOLDER / "results.json"
PYTHONS = ("3.12", "3.13", "3.14")
"""The versions that the quick tests are run on besides that of .venv."""


class Step(NamedTuple):
    """A command of make, and the programs without which it cannot be run."""

    name: str
    command: tuple[str, ...]
    needs: tuple[str, ...] = ()


class Result(NamedTuple):
    """How a step has ended: "passed", "FAILED" or "MISSING …", and after how many seconds."""

    outcome: str
    seconds: float


STEPS = (
    Step("check", ("make", "--keep-going", "check")),
    Step("api-linter", ("make", "lint-api"), ("go",)),
    Step("site", ("make", "site")),
    Step("test", ("make", "test")),
    Step("slow", ("make", "test-slow")),
    Step("sandbox", ("make", "test-sandbox"), ("bwrap",)),
    Step("postgresql", ("make", "test-postgresql"), ("pg_ctlcluster",)),
    Step("web", ("make", "test-web"), ("chromium",)),
    Step("languages", ("make", "test-languages"), ("go", "node", "cargo", "mvn", "cmake")),
    Step("generate-languages", ("make", "check-languages-generate")),
    Step("release", ("make", "release"), ("go", "node", "npm", "cargo", "mvn")),
    Step("release-check", ("make", "release-check"), ("bwrap", "cmake", "grpc_cpp_plugin", "unzip")),
    Step("zoo", ("make", "zoo")),
    Step("fuzz", ("make", "fuzz")),
    Step("cluster", ("make", "cluster-kills", "ARGS=--games 1200")),
    Step("bench", ("make", "bench-quick")),
    Step("figures", ("python3", "-m", "tools.figures")),
    *(
        # Each has an environment of its own, beside that of the tree.
        Step(f"python{each}", ("sh", "tools/test_on.sh", f"python{each}"), (f"python{each}",))
        for each in PYTHONS
    ),
)


def main(arguments: Sequence[str]) -> int:
    """Run the steps that are left, print the table, and return the exit code."""
    parser = argparse.ArgumentParser(prog="python3 -m tools.all_checks", description=(__doc__ or "").partition("\n")[0])
    names = [step.name for step in STEPS]
    parser.add_argument("steps", metavar="STEP", nargs="*", help=f"of {', '.join(names)}; default: all")
    parser.add_argument("--again", action="store_true", help="run those that have passed on this tree, too")
    chosen = parser.parse_args(arguments)
    if unknown := set(chosen.steps).difference(names):
        parser.error(f"there is no step {', '.join(sorted(unknown))}")
    wanted = [step for step in STEPS if not chosen.steps or step.name in chosen.steps]
    results = run_steps(wanted, {} if chosen.again else _passed())
    _print_table(results)
    return 0 if all(result.outcome == "passed" for result in results.values()) else 1


def run_steps(steps: Iterable[Step], passed: Mapping[str, Result]) -> dict[str, Result]:
    """Run the steps that have not passed yet, one after the other; keep each result as soon as it is there."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    tree, kept, results = tree_digest(), dict(passed), dict[str, Result]()
    for step in steps:
        results[step.name] = kept[step.name] = kept.get(step.name) or run_step(step)
        RESULTS.write_text(json.dumps({"tree": tree, "results": kept}, indent=1), encoding="utf-8")
    return results


def run_step(step: Step) -> Result:
    """Run one step, with what it prints in a file of its own."""
    if missing := [program for program in step.needs if shutil.which(program) is None]:
        return Result(f"MISSING {', '.join(missing)}", 0.0)
    log, began = FOLDER / f"{step.name}.log", time.monotonic()
    sys.stdout.write(f"{step.name}: {' '.join(step.command)} > {log.relative_to(ROOT)}\n")
    sys.stdout.flush()
    with log.open("wb") as file:
        code = subprocess.run(step.command, cwd=ROOT, stdout=file, stderr=subprocess.STDOUT, check=False).returncode
    return Result("passed" if code == 0 else "FAILED", time.monotonic() - began)


def tree_digest() -> str:
    """Return what identifies the files as they are now: the commit, what differs from it, and the new files."""
    digest = hashlib.sha256(_git("rev-parse", "HEAD") + _git("diff", "--binary", "HEAD"))
    for name in _git("ls-files", "--others", "--exclude-standard", "-z").split(b"\0"):
        if (file := ROOT / os.fsdecode(name)).is_file():
            digest.update(name + b"\0" + hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()


def _git(*words: str) -> bytes:
    return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, check=True).stdout


def _passed() -> dict[str, Result]:
    """Return the steps that have passed on this very tree."""
    if not RESULTS.exists():
        return {}
    kept = json.loads(RESULTS.read_text("utf-8"))
    results = {name: Result(*each) for name, each in kept["results"].items()} if kept["tree"] == tree_digest() else {}
    return {name: result for name, result in results.items() if result.outcome == "passed"}


def _print_table(results: Mapping[str, Result]) -> None:
    width = max(map(len, results), default=0)
    lines = [f"{name:{width}}  {result.seconds:6.0f} s  {result.outcome}\n" for name, result in results.items()]
    sys.stdout.write("".join(["\n", *lines]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
