"""What `make test-slow` runs: tests that repeat on many what quick tests show on one, or that need long."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

SLOW = pytest.mark.slow


def all_but_first_slow(values: Iterable[object]) -> list[Any]:
    """Return parameters of which only the first one is tried by `make test`."""
    return [pytest.param(value, marks=[SLOW] if index else []) for index, value in enumerate(values)]
