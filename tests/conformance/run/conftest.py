"""What the tests of certificates share: one run of the suite."""

from __future__ import annotations

import pytest

from fairplay.conformance.run.engine import run
from fairplay.conformance.run.options import Options
from fairplay.conformance.run.report import Report


@pytest.fixture(scope="session")
def sound() -> Report:
    """Return the report on a sound player."""
    return run(Options("fish", "bot:first", level="must", examples=5))
