"""A store of an older format becomes one of this version as a whole, and one of a newer format stays as it is."""

from __future__ import annotations

import shlex
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from itertools import count
from pathlib import Path

import pytest
import sqlalchemy as sa
from typer.testing import CliRunner

from fairplay.server.records import formats
from fairplay.server.records.accounts import AccountRow, AccountsDatabase
from fairplay.server.records.copying import copy
from fairplay.server.records.database import RECORDS
from fairplay.server.records.errors import RecordsError, StoreInUse
from fairplay.server.records.migrating import Migrated, migrate
from fairplay.server.records.parts import opened
from fairplay.server.records.place import Place, at
from fairplay.server.records.secrets import SecretsDatabase
from fairplay.server.records.store import Store
from fairplay.terminal.app import app
from tests.server.records import older
from tests.server.records.older import age, contents

CHUNKS = 6


async def fill(place: Place) -> None:
    """Keep a record that is over and one that is not, an account, and a secret."""
    store = Store.open(place)
    over, going_on = (store.begin("game", id_, b"header", game="nim", start_time_ns=1) for id_ in ("over", "going on"))
    for number in range(CHUNKS):
        over.append(b"%d" % number)
        going_on.append(b"%d" % number)
        await store.flush()
    over.finish(b"the end", b"summary", 9)
    await store.close()
    with closing(AccountsDatabase(place)) as accounts, closing(SecretsDatabase(place)) as secrets:
        accounts.add_account(AccountRow("ann", "Ann", "operator"))
        secrets.add("going on", {"bob": "s3cret"})


@pytest.fixture
async def aged(place: Place, monkeypatch: pytest.MonkeyPatch) -> Place:
    """A place in the made-up older format, of which this version knows the steps."""
    for part, steps in older.STEPS.items():
        monkeypatch.setitem(formats.STEPS, part, steps)
    await fill(place)
    age(place)
    return place


def say(place: Place, format_: str) -> None:
    """Let the records of a place say that they are in a format."""
    with place.writing() as engine, engine.begin() as connection:
        connection.execute(sa.update(formats.META).values(format=format_))


def fairplay(*arguments: object) -> tuple[int, str]:
    """Return the exit code of a command, and what it says, in one line."""
    said = CliRunner().invoke(app, [*map(str, arguments)])
    return said.exit_code, " ".join(said.output.split())


# --- older formats ---


async def test_everything_is_there_after_a_migration_and_a_server_goes_on(aged: Place) -> None:
    assert migrate(aged) == [Migrated("records", 1, 3), Migrated("accounts", 1, 2)]
    store = Store.open(aged)
    assert [entry.entry for entry in store.read("over").entries] == [b"header", *b"0 1 2 3 4 5".split(), b"the end"]
    [listing] = store.unfinished()
    assert store.reopen(listing.record_id).entry_count == 1 + CHUNKS
    assert not store.defects()
    await store.close()
    with closing(AccountsDatabase(aged)) as accounts, closing(SecretsDatabase(aged)) as secrets:
        assert accounts.accounts() == [AccountRow("ann", "Ann", "operator")]
        assert secrets.all() == {("going on", "bob"): "s3cret"}
    assert migrate(aged) == []


def test_whatever_needs_an_older_store_says_what_to_do(aged: Place, tmp_path: Path) -> None:
    before = contents(aged)
    todo = f"were written by an older version of Fairplay: run fairplay records migrate {shlex.quote(str(aged))}"
    uses: list[Callable[[], object]] = [
        lambda: Store.open(aged),
        lambda: Store.read_only(aged),
        lambda: AccountsDatabase(aged),
        lambda: copy(aged, at(tmp_path / "copy")),
    ]
    for use in uses:
        with pytest.raises(RecordsError) as refused:
            use()
        assert str(refused.value).endswith(todo)
    assert contents(aged) == before


async def test_a_server_does_not_start_beside_accounts_of_an_older_format(aged: Place) -> None:
    migrate(aged)
    age(aged, "accounts")
    with pytest.raises(RecordsError, match=r"^the accounts in .* were written by an older version of Fairplay: run"):
        Store.open(aged)
    assert migrate(aged) == [Migrated("accounts", 1, 2)]
    await Store.open(aged).close()


