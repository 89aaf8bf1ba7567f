"""Run tests on mutants, each in a copy of the tree."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from xml.etree import ElementTree

ROOTS = ("conformance", "games", "generated/python", "reference_player", "reference_server", "terminal")
PYTEST = (
    "-m",
    "pytest",
    "-q",
    "-x",
    "-p",
    "no:cacheprovider",
    "-p",
    "tools.mutants.profile",
    "-m",
    "not slow and not sandbox and not postgresql and not web",  # those of `make test`
    "--hypothesis-profile=mutants",
)
FAILED = re.compile(r"^(?:FAILED|ERROR) (\S+)", re.MULTILINE)
SLOWER = 4
"""A mutant may take so many times as long as the code itself takes; whoever takes longer hangs, which is noticed."""
LEAST_LIMIT_S = 30.0
ALL_PASSED, SOME_FAILED = 0, 1


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

    def __init__(self, root: Path) -> None:
        self.root = root
        paths = os.pathsep.join(str(root / place) for place in ROOTS)
        self._environment = {**os.environ, "PYTHONPATH": paths}

    def measure(self, tests: Sequence[str]) -> dict[str, float]:
        """Return the seconds that each test file takes with unchanged code. Raises ValueError if a test fails."""
        report = self.root / "durations.xml"
        run = self._run([*tests, f"--junit-xml={report}"], None)
        if run.verdict is not Verdict.SURVIVED:
            raise ValueError(f"the tests fail without any mutation: {run.failed}\n{run.output}")
        seconds: Counter[str] = Counter()
        for case in ElementTree.parse(report).iter("testcase"):
            seconds[case.get("classname", "")] += float(case.get("time", "0"))  # type: ignore[assignment]
        return {test: _find_seconds(test, seconds) for test in tests}

    @contextmanager
    def changed(self, path: str, source: str) -> Iterator[None]:
        """Give a file of the tree another text for as long as this lasts."""
        file = self.root / path
        before = file.read_bytes()
        for cached in (file.parent / "__pycache__").glob(f"{file.stem}.*.pyc"):
            cached.unlink()  # a cache of the same size and second would hide the change
        try:
            file.write_text(source, encoding="utf-8")
            yield
        finally:
            file.write_bytes(before)

    def try_tests(self, tests: Sequence[str], limit_s: float) -> Run:
        """Run test files until one test fails, writing no caches."""
        return self._run(tests, limit_s)

    def _run(self, arguments: Sequence[str], limit_s: float | None) -> Run:
        # Measuring fills the caches; a changed file must leave none behind.
        environment = {**self._environment, **({"PYTHONDONTWRITEBYTECODE": "1"} if limit_s else {})}
        with tempfile.TemporaryDirectory() as scratch:
            process = subprocess.Popen(
                [sys.executable, *PYTEST, f"--basetemp={scratch}/pytest", *arguments],
                cwd=self.root,
                env={**environment, "TMPDIR": scratch},
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
        return _judge(process.returncode, output)


def _judge(code: int, output: str) -> Run:
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


def _find_seconds(test: str, seconds: Counter[str]) -> float:
    module = test.removesuffix(".py").replace("/", ".")
    return sum(value for name, value in seconds.items() if name == module or name.startswith(f"{module}."))


@contextmanager
def copy_tree(root: Path) -> Iterator[Tree]:
    """Copy the files that git knows or would add into a temporary folder, and remove it at the end."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=root,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        for path in filter(None, listed.split("\0")):
            if (root / path).is_file():
                (Path(folder) / path).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(root / path, Path(folder) / path)
        yield Tree(Path(folder))


def find_limit(seconds: float) -> float:
    """Return the seconds that tests may take on a mutant which take `seconds` on the code."""
    return max(LEAST_LIMIT_S, SLOWER * seconds + LEAST_LIMIT_S / 2)
