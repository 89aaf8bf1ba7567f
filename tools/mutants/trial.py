"""Run tests in a copy of the tree: once to see what each reaches, then on mutants."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from tools.mutants.plugin import REPORT
from tools.mutants.reach import Reach

ROOTS = ("conformance", "games", "generated/python", "reference_player", "reference_server", "terminal")
PYTEST = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "tools.mutants.plugin", "--hypothesis-profile=mutants")
QUICK = "not slow and not sandbox and not postgresql and not web"
"""The marks of `make test`."""
PLACES = ("formats", "games", "standings", "conformance", "server", "robustness", "terminal", "examples", "player")
"""The folders of tests that may notice something. The others try pages, tools and protos."""
DATA, SECONDS = ".coverage", "seconds.json"
"""The files of a trace: lines, and seconds of tests."""
COVERAGE = """
[run]
parallel = true
data_file = {data}
context = ${{PYTEST_CURRENT_TEST-}}
sigterm = true
source_dirs = {sources}
disable_warnings = {warnings}
"""
"""What coverage is to do, in all processes that tests start, too: those write the test that started them as context."""
WARNINGS = (
    "already-imported",
    "couldnt-parse",
    "dynamic-conflict",
    "module-not-imported",
    "module-not-measured",
    "no-data-collected",
    "trace-changed",
)
FAILED = re.compile(r"^(?:FAILED|ERROR) (\S+)", re.MULTILINE)
SLOWER = 4
"""A mutant may take so many times as long as the code itself takes; whoever takes longer hangs, which is noticed."""
LEAST_LIMIT_S = 30.0
ALL_PASSED, IDS_UNKNOWN = 0, 4


class Verdict(StrEnum):
    """What the tests made of a mutant."""

    KILLED = "killed"
    TIMEOUT = "timeout"
    SURVIVED = "survived"


@dataclass(frozen=True, slots=True)
class Run:
    """A run of tests: its verdict, the first test that failed, and the end of the output."""

    verdict: Verdict
    failed: str = ""
    output: str = ""


class Tree:
    """A copy of the tree in which files are changed and tests run."""

    def __init__(self, root: Path, roots: Sequence[str] = ROOTS) -> None:
        self.root = root
        paths = os.pathsep.join(str(root / place) for place in roots)
        self._environment = {**os.environ, "PYTHONPATH": paths}
        self._environment.pop("PYTHONDONTWRITEBYTECODE", None)  # each run would compile everything anew

    def trace(self, places: Sequence[str]) -> list[str]:
        """Run the quick tests with unchanged code to see what each reaches, and return those that fail."""
        build = self.root / "build"
        build.mkdir(exist_ok=True)
        config = build / "coverage.ini"
        sources = "".join(f"\n    {self.root / place}" for place in places)
        config.write_text(
            COVERAGE.format(data=build / DATA, sources=sources, warnings=",".join(WARNINGS)), encoding="utf-8"
        )
        environment = {**self._environment, "COVERAGE_PROCESS_START": str(config), REPORT: str(build / SECONDS)}
        environment.pop("PYTEST_CURRENT_TEST", None)  # where a test of this tool calls it
        tests = [f"tests/{place}" for place in PLACES if (self.root / "tests" / place).exists()]
        command = [sys.executable, *PYTEST, "-n", "3", "--dist", "worksteal", "-m", QUICK, *tests]
        subprocess.run(command, cwd=self.root, env=environment, stdin=subprocess.DEVNULL, check=False)
        if not self.is_traced():
            raise ValueError("the tests could not be run; see above")
        combine = [sys.executable, "-m", "coverage", "combine", "--quiet", f"--rcfile={config}"]
        subprocess.run(combine, cwd=build, env=self._environment, check=True)
        return list(json.loads((build / SECONDS).read_text(encoding="utf-8"))["failed"])

    def is_traced(self) -> bool:
        """Return whether a trace of this tree is there."""
        return (self.root / "build" / SECONDS).exists()

    def reach(self) -> Reach:
        """Return what each test reached when this tree was traced."""
        return Reach(self.root, self.root / "build" / DATA, self.root / "build" / SECONDS)

    @contextmanager
    def changed(self, path: str, source: str) -> Iterator[None]:
        """Give a file of the tree another text for as long as this lasts."""
        file = self.root / path
        before = file.read_bytes()
        try:
            self._write(file, source.encode())
            yield
        finally:
            self._write(file, before)

    def _write(self, file: Path, text: bytes) -> None:
        for cached in (file.parent / "__pycache__").glob(f"{file.stem}.*.pyc"):
            cached.unlink()  # a cache of a text of the same size and second would stand for this one
        file.write_bytes(text)

    def try_tests(self, tests: Sequence[str], limit_s: float) -> Run:
        """Run tests until one fails; the whole files if a mutant gives tests other ids than they have as a rule."""
        found = self._try(tests, limit_s)
        return (
            found or self._try(dict.fromkeys(test.partition("::")[0] for test in tests), limit_s) or _judge(IDS_UNKNOWN)
        )

    def _try(self, tests: Iterable[str], limit_s: float) -> Run | None:
        """Run tests until one fails; None: some have other ids now."""
        with tempfile.TemporaryDirectory() as scratch:
            names = Path(scratch) / "tests"
            names.write_text("\n".join(tests), encoding="utf-8")
            process = subprocess.Popen(
                [sys.executable, *PYTEST, "-x", "-m", QUICK, f"--basetemp={scratch}/pytest", f"@{names}"],
                cwd=self.root,
                env={**self._environment, "TMPDIR": scratch},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
                start_new_session=True,
            )
            try:
                output, _ = process.communicate(timeout=limit_s)
            except subprocess.TimeoutExpired:
                return Run(Verdict.TIMEOUT)
            finally:
                _end(process)
        return None if process.returncode == IDS_UNKNOWN else _judge(process.returncode, output)


def _judge(code: int, output: str = "") -> Run:
    if code == ALL_PASSED:
        return Run(Verdict.SURVIVED)
    found = FAILED.search(output)
    return Run(Verdict.KILLED, found[1] if found else f"exit code {code}", output[-2000:])


def _end(process: subprocess.Popen[str]) -> None:
    """End a process and all that it started."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        return
    process.communicate()


def copy_tree(root: Path, folder: Path) -> Tree:
    """Copy the files that git knows or would add into a folder."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=root,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    for path in filter(None, listed.split("\0")):
        if (root / path).is_file():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(root / path, folder / path)
    return Tree(folder)


def find_limit(seconds: float) -> float:
    """Return the seconds that tests may take on a mutant which take `seconds` on the code."""
    return max(LEAST_LIMIT_S, SLOWER * seconds + LEAST_LIMIT_S / 2)
