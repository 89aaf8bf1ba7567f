from __future__ import annotations

import asyncio
import gc
import os
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from fairplay.server.records.accounts import AccountsDatabase
from fairplay.server.records.chain import chained, first_broken
from fairplay.server.records.database import Selection
from fairplay.server.records.errors import RecordExists, RecordsError, StoreInUse
from fairplay.server.records.maintenance import copy, prune
from fairplay.server.records.place import Place, at
from fairplay.server.records.secrets import SecretsDatabase
from fairplay.server.records.store import Store
from fairplay.server.records.writer import Journal
from fairplay.v1.record_pb2 import Record, RecordEntry
from fairplay.v1.referee_pb2 import Game
from tests.server.records.nim import header, players, recorded


@pytest.fixture
async def store(place: Place) -> AsyncIterator[Store]:
    opened = Store.open(place)
    yield opened
    await opened.close()


def begin(store: Store, record_id: str, *, kind: str = "game", parent: str = "") -> Journal:
    return store.begin(kind, record_id, b"header of " + record_id.encode(), game="nim", parent=parent, start_time_ns=5)


def finish(journal: Journal) -> None:
    journal.finish(b"the end", b"summary", 9)


def entries(record: Record) -> list[bytes]:
    assert first_broken(record.entries) is None
    return [linked.entry for linked in record.entries]


def ids(store: Store, kind: str = "game", parent: str = "") -> list[str]:
    return [listing.record_id for listing in store.list(kind, limit=100, parent=parent)[0]]


# --- writing and reading ---


async def test_what_is_appended_is_read_at_once_and_after_it_is_saved(store: Store) -> None:
    journal = begin(store, "r1")
    journal.append(b"one")
    assert entries(store.read("r1")) == [b"header of r1", b"one"]
    await journal.saved()
    journal.append(b"two")
    assert entries(store.read("r1")) == [b"header of r1", b"one", b"two"]
    finish(journal)
    await store.flush()
    assert entries(store.read("r1")) == [b"header of r1", b"one", b"two", b"the end"]
    assert journal.entry_count == 4


async def test_a_record_in_more_chunks_than_a_query_reads_is_read_whole() -> None:
    store = Store.open(None)
    journal = begin(store, "r1")
    for number in range(260):  # a query reads 256 chunks
        journal.append(b"%d" % number)
        await journal.saved()
    whole = [b"header of r1", *(b"%d" % number for number in range(260))]
    assert entries(store.read("r1")) == whole
    finish(journal)
    await store.flush()
    assert entries(store.read("r1")) == [*whole, b"the end"]
    await store.close()


async def test_everything_is_there_after_a_new_start(place: Place) -> None:
    store = Store.open(place)
    done, left = begin(store, "done"), begin(store, "left")
    left.append(b"one")
    finish(done)
    await store.close()

    store = Store.open(place)
    assert [listing.record_id for listing in store.unfinished()] == ["left"]
    again = store.reopen("left")
    assert again.entry_count == 2
    again.append(b"two")
    newer = begin(store, "newer")
    assert newer.listing.number == 3
    finish(again)
    await store.close()

    with Store.read_only(place) as reading:
        assert ids(reading) == ["newer", "left", "done"]
        assert entries(reading.read("left")) == [b"header of left", b"one", b"two", b"the end"]
        assert entries(reading.read("done")) == [b"header of done", b"the end"]
        assert entries(reading.read("newer")) == [b"header of newer"]


async def test_a_private_store_goes_when_it_is_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    store = Store.open(None)
    await begin(store, "r1").saved()
    assert "records.sqlite" in names(tmp_path)
    await store.close()
    assert names(tmp_path) == set()


def names(directory: Path) -> set[str]:
    return {path.name for path in directory.rglob("*")}


