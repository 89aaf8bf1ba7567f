"""Late answers on a machine that is busy with other work: asked again, they are not held against a player in time."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from fairplay.certificate import Verdict
from fairplay.conformance import case_ids
from tests.conformance.harness import judged, player

pytestmark = pytest.mark.slow
LIMIT_S = 3.0
"""Enough for a sound answer beside the busy programs and whatever else this machine does."""
LATE_S = 3 * LIMIT_S
OWN_LIMIT_S = 0.45
"""More than a program needs that works for 0.3 s, and less than it takes beside the busy programs."""
QUIET_AFTER_S = LIMIT_S + 1.0
"""The machine is found busy when the answer is late, and becomes quiet after that."""
CASES = f"rules.whole-game,{case_ids.EVERY_ANSWER}"
LOOP = "while True: pass"


@pytest.fixture
def busy() -> Iterator[list[subprocess.Popen[bytes]]]:
    """Have a program on each processor that never rests, and one more."""
    programs = [subprocess.Popen([sys.executable, "-c", LOOP]) for _ in range((os.cpu_count() or 1) + 1)]
    try:
        yield programs
    finally:
        for each in programs:
            each.kill()
            each.wait()


@pytest.mark.usefixtures("busy")
@pytest.mark.parametrize("way", ["works", "sleeps"])
def test_while_a_machine_stays_busy_the_time_in_which_a_player_waits_for_it_is_not_its_own(way: str) -> None:
    link = f"exec:{sys.executable} -m tests.conformance.program {way}"
    only = f"rules.whole-game.seat-0-of-2,{case_ids.FIRST_ANSWER},{case_ids.EVERY_ANSWER}"
    report = judged(link, only, limit_s=OWN_LIMIT_S, first_limit_s=OWN_LIMIT_S, sandbox="off")
    assert bool(report.counts[Verdict.FAIL]) == (way == "sleeps"), [each.sentence for each in report.judged]


@pytest.mark.usefixtures("busy")
@pytest.mark.parametrize("late_count", [1, 20])
def test_one_late_answer_on_a_busy_machine_is_excused_and_many_are_not(late_count: int) -> None:
    late: list[object] = []

    def answer(sound: Any, request: Any) -> Any:
        if len(late) < late_count:
            late.append(request)
            threading.Event().wait(LATE_S)
        return sound(request)

    report = judged(lambda: player(take_turn=answer), CASES, limit_s=LIMIT_S, first_limit_s=LIMIT_S)
    excused = [each for each in report.judged if "while this machine was busy with other work" in each.sentence]
    assert bool(report.counts[Verdict.FAIL]) == (late_count > 1)
    assert bool(excused) == (late_count == 1)
    assert {each.verdict for each in excused} <= {Verdict.PASS}


def test_a_player_that_was_late_is_asked_again_once_the_machine_is_quiet(
    busy: list[subprocess.Popen[bytes]],
) -> None:
    late: list[object] = []

    def end_others() -> None:
        for each in busy:
            each.kill()

    def answer(sound: Any, request: Any) -> Any:
        if any(each.poll() is None for each in busy):
            late.append(request)
            threading.Timer(QUIET_AFTER_S, end_others).start()
            threading.Event().wait(LATE_S)
        return sound(request)

    report = judged(lambda: player(take_turn=answer), CASES, limit_s=LIMIT_S, first_limit_s=LIMIT_S)
    assert len(late) == 1
    assert not report.counts[Verdict.FAIL]
