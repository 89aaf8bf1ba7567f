"""A report must not contradict itself: the checks that every mutant of the zoo is tried with."""

from __future__ import annotations

from datetime import UTC, datetime

from fairplay.certificate import Verdict
from fairplay.conformance.blame.verdicts import Judged
from fairplay.conformance.evidence import Evidence
from fairplay.conformance.games.trial import CallLimits
from fairplay.conformance.run.report import Report, Run
from fairplay.games.conformance import Level
from fairplay.v1.player_pb2 import PlayerDescription
from tools.zoo.findings import contradictions

SHOWN = Evidence("It raised.", sections=[("Call", "TakeTurn")])


def one(case_id: str, verdict: Verdict, see: str = "", evidence: Evidence | None = SHOWN) -> Judged:
    return Judged(case_id, Level.MUST, verdict, "", 0.1, evidence, see=see)


def contradictions_in(*judged: Judged) -> list[str]:
    run = Run("fish", "object", 1, CallLimits(1, 1, 1), Level.MAY)
    return contradictions(Report(run, PlayerDescription(), judged, {}, datetime(2026, 1, 1, tzinfo=UTC), 1.0, True))


PASSED, FAILED = one("a.passed", Verdict.PASS), one("a.failed", Verdict.FAIL)


def test_reports_that_agree_with_themselves() -> None:
    for judged in [[PASSED], [PASSED, FAILED], [FAILED, one("b.x", Verdict.NOT_TESTED, "a.failed")]]:
        assert contradictions_in(*judged) == []


def test_reports_that_contradict_themselves() -> None:
    for judged, sentence in [
        ([one("a.failed", Verdict.FAIL, evidence=None)], "a.failed failed without evidence"),
        ([PASSED, one("b.x", Verdict.NOT_TESTED, "a.passed")], "it is refused and no case has failed"),
        ([FAILED, one("b.x", Verdict.NOT_TESTED, "b.x")], "b.x leads to no failure"),
        (
            [one("a.x", Verdict.NOT_TESTED, "b.x"), one("b.x", Verdict.NOT_TESTED, "a.x"), FAILED],
            "a.x leads to no failure",
        ),
    ]:
        assert sentence in contradictions_in(*judged)
