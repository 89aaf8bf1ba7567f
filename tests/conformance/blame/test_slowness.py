"""Answers close to their time limit are warned of, and those that come too late then are a matter of time."""

from __future__ import annotations

from fairplay.certificate import Verdict
from fairplay.conformance.blame.verdicts import Judged, Slowness, charge
from fairplay.conformance.evidence import Evidence
from fairplay.conformance.games.trial import CallLimits, Exchange, Scenario, Trial
from fairplay.games.conformance import Level, Situation
from fairplay.games.game import find
from fairplay.games.steps import CallKind
from fairplay.v1.misconduct_pb2 import Misconduct, MisconductKind
from fairplay.v1.player_pb2 import DescribeResponse

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


def test_a_quick_player_that_hangs_in_some_circumstances_fails_the_case_about_them() -> None:
    slowness = Slowness(LIMITS)
    slowness.look_at(judged("time.every-answer", Verdict.PASS), [trial(0.1)])
    assert slowness.look_at(judged("memory.a", Verdict.FAIL), [trial(6.003, LATE)]).verdict is Verdict.FAIL
