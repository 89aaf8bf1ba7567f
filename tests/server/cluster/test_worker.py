"""What a worker does: the record of a game is that of a game of this process, and is taken once."""

from __future__ import annotations

import asyncio
import os
from dataclasses import replace
from pathlib import Path

import pytest

from fairplay.server import __version__
from fairplay.server.cluster.jobs import Job, JobError, WorkerError, find_program, make_job, to_shipped
from fairplay.server.cluster.runner import GameWork
from fairplay.server.cluster.worker import do
from fairplay.server.links.ways import Ways
from fairplay.server.records.errors import RecordExists
from fairplay.server.records.published import listed_game
from fairplay.server.records.store import Store
from fairplay.server.records.verify import verify
from fairplay.v1.record_pb2 import Record
from tests.server.harness import plan, serving


def job(*links: str) -> Job:
    return make_job("play", GameWork("t/r1g1", "t", plan(*links).SerializeToString(), Ways(allow_exec=True)), links)


async def played(*links: str) -> Record:
    return Record.FromString(await asyncio.to_thread(do, job(*links)))


async def test_the_record_of_a_worker_is_that_of_the_same_game_here() -> None:
    async with serving() as server:
        here = await server.referee.play(plan("bot:greedy", "bot:random"), "t/r1g1", "t")
    record = await played("bot:greedy", "bot:random")
    assert verify(record) == []
    store = Store.open(None)
    try:
        await store.take(record).saved()
        listing = store.find("t/r1g1")
        assert listing is not None
        assert (listing.finished, listing.parent, listing.game) == (True, "t", "fish")
        taken = listed_game(listing)
        assert (taken.result, taken.plan, taken.players) == (here.result, here.plan, here.players)
        assert store.read("t/r1g1") == record
        assert store.last_hash("t/r1g1") == record.entries[-1].chain_hash
        with pytest.raises(RecordExists):
            store.take(record)
    finally:
        await store.close()


async def test_a_plan_that_cannot_be_played_is_said_to_be_so() -> None:
    with pytest.raises(JobError, match="no strategy"):
        await played("bot:nonsense", "bot:first")


async def test_a_worker_that_is_not_fit_says_what_it_lacks() -> None:
    made = job("bot:first", "bot:first")
    with pytest.raises(WorkerError, match=f"has fairplay {__version__}, and not 0.0.0: install the same version"):
        await asyncio.to_thread(do, replace(made, version="0.0.0"))
    with pytest.raises(WorkerError, match="has no program /nowhere/player: put it there"):
        await asyncio.to_thread(do, replace(made, programs=["/nowhere/player"]))


def test_the_program_of_a_command_is_found_as_the_server_would_start_it(tmp_path: Path) -> None:
    player = tmp_path / "player"
    player.write_text("#!/bin/sh\n")
    player.chmod(0o700)
    assert find_program("./player --fast", str(tmp_path)) == str(player)
    assert find_program("./other", str(tmp_path)) is None
    assert find_program("sh -c true", str(tmp_path)) == "sh"
    assert find_program("no-such-program", str(tmp_path)) is None
    assert find_program("'", str(tmp_path)) is None


def test_what_lies_in_a_folder_that_is_sent_along_is_found_from_the_current_one() -> None:
    made = Job(
        "game", b"", "/home/ann/cup", ["/home/ann/cup/bots/me", "/home/ann/cup/me", "/usr/bin/java", "sh"], "1", {}
    )
    sent = to_shipped(made)
    assert sent.programs == ["./bots/me", "./me", "/usr/bin/java", "sh"]
    assert replace(sent, folder=made.folder, programs=made.programs) == made
    assert not sent.folder


async def test_programs_see_nothing_that_lets_them_use_the_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAY_AUTH_TOKEN", "hidden")
    monkeypatch.setenv("OTHER", "shown")
    record = await played('exec:sh -c "echo $OTHER $RAY_AUTH_TOKEN; exit 3"', "bot:first")
    reported = b"".join(each.entry for each in record.entries if b"process ended" in each.entry)
    assert b"shown" in reported
    assert b"hidden" not in reported


async def test_programs_see_the_variables_of_where_the_job_comes_from(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTHONBREAKPOINT", raising=False)
    monkeypatch.setenv("OMP_NUM_THREADS", "4")
    monkeypatch.setenv("FAIRPLAY_CA", "given")
    made = job('exec:sh -c "echo [$OTHER] [$OMP_NUM_THREADS] [$PYTHONBREAKPOINT]; exit 3"', "bot:first")
    for name in ("OTHER", "OMP_NUM_THREADS", "PYTHONBREAKPOINT", "FAIRPLAY_CA"):
        monkeypatch.setenv(name, "of the worker")
    record = Record.FromString(await asyncio.to_thread(do, made))
    reported = b"".join(each.entry for each in record.entries if b"process ended" in each.entry)
    assert b"[of the worker] [4] []" in reported
    assert os.environ["FAIRPLAY_CA"] == "given"
