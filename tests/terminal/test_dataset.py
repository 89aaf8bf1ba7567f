"""Games exported as tables: what the rows say, of every game, and the files."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.json_format import ParseDict
from pyarrow import parquet
from typer.testing import CliRunner, Result

from fairplay.games.distribution import lacks_extra
from fairplay.games.game import find, registered
from fairplay.terminal.commands.app import app

PLAYERS = {
    "bazaar": (["random", "points"], ["pebbles_per_color=4", "cards_total=4"]),
    "eriantys": (["greedy", "random"], []),
    "fish": (["greedy", "random", "first"], ["rows=3", "columns=5"]),
    "q": (["random", "first"], ["copies_per_kind=1"]),
    "webset": (["first", "random"], ["aspects=3"]),
}
"""Game -> strategies and settings with which it is played."""


def fairplay(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def play(game: str, strategies: Sequence[str], settings: Sequence[str], place: Path) -> None:
    players = [part for name in strategies for part in ("-p", f"bot:{name}")]
    chosen = [part for setting in settings for part in ("--set", setting)]
    result = fairplay("game", game, *players, *chosen, "--seed", 1, "--records", place)
    assert result.exit_code == 0, result.output


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def first_placement(reply: dict[str, Any]) -> dict[str, Any]:
    """Return a reply in Q cut to its first placement, as legal ones are listed; any other reply as it is."""
    match reply:
        case {"action": {"extension": {"placements": [first, *_]}}}:
            return {"action": {"extension": {"placements": [first]}}}
    return reply


@pytest.fixture(scope="module")
def cup(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with a tournament of one game, and a game in which a player cannot be started."""
    place = tmp_path_factory.mktemp("cup")
    options = ["-p", "bot:greedy", "-p", "bot:first", "--seed", 1, "--records", place]
    assert fairplay("tournament", "fish", "--order", "given", *options).exit_code == 0
    assert fairplay("game", "fish", "-p", "dead=exec:false", *options).exit_code == 0
    return place


def test_every_game_is_tried() -> None:
    assert set(PLAYERS) == set(registered())


@pytest.mark.parametrize("name", PLAYERS)
def test_each_decision_was_among_the_replies_that_its_row_lists(name: str, tmp_path: Path) -> None:
    strategies, settings = PLAYERS[name]
    play(name, strategies, settings, tmp_path / "store")
    said = fairplay("records", "export", tmp_path / "store", "--format", "jsonl", "--legal", "-o", tmp_path)
    assert said.exit_code == 0, said.output
    [game], calls = rows(tmp_path / "games.jsonl"), rows(tmp_path / "calls.jsonl")
    assert game["status"] == "finished"
    assert game["players"] == strategies
    assert sorted(filter(None, game["ranks"]))[0] == 1
    assert game["call_count"] == len(calls)
    state_type = find(name).state_type
    for state in [game["final_state"], *(call["state"] for call in calls if call["state"] is not None)]:
        ParseDict(state, state_type())
    listed = [call for call in calls if call["legal_replies"] is not None]
    assert listed
    assert all(call["kind"] != "notification" for call in listed)
    for call in listed:
        if call["legal_reply_count"] == len(call["legal_replies"]) and call["reply"] is not None:
            assert first_placement(call["reply"]) in call["legal_replies"], call


def test_a_row_says_how_a_player_failed(cup: Path, tmp_path: Path) -> None:
    assert fairplay("records", "export", cup, "--format", "jsonl", "--all", tmp_path).exit_code == 0
    games = rows(tmp_path / "games.jsonl")
    assert len(games) == 2
    [game] = [game for game in games if game["tournament_id"] is None]
    assert game["players"] == ["dead", "greedy", "first"]
    assert game["ranks"][0] is None
    assert [(each["seat"], each["kind"]) for each in game["misconducts"]] == [(0, "exception")]
    calls = [call for call in rows(tmp_path / "calls.jsonl") if call["game_id"] == game["game_id"]]
    assert {call["failure"] for call in calls if call["seat"] == 0} == {"disconnected"}
    assert {call["failure"] for call in calls if call["seat"] != 0} == {None}
    assert "exec:" not in (tmp_path / "games.jsonl").read_text("utf-8")


