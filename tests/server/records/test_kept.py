"""Records that the first version of the store wrote: every later version opens them, and goes on with the store.

The files are never made anew. A store of another format comes with files of its own beside these: a directory, and what
`pg_dump --inserts --no-owner` says of a copy of it; accounts, certifications and secrets, as what `.dump` of sqlite3
says of them.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
import pytest
import sqlalchemy as sa
from typer.testing import CliRunner

from fairplay.games.game import registered
from fairplay.server.records import database, formats
from fairplay.server.records.accounts import AccountRow, AccountsDatabase, InvitationRow, TokenRow
from fairplay.server.records.certifications import CertificationRow, CertificationsDatabase
from fairplay.server.records.errors import RecordExists
from fairplay.server.records.formats import SMALL
from fairplay.server.records.place import Place, at, parse_place
from fairplay.server.records.secrets import SecretsDatabase
from fairplay.server.records.store import Store
from fairplay.server.server import Config, Server
from fairplay.terminal.commands.app import app
from fairplay.v1.certification_pb2 import Certification
from tests.postgresql import Cluster
from tests.server.harness import plan

RECORDED = Path(__file__).parents[1] / "recorded"
FILE = RECORDED / "webset-1.fairplay"


@pytest.fixture(params=["directory", pytest.param("postgresql", marks=pytest.mark.postgresql)])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    """A copy of the store: a game of each kind, and a tournament with one more."""
    if request.param == "directory":
        place = at(Path(shutil.copytree(RECORDED / "store-1", tmp_path / "store")))
    else:
        cluster: Cluster = request.getfixturevalue("cluster")
        url = cluster.new_database()
        with psycopg.connect(url) as connection:
            connection.execute((RECORDED / "store-1.sql").read_bytes())
        place = parse_place(url)
    return place


def plain(*arguments: object) -> Any:
    said = CliRunner().invoke(app, ["records", *map(str, arguments), "--json"])
    assert said.exit_code == 0, said.output
    return json.loads(said.stdout)


def test_a_kept_store_is_sound(store: Place) -> None:
    listed = plain("list", store)
    assert {record["game"] for record in listed if record["kind"] == "game"} >= set(registered())
    assert {record["kind"] for record in listed} == {"game", "tournament"}
    assert {record["status"] for record in listed} == {"finished"}
    assert CliRunner().invoke(app, ["records", "verify", str(store)]).stdout.endswith("7 records: 7 ok\n")


def test_a_kept_file_is_sound() -> None:
    assert CliRunner().invoke(app, ["records", "verify", str(FILE)]).exit_code == 0


async def test_a_kept_store_has_the_tables_of_a_new_one(
    store: Place, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    new = at(tmp_path / "new")
    if not store.folders:
        new = parse_place(request.getfixturevalue("cluster").new_database())
    await Store.open(new).close()
    assert tables(store) == tables(new)


async def test_a_server_goes_on_with_a_kept_store(store: Place) -> None:
    server = await Server.start(Config(records=store))
    [dead] = [game for game in map(server.referee.get, ids(store)) if game.plan.players[0].name == "dead"]
    assert [each.player for each in dead.result.misconducts] == ["dead"]
    await server.referee.play(plan("bot:first", "bot:greedy"), "new")
    await server.stop()
    verified = await asyncio.to_thread(CliRunner().invoke, app, ["records", "verify", str(store)])
    assert verified.stdout.endswith("8 records: 8 ok\n")


@pytest.fixture
def small(tmp_path: Path) -> Place:
    """A place with accounts, certifications and secrets."""
    place = at(tmp_path / "small")
    with place.writing() as engine, engine.begin() as connection:
        formats.prepare(connection, database.PART, database.TABLES, place)
    for part in SMALL:
        with closing(sqlite3.connect(tmp_path / "small" / f"{part}.sqlite")) as kept:
            kept.executescript((RECORDED / f"{part}-1.sql").read_text("utf-8"))
    return place


def test_kept_small_databases_are_what_they_were(small: Place) -> None:
    digests = [bytes(range(start, start + 32)) for start in (0, 32, 64, 96)]
    with closing(AccountsDatabase(small)) as accounts:
        assert accounts.version() >= 11
        assert accounts.accounts() == [
            AccountRow("ann", "Ann", "operator", "ann's laptop"),
            AccountRow("bob", "Bob", "player", ""),
        ]
        with pytest.raises(RecordExists):
            accounts.add_account(AccountRow("cy", "Cy", "player"))
        assert accounts.tokens() == [
            TokenRow("0a1b2c3d", digests[0], "ann", None),
            TokenRow("4e5f6a7b", digests[1], "bob", 1_900_000_000),
        ]
        assert accounts.invitations() == [
            InvitationRow("11223344", digests[3], "player", 1, None),
            InvitationRow("8c9d0e1f", digests[2], "organiser", 3, 1_900_000_000),
        ]
        assert accounts.owners() == {("game", "g1"): "ann", ("game", "g2"): "ann", ("tournament", "t"): "bob"}
    with closing(SecretsDatabase(small)) as secrets:
        assert secrets.all() == {("g1", "ann"): "s3cret", ("g1", "bob"): "other"}
    with closing(CertificationsDatabase(small)) as certifications:
        rows = certifications.all()
        assert [(row.number, row.account) for row in rows] == [(1, "bob"), (2, "")]
        assert [Certification.FromString(row.message).name for row in rows] == ["ann", "cy"]
        assert certifications.report(1, "junit.xml") == b"<x/>"
        assert certifications.report(2, "junit.xml") is None


def test_kept_small_databases_have_the_tables_of_new_ones(small: Place, tmp_path: Path) -> None:
    new = at(tmp_path / "new")
    AccountsDatabase(new).close()
    with closing(SecretsDatabase(new)) as secrets:
        secrets.add("g", {"ann": "s3cret"})
    with closing(CertificationsDatabase(new)) as certifications:
        certifications.put(CertificationRow(1, "", b""))
    for part in SMALL:
        assert describe(small.small(part)) == describe(new.small(part))


def ids(store: Place) -> list[str]:
    return [record["id"] for record in plain("list", store) if record["kind"] == "game"]


def tables(place: Place) -> dict[str, Any]:
    """Return the columns and indexes of all tables of the records."""
    return describe(place.reading())


def describe(engine: sa.Engine) -> dict[str, Any]:
    inspected = sa.inspect(engine)
    found = {
        name: (
            sorted((column["name"], str(column["type"]), column["nullable"]) for column in inspected.get_columns(name)),
            inspected.get_pk_constraint(name)["constrained_columns"],
            sorted(each["column_names"] for each in inspected.get_unique_constraints(name)),
            sorted((str(index["name"]), index["column_names"]) for index in inspected.get_indexes(name)),
        )
        for name in inspected.get_table_names()
    }
    engine.dispose()
    return found
