"""Eriantys for other people's test data: the questions, with messages as JSON."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as limits
from hypothesis import strategies as st

from fairplay.games.eriantys import rules, testdata
from fairplay.games.eriantys.protocol import codec
from fairplay.games.eriantys.rules.state import Settings, State
from fairplay.games.kit.testdata import write_message
from tests.games.eriantys.tables import RED, YELLOW, states, table

EXPERT = {"mode": "MODE_EXPERT", "characters": [1, 7, 10]}
CHARACTERS = {"mode": "MODE_EXPERT"}


def over_the_wire(value: Any) -> Any:
    return json.loads(json.dumps(value))


def written(state: State) -> Any:
    return over_the_wire(write_message(codec.build_state(state)))


def begun(seed: int = 3) -> Any:
    """Return a game in its first planning phase."""
    fresh = over_the_wire(testdata.start(EXPERT, 2, seed))
    towers = [{"tower_color": f"TOWER_COLOR_{color}"} for color in ("WHITE", "BLACK")]
    return over_the_wire(testdata.apply(fresh, towers, EXPERT))


def planned(*values: int) -> list[Any]:
    return [{"assistant": value} for value in values]


def kinds(actions: Any) -> set[str]:
    """Return the kinds of actions of the action phase."""
    return {kind for action in actions for kind in action["action"]}


def test_a_round_is_played_in_json() -> None:
    game = begun()
    assert [action["assistant"] for action in testdata.legal(game, EXPERT)] == list(range(1, 11))
    game = testdata.apply(game, planned(2, 9), EXPERT)
    assert kinds(testdata.legal(game, EXPERT)) == {"to_dining_room", "to_island", "play_character"}
    while game["phase"] != "PHASE_ASSISTANT":
        game = testdata.apply(game, [testdata.step("first", game, EXPERT)], EXPERT)
    assert game["round"] == 2


def test_influence_can_be_asked_for() -> None:
    game = written(table(held={1: "YELLOW2 RED"}, professors={YELLOW: 0, RED: 1}))
    assert testdata.influences(game, 1) == [2, 1]
    with pytest.raises(ValueError, match="tile is 12: it must be 0 to 11"):
        testdata.influences(game, 12)


def test_a_player_sees_its_own_hand_only() -> None:
    seen = testdata.view(begun(), 1, EXPERT)
    assert seen["hands"] == [0] * 10 + list(range(1, 11))
    assert set(seen["draw_state"]) == {"A", "="}  # zeros


def test_the_result_of_an_elimination() -> None:
    game = over_the_wire(testdata.eliminate(begun(), 0, EXPERT))
    expected = {"winners": [1], "ranking": [[1]], "scores": [0, 0], "reason": "LAST_SIDE"}
    assert testdata.result(game, EXPERT) == expected
    assert testdata.result(begun(), EXPERT)["reason"] is None


STRATEGIES = [["first", "random"], ["random", "greedy", "first"], ["first"] * 4]


@pytest.mark.parametrize("specs", STRATEGIES)
def test_a_whole_game_is_its_actions(specs: list[str]) -> None:
    game = over_the_wire(testdata.start(EXPERT, len(specs), 5))
    actions = over_the_wire(testdata.actions(game, specs, EXPERT))
    assert testdata.actions(game, specs, EXPERT) == actions
    end = testdata.apply(game, actions, EXPERT)
    assert end["phase"] == "PHASE_OVER"
    actors = [[f"P{seat}", spec] for seat, spec in enumerate(specs)]
    if len(specs) < 4:  # partners that choose no towers are asked in another order
        assert testdata.game(game, actors, EXPERT) == testdata.result(end, EXPERT) | {"changes": []}


def test_a_plan_is_the_rest_of_a_turn() -> None:
    game = testdata.apply(begun(), planned(2, 9), EXPERT)
    seat = game["active_seat"]
    actions = testdata.plan("greedy", game, EXPERT)
    assert kinds(actions) >= {"move_mother_nature", "take_cloud"}
    after = testdata.apply(game, actions, EXPERT)
    assert (after["active_seat"], after["phase"]) == (1 - seat, "PHASE_STUDENTS")
    assert testdata.apply(game, actions[:-1], EXPERT)["active_seat"] == seat
    assert testdata.plan("greedy", testdata.apply(game, actions[:2], EXPERT), EXPERT) == actions[2:]
    assert ["assistant" in action for action in testdata.plan("best", begun(), EXPERT)] == [True]
    with pytest.raises(ValueError, match="The game is over"):
        testdata.plan("first", testdata.eliminate(game, 0, EXPERT), EXPERT)


SKIP = {"on_disconnect": "ON_DISCONNECT_SKIP_TURNS"}


def test_after_a_disconnection_the_settings_decide() -> None:
    game = testdata.start(SKIP, 3, 3)
    standings = [f"STANDING_{name}" for name in ("PLAYING", "AWAY", "PLAYING")]
    assert testdata.disconnect(game, 1, SKIP)["standings"] == standings
    assert testdata.disconnect(testdata.start({}, 3), 1)["end_reason"] == "REASON_DISCONNECTED"


@limits(deadline=None, max_examples=20)
@given(st.integers(0, 2**32), st.integers(2, 4))
def test_games_and_actions_survive_the_round_trip(seed: int, seats: int) -> None:
    for state in list(states(Settings(mode="expert"), seats, seed))[:: 7 + seed % 5]:
        game = written(state)
        assert testdata.apply(game, [], CHARACTERS) == game
        for action, listed in list(zip(rules.legal(state), testdata.legal(game, CHARACTERS), strict=True))[:40:7]:
            assert testdata.apply(game, [listed], CHARACTERS) == written(rules.apply(state, action))


@pytest.mark.parametrize(
    ("action", "sentence"), [({"pass": True}, 'no field named "pass"'), ([7], "action is .7.: it must be an object")]
)
def test_a_bad_action_is_refused(action: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        testdata.refusal(begun(), action, EXPERT)