def test_the_games_of_one_tournament_are_exported_by_its_id(cup: Path, tmp_path: Path) -> None:
    listed = json.loads(fairplay("records", "list", cup, "--json").stdout)
    [tournament] = [record["id"] for record in listed if record["kind"] == "tournament"]
    said = fairplay("records", "export", cup, tournament, "--format", "jsonl", "-o", tmp_path)
    assert said.stdout.startswith("1 game and ")
    assert [game["tournament_id"] for game in rows(tmp_path / "games.jsonl")] == [tournament]


def test_parquet_has_the_same_rows(cup: Path, tmp_path: Path) -> None:
    for form in ("jsonl", "parquet"):
        assert fairplay("records", "export", cup, "--format", form, "--all", tmp_path / form).exit_code == 0
    for table in ("games", "calls"):
        columnar = parquet.read_table(tmp_path / "parquet" / f"{table}.parquet").to_pylist()
        for row, line in zip(columnar, rows(tmp_path / "jsonl" / f"{table}.jsonl"), strict=True):
            for name, value in line.items():
                same = row[name].isoformat() if name.endswith("_time") else row[name]
                assert (json.loads(same) if isinstance(value, dict | list) and isinstance(same, str) else same) == value


def test_a_card_explains_every_column(cup: Path, tmp_path: Path) -> None:
    assert fairplay("records", "export", cup, "--format", "jsonl", "--legal", "--all", tmp_path).exit_code == 0
    card = (tmp_path / "README.md").read_text("utf-8")
    for table in ("games", "calls"):
        for column in rows(tmp_path / f"{table}.jsonl")[0]:
            assert f"| {column} |" in card


def test_a_damaged_game_is_named_and_the_others_are_exported(cup: Path, tmp_path: Path) -> None:
    listed = json.loads(fairplay("records", "list", cup, "--json").stdout)
    [game] = [each["id"] for each in listed if each["kind"] == "game" and each["tournament"] is None]
    path = tmp_path / "game.fairplay"
    fairplay("records", "export", cup, game, "-o", path)
    data = bytearray(path.read_bytes())
    data[data.rindex(b"/fairplay.") + 1] ^= 1  # the name of a method
    path.write_bytes(data)
    said = fairplay("records", "export", path, "--format", "jsonl", "-o", tmp_path / "tables")
    assert said.exit_code == 1
    assert "1 of 1 game could not be exported" in said.stderr
    assert rows(tmp_path / "tables" / "games.jsonl") == []


def test_a_table_that_cannot_be_written_is_named(cup: Path, tmp_path: Path) -> None:
    (tmp_path / "calls.jsonl").mkdir()
    said = fairplay("records", "export", cup, "--format", "jsonl", "--all", tmp_path)
    assert (said.exit_code, said.stderr) == (1, f"fairplay: cannot write {tmp_path / 'calls.jsonl'}: Is a directory\n")
    assert [path.name for path in tmp_path.iterdir()] == ["calls.jsonl"]


def test_options_that_make_no_sense(cup: Path) -> None:
    for options, sentence in [
        (["--format", "csv", "-o", "x"], "there is no format 'csv'; the formats are fairplay, jsonl, parquet"),
        (["--format", "jsonl"], "tables are several files: name a directory"),
        (["--legal", "-o", "x"], "--legal is a part of tables"),
    ]:
        said = fairplay("records", "export", cup, *options)
        assert said.exit_code == 2
        assert sentence in said.stderr


def test_without_pyarrow_the_extra_is_named(cup: Path, tmp_path: Path) -> None:
    without = "import sys; sys.modules['pyarrow'] = None; import fairplay.terminal; fairplay.terminal.main()"
    command = [sys.executable, "-c", without, "records", "export", str(cup), "--format", "parquet", "-o", str(tmp_path)]
    said = subprocess.run(command, capture_output=True, text=True, check=False)
    assert said.returncode == 2
    assert said.stderr == f"fairplay: {lacks_extra('--format parquet', 'data')}\n"
