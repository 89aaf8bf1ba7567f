"""What started players hold: the mutants of the zoo hold too much, and sound ones may collect their garbage late."""

from __future__ import annotations

import shlex
import sys
from itertools import accumulate

import pytest

from fairplay.conformance.cases.growth import MIB, Growth, Holding, ProcessSize, keeps_growing
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


def holdings(*mib_of_rounds: int) -> Growth:
    sizes = [{1: ProcessSize(size * MIB, 1, 1)} for size in accumulate(mib_of_rounds, initial=100)]
    return Growth(holdings=[Holding(each, 0) for each in sizes])


@pytest.mark.parametrize(
    "mib_of_rounds",
    [
        pytest.param([50] * 20, id="fifty every round"),
        pytest.param([0, 80, 0], id="one of three"),
        pytest.param([300] * 4 + [-10], id="much, and collected before anything is said"),
        pytest.param([60] * 9 + [0], id="grows nine times"),
    ],
)
def test_heaps_that_are_made_larger_now_and_then_are_no_growth(mib_of_rounds: list[int]) -> None:
    assert not keeps_growing(holdings(*mib_of_rounds))


@pytest.mark.parametrize("mib_of_rounds", [[60] * 10, [60] * 10 + [0], [2000] * 3])
def test_memory_that_grows_with_every_round_is_growth(mib_of_rounds: list[int]) -> None:
    assert keeps_growing(holdings(*mib_of_rounds))


def _verdicts(program: str) -> set[Verdict]:
    link = f"exec:{shlex.join([sys.executable, '-m', 'tests.conformance.program', program])}"
    report = run(Options("fish", link, only="growth", limit_s=30.0, first_limit_s=30.0, start_limit_s=20.0))
    return {each.verdict for each in report.judged}
