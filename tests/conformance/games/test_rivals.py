"""Rivals that leave a game, alone or together, at a given moment; the player under test plays on."""

from __future__ import annotations

from typing import Any

import pytest

from fairplay.conformance.games.rivals import Departure, Fault
from fairplay.conformance.games.trial import Trial
from fairplay.games.game import find, registered
from fairplay.games.steps import CallKind
from tests.conformance.harness import trial_of

FISH = find("fish")


def players_seen(found: Trial) -> list[int]:
    """Return how many players were left in each decision of the player under test."""
    requests: list[Any] = [
        each.method.request.FromString(each.request)
        for each in found.exchanges
        if each.kind is not CallKind.NOTIFICATION
    ]
    return [len(each.state.players) for each in requests]


def played(*departures: Departure, seat: int = 0, count: int = 4) -> Trial:
    return trial_of(FISH, FISH.player("first"), seat=seat, count=count, departures=departures)


@pytest.mark.parametrize("fault", Fault)
def test_a_rival_leaves_after_some_decisions_of_the_player(fault: Fault) -> None:
    seen = players_seen(played(Departure(2, 3, fault=fault)))
    assert seen[:3] == [4, 4, 4]
    assert set(seen[4:]) == {3}


def test_rivals_leave_one_after_the_other_until_the_player_is_alone() -> None:
    seen = players_seen(played(Departure(3, 3), Departure(1, 4), Departure(2, 5)))
    assert sorted(set(seen), reverse=True) == [4, 3, 2, 1]
    assert seen == sorted(seen, reverse=True)


def test_rivals_leave_at_once() -> None:
    seen = players_seen(played(Departure(1, 3), Departure(3, 3), seat=0))
    assert set(seen) == {4, 2}


def test_a_rival_may_leave_in_a_notification() -> None:
    assert set(players_seen(played(Departure(1, in_decision=False)))) == {3}


def test_a_rival_that_keeps_the_rules_is_never_out() -> None:
    assert set(players_seen(played())) == {4}


def test_any_game_goes_on_or_ends_when_all_rivals_leave() -> None:
    for name in registered():
        game = find(name)
        count = game.seats.stop - 1
        departures = tuple(Departure(seat, after=seat % 3) for seat in range(1, count))
        found = trial_of(game, game.player("first"), count=count, departures=departures)
        assert found.misconduct is None
