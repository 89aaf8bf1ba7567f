"""Games beside each other, call by call, and games that a player comes into after they have begun."""

from __future__ import annotations

from typing import Any

from fairplay.conformance.games.scenarios import OrdinaryGames, read_games, write_games
from fairplay.conformance.games.trial import Entry, Trial
from fairplay.games.conformance import FirstCall
from fairplay.games.game import find, registered
from tests.conformance.harness import Method, player, trial_of

FISH = find("fish")
FIRST_TURN = 5
"""The decision that is the first turn of a game of two, after the places of four penguins."""


# Games that have begun


def methods(found: Trial) -> list[str]:
    return [each.method.name for each in found.exchanges]


def test_a_player_comes_into_a_game_with_the_call_that_is_wanted() -> None:
    whole = methods(trial_of(FISH, FISH.player("first")))
    assert whole[:4] == ["PlayAs", "PlayWith", "Setup", "Setup"]
    assert methods(trial_of(FISH, FISH.player("first"), joins=FirstCall("PlayWith", 1)))[:2] == ["PlayWith", "Setup"]
    from_second_turn = methods(trial_of(FISH, FISH.player("first"), joins=FirstCall("TakeTurn", 2)))
    assert set(from_second_turn) == {"TakeTurn"}
    assert len(from_second_turn) < whole.count("TakeTurn")


def test_one_decision_is_asked_for_again_with_the_same_request() -> None:
    asked: list[bytes] = []

    def take_turn(sound: Method, request: Any) -> Any:
        asked.append(request.SerializeToString())
        return sound(request)

    scenario = OrdinaryGames(FISH, 7).scenario(0, 2)._replace(asked_again=FIRST_TURN + 1)
    found = trial_of(FISH, player(take_turn=take_turn), scenario)
    assert found.misconduct is None
    assert asked[1] == asked[2]
    assert len(asked) == len(set(asked)) + 1 == methods(found).count("TakeTurn") + 1


def test_any_call_of_any_game_may_be_the_first() -> None:
    for name in registered():
        game = find(name)
        for method in game.methods:
            found = trial_of(game, game.player("first"), seat=1, joins=FirstCall(method.name, 1))
            assert found.misconduct is None
            assert methods(found)[:1] in ([method.name], [])


def test_a_game_that_has_begun_can_be_written_down() -> None:
    games = OrdinaryGames(FISH, 7)
    scenario = games.scenario(1, 2)._replace(joins=FirstCall("TakeTurn", 3), asked_again=2)
    written = write_games(games, [Entry(lambda _: (), "", [scenario])])
    assert read_games(games, written) == [[scenario]]
