"""Each way in which a case can end, and what follows for the exit code."""

from __future__ import annotations

import pytest

from fairplay.certificate.patterns import matches
from fairplay.conformance.case import Body, Case, case
from fairplay.conformance.case_errors import NotApplicable, NotTested, SuiteError, failure
from fairplay.conformance.context import Context
from fairplay.conformance.evidence import Evidence
from fairplay.conformance.judging import Judge, judge
from fairplay.conformance.options import Options
from fairplay.conformance.plan import make_plan
from fairplay.conformance.selection import choose_cases
from fairplay.conformance.verdicts import Judged, Verdict, exit_code
from fairplay.games.conformance import Level
from tests.conformance.harness import again

SHOWN = Evidence("It hung.")


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


def test_a_recommendation_not_met_after_other_games_is_a_warning_and_blames_no_other_case() -> None:
    bodies = iter((fails, lambda _: None))

    def body(context: Context) -> None:
        next(bodies)(context)

    with Judge(make_plan(Options("fish", "bot:first"))) as judging:
        context = judging.context
        assert isinstance(context, Context)
        context.try_again = lambda *, settled: not settled  # type: ignore[method-assign]
        case = Case("x.y", Level.SHOULD, (), "It matters.", body)
        judged = judge(case, context, again)
    assert (judged.verdict, judged.sentence, judged.see) == (Verdict.WARN, "It is wrong.", "")


def test_a_case_that_returns_is_passed() -> None:
    assert tried(lambda _: None).verdict is Verdict.PASS


def test_a_must_fails_with_its_evidence_and_the_command_that_repeats_it() -> None:
    found = tried(fails)
    assert (found.verdict, found.sentence) == (Verdict.FAIL, "It is wrong.")
    assert found.evidence is not None
    assert list(found.evidence.sections) == [("Reply", "nothing"), ("Again", "again!")]


@pytest.mark.parametrize("level", [Level.SHOULD, Level.MAY])
def test_what_is_not_demanded_is_a_warning(level: Level) -> None:
    assert tried(fails, level).verdict is Verdict.WARN


@pytest.mark.parametrize(
    ("body", "verdict"),
    [
        (untested, Verdict.NOT_TESTED),
        (inapplicable, Verdict.NOT_APPLICABLE),
        (breaks, Verdict.SUITE_ERROR),
        (lambda _: str(1 / 0), Verdict.SUITE_ERROR),
    ],
)
def test_what_does_not_concern_the_player_is_no_failure(body: Body, verdict: Verdict) -> None:
    assert tried(body).verdict is verdict


def test_an_error_of_the_suite_keeps_its_trace() -> None:
    found = tried(lambda _: str(1 / 0))
    assert found.evidence is not None
    assert "ZeroDivisionError" in dict(found.evidence.sections)["Trace"]


@pytest.mark.parametrize(
    ("level", "body", "known", "code"),
    [
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
    ],
)
def test_the_exit_code_is_0_only_when_every_must_is_met(level: Level, body: Body, known: bool, code: int) -> None:
    assert exit_code([tried(body, level, known=known)]) == code


def test_a_decorated_function_is_a_case() -> None:
    @case("memory.example", "A sentence of the contract.", level=Level.MAY)
    def example(context: Context) -> None:
        """Why it matters."""

    assert example == Case(
        "memory.example", Level.MAY, ("A sentence of the contract.",), "Why it matters.", example.run
    )


def test_the_first_line_of_a_docstring_says_why_a_case_matters() -> None:
    @case("a.b")
    def longer(context: Context) -> None:
        """It matters.

        This is how it is tried.
        """

    @case("a.c")
    def silent(context: Context) -> None:
        return None

    assert (longer.why, longer.level, longer.checks, longer.prepare) == ("It matters.", Level.MUST, (), None)
    assert silent.why == ""


def test_who_could_not_be_tried_is_told_which_case_to_see() -> None:
    plain, seen = NotTested("no time"), NotTested("it hung", SHOWN, "time.x", given_up=True)
    assert (plain.reason, plain.evidence, plain.see, plain.given_up) == ("no time", None, "", False)
    assert (seen.reason, seen.evidence, seen.see, seen.given_up) == ("it hung: see time.x", SHOWN, "time.x", True)
    assert [str(each) for each in (plain, seen)] == [plain.reason, seen.reason]


def test_other_ends_of_a_case_say_what_they_are_about() -> None:
    failed = failure("It is wrong.", ("Reply", "nothing"))
    assert (str(failed), failed.evidence.sentence) == ("It is wrong.", "It is wrong.")
    assert failed.evidence.sections == (("Reply", "nothing"),)
    none = NotApplicable("it is no concern")
    assert (str(none), none.reason) == ("it is no concern", "it is no concern")


@pytest.mark.parametrize(
    ("pattern", "case_id", "expected"),
    [
        ("memory", "memory.early-end", True),
        ("memory", "memories.x", False),
        ("rules.whole-game", "rules.whole-game.seat-0-of-2", True),
        ("*.early-*", "memory.early-end", True),
        ("time.x,memory.early-end", "memory.early-end", True),
        ("memory.early", "memory.early-end", False),
    ],
)
def test_a_pattern_names_ids_groups_and_lists(pattern: str, case_id: str, expected: bool) -> None:
    assert matches(case_id, pattern) is expected


def test_a_pattern_without_a_case_is_answered_with_a_suggestion() -> None:
    cases = [Case("memory.early-end", Level.SHOULD, (), "", untested)]
    with pytest.raises(ValueError, match=r"did you mean memory\.early-end\?"):
        choose_cases(cases, Level.MAY, "memory.earlyend")
    with pytest.raises(ValueError, match="give --level should"):
        choose_cases(cases, Level.MUST, "memory")
