"""Rivals that leave in a phase of a game, and what the player under test sees of it."""

from __future__ import annotations

from typing import Any

from fairplay.conformance.games.trial import Scenario
from fairplay.conformance.zoo.departures import count_players
from fairplay.games.conformance import Situation, find_conformance
from fairplay.games.game import find, registered
from tests.conformance.harness import judged, player, trial_of

CASES = "rules.*-in-any-phase"


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


def test_a_player_that_counts_on_all_players_is_refused() -> None:
    left: dict[str, int] = {}

    def forgets(sound: Any, request: Any) -> Any:
        before = left.setdefault(request.game_id, len(request.state.players))
        if len(request.state.players) < before:
            raise RuntimeError("this player is broken")
        return sound(request)

    report = judged(lambda: player(setup=forgets), only=CASES)
    assert [each.verdict.name for each in report.judged] == ["FAIL", "FAIL"]
