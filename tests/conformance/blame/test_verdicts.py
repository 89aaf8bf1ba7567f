"""Each way in which a case can end, and what follows for the exit code."""

from __future__ import annotations

import pytest

from fairplay.certificate import Verdict
from fairplay.conformance.blame.verdicts import Judged, exit_code
from fairplay.conformance.case import Body, Case, NotApplicable, NotTested, SuiteError, failure
from fairplay.conformance.games.context import Context
from fairplay.conformance.run.judge import Judge, judge
from fairplay.conformance.run.options import Options
from fairplay.conformance.run.plan import choose_cases, make_plan
from fairplay.games.conformance import Level
from tests.conformance.harness import again


def tried(body: Body, level: Level = Level.MUST, *, known: bool = False) -> Judged:
    with Judge(make_plan(Options("fish", "bot:first"))) as judging:
        return judge(Case("x.y", level, (), "It matters.", body), judging.context, again, known=known)


def fails(_: Context) -> None:
    raise failure("It is wrong.", ("Reply", "nothing"))


def untested(_: Context) -> None:
    raise NotTested("It could not be tried.")


def inapplicable(_: Context) -> None:
    raise NotApplicable("It does not concern you.")


def breaks(_: Context) -> None:
    raise SuiteError("The referee is wrong.")


def test_a_must_fails_with_its_evidence_and_the_command_that_repeats_it() -> None:
    found = tried(fails)
    assert (found.verdict, found.sentence) == (Verdict.FAIL, "It is wrong.")
    assert found.evidence is not None
    assert list(found.evidence.sections) == [("Reply", "nothing"), ("Again", "again!")]


def test_what_is_not_demanded_is_a_warning() -> None:
    for level in [Level.SHOULD, Level.MAY]:
        assert tried(fails, level).verdict is Verdict.WARN


def test_what_does_not_concern_the_player_is_no_failure() -> None:
    for body, verdict in [
        (untested, Verdict.NOT_TESTED),
        (inapplicable, Verdict.NOT_APPLICABLE),
        (breaks, Verdict.SUITE_ERROR),
        (lambda _: str(1 / 0), Verdict.SUITE_ERROR),
    ]:
        assert tried(body).verdict is verdict


def test_an_error_of_the_suite_keeps_its_trace() -> None:
    found = tried(lambda _: str(1 / 0))
    assert found.evidence is not None
    assert "ZeroDivisionError" in dict(found.evidence.sections)["Trace"]


def test_the_exit_code_is_0_only_when_every_must_is_met() -> None:
    for level, body, known, code in [
        (Level.MUST, lambda _: None, False, 0),
        (Level.MUST, inapplicable, False, 0),
        (Level.MUST, fails, False, 1),
        (Level.MUST, fails, True, 0),
        (Level.MUST, untested, False, 1),
        (Level.MUST, breaks, False, 1),
        (Level.SHOULD, breaks, False, 1),
        (Level.SHOULD, fails, False, 0),
        (Level.SHOULD, untested, False, 0),
        (Level.MUST, lambda _: None, True, 1),
        (Level.SHOULD, lambda _: None, True, 1),
    ]:
        assert exit_code([tried(body, level, known=known)]) == code


def test_a_pattern_without_a_case_is_answered_with_a_suggestion() -> None:
    cases = [Case("memory.early-end", Level.SHOULD, (), "", untested)]
    with pytest.raises(ValueError, match=r"did you mean memory\.early-end\?"):
        choose_cases(cases, Level.MAY, "memory.earlyend")
    with pytest.raises(ValueError, match="give --level should"):
        choose_cases(cases, Level.MUST, "memory")
