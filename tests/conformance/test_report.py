"""What a run found: times, decisions and verdicts, and in what order cases are judged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from fairplay.certificate import frozen
from fairplay.conformance.case import Case
from fairplay.conformance.conclusion import conclusion
from fairplay.conformance.order import ordered
from fairplay.conformance.report import Report, Run, Times, count_decisions, distribution, measure
from fairplay.conformance.selection import choose_cases, find_level, suggest
from fairplay.conformance.trial import CallLimits, Exchange, Scenario, Trial
from fairplay.conformance.verdicts import Judged, Verdict
from fairplay.games.conformance import Level, Situation
from fairplay.games.game import find
from fairplay.games.steps import CallKind
from fairplay.v1.misconduct_pb2 import Overrun
from fairplay.v1.player_pb2 import PlayerDescription

FISH = find("fish")
RUN = Run("fish", "exec", 7, CallLimits(1.0, 1.0, 3.0), Level.MAY)


def one(
    case_id: str, verdict: Verdict, level: Level = Level.MUST, sentence: str = "", *, known: bool = False
) -> Judged:
    return Judged(case_id, level, verdict, sentence, 0.1, None, known)


def report(*judged: Judged, complete: bool = True, run: Run = RUN) -> Report:
    return Report(run, PlayerDescription(), judged, {}, datetime(2026, 1, 2, tzinfo=UTC), 1.5, complete)


# What was measured


def trial(*calls: tuple[str, CallKind, float]) -> Trial:
    """Return a trial with calls: the method, the kind and the seconds of each."""
    methods = {method.name: method for method in FISH.methods}
    exchanges = [Exchange(methods[name], b"", kind, 1.0, seconds, Overrun()) for name, kind, seconds in calls]
    return Trial(Scenario("x", Situation(FISH.settings_type(), 2, 0), 1), exchanges)


TRIALS = [
    trial(("PlayAs", CallKind.NOTIFICATION, 0.1), ("Setup", CallKind.FIRST_DECISION, 0.2)),
    trial(("Setup", CallKind.DECISION, 0.3), ("TakeTurn", CallKind.DECISION, 0.5)),
]


def test_times_are_kept_by_method_in_the_order_of_the_calls() -> None:
    assert measure(TRIALS) == {"PlayAs": [0.1], "Setup": [0.2, 0.3], "TakeTurn": [0.5]}


def test_notifications_are_no_decisions() -> None:
    assert count_decisions(TRIALS) == {"Setup": 2, "TakeTurn": 1}


def test_a_game_knows_how_long_its_decisions_took() -> None:
    assert [each.decision_count for each in TRIALS] == [1, 2]
    assert [each.mean_decision_s for each in TRIALS] == [0.2, 0.4]
    assert trial(("PlayAs", CallKind.NOTIFICATION, 0.1)).mean_decision_s == 0.0


@pytest.mark.parametrize(
    ("seconds", "wanted"),
    [
        ([0.5], Times(1, 0.5, 0.5, 0.5)),
        ([0.3, 0.1], Times(2, 0.2, 0.3, 0.3)),
        (range(200), Times(200, 99.5, 198, 199)),
        (range(50), Times(50, 24.5, 49, 49)),
    ],
)
def test_one_call_in_a_hundred_may_take_longer_than_the_99th_percentile(
    seconds: Sequence[float], wanted: Times
) -> None:
    found = distribution(seconds)
    assert (found.call_count, found.p99_s, found.max_s) == (wanted.call_count, wanted.p99_s, wanted.max_s)
    assert found.median_s == pytest.approx(wanted.median_s)


# What was found


def test_a_report_counts_its_verdicts_and_names_what_failed() -> None:
    found = report(
        one("a.pass", Verdict.PASS),
        one("a.fail", Verdict.FAIL),
        one("a.warn", Verdict.WARN, Level.SHOULD),
        one("a.lost", Verdict.SUITE_ERROR),
        one("b.pass", Verdict.PASS),
    )
    assert found.counts == {
        Verdict.PASS: 2,
        Verdict.FAIL: 1,
        Verdict.WARN: 1,
        Verdict.NOT_TESTED: 0,
        Verdict.NOT_APPLICABLE: 0,
        Verdict.SUITE_ERROR: 1,
    }
    assert found.failed() == ["a.fail", "a.warn"]
    assert found.verdict("a.warn") is Verdict.WARN
    assert found.verdict("a.missing") is None


def test_only_a_run_that_judged_something_to_its_end_ends_with_0() -> None:
    passed = one("a.pass", Verdict.PASS)
    assert report(passed).exit_code == 0
    assert report(passed, complete=False).exit_code == 1
    assert report().exit_code == 1
    assert report(one("a.fail", Verdict.FAIL)).exit_code == 1


def test_a_run_has_the_title_of_its_game_or_is_about_a_server() -> None:
    assert RUN.title == "Fish"
    assert replace(RUN, game="server").title == "Server"


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
        (report(one("a.b", Verdict.PASS, known=True)), f"{SOME} The exit code is 1: a known failure passes."),
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


# Which cases are judged, and in what order


def case(case_id: str, level: Level = Level.MUST, *, prepared: bool = False) -> Case:
    return Case(case_id, level, (), "It matters.", lambda _: None, (lambda _: None) if prepared else None)


def test_first_comes_what_tells_much_and_last_what_is_prepared_meanwhile() -> None:
    wanted = [
        case("contract.describes-itself"),
        case("contract.reachable"),
        case("rules.whole-game.seat-0-of-2"),
        case("fish.turn.single-legal-move"),
        case("memory.early-end"),
        case("rules.whole-game.seat-0-of-3"),
        case("a.prepared", prepared=True),
        case("b.should", Level.SHOULD),
        case("a.should-be-prepared", Level.SHOULD, prepared=True),
        case("a.may", Level.MAY),
    ]
    order = [9, 8, 7, 6, 4, 5, 3, 0, 1, 2]
    assert [each.id for each in ordered(FISH, [wanted[index] for index in order])] == [each.id for each in wanted]


def test_each_level_includes_the_graver_ones() -> None:
    cases = [case("a.must"), case("a.should", Level.SHOULD), case("b.may", Level.MAY)]
    for name, count in (("must", 1), ("should", 2), ("all", 3)):
        assert choose_cases(cases, find_level(name)) == cases[:count]
    with pytest.raises(ValueError, match="there is no level 'may': give must, should or all"):
        find_level("may")
    assert choose_cases(cases, Level.MAY, "a") == cases[:2]


def test_at_most_three_similar_words_are_suggested() -> None:
    known = ["memory.a", "memory.b", "memory.c", "memory.d", "time.x"]
    assert suggest("memory.e", known).count(" or ") == 2
    assert suggest("memory.e", known[3:]) == "; did you mean memory.d?"
    assert suggest("abcd", ["abxy"]) == "; did you mean abxy?", "half of the letters are the same"
    assert suggest("abcd", ["axyz"]) == ""
