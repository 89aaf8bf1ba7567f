"""Results as JSON, and the exit code of games and tournaments that nobody could play."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.terminal.running import Run

SOUND = ["-p", "bot:random", "-p", "bot:greedy"]
BROKEN = ["-p", "gone=exec:/no/such/program", "-p", "away=exec:false"]
BEGINNING = "nobody is left: gone in "


def result_of(fairplay: Run, *arguments: str, code: int = 0) -> Any:
    ran = fairplay(*arguments, "--json")
    assert ran.code == code, ran.err
    return json.loads(ran.out)


# --- a game ---


def test_the_result_of_a_game_holds_what_a_script_wants(fairplay: Run) -> None:
    seats = ["-p", "ann=bot:greedy", "-p", "bob=bot:first", "-p", "gone=exec:false"]
    result = result_of(fairplay, "game", "fish", *seats, "--seed", "7", "--records", "records")
    assert list(result) == ["gameId", "game", "seed", "status", "players", "failures", "aborted"]
    assert result["gameId"] in fairplay("records", "list", "records").out
    assert (result["game"], result["seed"], result["status"], result["aborted"]) == ("fish", 7, "finished", None)
    ann, bob, gone = result["players"]
    assert [each["seat"] for each in (ann, bob, gone)] == [0, 1, 2]
    assert (ann["name"], ann["link"], ann["place"]) == ("ann", "bot:greedy", 1)
    assert bob["place"] == 2
    assert ann["score"] > bob["score"]
    assert (gone["place"], gone["score"]) == (None, None)
    [failure] = result["failures"]
    assert (failure["player"], failure["seat"]) == ("gone", 2)
    assert isinstance(failure["callNumber"], int)
    assert failure["reason"] == "the player's process ended with exit code 1"


@pytest.mark.parametrize("command", ["game", "tournament"])
def test_where_nobody_is_left_the_command_fails_and_names_the_first_cause(fairplay: Run, command: str) -> None:
    ran = fairplay(command, "fish", *BROKEN, *(["--order", "given"] if command == "tournament" else []))
    assert ran.code == 1
    assert BEGINNING in ran.err
    assert ran.err.endswith("ended with exit code 127: cannot start /no/such/program: No such file or directory\n")
    assert len(ran.err.splitlines()) == 1


def test_a_league_in_which_nobody_finishes_a_game_fails_though_failures_are_allowed(fairplay: Run) -> None:
    ran = fairplay("tournament", "fish", *BROKEN, "--order", "given", "--format", "swiss rounds=1", "--json")
    assert ran.code == 1
    assert [each["withdrawn"] for each in json.loads(ran.out)["standings"]] == [False, False]
    assert ran.err.splitlines()[-1] == (
        "fairplay: nobody has finished a game: gone in Start (call 1): the player's process ended with exit code 127: "
        "cannot start /no/such/program: No such file or directory"
    )


@pytest.mark.parametrize("command", ["game", "tournament"])
def test_the_result_is_written_also_where_nobody_is_left(fairplay: Run, command: str) -> None:
    result = result_of(fairplay, command, "fish", *BROKEN, code=1)
    assert {failure["player"] for failure in result["failures"]} == {"gone", "away"}


# --- a tournament ---


def test_the_result_of_a_tournament_holds_rounds_games_ranking_and_failures(fairplay: Run) -> None:
    more = ["-p", "bot:first", "-p", "bot:first", "-p", "bot:minimax", "-p", "gone=exec:false"]
    result = result_of(fairplay, "tournament", "fish", *SOUND, *more, "--seed", "7")
    assert (result["game"], result["seed"], result["status"], result["cancelled"]) == ("fish", 7, "finished", None)
    names = {player["name"] for player in result["players"]}
    assert names == {"random", "greedy", "first", "first-2", "minimax", "gone"}
    assert len(result["rounds"]) == 2
    games = [game for round_ in result["rounds"] for game in round_["games"]]
    assert {game["gameId"].partition("/")[0] for game in games} == {result["tournamentId"]}
    assert all(isinstance(game["seed"], int) for game in games)
    assert all(isinstance(player["score"], int) for game in games for player in game["players"])
    [final] = result["rounds"][-1]["games"]
    best = {player["name"] for player in final["players"] if player["place"] == 1}
    assert {each["name"] for each in result["ranking"] if each["place"] == 1} == best
    assert {each["name"] for each in result["ranking"]} == names - {"gone"}
    [failure] = result["failures"]
    assert (failure["player"], failure["gameId"]) == ("gone", "")


def test_a_game_of_a_tournament_is_played_again_by_its_seed(fairplay: Run) -> None:
    settings = ["--plain", "--set", "random_fish=true"]
    cup = result_of(fairplay, "tournament", "fish", "-p", "bot:greedy", "-p", "bot:first", "--seed", "7", *settings)
    [[game]] = [round_["games"] for round_ in cup["rounds"]]
    seats = [word for player in game["players"] for word in ("-p", f"{player['name']}={player['link']}")]
    again = result_of(fairplay, "game", "fish", *seats, "--seed", str(game["seed"]), "--set", "random_fish=true")
    assert [player["score"] for player in again["players"]] == [player["score"] for player in game["players"]]


# --- what a tournament starts from ---


def names(result: Any) -> list[str]:
    return [player["name"] for player in result["players"]]


def test_the_seats_of_a_tournament_are_dealt_by_its_seed(fairplay: Run) -> None:
    cup = ["tournament", "q", *(word for name in "abcdef" for word in ("-p", f"{name}=bot:first"))]
    orders = [names(result_of(fairplay, *cup, "--seed", str(seed))) for seed in range(1, 5)]
    assert all(sorted(order) == list("abcdef") for order in orders)
    assert len(set(map(tuple, orders))) > 1
    assert names(result_of(fairplay, *cup, "--seed", "1")) == orders[0]
    assert names(result_of(fairplay, *cup, "--seed", "1", "--order", "given")) == list("abcdef")


def recorded_settings(fairplay: Run, *arguments: str) -> str:
    assert fairplay("tournament", "fish", *SOUND, *arguments, "--records", "records").code == 0
    [cup, *_] = json.loads(fairplay("records", "list", "records", "--json").out)[-1:]
    shown = fairplay("records", "show", "records", cup["id"]).out
    return next(line for line in shown.splitlines() if line.startswith("settings"))


@pytest.mark.parametrize(
    ("arguments", "there", "not_there"),
    [
        ([], ["random_fish: true"], []),
        (["--set", "rows=4", "--set", "columns=7"], ["random_fish: true", "rows: 4", "columns: 7"], []),
        (["--plain"], [], ["random_fish: true"]),
        (["--plain", "--set", "rows=4"], ["rows: 4"], ["random_fish: true"]),
        (["--settings", "settings.json"], ["rows: 4"], ["random_fish: true"]),
    ],
    ids=" ".join,
)
def test_a_tournament_starts_from_its_games_settings_for_tournaments(
    fairplay: Run, arguments: list[str], there: list[str], not_there: list[str]
) -> None:
    Path("settings.json").write_text('{"rows": 4}')
    settings = recorded_settings(fairplay, *arguments)
    assert all(words in settings for words in there), settings
    assert not any(words in settings for words in not_there), settings


# --- the demo ---


@pytest.mark.slow
def test_the_demo_shows_what_each_player_is_and_the_result_holds_its_link(fairplay: Run) -> None:
    ran = fairplay("demo", "--records", "records", "--json")
    assert ran.code == 0
    ranking = ran.err.partition("Ranking")[2].partition("Eliminated")[0]
    assert "strategy minimax, dials in" in ranking
    assert "broken: says-nothing" in ranking
    assert "exec:" not in ranking
    result = json.loads(ran.out)
    assert len(result["players"]) == 10
    assert all(player["link"].startswith("exec:") for player in result["players"])
    assert {failure["player"] for failure in result["failures"]} == {"Cheater", "Raiser", "Sleeper"}
