"""A pytest plugin for runs that trace which lines each test reaches, and for runs on mutants.

While coverage traces, each test is a context of its own, and the seconds of each test go to the file that REPORT names.
With the profile `mutants`, hypothesis tries the same examples each time, and does not shrink what fails.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path

import coverage
import pytest
from hypothesis import Phase, settings

REPORT = "FAIRPLAY_MUTANTS_REPORT"

settings.register_profile(
    "mutants", deadline=None, database=None, derandomize=True, phases=(Phase.explicit, Phase.generate)
)

_seconds: Counter[str] = Counter()
_failed: set[str] = set()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Let what is traced from now on belong to a test."""
    if tracer := coverage.Coverage.current():
        tracer.switch_context(item.nodeid)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Record what a phase of a test took, and whether it failed."""
    _seconds[report.nodeid] += report.duration  # type: ignore[assignment]
    if report.failed:
        _failed.add(report.nodeid)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Write the seconds of each test that passed, if there is a file for them; workers of xdist report to the first."""
    if (path := os.environ.get(REPORT)) and not hasattr(session.config, "workerinput"):
        passed = {test: round(seconds, 3) for test, seconds in _seconds.items() if test not in _failed}
        Path(path).write_text(json.dumps({"passed": passed, "failed": sorted(_failed)}, indent=1), encoding="utf-8")
