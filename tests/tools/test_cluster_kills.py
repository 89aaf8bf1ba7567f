"""`make cluster-kills` with few games: nothing is lost or repeated, and where it is, it is told."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.robustness.harness import run
from tools.cluster_kills import PAIRINGS, counted, differences, tournament, trial

FIRST = "(SELECT min(number) FROM records WHERE kind = 'game')"
KEPT = "kind, game, parent, start_time_ns, end_time_ns, header, summary, first_chunk, chunks"
LOSE = f"DELETE FROM records WHERE number = {FIRST}"
REPEAT = f"""
INSERT INTO records (number, record_id, {KEPT})
SELECT number + 1000, record_id || '-again', {KEPT} FROM records WHERE number = {FIRST}
"""


@pytest.mark.slow
def test_workers_that_are_killed_lose_and_repeat_nothing() -> None:
    report = trial(game_count=100, kill_count=2, seed=3)
    assert report.sound, report
    assert report.recorded == 100
    assert len(report.kills) == 2


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a tournament in one process."""
    folder = tmp_path_factory.mktemp("played")
    assert run(folder, *tournament(folder, len(PAIRINGS), 1)).code == 0
    return folder


def changed(folder: Path, played: Path, statement: str) -> Path:
    """Return the folder with a copy of the records, changed by a statement of SQL."""
    folder.mkdir()
    with closing(sqlite3.connect(played / "records.sqlite")) as old:
        old.execute("VACUUM INTO ?", [str(folder / "records.sqlite")])
    with closing(sqlite3.connect(folder / "records.sqlite")) as new, new:
        assert new.execute(statement).rowcount == 1
    return folder


@pytest.mark.slow
def test_a_game_that_is_lost_or_repeated_is_counted(played: Path, tmp_path: Path) -> None:
    count = len(PAIRINGS)
    assert counted(played, deal_count=1) == (0, 0, count)
    assert counted(played, deal_count=2) == (count, 0, count)
    assert counted(changed(tmp_path / "lost", played, LOSE), deal_count=1) == (1, 0, count - 1)
    assert counted(changed(tmp_path / "repeated", played, REPEAT), deal_count=1) == (0, 1, count + 1)


@pytest.mark.slow
def test_another_result_is_told(played: Path, tmp_path: Path) -> None:
    assert differences(played, played) == []
    reported = json.loads((played / "result.json").read_text())
    reported["ranking"].reverse()
    (tmp_path / "result.json").write_text(json.dumps(reported))
    assert differences(played, tmp_path) == ["the results differ in 'ranking'"]
