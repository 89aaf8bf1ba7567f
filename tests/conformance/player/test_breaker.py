"""What a player may cost: the time for all cases, and methods that it fails again and again."""

from __future__ import annotations

import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from fairplay.certificate import Verdict
from fairplay.conformance import case_ids
from fairplay.conformance.player.breaker import MIN_DECISIONS, NO_TIME
from fairplay.conformance.run.report import Report, conclusion
from tests.conformance.harness import LIMIT_S, ROOT, Method, judged, player

MOST_AT_ONCE = 25
"""So many calls may have been made when the time was over, and begin in their threads later."""


def slowly(sound: Method, request: Any) -> Any:
    threading.Event().wait(0.05)
    return sound(request)


@pytest.mark.slow
def test_what_there_was_no_time_for_is_not_tested_and_certifies_nothing() -> None:
    report = judged(lambda: player(take_turn=slowly), "rules,memory", limit_s=5.0, first_limit_s=5.0, budget_s=3.0)
    assert report.complete
    assert report.counts[Verdict.PASS]
    late = [each for each in report.judged if each.sentence.startswith(NO_TIME)]
    assert {each.verdict for each in late} == {Verdict.NOT_TESTED}
    assert late[0].sentence == "there was no time left in the budget of 3s"
    assert report.counts[Verdict.FAIL] == 0
    assert report.exit_code == 1
    assert conclusion(report).endswith("The time did not suffice: give a longer --budget.")


@pytest.mark.slow
def test_a_player_that_keeps_the_suite_from_running_is_not_asked_beyond_the_budget() -> None:
    begun: list[float] = []

    def heavily(sound: Method, request: Any) -> Any:
        begun.append(time.monotonic())
        sum(range(20_000_000))  # nothing else of this process runs meanwhile
        return sound(request)

    report = judged(lambda: player(take_turn=heavily), "rules", limit_s=5.0, first_limit_s=5.0, budget_s=3.0)
    assert any(each.sentence.startswith(NO_TIME) for each in report.judged)
    assert sum(each > begun[0] + 3.0 for each in begun) <= MOST_AT_ONCE


def test_the_games_of_a_slow_player_are_left_early() -> None:
    report = judged(lambda: player(take_turn=slowly), "rules.whole-game", limit_s=5.0, first_limit_s=5.0, budget_s=24.0)
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


@pytest.mark.slow
@pytest.mark.parametrize("until", [6, 10_000], ids=["in some games", "in all games"])
def test_a_method_without_an_answer_is_tried_again_now_and_then(until: int) -> None:
    games: list[str] = []
    late: list[str] = []

    def hangs_at_first(sound: Any, request: Any) -> Any:
        if request.game_id not in games:
            games.append(request.game_id)
        if 2 <= len(games) <= until:
            late.append(request.game_id)
            threading.Event().wait(3 * LIMIT_S)
        return sound(request)

    report = judged(lambda: player(take_turn=hangs_at_first), level="must", limit_s=LIMIT_S, first_limit_s=LIMIT_S)
    assert report.verdict(case_ids.EVERY_ANSWER) is Verdict.FAIL or until == 6
    assert (report.counts[Verdict.NOT_TESTED] < 20) == (until == 6)
    assert report.exit_code == 1
    assert len(late) < 20


@pytest.mark.slow
def test_what_a_player_is_still_asked_that_never_answers_one_method() -> None:
    def hangs(sound: Any, request: Any) -> Any:
        threading.Event().wait(2 * LIMIT_S)
        return sound(request)

    def places_on_the_first_tile(sound: Any, request: Any) -> Any:
        reply = sound(request)
        reply.place = 0
        return reply

    def make() -> object:
        return player(play_with=hangs, setup=places_on_the_first_tile)

    report = judged(make, "rules.whole-game,fish", level="must", limit_s=LIMIT_S, first_limit_s=LIMIT_S)
    assert report.verdict("fish.place.last-free-tile") is Verdict.FAIL
    asked = next(each for each in report.judged if each.id == "fish.turn.single-legal-move")
    assert asked.verdict is Verdict.PASS
    assert asked.sentence.startswith("but for calls that were left out: PlayWith did not answer in time 3 times")
    assert report.counts[Verdict.NOT_TESTED] < 12
    assert report.exit_code == 1


@pytest.mark.slow
def test_with_fail_fast_a_player_without_answers_fails_the_first_case_that_it_keeps_from_being_tested() -> None:
    def hangs(sound: Any, request: Any) -> Any:
        threading.Event().wait(2 * LIMIT_S)
        return sound(request)

    def report_of(**more: Any) -> Report:
        settings = {"limit_s": LIMIT_S, "first_limit_s": LIMIT_S, "fail_fast": True, **more}
        return judged(lambda: player(take_turn=hangs), "rules.whole-game,time", **settings)

    [failed] = report_of().judged
    assert failed.verdict is Verdict.FAIL
    assert failed.sentence.startswith("TakeTurn did not answer in time")
    assert len(report_of(known=["time.every-answer"]).judged) > 1


@pytest.mark.slow
def test_a_program_that_misses_one_start_is_started_once_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    script = tmp_path / "player.sh"
    script.write_text(
        f"cd {tmp_path}; [ -e one ] && mkdir two 2>/dev/null && exit 1\n"
        f"touch one; cd {ROOT}; exec {sys.executable} -m tests.conformance.program sound\n"
    )
    report = judged(f"exec:sh {script}", "identity.reached-again,identity.description-stays", sandbox="off")
    assert (tmp_path / "two").exists()
    assert {each.verdict for each in report.judged} == {Verdict.PASS}


MOST_STARTS = 20


@pytest.mark.slow
@pytest.mark.parametrize("defect", ["dies", "dies-later"])
def test_a_program_that_ends_in_its_turns_is_started_a_few_times_and_fails_one_case(
    defect: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    starts, script = tmp_path / "starts", tmp_path / "player.sh"
    script.write_text(f"echo start >> {starts}\nexec {sys.executable} -m tests.conformance.program {defect}\n")
    report = judged(f"exec:sh {script}", "contract,rules,fish,exceptions,memory,endings", level="must", sandbox="off")
    failed = [each.id for each in report.judged if not each.met and each.see == ""]
    assert failed == [case_ids.ALIVE]
    untested = [each for each in report.judged if each.verdict is Verdict.NOT_TESTED]
    assert {each.see for each in untested} == {case_ids.ALIVE}
    assert starts.read_text().count("start") <= MOST_STARTS
