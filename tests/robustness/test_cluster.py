"""Tournaments in several processes: whatever is killed, the standings are those of one that nobody has disturbed."""

from __future__ import annotations

import os
import secrets
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from random import Random

import psutil
import pytest

from fairplay.server.records.place import Place, at
from tests.interrupts import heeding_ctrl_c
from tests.robustness import doomed
from tests.robustness.harness import (
    FAIRPLAY,
    Command,
    Ran,
    exec_player,
    findings,
    line,
    listings,
    specs,
    until,
    workers,
    zoo_player,
)
from tests.robustness.test_kill import games, recorded_result, reported, told_in

pytestmark = pytest.mark.slow
ON_RAY = pytest.mark.skipif(find_spec("ray") is None, reason="the extra cluster is not installed")

LONG_S = 300.0
"""More than Ray takes to start, and more than once, on a machine that is busy with something else."""
PLAYERS = [
    "bot:random",
    "bot:minimax",
    "bot:greedy",
    f"serves={exec_player('-s', 'greedy', '--serve')}",
    f"broken={zoo_player('says-nothing')}",
]
JOBS = ("--jobs", "2")
TOKEN = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32), "RAY_USAGE_STATS_ENABLED": "0"}
"""The environment of whoever may use the cluster of a test."""
HEAD = """
import logging, sys, tempfile
import ray
with tempfile.TemporaryDirectory(prefix="fairplay-ray-", dir="/tmp") as folder:
    ray.init(address="local", num_cpus=int(sys.argv[1]), include_dashboard=False, log_to_driver=False,
             logging_level=logging.CRITICAL, object_store_memory=100_000_000, _temp_dir=folder)
    print(ray.get_runtime_context().gcs_address, flush=True)
    sys.stdin.read()
    ray.shutdown()
"""


def tournament(directory: Path, records: Place, *options: str) -> list[str]:
    kept = ["--records", str(records), "--json", str(directory / "result.json")]
    terms = ["--format", "round-robin", "--seed", "11", "--set", "rows=6", "--limit", "1m", "--start-limit", "2m"]
    return ["tournament", "fish", *specs(*PLAYERS), *terms, *kept, *options]


def ended(directory: Path, arguments: Sequence[str], program: Sequence[str] = FAIRPLAY) -> Ran:
    """Run a command to its end; nothing of it may be left."""
    with Command(directory, *arguments, program=program) as command:
        ran = command.end(LONG_S)
        until(lambda: not command.left(), "the end of everything that it started", LONG_S)
        return ran


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> tuple[object, object]:
    """What one process comes to: the result, and the standings of all games."""
    folder = tmp_path_factory.mktemp("undisturbed")
    ran = ended(folder, tournament(folder, at(folder / "records")))
    assert (ran.code, ran.err) == (0, "")
    return told_in(folder / "result.json"), games(at(folder / "records"))


def check(records: Place, undisturbed: tuple[object, object]) -> None:
    """Check that a tournament is over, that its records are sound, and that it came to the same."""
    result = recorded_result(records)
    assert result is not None
    assert (reported(result), games(records)) == undisturbed
    assert not [*findings(records)]


def game_count(records: Place) -> int:
    return sum(listing.kind == "game" and listing.finished for listing in listings(records))


