"""Eriantys for other people's test data: JSON forms, and the questions asked with them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as limits
from hypothesis import strategies as st

from fairplay.games.eriantys import rules, testdata
from fairplay.games.eriantys.probes import CONFORMANCE
from fairplay.games.eriantys.rules.state import Phase, Settings
from fairplay.games.eriantys.testdata import forms
from tests.games.eriantys.tables import RED, YELLOW, states, table

EXPERT = {"mode": "expert", "characters": [1, 7, 10]}


def over_the_wire(value: Any) -> Any:
    return json.loads(json.dumps(value))


def begun(seed: int = 3) -> Any:
    """Return a game in its first planning phase."""
    fresh = over_the_wire(testdata.start(EXPERT, 2, seed))
    white, black = ({"kind": "CHOOSE_TOWERS", "color": color} for color in ("WHITE", "BLACK"))
    return over_the_wire(testdata.apply(fresh, [white, black]))


def test_a_fresh_game_is_the_same_for_the_same_seed() -> None:
    assert testdata.start({}, 2, 3) == testdata.start({}, 2, 3)
    assert testdata.start({}, 2, 3) != testdata.start({}, 2, 4)


def test_a_round_is_played_in_json() -> None:
    game = begun()
    assert [action["value"] for action in testdata.legal(game)] == list(range(1, 11))
    game = testdata.apply(game, [{"kind": "PLAY_ASSISTANT", "value": value} for value in (2, 9)])
    kinds = {action["kind"] for action in testdata.legal(game)}
    assert kinds == {"TO_DINING_ROOM", "TO_ISLAND", "PLAY_CHARACTER"}
    while game["phase"] != "ASSISTANT":
        game = testdata.apply(game, [testdata.step("first", game)])
    assert game["round"] == 2


def test_a_broken_rule_is_named() -> None:
    game = begun()
    assert testdata.refusal(game, {"kind": "TAKE_CLOUD", "cloud": 0}) == "eriantys.action.phase"
    assert testdata.refusal(game, {"kind": "PLAY_ASSISTANT", "value": 11}) == "eriantys.assistant.range"
    assert testdata.refusal(game, {"kind": "PLAY_ASSISTANT", "value": 10}) is None
    with pytest.raises(ValueError, match=r"eriantys\.action\.phase"):
        testdata.apply(game, [{"kind": "END_TURN"}])


def test_influence_can_be_asked_for() -> None:
    game = forms.write_state(table(held={1: "YELLOW2 RED"}, professors={YELLOW: 0, RED: 1}))
    assert testdata.influences(game, 1) == [2, 1]
    with pytest.raises(ValueError, match="tile is 12: it must be 0 to 11"):
        testdata.influences(game, 12)


def test_a_player_sees_its_own_hand_only() -> None:
    seen = testdata.view(begun(), 1)
    assert seen["hands"] == [[0] * 10, list(range(1, 11))]
    assert seen["draw_state"] == 0


def test_the_result_of_an_elimination() -> None:
    game = over_the_wire(testdata.eliminate(begun(), 0))
    assert testdata.result(game) == {"winners": [1], "ranking": [[1]], "scores": [0, 0], "reason": "LAST_SIDE"}
    assert testdata.result(begun())["reason"] is None


STRATEGIES = [["first", "random"], ["random", "greedy", "first"], ["first"] * 4]


@pytest.mark.parametrize("specs", STRATEGIES)
def test_a_whole_game_is_its_actions(specs: list[str]) -> None:
    game = over_the_wire(testdata.start(EXPERT, len(specs), 5))
    actions = over_the_wire(testdata.actions(game, specs))
    assert testdata.actions(game, specs) == actions
    end = testdata.apply(game, actions)
    assert end["phase"] == "OVER"
    actors = [[f"P{seat}", spec] for seat, spec in enumerate(specs)]
    if len(specs) < 4:  # partners that choose no towers are asked in another order
        assert testdata.game(game, actors) == testdata.result(end) | {"changes": []}


def test_a_plan_is_the_rest_of_a_turn() -> None:
    game = testdata.apply(begun(), [{"kind": "PLAY_ASSISTANT", "value": value} for value in (2, 9)])
    seat = game["active"]
    actions = testdata.plan("greedy", game)
    assert {action["kind"] for action in actions} >= {"MOVE_MOTHER_NATURE", "TAKE_CLOUD"}
    after = testdata.apply(game, actions)
    assert (after["active"], after["phase"]) == (1 - seat, "STUDENTS")
    assert testdata.apply(game, actions[:-1])["active"] == seat
    assert testdata.plan("greedy", testdata.apply(game, actions[:2])) == actions[2:]
    assert [action["kind"] for action in testdata.plan("best", begun())] == ["PLAY_ASSISTANT"]
    with pytest.raises(ValueError, match="The game is over"):
        testdata.plan("first", testdata.eliminate(game, 0))


ELIMINATE, SKIP = {"on_disconnect": "eliminate"}, {"on_disconnect": "skip_turns"}


@pytest.mark.parametrize(
    ("settings", "script", "reason", "changes"),
    [
        ({}, ["ask-tower-color"], "DISCONNECTED", [(1, 0, "OUT")]),
        ({}, ["ask-assistant-card", 3], "DISCONNECTED", [(1, 3, "OUT")]),
        (ELIMINATE, ["ask-action"], "LAST_TOWER", [(1, 1, "OUT")]),
        (SKIP, ["ask-action"], "LAST_TOWER", [(1, 1, "AWAY"), (1, 2, "IN"), (1, 2, "AWAY"), (1, 3, "IN")]),
        (SKIP, ["show-end-game"], "BAG_EMPTY", [(1, 8, "FAILED")]),
        ({}, ["a cheat", "plays-no-assistant"], "LAST_ASSISTANT", [(1, 1, "OUT")]),
    ],
    ids=["lost at once", "hangs later", "eliminated", "comes back", "lost at the end", "cheats"],
)
def test_who_leaves_a_game_and_when(
    settings: dict[str, Any], script: list[Any], reason: str, changes: list[tuple[int, int, str]]
) -> None:
    actors = [["Ann", "first"], ["Bob", "first", *script], ["Cat", "first"]]
    played = testdata.game(testdata.start(settings, 3, 5), actors)
    assert played["reason"] == reason
    found = [(change["seat"], change["round"], change["standing"]) for change in played["changes"]]
    assert found[: len(changes)] == changes


def test_after_a_disconnection_the_settings_decide() -> None:
    game = testdata.start(SKIP, 3, 3)
    assert testdata.disconnect(game, 1)["standings"] == ["IN", "AWAY", "IN"]
    assert testdata.disconnect(testdata.start({}, 3), 1)["reason"] == "DISCONNECTED"


def test_every_mutant_is_a_cheat() -> None:
    game = testdata.start(ELIMINATE, 2, 5)
    for mutation in CONFORMANCE.mutations[::9]:
        testdata.game(game, [["Ann", "first", "a cheat", mutation.name], ["Bob", "first"]])
    with pytest.raises(ValueError, match="actors\\[0\\]\\[3\\] is 'sleeps'"):
        testdata.game(game, [["Ann", "first", "a cheat", "sleeps"], ["Bob", "first"]])


@limits(deadline=None, max_examples=20)
@given(st.integers(0, 2**32), st.integers(2, 4))
def test_games_and_actions_survive_the_round_trip(seed: int, seats: int) -> None:
    for state in list(states(Settings(mode="expert"), seats, seed))[:: 7 + seed % 5]:
        assert forms.read_state(over_the_wire(forms.write_state(state))) == state
        for action in list(rules.legal(state))[:80]:
            assert forms.read_action(over_the_wire(forms.write_action(action))) == action


@pytest.mark.parametrize(
    ("jaction", "sentence"),
    [
        ({"kind": "PASS"}, "kind is 'PASS': it must be one of"),
        ({"kind": "PLAY_CHARACTER", "character": 7, "swaps": [["RED"]]}, "swap has 1 values: it must have 2"),
    ],
)
def test_a_bad_action_is_refused(jaction: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        forms.read_action(jaction)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"bag": {"BROWN": 3}}, "colour is 'BROWN': it must be one of"),
        ({"towers": 8}, "towers is 8: it must be an array"),
        ({"active": None}, "player that is to decide"),
    ],
)
def test_a_bad_game_is_refused(change: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        forms.read_state(begun() | change)


def test_every_part_of_a_game_is_needed() -> None:
    game = begun()
    for part in game:
        with pytest.raises(ValueError, match=part):
            forms.read_state({name: value for name, value in game.items() if name != part})


def test_a_state_in_mid_game_is_written_as_it_is() -> None:
    game = forms.write_state(table(held={1: "RED2"}, groups=[([3, 4], 1)], professors={RED: 1}))
    assert game["phase"] == Phase.MOTHER_NATURE.name
    assert game["professors"] == {"RED": 1}
    assert {"tiles": [3, 4], "students": {}, "tower": 1, "no_entry": 0} in game["groups"]
