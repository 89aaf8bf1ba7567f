"""The benchmarks take their measures and report them; what they measure is not judged here."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from benchmarks.__main__ import NAMES, main
from benchmarks.figures import KINDS, TABLE, measured
from benchmarks.report import BEGIN, DOCS, END, markdown, pair
from benchmarks.sessions import FIGURES, LOADS, playout_rate
from fairplay.games.game import registered

ROOT = Path(__file__).resolve().parent.parent
KEYS = ["name", "game", "value", "unit", "reach", "ok"]


@pytest.mark.slow
def test_a_measure_is_printed_and_kept_as_json(tmp_path: Path) -> None:
    results = tmp_path / "results.json"
    command = [sys.executable, "-m", "benchmarks", "--quick", "--only", "help", "--results", str(results)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "fairplay --help" in done.stdout
    row, ratio = json.loads(results.read_text("utf-8"))
    assert list(row) == KEYS
    assert row["name"] == "help"
    assert row["value"] > 0
    assert row["reach"] == 0.3
    assert row["ok"] is (row["value"] <= row["reach"])
    assert ratio["name"] == "help-empty"
    assert ratio["value"] > 1


def test_the_docs_have_a_place_for_the_table_and_name_every_measure() -> None:
    text = DOCS.read_text("utf-8")
    assert BEGIN in text
    assert END in text
    assert [name for name in NAMES if f"| `{name}` |" not in text] == []


def test_the_table_of_the_docs_begins_with_what_is_missed() -> None:
    def row(name: str, reach: float | None, *, ok: bool) -> dict[str, object]:
        return {"name": name, "game": "fish", "value": 1.0, "unit": "x", "reach": reach, "ok": ok}

    reached, explained, missed = row("one", 1.0, ok=True), row("one-calls", None, ok=True), row("echo", 2.0, ok=False)
    table = markdown([reached, explained, missed, row("echo-rate", None, ok=True)]).splitlines()[4:]
    assert [KINDS[name].title.strip() for name in ("echo", "echo-rate", "one", "one-calls")] == [
        line.split(" | ")[0].removeprefix("| ").removeprefix("&emsp;") for line in table
    ]


def test_every_figure_has_a_kind() -> None:
    assert {name for figures in FIGURES.values() for name in figures} <= set(KINDS)
    assert list(FIGURES) == list(LOADS)
    assert {name for each in TABLE for name in each.reaches} <= set(NAMES)


def test_every_installed_game_can_be_measured() -> None:
    for game in list(registered()):
        chosen = measured(game)
        assert chosen.turn_paths
        assert "games" in chosen.reaches
        assert chosen.seat_count in chosen.contract.seats
        chosen.contract.full_settings(chosen.settings_message)


def test_the_rules_of_every_game_are_played_at_random() -> None:
    for each in TABLE:
        assert playout_rate(each, Random(1), 0.01) > 0


def test_a_ratio_says_how_many_times_as_good_this_tree_is() -> None:
    this = [{("games", "fish"): 30.0, ("idle", ""): 50.0, ("one", "fish"): 1.0}] * 2
    other = [{("games", "fish"): 20.0, ("idle", ""): 100.0}, {("games", "fish"): 15.0, ("idle", ""): 100.0}]
    more, less = pair(this, other)
    assert (more.name, more.ratios) == ("games", [1.5, 2.0])
    assert (less.name, less.ratios) == ("idle", [2.0, 2.0])


@pytest.mark.slow
@pytest.mark.timeout(1800)  # for the environment of the other revision, and ten runs on a busy machine
@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="this is no clone: there are no revisions")
def test_two_revisions_are_measured_in_turn(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--against", "HEAD", "--only", "help"]) == 0
    said = capsys.readouterr()
    assert [line for line in said.err.splitlines() if line.startswith("round")] == [
        f"round {turn} of 5: {tree}"
        for turn in range(1, 6)
        for tree in (["this tree", "HEAD"] if turn % 2 else ["HEAD", "this tree"])
    ]
    assert "fairplay --help" in said.out
