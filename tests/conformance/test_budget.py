"""The time for all cases, and players that use much of it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest

from fairplay.conformance.budget import LATER_DECISIONS, MIN_DECISIONS, NO_TIME, Budget
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


def test_the_games_of_a_slow_player_are_left_early() -> None:
    report = judged(lambda: player(take_turn=slowly), "rules.whole-game", limit_s=5.0, first_limit_s=5.0, budget_s=12.0)
    assert report.counts[Verdict.PASS] == len(report.judged)
    assert report.decisions["TakeTurn"] >= MIN_DECISIONS


def test_a_budget_is_spent_after_its_time_and_a_game_after_its_share() -> None:
    now = [0.0]
    budget = Budget(400.0, lambda: now[0])
    budget.check()
    assert not budget.is_spent_on(9.0, MIN_DECISIONS)
    assert not budget.is_spent_on(99.0, MIN_DECISIONS - 1)
    assert budget.is_spent_on(11.0, MIN_DECISIONS)
    assert budget.is_spent_on(3.0, LATER_DECISIONS)
    assert not budget.is_spent_on(2.0, LATER_DECISIONS)
    assert not budget.is_spent_on(99.0, LATER_DECISIONS - 1)
    now[0] = 400.0
    with pytest.raises(NotTested, match=NO_TIME):
        budget.check()


def test_the_time_runs_from_the_beginning() -> None:
    now = [50.0]
    budget = Budget(10.0, lambda: now[0])
    now[0] = 59.75
    budget.check()
    assert budget.elapsed_s == 9.75
    now[0] = 60.0
    with pytest.raises(NotTested, match="there was no time left in the budget of 10s") as raised:
        budget.check()
    assert raised.value.given_up


def test_games_are_left_after_a_fortieth_of_the_time_and_8_decisions_and_later_ones_after_a_160th_and_3() -> None:
    budget = Budget(160.0, lambda: 0.0)
    assert not budget.is_spent_on(4.0, 8)
    assert not budget.is_spent_on(1.01, 3)
    assert not budget.is_spent_on(4.01, 7)
    assert budget.is_spent_on(4.01, 8)
    assert not budget.is_spent_on(1.0, 3)
    assert not budget.is_spent_on(1.01, 2)
    assert budget.is_spent_on(1.01, 3)
    assert not budget.is_spent_on(0.5, 8), "a game that is quick again is not left"
    assert budget.is_spent_on(1.01, 3)


def test_who_could_not_make_4000_decisions_in_the_time_is_asked_for_fewer() -> None:
    budget = Budget(4_000.0)
    assert not budget.is_short_for(1.0)
    assert budget.is_short_for(1.001)


SEATINGS = [(seat, count) for count in (2, 3, 4) for seat in range(count)]


def scenario(name: str, seat: int, count: int) -> Scenario:
    return Scenario(name, Situation(Misconduct(), count, seat), 1)


def played(outcome: Callable[[Scenario], Trial]) -> tuple[WholeGames, list[int]]:
    """Return whole games that end as a function says, and the sizes of the batches in which they are played."""
    sizes: list[int] = []

    def play_each(scenarios: Iterable[Scenario]) -> Iterator[Trial]:
        batch = list(scenarios)
        sizes.append(len(batch))
        yield from map(outcome, batch)

    games = WholeGames(
        SEATINGS, lambda seat, count: scenario("begin", seat, count), lambda count: scenario("end", 0, count), play_each
    )
    return games, sizes


def test_quick_games_are_played_one_after_the_other() -> None:
    games, sizes = played(Trial)
    assert [games.get(*each).scenario.situation.seat for each in SEATINGS] == [seat for seat, _ in SEATINGS]
    assert sizes == [1] * len(SEATINGS)


def test_slow_games_are_played_side_by_side_and_their_ends_once_for_each_number_of_players() -> None:
    games, sizes = played(lambda scenario: Trial(scenario, is_cut=scenario.name == "begin"))
    for each in SEATINGS:
        games.get(*each)
    assert sorted(sizes) == [1, 1, 1, 1, AT_ONCE]
    assert len(games.played) == len(SEATINGS)


def test_a_player_whose_games_are_short_is_slow_if_all_its_decisions_would_take_longer_than_the_budget() -> None:
    budget = Budget(600.0)
    assert budget.is_short_for(0.6)
    assert not budget.is_short_for(0.01)
    games = WholeGames(
        SEATINGS,
        lambda seat, count: scenario("begin", seat, count),
        lambda count: scenario("end", 0, count),
        lambda scenarios: map(Trial, scenarios),
        lambda _: True,
    )
    assert not games.is_slow
    games.get(*SEATINGS[0])
    assert games.is_slow
    games.get(*SEATINGS[1])
    assert len(games.played) == 1 + AT_ONCE


def test_a_slow_player_plays_eight_games_at_the_same_time_and_stays_slow() -> None:
    seatings = [(seat, count) for count in (2, 3, 4, 5, 6) for seat in range(count)]
    batches: list[list[str]] = []

    def play_each(scenarios: Iterable[Scenario]) -> Iterator[Trial]:
        batch = list(scenarios)
        batches.append([f"{each.name} {each.situation.seat} of {each.situation.player_count}" for each in batch])
        yield from (Trial(each, is_cut=len(batches) == 1) for each in batch)

    games = WholeGames(
        seatings, lambda seat, count: scenario("begin", seat, count), lambda count: scenario("end", 0, count), play_each
    )
    assert games.get(0, 2).scenario.name == "begin", "its end went well"
    assert games.is_slow
    for each in seatings:
        games.get(*each)
    wanted = [f"begin {seat} of {count}" for seat, count in seatings]
    assert batches == [wanted[:1], ["end 0 of 2"], wanted[1:9], wanted[9:17], wanted[17:]]
    assert games.is_slow
    assert [each.scenario.situation[1:3] for each in games.played] == [(count, seat) for seat, count in seatings]


def test_a_player_that_fails_at_the_end_of_a_slow_game_fails_in_that_game() -> None:
    wrong = Misconduct()
    games, _ = played(
        lambda scenario: Trial(
            scenario, is_cut=scenario.name == "begin", misconduct=wrong if scenario.name == "end" else None
        )
    )
    assert games.get(0, 2).scenario.name == "end"


def test_a_budget_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="longer than 0"):
        judged(player, budget_s=0.0)


class Crowded:
    """A player that is slow, and fails in games beside others."""

    def __init__(self) -> None:
        self._sound: Any = player()
        self._games: dict[str, int] = {}
        self._open = 0
        self.failures = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._sound, name)

    def take_turn(self, request: Any) -> Any:
        self._open += 1
        try:
            threading.Event().wait(0.05)
            if self._open > 1:
                self.failures += 1
                raise RuntimeError("too many games for me")
            return self._sound.take_turn(request)
        finally:
            self._open -= 1


def test_what_goes_wrong_beside_other_games_is_not_held_against_a_slow_player() -> None:
    crowded = Crowded()
    report = judged(lambda: crowded, "rules.whole-game", limit_s=5.0, first_limit_s=5.0, budget_s=16.0)
    assert crowded.failures
    assert report.counts[Verdict.FAIL] == 0
    assert report.counts[Verdict.PASS]
