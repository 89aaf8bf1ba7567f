"""Rivals that leave in a phase of a game, and what the player under test sees of it."""

from __future__ import annotations

from itertools import product
from random import Random
from typing import Any

import pytest

from fairplay.conformance.cases.phases import MOST_DECISIONS, TRACES
from fairplay.conformance.games.phases import trace
from fairplay.conformance.games.rivals import side_of
from fairplay.conformance.games.trial import Scenario
from fairplay.conformance.zoo.departures import count_players
from fairplay.games.conformance import Situation, find_conformance
from fairplay.games.game import find, registered
from tests.conformance.harness import judged, player, trial_of
from tests.slow import all_but_first_slow

CASES = "rules.*-in-any-phase"
LEAVING = "rules.rivals-leave-in-any-phase"


def test_others_join_a_game_late() -> None:
    game = find("webset")
    settings = game.full_settings(game.settings_type(late_join=True))
    situation = Situation(settings, player_count=2, seat=1, turn_count=6)
    found = trial_of(game, game.player("first"), Scenario("late", situation, seed=1, newcomers=(1, 2)))
    requests = [each.method.request.FromString(each.request) for each in found.exchanges]
    counts = [players[0] for each in requests if (players := count_players("webset", each)) is not None]
    assert counts[0] == 2
    assert counts == sorted(counts)
    assert counts[-1] == 4
    assert found.misconduct is None


def test_settings_that_matter_in_some_circumstances_are_settings_of_their_game() -> None:
    for name in registered():
        fields = find(name).settings_type.DESCRIPTOR.fields_by_name
        assert set(find_conformance(name).settings_readers) <= set(fields), name


@pytest.mark.parametrize("name", all_but_first_slow(sorted(registered(), key="fish".__ne__)))
def test_rivals_leave_in_each_phase_on_each_side_whatever_the_seed(name: str) -> None:
    game = find(name)
    tables = [game.full_settings(each) for each in (game.settings_type(), *find_conformance(name).leaving_settings)]
    every = enumerate([*product(tables, game.seats)] * TRACES)
    traces = [trace(game, *table, Random(number), MOST_DECISIONS) for number, table in every]
    known = {
        (str(each.phase), side_of(played.player_count, each.tested, each.leaver))
        for played in traces
        for each in played.occurrences
        if each.goes_on
    }
    report = judged("bot:random", LEAVING, game=name, seed=3)
    assert known - report.departures.keys() == set()
    assert len(known) > len(game.methods)
    assert report.exit_code == 0


def test_a_player_that_counts_on_all_players_is_refused() -> None:
    left: dict[str, int] = {}

    def forgets(sound: Any, request: Any) -> Any:
        before = left.setdefault(request.game_id, len(request.state.players))
        if len(request.state.players) < before:
            raise RuntimeError("this player is broken")
        return sound(request)

    report = judged(lambda: player(setup=forgets), only=CASES)
    assert [each.verdict.name for each in report.judged] == ["FAIL", "FAIL"]
