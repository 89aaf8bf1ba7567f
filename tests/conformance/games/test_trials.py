"""Games with the player under test: names and ids, failed calls, infractions, rivals that leave."""

from __future__ import annotations

import re
from collections.abc import Callable
from threading import Event
from typing import Any

import pytest

from fairplay.certificate import Verdict
from fairplay.conformance.evidence import without_ids
from fairplay.conformance.games.rivals import Departure
from fairplay.conformance.games.trial import MAX_INFRACTIONS, Scenario, Trial
from fairplay.conformance.player.names import new_game_id, new_tournament_id
from fairplay.conformance.run.engine import run
from fairplay.conformance.run.options import Options
from fairplay.conformance.run.report import Report
from fairplay.eriantys.v1 import eriantys_settings_pb2
from fairplay.games.conformance import Situation
from fairplay.games.game import find, registered
from fairplay.server.links.link import duration
from fairplay.v1.misconduct_pb2 import MisconductKind
from fairplay.webset.v1 import webset_pb2
from tests.conformance.harness import raises, trial_of


def test_only_ids_are_left_out() -> None:
    text = f'game_id: "{new_game_id("fish")}" {new_tournament_id("q")} seed 12345678 x/r1g1 cafe'
    assert without_ids(text) == 'game_id: "ID" ID seed 12345678 x/r1g1 cafe'


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


WHOLE_GAME = "rules.whole-game.seat-0-of-2"


def judged(make: Any, only: str) -> Report:
    return run(Options("webset", make, only=only, limit_s=5.0, first_limit_s=5.0))


@pytest.mark.slow
def test_a_player_that_picks_wrong_cards_now_and_then_is_warned_and_certified() -> None:
    report = judged("bot:solver:error=0.4", "webset")
    assert report.exit_code == 0
    assert report.counts[Verdict.WARN] > 0


def test_a_player_that_never_picks_a_set_cannot_play() -> None:
    report = judged("bot:solver:error=1", WHOLE_GAME)
    [found] = report.judged
    assert found.verdict is Verdict.FAIL
    assert "webset.take.set" in found.sentence
    assert found.evidence is not None
    number = re.search(r"call ([0-9]+)", dict(found.evidence.sections)["Call"])
    assert number is not None
    assert int(number[1]) > 2 * MAX_INFRACTIONS, "each wrong take is an act and a take"


def test_any_game_goes_on_or_ends_when_all_rivals_leave() -> None:
    for name in registered():
        game = find(name)
        count = game.seats.stop - 1
        departures = tuple(Departure(seat, after=seat % 3) for seat in range(1, count))
        found = trial_of(game, game.player("first"), count=count, departures=departures)
        assert found.misconduct is None
