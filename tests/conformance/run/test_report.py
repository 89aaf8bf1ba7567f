"""What a run found: times, decisions and verdicts, and in what order cases are judged."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from fairplay.certificate import Verdict, frozen
from fairplay.conformance.blame.verdicts import Judged
from fairplay.conformance.games.trial import CallLimits
from fairplay.conformance.run.report import Report, Run, Times, conclusion, distribution
from fairplay.games.conformance import Level
from fairplay.v1.player_pb2 import PlayerDescription

RUN = Run("fish", "exec", 7, CallLimits(1.0, 1.0, 3.0), Level.MAY)


def one(
    case_id: str, verdict: Verdict, level: Level = Level.MUST, sentence: str = "", *, known: bool = False
) -> Judged:
    return Judged(case_id, level, verdict, sentence, 0.1, None, known)


def report(*judged: Judged, complete: bool = True, run: Run = RUN) -> Report:
    return Report(run, PlayerDescription(), judged, {}, datetime(2026, 1, 2, tzinfo=UTC), 1.5, complete)


# What was measured


def test_one_call_in_a_hundred_may_take_longer_than_the_99th_percentile() -> None:
    for seconds, wanted in [
        ([0.5], Times(1, 0.5, 0.5, 0.5)),
        ([0.3, 0.1], Times(2, 0.2, 0.3, 0.3)),
        (range(200), Times(200, 99.5, 198, 199)),
        (range(50), Times(50, 24.5, 49, 49)),
    ]:
        found = distribution(seconds)
        assert (found.call_count, found.p99_s, found.max_s) == (wanted.call_count, wanted.p99_s, wanted.max_s)
        assert found.median_s == pytest.approx(wanted.median_s)


# What was found


def test_only_a_run_that_judged_something_to_its_end_ends_with_0() -> None:
    passed = one("a.pass", Verdict.PASS)
    assert report(passed).exit_code == 0
    assert report(passed, complete=False).exit_code == 1
    assert report().exit_code == 1
    assert report(one("a.fail", Verdict.FAIL)).exit_code == 1


# What it comes to


ALL_MUST = [one(case_id, Verdict.PASS) for case_id in sorted(frozen("fish", 1) or ())]
SLOW = replace(RUN, limits=CallLimits(1.0, 9.0, 9.0))
QUICK = replace(RUN, limits=CallLimits(0.5, 0.5, 0.5))
SOME = "Not certified: only some of the cases were tried, and every MUST among them is met."
CERTIFIED = "Certified for revision 1: every MUST is met."


@pytest.mark.parametrize(
    ("found", "wanted"),
    [
        (report(), f"{SOME} The exit code is 1: no case was judged."),
        (report(one("a.b", Verdict.PASS)), SOME),
        (
            report(one("a.b", Verdict.PASS, known=True)),
            f"{SOME} The exit code is 1: a.b is listed as a known failure, but passes: take it off the list.",
        ),
        (
            report(one("a.b", Verdict.PASS, known=True), one("a.c", Verdict.PASS, known=True)),
            f"{SOME} The exit code is 1: a.b, a.c are listed as known failures, but pass: take them off the list.",
        ),
        (report(one("a.b", Verdict.SUITE_ERROR, Level.MAY)), f"{SOME} The exit code is 1: the suite itself failed."),
        (report(one("a.b", Verdict.PASS), complete=False), "Not certified: the run was interrupted."),
        (
            report(
                one("a.b", Verdict.FAIL),
                one("a.c", Verdict.NOT_TESTED),
                one("a.d", Verdict.SUITE_ERROR),
                one("a.e", Verdict.FAIL, Level.SHOULD),
                one("a.f", Verdict.NOT_TESTED),
                one("a.g", Verdict.FAIL),
            ),
            "Not certified: of the MUST cases 3 failed and 2 could not be tested.",
        ),
        (
            report(one("a.b", Verdict.NOT_TESTED, sentence="there was no time left in the budget of 1s")),
            "Not certified: of the MUST cases 0 failed and 1 could not be tested."
            " The time did not suffice: give a longer --budget.",
        ),
        (report(*ALL_MUST), CERTIFIED),
        (report(*ALL_MUST, one("a.b", Verdict.WARN, Level.SHOULD)), CERTIFIED),
        (report(*ALL_MUST[1:]), SOME),
        (
            report(*ALL_MUST, run=SLOW),
            f"{CERTIFIED} The time limits were longer than the game's, which counts only where that is asked for.",
        ),
        (report(*ALL_MUST, run=QUICK), CERTIFIED),
        (
            report(one("a.b", Verdict.PASS), run=replace(RUN, protocol_revision=99)),
            "Every MUST is met. There is no frozen list of them for this game, so this certifies nothing.",
        ),
    ],
)
def test_a_run_comes_to_one_conclusion(found: Report, wanted: str) -> None:
    assert conclusion(found) == wanted
