"""`fairplay compare` plays until it is sure, and says so by its exit code."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.interrupts import heeding_ctrl_c
from tests.terminal.running import Run

PLAIN = ["compare", "fish", "--plain", "--set", "rows=4", "--set", "columns=4"]


def test_the_better_one_is_found_and_the_answer_is_the_same_for_the_same_seed(fairplay: Run) -> None:
    chosen = ["compare", "fish", "bot:greedy", "bot:first", "--seed", "3", "--json"]
    ran = fairplay(*chosen)
    assert ran.code == 0, ran.err
    assert "greedy is better than first." in ran.err
    result = json.loads(ran.out)
    assert (result["game"], result["seed"], result["answer"]) == ("fish", 3, "better")
    assert result["wins"] + result["ties"] + result["losses"] == result["games"] == 2 * result["deals"]
    assert result["eloLow"] < result["elo"]
    assert result["logLikelihoodRatio"] >= result["limit"]
    assert json.loads(fairplay(*chosen, "--concurrency", "1").out) == result


def test_who_is_not_better_is_exit_code_1(fairplay: Run) -> None:
    ran = fairplay("compare", "fish", "bot:first", "bot:greedy", "--seed", "3")
    assert ran.code == 1
    assert "first is not better than greedy." in ran.out
    assert "log-likelihood ratio -" in ran.out


def test_too_few_games_leave_it_undecided(fairplay: Run) -> None:
    ran = fairplay(*PLAIN, "bot:greedy", "bot:first", "--games", "4", "--seed", "1")
    assert ran.code == 3
    assert "4 games (2 deals)" in ran.out
    assert "Undecided" in ran.out


def test_others_sit_at_the_table_too(fairplay: Run) -> None:
    ran = fairplay(*PLAIN, "bot:greedy", "bot:first", "--with", "bot:random", "--games", "6", "--json")
    result = json.loads(ran.out)
    assert (result["with"], result["games"], result["deals"]) == (["random"], 6, 1)
    assert ", with random?" in ran.err


def test_a_program_that_always_fails_loses_and_that_is_said(fairplay: Run) -> None:
    ran = fairplay(*PLAIN, "gone=exec:false", "bot:first", "--seed", "1", "--elo1", "400")
    assert ran.code == 1
    assert "✗ gone in " in ran.out
    assert "gone failed in every game" in ran.out
    assert "gone is not better than first." in ran.out


def test_where_both_always_fail_nothing_is_said_of_them(fairplay: Run) -> None:
    ran = fairplay(*PLAIN, "a=exec:false", "b=exec:false", "--games", "2")
    assert ran.code == 1
    assert "both players failed in every game" in ran.err


def test_names_of_a_roster_can_be_compared(fairplay: Run) -> None:
    Path("roster.toml").write_text('[[entrant]]\nname = "ann"\nlink = "bot:greedy"\n')
    ran = fairplay(*PLAIN, "ann", "bot:first", "--roster", "roster.toml", "--games", "2", "--json")
    assert json.loads(ran.out)["new"] == "ann"


def test_what_cannot_be_meant_is_one_sentence(fairplay: Run) -> None:
    for arguments, words in [
        (["fish", "bot:greedy", "bot:nobody"], "nobody"),
        (["fish", "greedy", "bot:first"], "'greedy' is not a way to reach a player"),
        (["fish", "a=bot:first", "a=bot:greedy"], "the same name"),
        (["fish", "bot:greedy", "bot:first", "--elo1", "-5"], "must ascend"),
        (["fish", "bot:greedy", "bot:first", "--error", "2"], "the error is 2"),
        (["fish", *["bot:greedy"] * 2, *["--with", "bot:first"] * 3], "not by 5: name fewer players with --with"),
        (["fish", "bot:greedy", "bot:first", "--set", "rows=1", "--set", "columns=1"], "fairplay: "),
        (["chess", "bot:greedy", "bot:first"], "there is no game 'chess'"),
    ]:
        ran = fairplay("compare", *arguments)
        assert ran.code == 2
        assert words in ran.err
        assert len(ran.err.splitlines()) == 1


def test_ctrl_c_stops_it_and_leaves_no_program_behind(tmp_path: Path) -> None:
    player = tmp_path / "player.sh"
    player.write_text(f"echo $$ >> {tmp_path}/pids\nexec sleep 600\n")
    command = [sys.executable, "-m", "fairplay.terminal", *PLAIN, f"slow=exec:sh {player}", "bot:first"]
    with heeding_ctrl_c():
        running = subprocess.Popen(
            [*command, "--start-limit", "1m"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        )
    try:
        while not (tmp_path / "pids").exists() or not (tmp_path / "pids").read_text().strip():
            assert running.poll() is None
        running.send_signal(signal.SIGINT)
        _, err = running.communicate(timeout=60)
    finally:
        running.kill()
        running.wait()
    assert running.returncode == 130
    assert err == "fairplay: stopped\n"
    for pid in (tmp_path / "pids").read_text().split():
        with pytest.raises(ProcessLookupError):
            os.kill(int(pid), 0)
