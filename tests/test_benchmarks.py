"""The benchmarks take their measures and report them; what they measure is not judged here."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from benchmarks.__main__ import NAMES, Measure, main, take
from benchmarks.against import pair
from benchmarks.figures import KINDS, TABLE, Figure, Unmeasurable, figure, measured
from benchmarks.playouts import playout_rate
from benchmarks.report import BEGIN, DOCS, END, write_docs, write_json
from benchmarks.sessions import FIGURES, LOADS
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
    [row] = json.loads(results.read_text("utf-8"))
    assert list(row) == KEYS
    assert row["name"] == "help"
    assert row["value"] > 0
    assert row["reach"] == 0.3
    assert row["ok"] is (row["value"] <= row["reach"])


def test_what_cannot_be_measured_is_said_and_the_rest_is_measured(capsys: pytest.CaptureFixture[str]) -> None:
    def fails() -> list[Figure]:
        raise Unmeasurable("there is no machine")

    figures, complete = take([Measure("one", fails), Measure("two", lambda: [figure("help", [0.2])])])
    assert not complete
    assert [each.name for each in figures] == ["help"]
    assert "one cannot be measured: Unmeasurable: there is no machine" in capsys.readouterr().err


def test_a_reach_is_a_least_or_a_most() -> None:
    for name, value, reach, ok in [
        ("games", 10.0, 10.0, True),
        ("games", 9.9, 10.0, False),
        ("idle", 90.0, 90.0, True),
        ("idle", 90.1, 90.0, False),
        ("games-calls", 0.0, None, True),
    ]:
        assert figure(name, [value], reach).ok is ok


def test_the_docs_get_the_table_that_was_kept(tmp_path: Path) -> None:
    results, docs = tmp_path / "results.json", tmp_path / "performance.md"
    write_json([figure("games", [12_345.6], 20_000, game="fish", turns="moves")], results)
    docs.write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n", "utf-8")
    write_docs(results, docs)
    write_docs(results, docs)
    text = docs.read_text("utf-8")
    assert text.startswith(f"before\n{BEGIN}\n")
    assert text.endswith(f"{END}\nafter\n")
    assert "old" not in text
    assert text.count("| fish | 12,350 | moves/s | ≥ 20,000 | no |") == 1


def test_the_docs_have_a_place_for_the_table_and_name_every_measure() -> None:
    text = DOCS.read_text("utf-8")
    assert BEGIN in text
    assert END in text
    assert [name for name in NAMES if f"| `{name}` |" not in text] == []


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


def test_a_revision_that_does_not_exist_is_said_in_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--against", "no-such-revision"]) == 1
    assert capsys.readouterr().err.strip().endswith("there is no 'no-such-revision'")


@pytest.mark.slow
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


def test_an_unknown_measure_is_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["--only", "warp"])
    assert stopped.value.code == 2
    assert "invalid choice: 'warp'" in capsys.readouterr().err
