"""Rivals that leave a game, alone or together, at a given moment; the player under test plays on."""

from __future__ import annotations

from typing import Any

import pytest

from fairplay.conformance.rivals import Departure, Fault, Rivals
from fairplay.conformance.trial import Trial
from fairplay.games.conformance import Situation
from fairplay.games.game import find, registered
from fairplay.games.steps import Call, CallKind
from fairplay.v1.misconduct_pb2 import CallError
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


@pytest.mark.parametrize("name", registered())
def test_any_game_goes_on_or_ends_when_all_rivals_leave(name: str) -> None:
    game = find(name)
    count = game.seats.stop - 1
    departures = tuple(Departure(seat, after=seat % 3) for seat in range(1, count))
    found = trial_of(game, game.player("first"), count=count, departures=departures)
    assert found.misconduct is None


def test_an_error_status_is_one_failed_call_and_a_disconnection_lasts() -> None:
    situation = Situation(FISH.full_settings(FISH.settings_type()), 2, 0)
    call = Call(1, FISH.methods[0], FISH.methods[0].request(), CallKind.NOTIFICATION)
    for fault, fails in ((Fault.ERROR_STATUS, [True, False]), (Fault.DISCONNECTION, [True, True])):
        departures = [Departure(1, in_decision=False, fault=fault)]
        rivals = Rivals(FISH, situation, 1, departures)
        answers: list[Any] = [rivals.answer(call, 0) for _ in range(2)]
        assert [isinstance(answer, CallError) for answer in answers] == fails
