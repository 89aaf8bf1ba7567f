"""The server can die at any instant, and the disk can fail: what happens to what was appended."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from fairplay.server.records.chain import first_broken
from fairplay.server.records.errors import RecordsError
from fairplay.server.records.place import Place
from fairplay.server.records.store import Store
from fairplay.v1.record_pb2 import Record
from tests.server.records import scribble

KILLS = 8


def run(what: str, place: Place | Path) -> subprocess.Popen[str]:
    command = [sys.executable, scribble.__file__, what, str(place)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def killed_after(lines: int, place: Place) -> dict[str, int]:
    """Kill a writing process with SIGKILL, and return how many entries of each record it had reported as saved."""
    said = ""
    with run("write", place) as process:
        assert process.stdout is not None
        for _ in range(lines):
            said = process.stdout.readline()
        process.kill()
        said = process.stdout.read().rpartition("\n")[0].rpartition("\n")[2] or said
    assert process.returncode == -9
    return {record: int(count) for record, _, count in (word.partition(":") for word in said.split())}


def expected(record_id: str, count: int) -> list[bytes]:
    entries = [scribble.entry(record_id, number) for number in range(1, min(count, scribble.ENTRIES) + 1)]
    return [*entries, scribble.END] if count > scribble.ENTRIES else entries


def entries_of(record: Record) -> list[bytes]:
    return [linked.entry for linked in record.entries]


@pytest.mark.slow
def test_whenever_the_process_is_killed_each_record_is_an_intact_prefix_with_all_that_was_saved(place: Place) -> None:
    random = Random(11)
    for _ in range(KILLS):
        saved = killed_after(random.randint(1, 12), place)
        with Store.read_only(place) as store:
            listings, _ = store.list("game", limit=10**6)
            assert {listing.record_id for listing in listings} >= set(saved)
            for listing in listings:
                record = store.read(listing.record_id)
                count = len(record.entries)
                assert count >= saved.get(listing.record_id, 1)
                assert first_broken(record.entries) is None
                assert entries_of(record) == expected(listing.record_id, count)
                assert listing.finished == (count > scribble.ENTRIES)
    assert any(listing.finished for listing in listings)


async def test_a_full_disk_is_told_to_everybody_and_loses_nothing_that_was_saved(tmp_path: Path) -> None:
    process = run("fill", tmp_path)
    said, _ = await asyncio.to_thread(process.communicate, timeout=60)
    assert process.returncode == 0
    reported = said.split("\n")
    assert len(reported) == 5
    assert len(set(reported)) == 1
    assert reported[0].startswith(f"cannot write the records in {tmp_path}: ")
    store = Store.open(tmp_path)
    for listing in store.list("game", limit=100)[0]:
        record = store.read(listing.record_id)
        assert first_broken(record.entries) is None
        assert entries_of(record) == expected(listing.record_id, len(record.entries))
    for left in store.unfinished():
        scribble.go_on(store.reopen(left.record_id))
    await store.close()


async def test_a_directory_that_is_removed_is_noticed(tmp_path: Path) -> None:
    directory = tmp_path / "records"
    store = Store.open(directory)
    journal = scribble.begin(store, 1)
    await journal.saved()
    shutil.rmtree(directory)
    journal.append(b"more")
    with pytest.raises(RecordsError, match=r"records\.sqlite is gone while the server writes to it"):
        await journal.saved()
    assert journal.behind
    with pytest.raises(RecordsError, match="is gone"):
        scribble.begin(store, 2)
    journal.append(b"nobody is stopped in the middle of a call")
    with pytest.raises(RecordsError, match="is gone"):
        await store.flush()
    with pytest.raises(RecordsError, match="is gone"):
        await store.close()


async def test_a_file_that_is_replaced_is_noticed(tmp_path: Path) -> None:
    store = Store.open(tmp_path)
    journal = scribble.begin(store, 1)
    await journal.saved()
    (tmp_path / "other").write_bytes(b"")
    (tmp_path / "other").replace(tmp_path / "records.sqlite")
    journal.append(b"more")
    with pytest.raises(RecordsError, match=r"records\.sqlite was replaced by another file"):
        await journal.saved()
    with pytest.raises(RecordsError, match="replaced"):
        await store.close()