async def test_a_busy_database_puts_the_writer_behind_and_loses_nothing(tmp_path: Path) -> None:
    store = Store.open(tmp_path)
    journal = begin(store, "r1")
    await journal.saved()
    other = sqlite3.connect(tmp_path / "records.sqlite", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    journal.append(b"one")
    while not journal.behind:
        assert store.failure is None
    other.execute("ROLLBACK")
    other.close()
    await journal.saved()
    assert not journal.behind
    assert entries(store.read("r1")) == [b"header of r1", b"one"]
    await store.close()


# --- what is refused ---


async def test_an_id_is_given_once(store: Store) -> None:
    first = begin(store, "r1")
    with pytest.raises(RecordExists, match="there is a record 'r1' already"):
        begin(store, "r1")
    finish(first)
    await store.flush()
    begin(store, "r2")
    with pytest.raises(RecordExists):
        begin(store, "r1", kind="tournament")


async def test_a_finished_record_takes_nothing_more(store: Store) -> None:
    journal = begin(store, "r1")
    finish(journal)
    with pytest.raises(RecordsError, match="the record is finished"):
        journal.append(b"more")
    with pytest.raises(RecordsError, match="the record is finished"):
        finish(journal)
    with pytest.raises(RecordsError, match="the record 'r1' is finished"):
        store.reopen("r1")
    assert entries(store.read("r1")) == [b"header of r1", b"the end"]


def played(game_id: str) -> Record:
    """Return the record of a whole game, played elsewhere from 5 to 9 ns after 1970."""
    found = [RecordEntry.FromString(each.entry) for each in recorded(header(game_id=game_id), players({})).entries]
    found[0].game.start_time.nanos = 5
    found[-1].result.end_time.nanos = 9
    return chained(entry.SerializeToString() for entry in found)


async def test_a_record_that_was_played_elsewhere_is_taken_as_it_is(place: Place) -> None:
    store = Store.open(place)
    first, second = played("taken-1"), played("taken-2")
    journal = store.take(first)
    assert store.read("taken-1") == first
    assert (journal.entry_count, journal.last_hash) == (len(first.entries), first.entries[-1].chain_hash)
    with pytest.raises(RecordsError, match="the record is finished"):
        journal.append(b"more")
    store.take(second)
    assert begin(store, "next").listing.number == 3
    assert ids(store) == ["next", "taken-2", "taken-1"]
    await store.flush()
    del journal
    gc.collect()
    begin(store, "last")
    gc.collect()
    assert in_memory("taken-1", "taken-2") == set()
    await store.close()
    with Store.read_only(place) as reading:
        assert ids(reading) == ["last", "next", "taken-2", "taken-1"]
        assert [reading.read(record_id) for record_id in ("taken-1", "taken-2")] == [first, second]
        assert not reading.defects()
        found = reading.find("taken-1")
        assert found is not None
        assert (found.kind, found.game, found.parent, found.finished) == ("game", "nim", "", True)
        assert (found.start_time_ns, found.end_time_ns) == (5, 9)
        assert found.header == first.entries[0].entry
        assert Game.FromString(found.summary).result == RecordEntry.FromString(first.entries[-1].entry).result.result


async def test_only_the_whole_record_of_a_game_is_taken(store: Store) -> None:
    whole = played("g1").entries
    for part in (whole[:0], whole[:1], whole[:-1], whole[1:]):
        with pytest.raises(RecordsError, match="this is not the whole record of a game"):
            store.take(chained(linked.entry for linked in part))
    damaged = played("g1")
    damaged.entries[2].chain_hash = bytes(32)
    with pytest.raises(RecordsError, match="the record 'g1' is damaged: its chain is broken at entry 3"):
        store.take(damaged)
    assert store.unsaved_count == 0
    assert store.find("g1") is None


async def test_a_record_that_is_not_there(store: Store) -> None:
    assert store.find("r1") is None
    for ask in (store.read, store.reopen, store.last_hash):
        with pytest.raises(RecordsError, match="there is no record 'r1'"):
            ask("r1")


async def test_a_second_server_is_told_who_has_the_records(place: Place, store: Store) -> None:
    with pytest.raises(StoreInUse, match=rf"in use by another server \(process {os.getpid()}.*\): stop it, or name"):
        Store.open(place)
    assert "StoreInUse" in await asyncio.to_thread(opened_by_another_process, place)
    await store.close()
    await Store.open(place).close()
    assert await asyncio.to_thread(opened_by_another_process, place) == ""


def opened_by_another_process(place: Place) -> str:
    """What it says on its standard error."""
    code = "import asyncio, sys; from fairplay.server.records.place import parse_place; "
    code += "from fairplay.server.records.store import Store; "
    code += "asyncio.run(Store.open(parse_place(sys.argv[1])).close())"
    return subprocess.run([sys.executable, "-c", code, str(place)], capture_output=True, text=True, check=False).stderr


async def test_a_store_that_is_read_cannot_be_written(place: Place, store: Store) -> None:
    await begin(store, "r1").saved()
    with Store.read_only(place) as reading:
        with pytest.raises(RecordsError, match="opened for reading only"):
            begin(reading, "r2")
        with pytest.raises(RecordsError, match="opened for reading only"):
            reading.reopen("r1")
        assert reading.failure is None
        assert reading.unsaved_count == 0
        reading.on_failure(lambda: None)
        await reading.flush()


# --- listings ---


async def test_a_listing_says_what_was_given_in_memory_and_on_disk(place: Place, store: Store) -> None:
    journal = begin(store, "r1", parent="t1")
    await store.flush()
    with Store.read_only(place) as reading:
        listing = reading.find("r1")
        assert listing == store.find("r1") == journal.listing
        assert listing is not None
        assert (listing.kind, listing.game, listing.parent, listing.start_time_ns) == ("game", "nim", "t1", 5)
        assert (listing.header, listing.finished, listing.end_time_ns) == (b"header of r1", False, None)
        finish(journal)
        await store.flush()
        listing = reading.find("r1")
        assert listing == store.find("r1") == journal.listing
        assert (listing.summary, listing.finished, listing.end_time_ns) == (b"summary", True, 9)


async def test_listings_are_by_kind_and_parent_and_newest_first(store: Store) -> None:
    for number in range(6):
        journal = begin(store, f"g{number}", parent=f"t{number % 2}")
        if number % 3 == 0:
            finish(journal)
        if number == 2:
            await store.flush()
    begin(store, "t0", kind="tournament")
    assert ids(store) == ["g5", "g4", "g3", "g2", "g1", "g0"]
    assert ids(store, parent="t1") == ["g5", "g3", "g1"]
    assert ids(store, kind="tournament") == ["t0"]
    assert ids(store, parent="t2") == []


@pytest.mark.parametrize("size", [1, 3, 7, 8])
@pytest.mark.parametrize("oldest_first", [False, True])
async def test_pages_follow_on_each_other(store: Store, size: int, oldest_first: bool) -> None:
    for number in range(7):
        begin(store, f"g{number}")
        if number == 2:
            await store.flush()
    seen: list[str] = []
    cursor: int | None = None
    while True:
        page, cursor = store.select(Selection("game"), limit=size, cursor=cursor, oldest_first=oldest_first)
        assert len(page) <= size
        seen += [listing.record_id for listing in page]
        if cursor is None:
            break
    assert seen == [f"g{number}" for number in range(7)][:: 1 if oldest_first else -1]


async def test_records_that_are_over_and_on_disk_take_no_memory(store: Store) -> None:
    over = [f"over-{number}" for number in range(5)]
    for record_id in over:
        finish(begin(store, record_id))
    await store.flush()
    kept = begin(store, "next")
    gc.collect()
    assert in_memory(*over, "next") == {"next"}
    assert not kept.listing.finished


def in_memory(*record_ids: str) -> set[str]:
    """Return those of the records whose journals are in memory."""
    return {each.listing.record_id for each in gc.get_objects() if isinstance(each, Journal)} & {*record_ids}


async def test_others_read_while_the_server_writes(place: Place, store: Store) -> None:
    journal = begin(store, "r1")
    journal.append(b"one")
    await journal.saved()
    with Store.read_only(place) as reading:
        assert entries(reading.read("r1")) == [b"header of r1", b"one"]
        journal.append(b"two")
        await journal.saved()
        assert entries(reading.read("r1")) == [b"header of r1", b"one", b"two"]
        finish(journal)
        begin(store, "r2")
        await store.flush()
        assert ids(reading) == ["r2", "r1"]
        assert [listing.record_id for listing in reading.unfinished()] == ["r2"]


async def test_others_who_read_for_long_do_not_keep_the_server_from_writing(tmp_path: Path) -> None:
    store = Store.open(tmp_path)
    journal = begin(store, "r1")
    await journal.saved()
    with closing(sqlite3.connect(tmp_path / "records.sqlite", isolation_level=None)) as other:
        other.execute("BEGIN")
        count = "SELECT count(*) FROM chunks"
        assert other.execute(count).fetchall() == [(1,)]
        journal.append(b"one")
        await journal.saved()
        assert other.execute(count).fetchall() == [(1,)]
        other.execute("COMMIT")
        assert other.execute(count).fetchall() == [(2,)]
    await store.close()


async def test_nothing_is_held_open_after_a_place_was_used(tmp_path: Path) -> None:
    place, target = at(tmp_path / "records"), at(tmp_path / "copy")
    store = Store.open(place)
    finish(begin(store, "r1"))
    await store.close()
    with closing(AccountsDatabase(place)), closing(SecretsDatabase(place)) as secrets:
        secrets.add("r1", {"ann": "s3cret"})
    with Store.read_only(place) as reading:
        assert ids(reading) == ["r1"]
    copy(place, target)
    prune(target, 10)
    assert held_open(tmp_path) == []


def held_open(directory: Path) -> list[str]:
    """Return the files of a directory that this process holds open."""
    paths = [os.path.realpath(link) for link in Path("/proc/self/fd").iterdir()]
    return [path for path in paths if path.startswith(str(directory))]


# --- directories that are not what they should be ---


def problem(directory: Path) -> str:
    with pytest.raises(RecordsError) as caught:
        Store.open(directory)
    return str(caught.value)


async def test_directories_are_made(tmp_path: Path) -> None:
    directory = tmp_path / "a b?#%" / "records"
    store = Store.open(directory)
    await begin(store, "r1").saved()
    await store.close()
    assert (directory / "records.sqlite").is_file()
    with Store.read_only(directory) as reading:
        assert ids(reading) == ["r1"]


def test_a_file_is_no_directory(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert problem(tmp_path / "file") == f"cannot keep records in {tmp_path / 'file'}: it is a file, not a directory"


@pytest.mark.parametrize("content", [b"this is no database " * 100, b"\0" * 5000, b"SQLite format 3\0" + b"?" * 4096])
def test_a_file_that_is_no_database_is_refused_and_left_alone(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "records.sqlite").write_bytes(content)
    assert problem(tmp_path).startswith(f"cannot use the records in {tmp_path}: ")
    with pytest.raises(RecordsError, match="cannot read the records in"):
        Store.read_only(tmp_path)
    assert (tmp_path / "records.sqlite").read_bytes() == content


def test_the_database_of_somebody_else_is_refused(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "records.sqlite") as database:
        database.execute("CREATE TABLE invoices (number)")
    database.close()
    said = f"there is something else than Fairplay records in {tmp_path}"
    assert problem(tmp_path) == said
    with pytest.raises(RecordsError, match="something else than Fairplay records"):
        Store.read_only(tmp_path)


def test_there_is_nothing_to_read(tmp_path: Path) -> None:
    for directory in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(RecordsError, match=r"there are no records in .*: it has no file records\.sqlite"):
            Store.read_only(directory)


def execute(directory: Path, statement: str, *values: object) -> None:
    with sqlite3.connect(directory / "records.sqlite") as database:
        database.execute(statement, values)
    database.close()


async def unfinished_record(directory: Path) -> None:
    store = Store.open(directory)
    journal = begin(store, "r1")
    await journal.saved()
    for number in range(3):
        journal.append(f"entry {number}".encode())
        await journal.saved()
    await store.close()


async def test_a_damaged_record_is_not_gone_on_with(tmp_path: Path) -> None:
    await unfinished_record(tmp_path)
    with sqlite3.connect(tmp_path / "records.sqlite") as database:
        [data] = database.execute("SELECT data FROM chunks WHERE number = 3").fetchone()
    database.close()
    execute(tmp_path, "UPDATE chunks SET data = ? WHERE number = 3", data.replace(b"entry 1", b"entry 7"))
    store = Store.open(tmp_path)
    assert first_broken(store.read("r1").entries) == 3
    with pytest.raises(RecordsError, match="the record 'r1' is damaged: its chain is broken at entry 3"):
        store.reopen("r1")
    await store.close()


async def test_a_damaged_chunk_is_named(tmp_path: Path) -> None:
    await unfinished_record(tmp_path)
    execute(tmp_path, "UPDATE chunks SET data = ? WHERE number = 3", b"short")
    with Store.read_only(tmp_path) as reading, pytest.raises(RecordsError, match="damaged: chunk 3 cannot be read"):
        reading.read("r1")


async def test_a_database_that_is_damaged_as_a_whole_says_so_and_nothing_else(tmp_path: Path) -> None:
    await unfinished_record(tmp_path)
    with Store.read_only(tmp_path) as reading:
        assert reading.defects() == []
    execute(tmp_path, "DELETE FROM chunks WHERE number = 2")
    with Store.read_only(tmp_path) as reading:
        assert reading.defects() == ["chunk number 2 is missing: after 1 comes 3"]
    with sqlite3.connect(tmp_path / "records.sqlite") as database:
        database.execute("PRAGMA writable_schema = ON")
        database.execute("DELETE FROM sqlite_schema WHERE name = 'records_by_kind'")
    database.close()
    with Store.read_only(tmp_path) as reading:
        defects = reading.defects()
    assert defects
    assert all(each.startswith("the database is damaged: ") for each in defects)


async def test_a_database_with_a_number_far_beyond_the_others_is_read_as_quickly(tmp_path: Path) -> None:
    await unfinished_record(tmp_path)
    execute(tmp_path, "UPDATE chunks SET number = ? WHERE number = 4", 2**60)
    with Store.read_only(tmp_path) as reading:
        assert len(reading.read("r1").entries) == 4
        [gap] = reading.defects()
    assert gap == f"chunk number 4 is missing: after 3 comes {2**60}"


async def test_a_damaged_list_of_chunks_is_found(tmp_path: Path) -> None:
    store = Store.open(tmp_path)
    finish(begin(store, "r1"))
    await store.close()
    execute(tmp_path, "UPDATE records SET chunks = ?", b"123")
    with Store.read_only(tmp_path) as reading, pytest.raises(RecordsError, match="the list of chunks is damaged"):
        reading.read("r1")


@pytest.mark.parametrize(("column", "value"), [("end_time_ns", "'text'"), ("game", "NULL")])
async def test_a_listing_with_a_value_of_another_type_is_refused_by_the_name_of_its_column(
    tmp_path: Path, column: str, value: str
) -> None:
    store = Store.open(tmp_path)
    finish(begin(store, "r1"))
    await store.close()
    execute(tmp_path, "CREATE TABLE damaged AS SELECT * FROM records")
    execute(tmp_path, "DROP TABLE records")
    execute(tmp_path, "ALTER TABLE damaged RENAME TO records")
    execute(tmp_path, f"UPDATE records SET {column} = {value}")
    with Store.read_only(tmp_path) as reading:
        for read in (partial(reading.find, "r1"), partial(reading.list, "game", limit=9)):
            with pytest.raises(RecordsError, match=f"where {column} should be"):
                read()


async def test_a_database_that_was_cut_is_told_in_one_sentence(tmp_path: Path) -> None:
    await unfinished_record(tmp_path)
    path = tmp_path / "records.sqlite"
    os.truncate(path, path.stat().st_size // 2)
    with pytest.raises(RecordsError, match=r"cannot (use|read) the records in .*: database disk image is malformed"):
        Store.open(tmp_path)


# --- copies ---


async def test_a_copy_holds_everything_in_a_place_of_any_kind(tmp_path: Path, place: Place) -> None:
    source, back = at(tmp_path / "source"), at(tmp_path / "back")
    store = Store.open(source)
    for number in range(300):  # more chunks than are copied at once
        journal = begin(store, f"r{number}")
        await journal.saved()
        if number % 2:
            finish(journal)
    await store.close()
    secrets = SecretsDatabase(source)
    secrets.add("r2", {"ann": "s3cret"})
    secrets.close()

    assert copy(source, place) == copy(place, back) == 300
    with Store.read_only(source) as old, Store.read_only(place) as middle, Store.read_only(back) as new:
        for store in (middle, new):
            assert list(store.unfinished()) == list(old.unfinished())
            assert store.list("game", limit=1000) == old.list("game", limit=1000)
            assert store.read("r7") == old.read("r7")
            assert not store.defects()
    for kept in (place, back):
        secrets = SecretsDatabase(kept)
        assert secrets.all() == {("r2", "ann"): "s3cret"}
        secrets.close()


async def test_nothing_is_copied_beside_accounts_or_secrets(tmp_path: Path) -> None:
    source = at(tmp_path / "source")
    await Store.open(source).close()
    with (
        closing(AccountsDatabase(at(tmp_path / "accounts"))),
        closing(SecretsDatabase(at(tmp_path / "secrets"))) as kept,
    ):
        kept.add("r1", {"ann": "s3cret"})
    for name in ("accounts", "secrets"):
        said = f"there are accounts or secrets in {tmp_path / name} already: name an empty place"
        with pytest.raises(RecordsError, match=said):
            copy(source, at(tmp_path / name))
        assert not (tmp_path / name / "records.sqlite").exists()


async def test_nothing_is_copied_over_something_else(tmp_path: Path, place: Place) -> None:
    other = at(tmp_path / "other")
    store = Store.open(other)
    await begin(store, "r1").saved()
    with pytest.raises(StoreInUse):
        copy(other, at(tmp_path / "copy"))
    await store.close()
    store = Store.open(place)
    await begin(store, "mine").saved()
    await store.close()
    with pytest.raises(RecordsError, match=r"there are records in .* already: name an empty place"):
        copy(other, place)
    with pytest.raises(RecordsError, match="there are no records in"):
        copy(at(tmp_path / "nowhere"), at(tmp_path / "copy2"))
    with pytest.raises(RecordsError, match="cannot be copied to itself"):
        copy(place, place)
    with Store.read_only(place) as reading:
        assert ids(reading) == ["mine"]
