"""Records that the first version of the store wrote: every later version opens them, and goes on with the store.

The files are never made anew. A store of another form comes with files of its own beside these.
"""

from __future__ import annotations

import asyncio
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from fairplay.games.game import registered
from fairplay.server.server import Config, Server
from fairplay.terminal.app import app
from tests.server.harness import plan

RECORDED = Path(__file__).parents[1] / "recorded"
FILE = RECORDED / "webset-1.fairplay"


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A copy of the store: a game of each kind, and a tournament with one more."""
    return Path(shutil.copytree(RECORDED / "store-1", tmp_path / "store"))


def plain(*arguments: object) -> Any:
    said = CliRunner().invoke(app, ["records", *map(str, arguments), "--json"])
    assert said.exit_code == 0, said.output
    return json.loads(said.stdout)


def test_a_kept_store_is_sound(store: Path) -> None:
    listed = plain("list", store)
    assert {record["game"] for record in listed if record["kind"] == "game"} >= set(registered())
    assert {record["kind"] for record in listed} == {"game", "tournament"}
    assert {record["status"] for record in listed} == {"finished"}
    assert CliRunner().invoke(app, ["records", "verify", str(store)]).stdout.endswith("7 records: 7 ok\n")


def test_a_kept_file_is_sound() -> None:
    assert CliRunner().invoke(app, ["records", "verify", str(FILE)]).exit_code == 0


async def test_a_server_goes_on_with_a_kept_store(store: Path) -> None:
    server = await Server.start(Config(records=store))
    [dead] = [game for game in map(server.referee.get, ids(store)) if game.plan.players[0].name == "dead"]
    assert [each.player for each in dead.result.misconducts] == ["dead"]
    await server.referee.play(plan("bot:first", "bot:greedy"), "new")
    await server.stop()
    verified = await asyncio.to_thread(CliRunner().invoke, app, ["records", "verify", str(store)])
    assert verified.stdout.endswith("8 records: 8 ok\n")


def ids(store: Path) -> list[str]:
    return [record["id"] for record in plain("list", store) if record["kind"] == "game"]
