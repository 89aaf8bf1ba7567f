"""Verdicts, and how answers close to their limits change them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fairplay.certificate import Verdict
from fairplay.conformance.blame.verdicts import Judged, Slowness, charge, exit_code
from fairplay.conformance.case import Body, Case, NotApplicable, NotTested, SuiteError, failure
from fairplay.conformance.evidence import Evidence
from fairplay.conformance.games.context import Context
from fairplay.conformance.games.trial import CallLimits, Exchange, Scenario, Trial
from fairplay.conformance.run.judge import Judge, judge
from fairplay.conformance.run.options import Options
from fairplay.conformance.run.plan import choose_cases, make_plan
from fairplay.games.conformance import Level, Situation
from fairplay.games.game import find
from fairplay.games.steps import CallKind
from fairplay.v1.misconduct_pb2 import Misconduct, MisconductKind
from fairplay.v1.player_pb2 import DescribeResponse
from tests.conformance.harness import again

FISH = find("fish")
LIMITS = CallLimits(6.0, 6.0, 6.0)
LATE = Misconduct(kind=MisconductKind.MISCONDUCT_KIND_TIMEOUT)


def trial(elapsed_s: float, misconduct: Misconduct | None = None, limit_s: float = 6.0) -> Trial:
    method = next(each for each in FISH.methods if each.name == "TakeTurn")
    exchange = Exchange(method, b"", CallKind.DECISION, limit_s, elapsed_s, DescribeResponse())
    return Trial(Scenario("x", Situation(FISH.settings_type(), 2, 0), 1), [exchange], misconduct)


def judged(case_id: str, verdict: Verdict) -> Judged:
    return Judged(case_id, Level.MUST, verdict, "", 0.0, None if verdict is Verdict.PASS else Evidence("Too late."))


def test_an_answer_close_to_its_limit_is_named_with_both_times() -> None:
    slowness = Slowness(LIMITS)
    assert slowness.look_at(judged("a.b", Verdict.PASS), [trial(2.9)]).sentence == ""
    assert slowness.look_at(judged("a.b", Verdict.PASS), [trial(0.2, limit_s=0.3)]).sentence == ""  # of the case's own
    found = slowness.look_at(judged("a.b", Verdict.PASS), [trial(2.9), trial(5.189), trial(4.0)])
    assert found.verdict is Verdict.PASS
    assert found.sentence == "close to the time limit: an answer to TakeTurn took 5,189 ms of 6,000 ms"


def test_a_slow_player_that_is_late_fails_a_case_about_time_whatever_case_met_it() -> None:
    slowness = Slowness(LIMITS)
    first = slowness.look_at(judged("time.every-answer", Verdict.PASS), [trial(5.189)])
    then = slowness.look_at(judged("memory.fresh-process", Verdict.FAIL), [trial(6.003, LATE)])
    assert (then.verdict, then.see) == (Verdict.NOT_TESTED, "time.every-answer")
    assert [(each.id, each.verdict) for each in charge([first, then])] == [("time.every-answer", Verdict.FAIL)]


def test_a_case_is_charged_with_the_evidence_of_its_own_that_says_what_shows_it_again() -> None:
    seen = Judged("contract.a", Level.MUST, Verdict.NOT_TESTED, "", 0.0, Evidence("It failed."), see="exceptions.b")
    own = replace(seen, id="exceptions.b", evidence=Evidence("It failed.").with_history("two games", restarts=True))
    [found] = charge([seen, own])
    assert (found.id, found.verdict) == ("exceptions.b", Verdict.FAIL)
    assert found.evidence == own.evidence


def test_a_quick_player_that_hangs_in_some_circumstances_fails_the_case_about_them() -> None:
    slowness = Slowness(LIMITS)
    slowness.look_at(judged("time.every-answer", Verdict.PASS), [trial(0.1)])
    assert slowness.look_at(judged("memory.a", Verdict.FAIL), [trial(6.003, LATE)]).verdict is Verdict.FAIL


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


def test_what_is_not_demanded_is_a_warning() -> None:
    for level in [Level.SHOULD, Level.MAY]:
        assert tried(fails, level).verdict is Verdict.WARN


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
