"""A store says its format: one of another format is refused, with what to do about it, and stays as it is."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from typer.testing import CliRunner

from fairplay.server.records.accounts import AccountRow, AccountsDatabase
from fairplay.server.records.errors import RecordsError
from fairplay.server.records.formats import SMALL, opened
from fairplay.server.records.place import Place, at
from fairplay.server.records.secrets import SecretsDatabase
from fairplay.server.records.store import Store
from fairplay.terminal.commands.app import app


async def fill(place: Place) -> None:
    """Keep a record, an account, and a secret."""
    store = Store.open(place)
    store.begin("game", "going on", b"header", game="nim", start_time_ns=1)
    await store.close()
    with closing(AccountsDatabase(place)) as accounts, closing(SecretsDatabase(place)) as secrets:
        accounts.add_account(AccountRow("ann", "Ann", "operator"))
        secrets.add("going on", {"bob": "s3cret"})


@pytest.fixture
async def filled(place: Place) -> Place:
    await fill(place)
    return place


def say(place: Place, statement: str) -> None:
    """Change what the records of a place say of their format."""
    with place.writing() as engine, engine.begin() as connection:
        connection.execute(sa.text(statement))


def contents(place: Place) -> dict[str, list[Any]]:
    """Return the columns and rows of all tables of a place."""
    found: dict[str, list[Any]] = {}
    reading = place.reading()
    with reading.connect() as connection:
        found |= {f"records {name}": rows for name, rows in tables(connection)}
    reading.dispose()
    for part in SMALL:
        if place.has(part):
            with opened(place, part) as connection:
                found |= {f"{part} {name}": rows for name, rows in tables(connection)}
    return found


def tables(connection: sa.Connection) -> list[tuple[str, list[Any]]]:
    names = sorted(sa.inspect(connection).get_table_names())
    results = [(name, connection.execute(sa.text(f"SELECT * FROM {name} ORDER BY 1"))) for name in names]
    return [(name, [tuple(result.keys()), *map(tuple, result)]) for name, result in results]


async def test_a_store_of_a_newer_format_is_refused_and_stays_as_it_is(place: Place) -> None:
    await fill(place)
    say(place, "UPDATE fairplay_store SET format = 'fairplay records 99'")
    say(place, "ALTER TABLE chunks RENAME TO pieces")
    before = contents(place)
    said = (
        f"the records in {place} were written by a newer version of Fairplay: "
        "their format is 99, and this version reads formats up to 1"
    )
    for use in (Store.open, Store.read_only):
        with pytest.raises(RecordsError) as refused:
            use(place)
        assert str(refused.value) == said
    assert contents(place) == before


async def test_a_server_does_not_start_beside_accounts_of_a_newer_format(place: Place) -> None:
    await fill(place)
    with opened(place, "accounts") as connection:
        connection.execute(sa.text("DELETE FROM fairplay_store"))
        connection.execute(sa.text("INSERT INTO fairplay_store VALUES ('fairplay accounts 2')"))
    for use in (Store.open, AccountsDatabase):
        with pytest.raises(RecordsError, match=r"^the accounts in .* were written by a newer version of Fairplay: "):
            use(place)


@pytest.mark.parametrize("format_", ["fairplay records 0", "fairplay accounts 1", ""])
async def test_a_format_that_no_version_has_is_refused(format_: str, tmp_path: Path) -> None:
    place = at(tmp_path)
    await Store.open(place).close()
    say(place, f"UPDATE fairplay_store SET format = '{format_}'")
    said = f"the records in {place} have another format than 'fairplay records 1': {format_!r}"
    for use in (Store.open, Store.read_only):
        with pytest.raises(RecordsError) as refused:
            use(place)
        assert str(refused.value) == said


async def test_a_database_that_says_two_formats_is_refused(tmp_path: Path) -> None:
    place = at(tmp_path)
    await Store.open(place).close()
    say(place, "INSERT INTO fairplay_store VALUES ('fairplay records 2')")
    said = f"the records in {tmp_path} have another format than 'fairplay records 1': "
    with pytest.raises(RecordsError, match=f"{said}'fairplay records 1', 'fairplay records 2'"):
        Store.open(place)


@pytest.mark.parametrize("statement", ["DROP TABLE fairplay_store", "DELETE FROM fairplay_store"])
async def test_accounts_that_do_not_say_their_format_are_in_the_first_one(place: Place, statement: str) -> None:
    await fill(place)
    with opened(place, "accounts") as connection:
        connection.execute(sa.text(statement))
    with closing(AccountsDatabase(place)) as accounts:
        assert len(accounts.accounts()) == 1
    assert contents(place)["accounts fairplay_store"] == [("format",), ("fairplay accounts 1",)]


def test_commands_end_with_one_where_the_format_is_not_theirs(filled: Place) -> None:
    say(filled, "UPDATE fairplay_store SET format = 'fairplay records 4'")
    for command in (["records", "list", str(filled)], ["serve", "--listen", "127.0.0.1:0", "--records", str(filled)]):
        done = CliRunner().invoke(app, command)
        assert done.exit_code == 1
        said = " ".join(done.output.split())
        assert said.startswith(f"fairplay: the records in {filled} were written by a newer version of Fairplay: ")
