"""`fairplay game`, `tournament`, `games`, `formats` and `demo`: what they say, and where."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fairplay.client.inputs import parse_players
from fairplay.formats import format as formats
from fairplay.games.game import find, registered
from fairplay.v1.tournament_pb2 import TournamentFormat
from tests.slow import SLOW
from tests.terminal.running import Run, done

NOT_CHOSEN = {"unplayed_enter"}
"""What the server alone writes into plans."""
GAME = ["game", "fish", "-p", "bot:random", "-p", "bot:greedy", "--seed", "5"]
CUP = ["tournament", "fish", "-p", "bot:first", "-p", "bot:greedy", "-p", "bot:random", "--seed", "5"]


def scores(result: Any) -> list[tuple[str, int | None]]:
    return [(player["name"], player["score"]) for player in result["players"]]


# --json


@pytest.mark.parametrize(
    "arguments",
    [
        [*GAME, "--json"],
        [*GAME[:2], "--json", "-", *GAME[2:]],
        [GAME[0], "--json=-", "--set", "rows=5", *GAME[1:]],
        [GAME[0], "--json", "--set", "rows=5", *GAME[1:]],
    ],
    ids=" ".join,
)
def test_json_is_all_that_is_printed_and_people_read_the_rest_elsewhere(fairplay: Run, arguments: list[str]) -> None:
    ran = fairplay(*arguments)
    assert ran.code == 0
    assert {name for name, _ in scores(json.loads(ran.out))} == {"random", "greedy"}
    assert ran.err.startswith("Fish, seed 5: ")


def test_json_goes_to_a_file_and_what_people_read_is_printed(fairplay: Run) -> None:
    out = done(fairplay(*GAME, "--json", "result.json"))
    assert out.startswith("Fish, seed 5: ")
    assert scores(json.loads(Path("result.json").read_text())) == scores(json.loads(fairplay(*GAME, "--json").out))


# Settings and states


def test_settings_come_from_a_file_and_from_options_on_top(fairplay: Run) -> None:
    Path("settings.json").write_text('{"rows": 4, "columns": 4, "loneSurvivor": "LONE_SURVIVOR_STOP"}')
    chosen = ["--settings", "settings.json", "--set", "columns=6", "--set", "lone_survivor=play-on"]
    done(fairplay(*GAME, *chosen, "--set", "random_fish=true", "--records", "records"))
    shown = done(fairplay("records", "show", "records"))
    settings = next(line for line in shown.splitlines() if line.startswith("settings"))
    for words in ("rows: 4", "columns: 6", "random_fish: true", "lone_survivor: LONE_SURVIVOR_PLAY_ON"):
        assert words in settings


def test_durations_and_lists_are_settings_too(fairplay: Run) -> None:
    for game, given, recorded in [
        ("webset", "window=500ms", "nanos: 500000000"),
        ("webset", "window=2", "seconds: 2"),
        ("eriantys", "characters=1,2,3", "characters: [1, 2, 3]"),
        ("eriantys", "characters=[4,5,6]", "characters: [4, 5, 6]"),
    ]:
        expert = ["--set", "mode=expert"] if game == "eriantys" else []
        bots = ["-p", "bot:first", "-p", "bot:first", "--seed", "1", "--records", given]
        done(fairplay("game", game, *bots, *expert, "--set", given))
        assert recorded in " ".join(done(fairplay("records", "show", given)).split())


def test_a_setting_that_cannot_be_read_is_refused_in_one_sentence(fairplay: Run) -> None:
    for given in ["window=soon", "window=-1s", "handicap=1,x"]:
        ran = fairplay("game", "webset", "-p", "bot:first", "-p", "bot:first", "--set", given)
        assert ran.code == 2
        assert given.partition("=")[0] in ran.err
        assert len(ran.err.splitlines()) == 1


def test_a_game_goes_on_from_a_recorded_state_to_the_same_end(fairplay: Run) -> None:
    ended = json.loads(fairplay(*GAME, "--records", "records", "--json").out)
    (record,) = json.loads(done(fairplay("records", "list", "records", "--json")))
    for entry in range(12, record["entries"], 4):  # from when all penguins are placed
        state = done(fairplay("records", "show", "records", "--state-at", str(entry)))
        Path("state.json").write_text(state)
        first = json.loads(state)["players"][0]["color"]
        names = ["random", "greedy"] if first == "COLOR_RED" else ["greedy", "random"]
        seats = [word for name in names for word in ("-p", f"bot:{name}")]
        ran = fairplay("game", "fish", *seats, "--state", "state.json", "--json")
        assert ran.code == 0
        assert sorted(scores(json.loads(ran.out))) == sorted(scores(ended))


def test_a_state_is_played_by_as_many_as_are_in_it(fairplay: Run) -> None:
    fairplay(*GAME, "--records", "records")
    Path("state.json").write_text(done(fairplay("records", "show", "records", "--state-at", "12")))
    ran = fairplay(*GAME, "-p", "bot:first", "--state", "state.json")
    assert (ran.code, ran.err) == (2, "fairplay: the state has 2 players, but 3 are named\n")


# Players


def test_players_without_a_name_are_called_after_their_link() -> None:
    for specs, names in [
        (["bot:minimax", "bot:minimax:depth=2", "bot:minimax"], ["minimax", "minimax-2", "minimax-3"]),
        (["x=bot:first", "bot:first"], ["x", "first"]),
        (["first=bot:random", "bot:first"], ["first", "first-2"]),
        (["exec:./my-player", "exec:bin/run.sh"], ["my-player", "run"]),
        (["dial-in:ann", "grpc://host:50051"], ["ann", "host-50051"]),
        (["me=exec:./run a=b", "exec:./run"], ["me", "run"]),
    ]:
        assert [player.name for player in parse_players(specs)] == names


def test_one_who_fails_is_named_with_the_call_and_the_reason(fairplay: Run) -> None:
    ran = fairplay("game", "fish", "-p", "gone=exec:false", "-p", "bot:first", "--seed", "1")
    assert ran.code == 0
    assert "✗ gone in PlayAs (call 1): the player's process ended with exit code 1" in ran.out
    assert ran.out.startswith("Fish, seed 1: first ")


def test_a_tournament_shows_bracket_ranking_and_who_is_out(fairplay: Run) -> None:
    out = done(fairplay(*CUP, "-p", "gone=exec:false"))
    assert "Round 1: 1 game" in out
    assert "✗ gone in Start (call 4)" in out
    words = [[cell.strip() for cell in line.split("│")[1:-1]] for line in out.splitlines()]
    assert ["out", "gone", "failed in Start", "exec:false"] in words
    [winner] = [cells[1] for cells in words if cells[:1] == ["winner"]]
    assert ["winner", winner, "won round 1", f"bot:{winner}"] in words
    assert any(cells[:3] == ["gone", "tournament", "Start, call 4"] for cells in words)


def test_who_has_won_is_said_however_long_the_commands_of_the_players_are(fairplay: Run) -> None:
    long = f"exec:{'/long' * 60}/player"
    out = done(fairplay(*CUP, "-p", f"long={long}"))
    assert "winner" in out
    assert "│ out" in out


# Games


def test_games_lists_all_that_are_installed_and_shows_one_with_its_rules(fairplay: Run) -> None:
    assert [game["name"] for game in json.loads(done(fairplay("games", "--json")))] == list(registered())
    fish = json.loads(done(fairplay("games", "fish", "--json")))
    assert fish["settings"]["rows"] == 5
    assert list(fish["strategies"]) == ["first", "random", "greedy", "minimax", "best"]
    assert "fish.move.straight-line" in fish["rules"]
    assert "fish.move.straight-line" in done(fairplay("games", "fish"))


def test_a_game_explains_each_setting_with_its_range_its_default_and_that_of_tournaments(fairplay: Run) -> None:
    lines = [line.split() for line in done(fairplay("games", "fish")).splitlines()]
    [rows] = [line for line in lines if line[:1] == ["rows"]]
    fish = find("fish")
    [setting] = [setting for setting in fish.settings if setting.name == "rows"]
    assert rows[1] == setting.default
    sentence = " ".join(rows[2:])
    assert sentence.startswith(f"{setting.meaning.rstrip('.')}: {setting.allowed}.")
    described = json.loads(done(fairplay("games", "fish", "--json")))
    assert described["settingDetails"][0] == {**setting._asdict(), "limits": [1, 25]}
    assert sentence.endswith(f"In tournaments {described['tournamentSettings']['rows']}.")


def test_every_setting_of_every_game_is_explained(fairplay: Run) -> None:
    for name in registered():
        game = find(name)
        assert [setting.name for setting in game.settings] == [
            field.name for field in game.settings_type.DESCRIPTOR.fields
        ]
        for setting in game.settings:
            assert setting.name in done(fairplay("games", name))


# Formats


def test_formats_lists_all_that_are_installed_with_their_settings(fairplay: Run) -> None:
    described = json.loads(done(fairplay("formats", "--json")))
    assert [each["name"] for each in described] == list(formats.registered())
    shown = done(fairplay("formats"))
    for each in described:
        assert f"{each['name']}  " in shown
        message = getattr(TournamentFormat(), each["name"].replace("-", "_"))
        names = {setting["name"] for setting in each["settings"]}
        assert names == {field.name for field in message.DESCRIPTOR.fields} - NOT_CHOSEN
        assert all(name in done(fairplay("formats", each["name"])) for name in names)


def test_a_format_that_there_is_not_is_a_usage_error(fairplay: Run) -> None:
    ran = fairplay("formats", "swis")
    assert ran.code == 2
    assert "there is no format 'swis'; the formats are double-elimination, gauntlet" in ran.err


@SLOW  # the suite is run on a program
def test_a_tournament_examines_its_players_and_leaves_out_who_fails(fairplay: Run) -> None:
    out = done(fairplay(*CUP, "-p", "gone=exec:false", "--examine"))
    assert "Examining 4 players" in out
    assert "gone refused: contract.reachable: FAIL: The player cannot be reached" in out
    assert "bot-first passed" in out or "first passed" in out
    assert "3 players" in out


def test_an_order_that_is_given_does_not_go_with_examinations(fairplay: Run) -> None:
    ran = fairplay(*CUP, "--examine", "--order", "given")
    assert (ran.code, ran.out) == (2, "")
    assert "--examine lets players in as they pass" in ran.err
