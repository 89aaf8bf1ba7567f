"""Records in PostgreSQL whose server is killed, and two servers of ours on one database."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from fairplay.server.records.place import at, parse_place
from tests.postgresql import Cluster, PostgresqlMissingError, running
from tests.robustness.harness import Command, free_address, listings, run, specs, until
from tests.robustness.test_kill import games, recorded_result, reported, told_in, tournament

THINKERS = ["bot:minimax:depth=3", "bot:greedy", "bot:minimax:depth=2", "bot:first", "bot:minimax:depth=3"]

pytestmark = pytest.mark.postgresql


@pytest.fixture
def mortal() -> Iterator[Cluster]:
    """A server of PostgreSQL that this test may kill."""
    try:
        with running() as cluster:
            yield cluster
    except PostgresqlMissingError as missing:
        pytest.skip(str(missing))


def test_a_tournament_whose_database_is_killed_ends_as_an_undisturbed_one(mortal: Cluster, tmp_path: Path) -> None:
    undisturbed, place = at(tmp_path / "undisturbed"), parse_place(mortal.new_database())
    assert run(tmp_path, *tournament(tmp_path, THINKERS, undisturbed)).code == 0
    expected = told_in(tmp_path / "result.json")
    random, kills = Random(3), 0
    while recorded_result(place) is None:
        wanted = len(listings(place)) + random.randint(1, 2)
        with Command(tmp_path, *tournament(tmp_path, THINKERS, place)) as command:
            until(lambda: command.over or len(listings(place)) >= wanted, f"{wanted} records")  # noqa: B023
            if command.over:
                break
            mortal.kill()
            kills += 1
            ran = command.end()
            mortal.start()
            assert ran.code == 0 or " the records in postgresql://" in ran.err
    assert kills
    result = recorded_result(place)
    assert result is not None
    assert reported(result) == expected
    assert games(place) == games(undisturbed)
    verified = run(tmp_path, "records", "verify", str(place))
    assert verified.code == 0, verified.out


def test_a_server_in_standby_goes_on_when_the_other_one_stands_still(cluster: Cluster, tmp_path: Path) -> None:
    place = parse_place(cluster.new_database())
    first, second = free_address(), free_address()
    played = ["game", "fish", *specs("a=bot:first", "b=bot:first"), "--server"]
    with Command(tmp_path, "serve", "--listen", first, "--records", str(place)) as leading:
        leading.says("fairplay serves on")
        with Command(tmp_path, "serve", "--listen", second, "--records", str(place), "--standby") as waiting:
            waiting.says("fairplay waits")
            assert run(tmp_path, *played, first).code == 0
            leading.process.send_signal(signal.SIGSTOP)
            waiting.says("fairplay serves on")
            leading.process.send_signal(signal.SIGCONT)
            refused = run(tmp_path, *played, first)
            assert refused.code == 1
            assert "cannot be read or written" in refused.err or "cannot be written" in refused.err
            assert "in use by another server" in leading.err
            assert run(tmp_path, *played, second).code == 0
    assert [one.finished for one in listings(place) if one.kind == "game"] == [True, True]
    verified = run(tmp_path, "records", "verify", str(place))
    assert verified.code == 0, verified.out


def test_a_server_in_standby_goes_on_when_the_other_one_dies(cluster: Cluster, tmp_path: Path) -> None:
    place = parse_place(cluster.new_database())
    first, second = free_address(), free_address()
    with Command(tmp_path, "serve", "--listen", first, "--records", str(place)) as leading:
        leading.says("fairplay serves on")
        refused = run(tmp_path, "serve", "--listen", second, "--records", str(place))
        assert refused.code == 1
        assert f"are in use by another server (process {leading.process.pid} on " in refused.err
        with Command(tmp_path, "serve", "--listen", second, "--records", str(place), "--standby") as waiting:
            waiting.says("fairplay waits")
            played = run(tmp_path, "game", "fish", *specs("a=bot:first", "b=bot:first"), "--server", first)
            assert played.code == 0, played.err
            leading.kill()
            waiting.says("fairplay serves on")
            assert [one.finished for one in listings(place) if one.kind == "game"] == [True]
