"""`make cluster-kills` with few games: nothing is lost or repeated, and where it is, it is told."""

from __future__ import annotations

import pytest

from tools.cluster_kills import trial


@pytest.mark.slow
def test_workers_that_are_killed_lose_and_repeat_nothing() -> None:
    report = trial(game_count=100, kill_count=2, seed=3)
    assert report.sound, report
    assert report.recorded == 100
    assert len(report.kills) == 2
