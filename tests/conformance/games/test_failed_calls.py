"""A call of the player under test that fails is misconduct, also in games that go on with a player that fails."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event
from typing import Any

import pytest

from fairplay.conformance.games.trial import Scenario, Trial
from fairplay.eriantys.v1 import eriantys_settings_pb2
from fairplay.games.conformance import Situation
from fairplay.games.game import find
from fairplay.server.links.link import duration
from fairplay.v1.misconduct_pb2 import MisconductKind
from fairplay.webset.v1 import webset_pb2
from tests.conformance.harness import raises, trial_of

SKIP_TURNS = eriantys_settings_pb2.Settings(on_disconnect=eriantys_settings_pb2.ON_DISCONNECT_SKIP_TURNS)
ROUNDS = webset_pb2.Settings(rounds=webset_pb2.ROUNDS_EARLIEST, window=duration(0.1))


def played(name: str, settings: Any, method: str, wrong: Callable[[Any], Any], decisions: int = 4) -> Trial:
    game = find(name)
    player: Any = game.player("random")
    player.quick = False
    setattr(player, method, wrong)
    situation = Situation(game.full_settings(settings), 2, 1, turn_count=decisions)
    return trial_of(game, player, Scenario("failing", situation, seed=1))


@pytest.mark.parametrize(
    "method", ["ask_assistant_card", "ask_action", "start_game", "update_game_board", "ask_tower_color"]
)
def test_an_exception_is_misconduct_although_the_game_skips_the_turns_of_a_player_that_fails(method: str) -> None:
    found = played("eriantys", SKIP_TURNS, method, lambda request: raises(lambda _: None, request))
    assert found.misconduct is not None
    assert found.misconduct.kind == MisconductKind.MISCONDUCT_KIND_EXCEPTION
    assert found.misconduct.method_name.rpartition("/")[2] == "".join(map(str.title, method.split("_")))


def test_no_answer_in_time_is_a_pass_where_the_rules_of_the_game_set_the_limit() -> None:
    released = Event()
    try:
        found = played("webset", ROUNDS, "pick_cards", lambda _: released.wait(60), decisions=2)
    finally:
        released.set()
    assert found.misconduct is None
    assert found.decision_count == 2


def test_an_exception_is_misconduct_there_as_well() -> None:
    found = played("webset", ROUNDS, "pick_cards", lambda request: raises(lambda _: None, request))
    assert found.misconduct is not None
    assert found.misconduct.kind == MisconductKind.MISCONDUCT_KIND_EXCEPTION
