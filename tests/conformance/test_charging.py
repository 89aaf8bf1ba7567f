"""Misconduct for which no case has failed is charged to the case that it belongs to."""

from __future__ import annotations

import pytest

from fairplay.conformance.charging import charge, leads_to_failure
from fairplay.conformance.evidence import Evidence
from fairplay.conformance.verdicts import Judged, Verdict
from fairplay.games.conformance import Level

SEEN = Evidence("It raised.", sections=[("Call", "TakeTurn")])


def one(case_id: str, verdict: Verdict, see: str = "", *, level: Level = Level.MUST, seen: bool = True) -> Judged:
    evidence = SEEN if seen and verdict is not Verdict.PASS else None
    return Judged(case_id, level, verdict, "", 0.1, evidence, see=see)


def charged(*judged: Judged) -> dict[str, Verdict]:
    return {each.id: each.verdict for each in charge(judged)}


def test_nothing_is_charged_where_the_case_to_see_has_failed() -> None:
    failed = one("a.failed", Verdict.FAIL)
    assert charged(failed, one("b.x", Verdict.NOT_TESTED, "a.failed")) == {}
    through = (one("b.x", Verdict.NOT_TESTED, "c.x"), one("c.x", Verdict.NOT_TESTED, "a.failed"))
    assert charged(failed, *through) == {}


def test_a_case_that_had_passed_fails_with_the_evidence_of_the_one_that_saw_it() -> None:
    [found] = charge([one("a.passed", Verdict.PASS), one("b.x", Verdict.NOT_TESTED, "a.passed")])
    assert (found.id, found.verdict, found.sentence) == ("a.passed", Verdict.FAIL, "It raised.")
    assert found.evidence is not None
    assert dict(found.evidence.sections)["Seen in"].startswith("b.x")


def test_cases_that_point_to_each_other_are_charged_once() -> None:
    circle = (one("a.x", Verdict.NOT_TESTED, "b.x"), one("b.x", Verdict.NOT_TESTED, "a.x"))
    assert charged(*circle) == {"b.x": Verdict.FAIL}
    assert charged(one("a.x", Verdict.NOT_TESTED, "a.x")) == {"a.x": Verdict.FAIL}


def test_a_case_that_was_not_chosen_leaves_it_to_the_one_that_saw_it() -> None:
    assert charged(one("b.x", Verdict.NOT_TESTED, "a.missing")) == {"b.x": Verdict.FAIL}
    broken = one("a.broken", Verdict.SUITE_ERROR)
    assert charged(broken, one("b.x", Verdict.NOT_TESTED, "a.broken")) == {"b.x": Verdict.FAIL}


def test_a_must_is_not_excused_by_what_only_should_be() -> None:
    should = one("a.should", Verdict.WARN, level=Level.SHOULD)
    assert charged(should, one("b.x", Verdict.NOT_TESTED, "a.should")) == {"b.x": Verdict.FAIL}
    assert charged(should, one("b.x", Verdict.NOT_TESTED, "a.should", level=Level.SHOULD)) == {}
    assert charged(one("b.x", Verdict.NOT_TESTED, level=Level.SHOULD)) == {"b.x": Verdict.WARN}


def test_what_only_should_be_is_charged_to_no_must() -> None:
    passed = one("a.must", Verdict.PASS)
    assert charged(passed, one("b.x", Verdict.NOT_TESTED, "a.must", level=Level.SHOULD)) == {"b.x": Verdict.WARN}


@pytest.mark.parametrize(
    ("failed", "see", "leads"),
    [
        ("time.every-answer", "time.first-answer", True),
        ("time.every-answer", "a.b", False),
        ("a.b", "time.first-answer", False),
        ("a.b", "a.b", True),
        ("timely.a", "time.first-answer", False),
    ],
)
def test_who_hangs_fails_one_of_the_cases_about_time_whichever_it_is(failed: str, see: str, leads: bool) -> None:
    seen, known = one("b.x", Verdict.NOT_TESTED, see), one(failed, Verdict.FAIL)
    assert leads_to_failure(seen, {each.id: each for each in (seen, known)}) is leads
    assert charged(seen, known) == ({} if leads else {"b.x": Verdict.FAIL})


def test_misconduct_is_charged_once_where_several_cases_saw_it() -> None:
    judged = [one("a.x", Verdict.PASS), *(one(f"b.{number}", Verdict.NOT_TESTED, "a.x") for number in range(3))]
    assert charged(*judged) == {"a.x": Verdict.FAIL}


def test_the_case_that_saw_it_keeps_its_evidence_and_points_to_nobody() -> None:
    [found] = charge([one("b.x", Verdict.NOT_TESTED, "a.missing")])
    assert (found.evidence, found.see, found.sentence) == (SEEN, "", "It raised.")


def test_what_nobody_is_to_blame_for_is_charged_to_nobody() -> None:
    assert charged(one("a.x", Verdict.NOT_TESTED, seen=False)) == {}
