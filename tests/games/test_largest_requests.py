"""Requests that say too much: a reference player answers or fails within seconds, and in bounded memory.

Every number of every request is tried at the largest and smallest of its type, and at -1 and 0, with every strategy. A
child process tries them, which has little room for memory and a limit of processor time for each answer.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from fairplay.games.game import find, registered
from tests.games import largest_requests
from tests.slow import SLOW

LIMIT_S = 300.0
SEARCHING = [
    pytest.param("fish", "minimax:depth=10", marks=SLOW),
    ("q", "best:width=64"),
    ("eriantys", "best"),
    pytest.param("eriantys", "best:width=16", marks=SLOW),
    ("bazaar", "best:depth=8,width=20"),
]
"""Strategies that search, at their widest and deepest."""
SOME = 100
"""One of so many requests is tried where all of them take long."""


@pytest.mark.slow
@pytest.mark.parametrize("game", registered())
def test_largest_numbers_cost_neither_memory_nor_time(game: str) -> None:
    check(game, 1, *(strategy for strategy in find(game).strategies if strategy != "best"))


@pytest.mark.parametrize(("game", "strategy"), SEARCHING)
@pytest.mark.parametrize("step", [SOME, pytest.param(1, marks=SLOW)])
def test_searches_take_neither_memory_nor_time(game: str, strategy: str, step: int) -> None:
    check(game, step, strategy)


def check(game: str, step: int, *strategies: str) -> None:
    command = [sys.executable, "-m", largest_requests.__name__, game, str(step), *strategies]
    root = Path(__file__).parents[2]
    tried = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=LIMIT_S, check=False)
    assert tried.returncode == 0, tried.stdout + tried.stderr
    assert int(tried.stdout) > 0, "requests were tried"
