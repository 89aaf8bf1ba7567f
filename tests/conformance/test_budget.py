"""The time for all cases, and players that use much of it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

from fairplay.conformance.budget import MIN_DECISIONS, NO_TIME, Budget
from fairplay.conformance.case_errors import NotTested
from fairplay.conformance.conclusion import conclusion
from fairplay.conformance.trial import Scenario, Trial
from fairplay.conformance.verdicts import Verdict
from fairplay.conformance.whole_games import AT_ONCE, WholeGames
from fairplay.games.conformance import Situation
from fairplay.v1.misconduct_pb2 import Misconduct
from tests.conformance.harness import Method, judged, player


def slowly(sound: Method, request: Any) -> Any:
    threading.Event().wait(0.05)
    return sound(request)


def test_what_there_was_no_time_for_is_not_tested_and_certifies_nothing() -> None:
    report = judged(lambda: player(take_turn=slowly), "rules,memory", limit_s=5.0, first_limit_s=5.0, budget_s=1.5)
    assert report.complete
    assert report.counts[Verdict.PASS]
    late = [each for each in report.judged if each.sentence.startswith(NO_TIME)]
    assert {each.verdict for each in late} == {Verdict.NOT_TESTED}
    assert late[0].sentence == "there was no time left in the budget of 1.5s"
    assert report.counts[Verdict.FAIL] == 0
    assert report.exit_code == 1
    assert conclusion(report).endswith("The time did not suffice: give a longer --budget.")
    assert report.seconds < 30


def test_the_games_of_a_slow_player_are_left_early() -> None:
    report = judged(lambda: player(take_turn=slowly), "rules.whole-game", limit_s=5.0, first_limit_s=5.0, budget_s=12.0)
    assert report.counts[Verdict.PASS] == len(report.judged)
    assert report.decisions["TakeTurn"] >= MIN_DECISIONS


def test_a_budget_is_spent_after_its_time_and_a_game_after_its_share() -> None:
    now = [0.0]
    budget = Budget(400.0, lambda: now[0])
    budget.check()
    assert budget.is_spent_on(11.0, MIN_DECISIONS)
    assert not budget.is_spent_on(9.0, MIN_DECISIONS)
    assert not budget.is_spent_on(99.0, MIN_DECISIONS - 1)
    now[0] = 400.0
    with pytest.raises(NotTested, match=NO_TIME):
        budget.check()


SEATINGS = [(seat, count) for count in (2, 3, 4) for seat in range(count)]


def scenario(name: str, seat: int, count: int) -> Scenario:
    return Scenario(name, Situation(Misconduct(), count, seat), 1)


def played(outcome: Callable[[Scenario, int], Trial]) -> tuple[WholeGames, list[int]]:
    """Return whole games that end as a function says, of a scenario and the number of games beside; and all these."""
    sizes: list[int] = []

    def play(scenarios: Any) -> list[Trial]:
        sizes.append(len(scenarios))
        return [outcome(each, len(scenarios)) for each in scenarios]

    games = WholeGames(
        SEATINGS, lambda seat, count: scenario("begin", seat, count), lambda count: scenario("end", 0, count), play
    )
    return games, sizes


def test_quick_games_are_played_one_after_the_other() -> None:
    games, sizes = played(lambda scenario, _: Trial(scenario))
    assert [games.get(*each).scenario.situation.seat for each in SEATINGS] == [seat for seat, _ in SEATINGS]
    assert sizes == [1] * len(SEATINGS)


def test_slow_games_are_played_side_by_side_and_their_ends_once_for_each_number_of_players() -> None:
    games, sizes = played(lambda scenario, _: Trial(scenario, is_cut=scenario.name == "begin"))
    for each in SEATINGS:
        games.get(*each)
    assert sorted(sizes) == [1, 1, 1, 1, AT_ONCE]
    assert len(games.played) == len(SEATINGS)


def test_what_goes_wrong_beside_other_games_is_played_again_alone() -> None:
    games, _ = played(
        lambda scenario, count: Trial(scenario, is_cut=True, misconduct=Misconduct() if count > 1 else None)
    )
    assert all(games.get(*each).misconduct is None for each in SEATINGS)


def test_a_player_that_fails_at_the_end_of_a_slow_game_fails_in_that_game() -> None:
    games, _ = played(
        lambda scenario, _: Trial(
            scenario, is_cut=scenario.name == "begin", misconduct=Misconduct() if scenario.name == "end" else None
        )
    )
    assert games.get(0, 2).scenario.name == "end"