def test_a_step_that_fails_leaves_everything_as_it_was(aged: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(connection: sa.Connection) -> None:
        connection.execute(sa.text("DELETE FROM nowhere"))

    monkeypatch.setitem(formats.STEPS, "accounts", (*older.STEPS["accounts"], fail))
    before = contents(aged)
    with pytest.raises(RecordsError, match=r"^cannot migrate the records in .*nowhere"):
        migrate(aged)
    assert before.items() <= contents(aged).items()


def test_a_migration_that_is_killed_at_any_instant_leaves_the_old_store_whole(aged: Place) -> None:
    before = contents(aged)
    for changes in (2**number for number in count()):
        with migrating(aged, changes) as process:
            assert process.stdout is not None
            said = process.stdout.readline()
            process.kill()
        if said == "done\n":
            break
        assert said == "stands still\n"
        assert before.items() <= contents(aged).items()
    assert changes > CHUNKS
    assert migrate(aged) == []
    with Store.read_only(aged) as store:
        assert not store.defects()


def migrating(place: Place, changes: int) -> subprocess.Popen[str]:
    """Start a process that migrates a place, and stands still after so many changes."""
    return subprocess.Popen(
        [sys.executable, older.__file__, str(place), str(changes)], stdout=subprocess.PIPE, text=True
    )


async def test_nothing_is_migrated_while_a_server_writes_there(place: Place) -> None:
    store = Store.open(place)
    with pytest.raises(StoreInUse):
        migrate(place)
    await store.close()


def test_nothing_is_made_where_there_is_nothing_to_migrate(place: Place) -> None:
    for _ in range(2):
        with pytest.raises(RecordsError, match="there are no records in"):
            migrate(place)


async def test_a_damaged_store_is_not_migrated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = at(tmp_path)
    await fill(place)
    monkeypatch.setitem(formats.STEPS, "records", older.STEPS["records"])
    age(place, "records")
    with place.writing() as engine, engine.begin() as connection:
        connection.execute(sa.text("PRAGMA writable_schema = ON"))
        connection.execute(sa.text("DELETE FROM sqlite_schema WHERE name = 'records_by_kind'"))
    with pytest.raises(RecordsError, match=r"^the records in .* are damaged, and stay as they are: "):
        migrate(place)


@pytest.mark.parametrize("statement", ["DROP TABLE fairplay_store", "DELETE FROM fairplay_store"])
async def test_accounts_that_do_not_say_their_format_are_in_the_first_one(place: Place, statement: str) -> None:
    await fill(place)
    with opened(place, "accounts") as connection:
        connection.execute(sa.text(statement))
    with closing(AccountsDatabase(place)) as accounts:
        assert len(accounts.accounts()) == 1
    assert contents(place)["accounts fairplay_store"] == [("format",), ("fairplay accounts 1",)]


def test_a_store_is_made_as_a_whole_or_not_at_all(place: Place) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RecordsError("the disk is full")

    sa.event.listen(RECORDS, "after_create", fail)
    try:
        with pytest.raises(RecordsError, match="the disk is full"):
            Store.open(place)
    finally:
        sa.event.remove(RECORDS, "after_create", fail)
    assert contents(place).keys() <= {"records fairplay_store"}


def test_a_database_that_nothing_was_written_to_has_no_format_to_be_migrated_from(tmp_path: Path) -> None:
    (tmp_path / "records.sqlite").touch()
    assert migrate(at(tmp_path)) == []
    assert contents(at(tmp_path)) == {}


async def test_a_migration_takes_only_the_steps_that_are_left(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    await fill(place)
    taken: list[int] = []
    steps = [lambda _, number=number: taken.append(number) for number in (1, 2, 3)]
    monkeypatch.setitem(formats.STEPS, "records", steps)
    say(place, "fairplay records 2")
    assert migrate(place) == [Migrated("records", 2, 4)]
    assert taken == [2, 3]


# --- newer formats ---


async def test_a_store_of_a_newer_format_is_refused_and_stays_as_it_is(place: Place) -> None:
    await fill(place)
    with place.writing() as engine, engine.begin() as connection:
        connection.execute(sa.text("UPDATE fairplay_store SET format = 'fairplay records 99'"))
        connection.execute(sa.text("ALTER TABLE chunks RENAME TO pieces"))
    before = contents(place)
    said = (
        f"the records in {place} were written by a newer version of Fairplay: "
        "their format is 99, and this version reads formats up to 1"
    )
    for use in (Store.open, Store.read_only, migrate):
        with pytest.raises(RecordsError) as refused:
            use(place)
        assert str(refused.value) == said
    assert contents(place) == before


@pytest.mark.parametrize("format_", ["fairplay records 0", "fairplay accounts 1", ""])
async def test_a_format_that_no_version_has_is_refused(format_: str, tmp_path: Path) -> None:
    place = at(tmp_path)
    await Store.open(place).close()
    say(place, format_)
    said = f"the records in {place} have another format than 'fairplay records 1': {format_!r}"
    for use in (Store.open, Store.read_only, migrate):
        with pytest.raises(RecordsError) as refused:
            use(place)
        assert str(refused.value) == said


async def test_a_database_that_says_two_formats_is_refused(tmp_path: Path) -> None:
    place = at(tmp_path)
    await Store.open(place).close()
    with place.writing() as engine, engine.begin() as connection:
        connection.execute(sa.insert(formats.META), {"format": "fairplay records 2"})
    said = f"the records in {tmp_path} have another format than 'fairplay records 1': "
    with pytest.raises(RecordsError, match=f"{said}'fairplay records 1', 'fairplay records 2'"):
        Store.open(place)


# --- the command ---


def test_the_command_says_what_it_did(aged: Place) -> None:
    migrated = f"migrated {aged}: records from format 1 to 3, accounts from format 1 to 2"
    assert fairplay("records", "migrate", aged) == (0, migrated)
    assert fairplay("records", "migrate", aged) == (0, f"{aged} is in the format of this version already")


def test_commands_end_with_one_where_the_format_is_not_theirs(aged: Place) -> None:
    for command in (["records", "list", aged], ["serve", "--listen", "127.0.0.1:0", "--records", aged]):
        code, said = fairplay(*command)
        assert code == 1
        assert said.startswith(f"fairplay: the records in {aged} were written by an older version of Fairplay: run")
    say(aged, "fairplay records 4")
    code, said = fairplay("records", "migrate", aged)
    assert code == 1
    assert "were written by a newer version of Fairplay" in said
