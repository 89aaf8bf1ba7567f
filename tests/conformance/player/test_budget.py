"""The time for all cases, and players that use much of it."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from fairplay.certificate import Verdict
from fairplay.conformance.player.breaker import MIN_DECISIONS, NO_TIME
from fairplay.conformance.run.report import conclusion
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