def test_two_jobs_come_to_the_same_and_write_nothing_else(
    tmp_path: Path, place: Place, undisturbed: tuple[object, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    ran = ended(tmp_path, tournament(tmp_path, place, *JOBS))
    assert (ran.code, ran.err) == (0, "")
    assert told_in(tmp_path / "result.json") == undisturbed[0]
    check(place, undisturbed)
    assert not [*here.iterdir()]


def _plays(command: Command, records: Place, count: int) -> bool:
    return command.over or (game_count(records) >= count and bool(workers(command)))


def test_what_is_killed_is_played_again(tmp_path: Path, undisturbed: tuple[object, object]) -> None:
    records, random = at(tmp_path / "records"), Random(3)
    with Command(tmp_path, *tournament(tmp_path, records, *JOBS)) as command:
        for count in (0, 2, 4):
            until(partial(_plays, command, records, count), "a game", LONG_S)
            if found := workers(command):
                random.choice(found).kill()
        until(lambda: command.over or game_count(records) > 5, "a game more", LONG_S)
        ran = command.end(LONG_S)
        assert ran.code == 0, ran.err
        until(lambda: not command.left(), "the end of everything that it started", LONG_S)
    check(records, undisturbed)


def test_a_command_that_is_killed_leaves_nothing_and_goes_on_when_it_is_given_again(
    tmp_path: Path, undisturbed: tuple[object, object]
) -> None:
    records, random, deaths = at(tmp_path / "records"), Random(5), 0
    while recorded_result(records) is None:
        entries = str(random.randint(40, 160))
        ran = ended(tmp_path, tournament(tmp_path, records, *JOBS), [sys.executable, doomed.__file__, entries])
        assert ran.code in (0, -9), ran.err
        deaths += ran.code != 0
    assert deaths > 0
    check(records, undisturbed)


@pytest.mark.parametrize("words", ["", "round robin"])
def test_ctrl_c_ends_it_and_leaves_nothing(words: str, tmp_path: Path) -> None:
    with Command(tmp_path, *tournament(tmp_path, at(tmp_path / "records"), *JOBS)) as command:
        if words:
            until(lambda: words in command.out or command.over, words, LONG_S)
        else:
            until(lambda: bool(workers(command)) or command.over, "a worker", LONG_S)
        command.interrupt()
        ran = command.end(LONG_S)
        assert (ran.code, ran.err) == (130, "fairplay: stopped\n")
        until(lambda: not command.left(), "the end of everything that it started", LONG_S)


def test_a_comparison_on_two_jobs_comes_to_the_same_answer(tmp_path: Path) -> None:
    outputs = []
    for options in ([], [*JOBS]):
        file = tmp_path / f"{len(options)}.json"
        words = ["compare", "fish", "bot:greedy", "bot:first", "--games", "20", "--seed", "1", "--json", str(file)]
        ran = ended(tmp_path, [*words, *options])
        assert ran.code == 3, ran.err
        outputs.append(file.read_text())
    assert outputs[0] == outputs[1]


# --- a cluster of somebody else ---


@contextmanager
def head(processors: int) -> Iterator[str]:
    """Run a cluster with so many processors of its own, and yield its address."""
    with heeding_ctrl_c():
        process = subprocess.Popen(
            [sys.executable, "-c", HEAD, str(processors)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, **TOKEN},
        )
    try:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
    finally:
        process.communicate(timeout=LONG_S)


@contextmanager
def node(address: str) -> Iterator[subprocess.Popen[bytes]]:
    """Run a node with two processors; it is killed at the end with all that it started."""
    ray = Path(sys.executable).with_name("ray")
    process = subprocess.Popen(
        [ray, "start", f"--address={address}", "--num-cpus=2", "--block"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, **TOKEN},
    )
    try:
        yield process
    finally:
        end(process)


def end(process: subprocess.Popen[bytes]) -> None:
    """Kill a process and all that descends from it."""
    if process.poll() is None:
        family = [psutil.Process(process.pid), *psutil.Process(process.pid).children(recursive=True)]
        for each in family:
            each.kill()
    process.wait()


@ON_RAY
def test_a_cluster_comes_to_the_same_and_waits_or_ends_where_its_workers_or_the_way_to_it_are_lost(
    tmp_path: Path, undisturbed: tuple[object, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in TOKEN.items():
        monkeypatch.setenv(name, value)
    records = at(tmp_path / "records")
    with head(0) as address:
        arguments = tournament(tmp_path, records, "--cluster", address)
        ran = ended(tmp_path, [*arguments, "--when-lost", "end"])
        assert (ran.code, ran.err) == (1, "fairplay: the cluster has no workers\n")
        with node(address) as first, Command(tmp_path, *arguments) as command:
            until(lambda: command.over or game_count(records) > 1, "games", LONG_S)
            end(first)
            until(
                lambda: command.over or "the cluster has lost all its workers: the work waits" in command.err,
                "the loss",
                LONG_S,
            )
            with node(address):
                until(lambda: command.over or "the cluster has workers again" in command.err, "other workers", LONG_S)
                for each in command.left():
                    if "fairplay.server.cluster.dispatcher" in line(each):
                        each.kill()
                ran = command.end(LONG_S)
            assert ran.code == 0, ran.err
            assert "the connection to the cluster is lost: the work waits" in ran.err
    check(records, undisturbed)


PROGRAM = """#!/bin/sh
{ pwd; ls; } >> %s
exec %s
"""


@ON_RAY
def test_programs_are_sent_along_and_what_the_command_writes_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in TOKEN.items():
        monkeypatch.setenv(name, value)
    seen, here = tmp_path / "seen", tmp_path / "here"
    here.mkdir()
    (here / "mine").write_text(PROGRAM % (seen, exec_player("-s", "greedy").removeprefix("exec:")))
    (here / "mine").chmod(0o700)
    with head(0) as address, node(address):
        players = specs("mine=exec:./mine", "bot:first")
        terms = ["--sandbox", "off", "--limit", "1m", "--start-limit", "2m", "--records", "cup"]
        monkeypatch.chdir(here)
        ran = ended(tmp_path, ["tournament", "fish", *players, *terms, "--cluster", address, "--ship"])
    assert ran.code == 0, ran.err
    assert (here / "cup").is_dir()
    places = seen.read_text().split()
    assert places[0] == str(here)
    assert "_ray_pkg_" in places[places.index("mine") + 1]
    assert places[-1] == "mine"


@ON_RAY
def test_where_no_cluster_is_one_sentence_says_so(tmp_path: Path) -> None:
    ran = ended(tmp_path, tournament(tmp_path, at(tmp_path / "records"), "--cluster", "127.0.0.1:1"))
    assert (ran.code, ran.err) == (1, "fairplay: no cluster answers at 127.0.0.1:1\n")
