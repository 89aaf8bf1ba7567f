"""Rivals that leave in a phase of a game, and what the player under test sees of it."""

from __future__ import annotations

from random import Random
from typing import Any

from fairplay.conformance.games.phases import trace
from fairplay.conformance.games.rivals import Departure, LastDecider, Phase
from fairplay.conformance.games.trial import Scenario
from fairplay.conformance.zoo.departures import count_players
from fairplay.games.conformance import Situation, find_conformance
from fairplay.games.game import find, registered
from tests.conformance.harness import judged, player, trial_of

CASES = "rules.*-in-any-phase"


def phases_of(name: str) -> set[Phase]:
    game = find(name)
    traced = (trace(game, game.full_settings(game.settings_type()), count, Random(1), 400) for count in game.seats)
    return {each.phase for found in traced for each in found.occurrences}


def test_phases_are_those_of_the_calls_of_a_game() -> None:
    bazaar = phases_of("bazaar")
    assert {each.method for each in bazaar} == {"Setup", "RequestPebbleOrExchanges", "RequestCards", "Win"}
    assert {each.last_decider for each in bazaar if each.method == "RequestCards"} == {LastDecider.ITSELF}
    assert {each.is_told for each in bazaar if each.method == "Setup"} == {False, True}
    assert any(each.is_waiting and each.last_decider is LastDecider.ANOTHER for each in phases_of("fish"))
    races = phases_of("webset")
    assert ("Report", "PickCards") in {(each.method, each.beside) for each in races}


def test_a_rival_leaves_between_the_two_calls_of_its_turn() -> None:
    game, phase = find("bazaar"), Phase("RequestCards", "", LastDecider.ITSELF, True, False, True)
    found = trial_of(game, game.player("first"), count=3, departures=(Departure(1, 1, phase=phase),))
    requests = [each.method.request.FromString(each.request) for each in found.exchanges]
    left = [players[1] for each in requests if (players := count_players("bazaar", each)) is not None]
    assert left[:2] == [3, 3]  # both calls of the first turn
    assert set(left[2:]) == {2}


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
