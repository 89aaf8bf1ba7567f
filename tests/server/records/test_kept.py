"""Records that the first version of the store wrote: every later version opens them, and goes on with the store.

The files are never made anew. A store of another format comes with files of its own beside these: a directory, and what
`pg_dump --inserts --no-owner` says of a copy of it.
"""

from __future__ import annotations

import asyncio
import json
import shutil
from pathlib import Path
from typing import Any

import psycopg
import pytest
import sqlalchemy as sa
from typer.testing import CliRunner

from fairplay.games.game import registered
from fairplay.server.records.migrating import migrate
from fairplay.server.records.place import Place, at, parse_place
from fairplay.server.records.store import Store
from fairplay.server.server import Config, Server
from fairplay.terminal.app import app
from tests.postgresql import Cluster
from tests.server.harness import plan

RECORDED = Path(__file__).parents[1] / "recorded"
FILE = RECORDED / "webset-1.fairplay"


@pytest.fixture(params=["directory", pytest.param("postgresql", marks=pytest.mark.postgresql)])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    """A copy of the store, brought to the format of today: a game of each kind, and a tournament with one more."""
    if request.param == "directory":
        place = at(Path(shutil.copytree(RECORDED / "store-1", tmp_path / "store")))
    else:
        cluster: Cluster = request.getfixturevalue("cluster")
        url = cluster.new_database()
        with psycopg.connect(url) as connection:
            connection.execute((RECORDED / "store-1.sql").read_bytes())
        place = parse_place(url)
    migrate(place)
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


def ids(store: Place) -> list[str]:
    return [record["id"] for record in plain("list", store) if record["kind"] == "game"]


def tables(place: Place) -> dict[str, Any]:
    """Return the columns and indexes of all tables."""
    engine = place.reading()
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
