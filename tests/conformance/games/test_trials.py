"""Games with the player under test: names and ids, failed calls, infractions, rivals that leave."""

from __future__ import annotations

import re
from typing import Any

import pytest

from fairplay.certificate import Verdict
from fairplay.conformance.evidence import without_ids
from fairplay.conformance.games.rivals import Departure
from fairplay.conformance.games.trial import MAX_INFRACTIONS
from fairplay.conformance.player.names import new_tournament_id
from fairplay.conformance.run.engine import run
from fairplay.conformance.run.options import Options
from fairplay.conformance.run.report import Report
from fairplay.games.game import find, registered
from tests.conformance.harness import trial_of


def test_only_ids_are_left_out() -> None:
    text = f'game_id: "-_." {new_tournament_id("fish")}/r2g1 {new_tournament_id("q")} seed 12345678 x/r1g1 cafe'
    assert without_ids(text) == 'game_id: "ID" ID ID seed 12345678 x/r1g1 cafe'


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
