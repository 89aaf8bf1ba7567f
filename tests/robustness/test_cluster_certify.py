"""Rosters certified in several processes: whatever is killed, the verdicts are those of one."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import psutil
import pytest

from fairplay.certificate import check
from tests.robustness.harness import Command, exec_player, line, until, zoo_player
from tests.robustness.test_cluster import JOBS, LONG_S, ON_RAY, TOKEN, ended, head

pytestmark = pytest.mark.slow

PLAYERS = {
    "sound": "bot:greedy",
    "serves": exec_player("-s", "greedy", "--serve"),
    "broken": zoo_player("says-nothing"),
    "gone": "exec:false",
}


def certify(directory: Path, *options: str) -> list[str]:
    entrants = [f"[[entrant]]\nname = {json.dumps(name)}\nlink = {json.dumps(link)}" for name, link in PLAYERS.items()]
    (directory / "roster.toml").write_text("\n".join(entrants))
    terms = ["--only", "contract", "--seed", "3", "--limit", "1m", "--first-limit", "1m", "--start-limit", "1m"]
    kept = ["--json", str(directory / "result.json"), "--report", str(directory / "out")]
    return ["certify", "fish", "--roster", str(directory / "roster.toml"), *terms, *kept, *options]


def found(directory: Path) -> tuple[Any, dict[str, Any]]:
    """Return what was found: the result as JSON, and the cases of each certificate; without times."""
    cases = {}
    for name in PLAYERS:
        certificate = check((directory / "out" / f"{name}.report" / "certificate.json").read_bytes())
        cases[name] = [(each.id, each.verdict, each.sentence) for each in certificate.cases]
    assert (directory / "out" / "index.html").exists()
    return json.loads((directory / "result.json").read_text()), cases


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, dict[str, Any]]:
    """What one process finds."""
    folder = tmp_path_factory.mktemp("undisturbed")
    ran = ended(folder, certify(folder))
    assert (ran.code, ran.err) == (1, "")
    result, cases = found(folder)
    failed = {each["name"]: bool(each["failed"]) for each in result["players"]}
    assert failed == {"sound": False, "serves": False, "broken": True, "gone": True}
    return result, cases


def judging(command: Command) -> list[psutil.Process]:
    """Return the processes that judge players, with `--jobs`."""
    return [each for each in command.left() if "fairplay.conformance.run.worker" in line(each)]


def test_two_jobs_find_the_same(tmp_path: Path, undisturbed: tuple[Any, dict[str, Any]]) -> None:
    ran = ended(tmp_path, certify(tmp_path, *JOBS))
    assert (ran.code, ran.err) == (1, "")
    assert "Fish, 4 players, in 2 processes" in ran.out
    assert found(tmp_path) == undisturbed


def test_a_player_whose_worker_is_killed_is_certified_again(
    tmp_path: Path, undisturbed: tuple[Any, dict[str, Any]]
) -> None:
    deaths = 0
    with Command(tmp_path, *certify(tmp_path, *JOBS)) as command:
        for count in range(2):
            until(partial(_certifies, command, count), "players to be certified", LONG_S)
            if busy := judging(command):
                busy[0].kill()
                deaths += 1
        ran = command.end(LONG_S)
        assert (ran.code, ran.err) == (1, "")
        until(lambda: not command.left(), "the end of everything that it started", LONG_S)
    assert deaths > 0
    assert found(tmp_path) == undisturbed


def _certifies(command: Command, count: int) -> bool:
    return command.over or (f"{count}/" in f"0/{command.out}" and bool(judging(command)))


def test_ctrl_c_ends_it_and_leaves_nothing(tmp_path: Path) -> None:
    with Command(tmp_path, *certify(tmp_path, *JOBS)) as command:
        until(lambda: command.over or bool(judging(command)), "players to be certified", LONG_S)
        command.interrupt()
        ran = command.end(LONG_S)
        assert (ran.code, ran.err) == (130, "fairplay: stopped\n")
        until(lambda: not command.left(), "the end of everything that it started", LONG_S)


@ON_RAY
def test_a_cluster_without_workers_certifies_nobody_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in TOKEN.items():
        monkeypatch.setenv(name, value)
    with head(0) as address:
        ran = ended(tmp_path, certify(tmp_path, "--cluster", address, "--when-lost", "end"))
    assert (ran.code, ran.err) == (1, "fairplay: the cluster has no workers\n")
    assert not (tmp_path / "result.json").exists()
