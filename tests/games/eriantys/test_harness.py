"""Eriantys for other people's test data: JSON forms, and the questions asked with them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as limits
from hypothesis import strategies as st

from fairplay.games.eriantys import rules
from fairplay.games.eriantys import testdata as harness
from fairplay.games.eriantys.rules import Phase, Settings
from tests.games.eriantys.tables import RED, YELLOW, states, table

EXPERT = {"mode": "expert", "characters": [1, 7, 10]}


def over_the_wire(value: Any) -> Any:
    return json.loads(json.dumps(value))


def begun(seed: int = 3) -> Any:
    """A game in its first planning phase."""
    fresh = over_the_wire(harness.fresh_game(seed, 2, EXPERT))
    white, black = ({"kind": "CHOOSE_TOWERS", "color": color} for color in ("WHITE", "BLACK"))
    return over_the_wire(harness.after(fresh, white, black))


def test_a_fresh_game_is_the_same_for_the_same_seed() -> None:
    assert harness.fresh_game(3, 2) == harness.fresh_game(3, 2)
    assert harness.fresh_game(3, 2) != harness.fresh_game(4, 2)


def test_a_round_is_played_in_json() -> None:
    game = begun()
    assert [action["value"] for action in harness.legal_actions(game)] == list(range(1, 11))
    game = harness.after(game, {"kind": "PLAY_ASSISTANT", "value": 2}, {"kind": "PLAY_ASSISTANT", "value": 9})
    kinds = {action["kind"] for action in harness.legal_actions(game)}
    assert kinds == {"TO_DINING_ROOM", "TO_ISLAND", "PLAY_CHARACTER"}
    while game["phase"] != "ASSISTANT":
        game = harness.after(game, harness.answer("first", game))
    assert game["round"] == 2


def test_a_broken_rule_is_named() -> None:
    game = begun()
    assert harness.broken_rule(game, {"kind": "TAKE_CLOUD", "cloud": 0}) == "eriantys.action.phase"
    assert harness.broken_rule(game, {"kind": "PLAY_ASSISTANT", "value": 11}) == "eriantys.assistant.range"
    assert harness.broken_rule(game, {"kind": "PLAY_ASSISTANT", "value": 10}) is None
    with pytest.raises(ValueError, match=r"eriantys\.action\.phase"):
        harness.after(game, {"kind": "END_TURN"})


def test_influence_can_be_asked_for() -> None:
    game = harness.write_state(table(held={1: "YELLOW2 RED"}, professors={YELLOW: 0, RED: 1}))
    assert harness.influences(game, 1) == [2, 1]
    with pytest.raises(ValueError, match="no island 12"):
        harness.influences(game, 12)


def test_a_player_sees_its_own_hand_only() -> None:
    seen = harness.seen(begun(), 1)
    assert seen["hands"] == [[0] * 10, list(range(1, 11))]
    assert seen["draw_state"] == 0


def test_the_result_of_an_elimination() -> None:
    game = over_the_wire(harness.after_elimination(begun(), 0))
    assert harness.result(game) == {"winners": [1], "ranking": [[1]], "scores": [0, 0], "reason": "LAST_SIDE"}
    assert harness.result(begun())["reason"] is None


@pytest.mark.parametrize("specs", [["first", "random"], ["random", "greedy", "first"], ["first"] * 4])
def test_a_whole_game_is_its_actions(specs: list[str]) -> None:
    played = over_the_wire(harness.play(5, specs, EXPERT))
    assert harness.play(5, specs, EXPERT) == played
    game = harness.fresh_game(5, len(specs), EXPERT)
    end = harness.after(over_the_wire(game), *played["actions"])
    assert harness.result(end) == {key: value for key, value in played.items() if key != "actions"}
    assert end["phase"] == "OVER"


@limits(deadline=None, max_examples=20)
@given(st.integers(0, 2**32), st.integers(2, 4))
def test_games_and_actions_survive_the_round_trip(seed: int, seats: int) -> None:
    for state in list(states(Settings(mode="expert"), seats, seed))[:: 7 + seed % 5]:
        assert harness.read_state(over_the_wire(harness.write_state(state))) == state
        for action in list(rules.legal(state))[:80]:
            assert harness.read_action(over_the_wire(harness.write_action(action))) == action


@pytest.mark.parametrize(
    ("jaction", "sentence"),
    [
        ([], "not an object"),
        ({}, "None is not one of"),
        ({"kind": "PASS"}, "'PASS' is not one of"),
        ({"kind": "TO_ISLAND", "color": "RED"}, "does not have what belongs"),
        ({"kind": "TO_DINING_ROOM", "color": "red"}, "'red' is not one of GREEN"),
        ({"kind": "MOVE_MOTHER_NATURE", "steps": "1"}, "whole number"),
        ({"kind": "MOVE_MOTHER_NATURE", "steps": True}, "whole number"),
        ({"kind": "PLAY_CHARACTER", "character": 7, "swaps": [["RED"]]}, "pair"),
    ],
)
def test_a_bad_action_is_refused(jaction: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        harness.read_action(jaction)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"bag": {"RED": 3}}, "students: there must be 26"),
        ({"bag": {"BROWN": 3}}, "'BROWN' is not one of"),
        ({"phase": "PAUSED"}, "'PAUSED' is not one of"),
        ({"groups": [{}]}, "this is not a game"),
        ({"clouds": None}, "this is not a game"),
        ({"towers": 8}, "list of numbers"),
        ({"settings": {"mode": "hard"}}, "mode"),
        ({"settings": {"colour": "red"}}, "no setting 'colour'"),
        ({"active": None}, "player that is to decide"),
    ],
)
def test_a_bad_game_is_refused(change: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        harness.read_state(begun() | change)


def test_every_part_of_a_game_is_needed() -> None:
    game = begun()
    for part in game:
        with pytest.raises(ValueError, match=part):
            harness.read_state({name: value for name, value in game.items() if name != part})


def test_a_state_in_mid_game_is_written_as_it_is() -> None:
    game = harness.write_state(table(held={1: "RED2"}, groups=[([3, 4], 1)], professors={RED: 1}))
    assert game["phase"] == Phase.MOTHER_NATURE.name
    assert game["professors"] == {"RED": 1}
    assert {"tiles": [3, 4], "students": {}, "tower": 1, "no_entry": 0} in game["groups"]
