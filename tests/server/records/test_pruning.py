"""Old records go for ever, with all that belongs to them; what stays is as it was."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest

from fairplay.server.records.accounts import AccountRow, AccountsDatabase
from fairplay.server.records.chain import first_broken
from fairplay.server.records.database import Listing
from fairplay.server.records.errors import RecordsError, StoreInUse
from fairplay.server.records.maintenance import prune
from fairplay.server.records.place import Place, at
from fairplay.server.records.secrets import SecretsDatabase
from fairplay.server.records.store import Store
from fairplay.v1.record_pb2 import Record

KINDS = ("game", "tournament", "table")


async def fill(place: Place, *made: tuple[str, str, str, int | None], spread: bool = True) -> None:
    """Make records of these kinds, ids and parents that end at these times; None: never."""
    store = Store.open(place)
    journals = [
        (store.begin(kind, id_, id_.encode(), game="nim", parent=parent, start_time_ns=1), end)
        for kind, id_, parent, end in made
    ]
    for number in range(300):  # more chunks than are rewritten at once
        for journal, _ in journals[number % 2 :: 2]:
            journal.append(b"%d" % number)
        if spread:
            await store.flush()
    for journal, end in journals:
        if end is not None:
            journal.finish(b"the end", b"summary of it", end)
    await store.close()


def kept(place: Place) -> dict[str, Record]:
    """Return the records, once the database is found sound and each record's chain whole."""
    with Store.read_only(place) as store:
        assert not store.defects()
        found = {each.record_id: store.read(each.record_id) for kind in KINDS for each in listed(store, kind)}
    assert all(first_broken(record.entries) is None for record in found.values())
    return found


def listed(store: Store, kind: str) -> Sequence[Listing]:
    return store.list(kind, limit=100)[0]


async def test_what_ended_before_goes_and_all_else_stays_as_it_was(place: Place) -> None:
    made = [("game", f"g{number}", "", None if number == 3 else number) for number in range(6)]
    await fill(place, *made)
    before = kept(place)
    assert prune(place, 4) == (["g0", "g1", "g2"], 3)
    assert kept(place) == {name: before[name] for name in ("g3", "g4", "g5")}
    assert prune(place, 4) == ([], 3)


async def test_the_space_of_what_goes_is_given_back(tmp_path: Path) -> None:
    await fill(at(tmp_path), *[("game", f"g{number}", "", 1) for number in range(40)], spread=False)
    file = tmp_path / "records.sqlite"
    before = file.stat().st_size
    prune(at(tmp_path), 2, only_say=True)
    assert file.stat().st_size == before
    prune(at(tmp_path), 2)
    assert file.stat().st_size < before / 2


async def test_a_server_goes_on_with_what_has_stayed(place: Place) -> None:
    await fill(place, ("game", "old", "", 1), ("game", "running", "", None), spread=False)
    prune(place, 2)
    store = Store.open(place)
    store.reopen("running").finish(b"the end", b"summary", 9)
    store.begin("game", "old", b"again", game="nim", start_time_ns=5).finish(b"end", b"summary", 9)
    await store.close()
    assert [entry.entry for entry in kept(place)["old"].entries] == [b"again", b"end"]
    assert len(kept(place)["running"].entries) == 152


async def test_a_tournament_and_a_table_go_with_their_games_when_the_last_of_them_has_ended(place: Place) -> None:
    await fill(
        place,
        ("tournament", "t", "", 5),
        ("game", "t/r1g1", "t", 3),
        ("tournament", "u", "", None),
        ("game", "u/r1g1", "u", 3),
        ("table", "v", "", 3),
        ("game", "v/game", "", 5),
        ("game", "alone", "", 3),
        spread=False,
    )
    assert prune(place, 4, only_say=True).removed == ["alone"]
    assert prune(place, 6, ["tournament"], only_say=True).removed == ["v", "v/game", "alone"]
    assert prune(place, 6, ["table"], only_say=True).removed == ["t", "t/r1g1", "alone"]
    assert len(kept(place)) == 7
    assert prune(place, 6).removed == ["t", "t/r1g1", "v", "v/game", "alone"]
    assert kept(place).keys() == {"u", "u/r1g1"}


async def test_nobody_owns_what_is_gone_nor_has_a_secret_for_it(place: Place) -> None:
    await fill(place, ("game", "old", "", 1), ("game", "new", "", 9), spread=False)
    with closing(SecretsDatabase(place)) as secrets, closing(AccountsDatabase(place)) as accounts:
        accounts.add_account(AccountRow("ann", "ann", "operator"))
        for name in ("old", "new"):
            secrets.add(name, {"bob": "s3cret"})
            accounts.set_owner("game", [name], "ann")
        assert prune(place, 2, only_say=True).removed == ["old"]
        assert secrets.all().keys() == {("old", "bob"), ("new", "bob")}
        assert accounts.owners() == {("game", "old"): "ann", ("game", "new"): "ann"}
        prune(place, 2)
        assert secrets.all().keys() == {("new", "bob")}
        assert accounts.owners() == {("game", "new"): "ann"}


async def test_all_or_nothing_goes(tmp_path: Path) -> None:
    place = at(tmp_path)
    await fill(place, ("game", "old", "", 1), ("game", "new", "", 9))
    before = kept(place)
    with closing(sqlite3.connect(tmp_path / "records.sqlite", isolation_level=None)) as database:
        for when in ("DELETE ON records", "INSERT ON chunks", "UPDATE ON chunks"):
            fail = "SELECT RAISE(ABORT, 'the disk is full')"
            database.execute(f'CREATE TRIGGER "{when}" BEFORE {when} BEGIN {fail}; END')
    with pytest.raises(RecordsError, match="the disk is full"):
        prune(place, 2)
    assert kept(place) == before


async def test_a_store_that_is_damaged_stays_as_it_is(tmp_path: Path) -> None:
    await fill(at(tmp_path), ("game", "old", "", 1), ("game", "new", "", 9), spread=False)
    with closing(sqlite3.connect(tmp_path / "records.sqlite", isolation_level=None)) as database:
        database.execute("UPDATE records SET chunks = x'' WHERE record_id = 'new'")
    said = "are damaged, and stay as they are: the record 'new' has entries in other chunks than the store says"
    with pytest.raises(RecordsError, match=f"^the records in {tmp_path} {said}"):
        prune(at(tmp_path), 2)
    with Store.read_only(at(tmp_path)) as store:
        assert [each.record_id for each in listed(store, "game")] == ["new", "old"]


async def test_nothing_goes_while_a_server_writes_there(place: Place) -> None:
    await fill(place, ("game", "old", "", 1), spread=False)
    store = Store.open(place)
    with pytest.raises(StoreInUse):
        prune(place, 2)
    await store.close()
    assert kept(place).keys() == {"old"}


def test_nothing_is_made_where_there_are_no_records(place: Place) -> None:
    with pytest.raises(RecordsError, match="there are no records in"):
        prune(place, 2)
    with pytest.raises(RecordsError, match="there are no records in"):
        Store.read_only(place)
