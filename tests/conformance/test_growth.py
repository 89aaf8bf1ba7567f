"""What started players hold: the mutants of the zoo hold too much, and sound ones may collect their garbage late."""

from __future__ import annotations

import shlex
import sys

from fairplay.conformance.engine import run
from fairplay.conformance.options import Options
from fairplay.conformance.verdicts import Verdict


def test_a_player_that_collects_garbage_late_may_grow_for_a_while() -> None:
    assert _verdicts("collects-late") == {Verdict.PASS}


def test_threads_that_end_by_themselves_are_not_held() -> None:
    assert _verdicts("lingers") == {Verdict.PASS}


def test_what_other_players_hold_is_not_known() -> None:
    report = run(Options("fish", "bot:first", only="growth"))
    assert {each.verdict for each in report.judged} == {Verdict.NOT_APPLICABLE}


def _verdicts(program: str) -> set[Verdict]:
    link = f"exec:{shlex.join([sys.executable, '-m', 'tests.conformance.program', program])}"
    report = run(Options("fish", link, only="growth", limit_s=30.0, first_limit_s=30.0, start_limit_s=20.0))
    return {each.verdict for each in report.judged}
