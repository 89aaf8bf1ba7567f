"""How cases are judged one after the other: attempts, what is collected, and when a run is over."""

from __future__ import annotations

import json
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from io import StringIO
from queue import SimpleQueue
from typing import Any

import pytest

from fairplay.conformance import worker
from fairplay.conformance.case import Case
from fairplay.conformance.case_errors import Failure, NotApplicable, NotTested, failure
from fairplay.conformance.engine import run_here, run_plan
from fairplay.conformance.events import Began, CaseBegan, CaseJudged, Ended, Event
from fairplay.conformance.evidence import Evidence
from fairplay.conformance.judging import Judge, Result, judge
from fairplay.conformance.options import Options
from fairplay.conformance.owners import AFTER_OTHERS
from fairplay.conformance.packing import pack, unpack
from fairplay.conformance.plan import make_plan
from fairplay.conformance.report import Report, Run
from fairplay.conformance.tally import Tally
from fairplay.conformance.trial import CallLimits, Exchange, Scenario, Trial
from fairplay.conformance.verdicts import Judged, Verdict
from fairplay.conformance.workers import Interruption, Messages
from fairplay.games.conformance import Level, Situation
from fairplay.games.game import find
from fairplay.games.steps import CallKind
from fairplay.v1.player_pb2 import PlayerDescription

FISH = find("fish")
RUN = Run("fish", "object", 7, CallLimits(1.0, 1.0, 3.0), Level.MAY)


def case(case_id: str, body: Callable[[Any], str | None] = lambda _: None, level: Level = Level.MUST) -> Case:
    return Case(case_id, level, (), "It matters.", body)


def raising(error: Exception) -> Callable[[Any], str | None]:
    def body(_: Any) -> str | None:
        raise error

    return body


class Attempts:
    """What cases work with; a case is tried again where a test says so."""

    def __init__(self, *, with_past: bool = False) -> None:
        self.trials: list[Trial] = []
        self.description = PlayerDescription()
        self.settled: list[bool] = []
        self._with_past = with_past

    def try_again(self, *, settled: bool) -> bool:
        self.settled.append(settled)
        return self._with_past and not settled


def again(case_id: str, history: str = "") -> str:
    return f"again {case_id} {history}".strip()


def tried(*bodies: Callable[[Any], str | None], level: Level = Level.MUST, with_past: bool = True) -> Judged:
    """Return the verdict on a case whose attempts have these bodies."""
    left = iter(bodies)

    def body(context: Any) -> str | None:
        attempt = next(left)
        return attempt(context)

    judged = judge(case("x.y", body, level), Attempts(with_past=with_past), again)
    assert next(left, None) is None, "an attempt was not made"
    return judged


def passes(_: Any) -> str | None:
    return "a remark"


FAILS = raising(failure("It is wrong."))
UNTESTED = raising(NotTested("it could not be tried", Evidence("It hung."), "a.b"))
GIVEN_UP = raising(NotTested("it is not called any more", given_up=True))


# Attempts


@pytest.mark.parametrize(
    ("bodies", "verdict", "sentence", "see"),
    [
        ((passes,), Verdict.PASS, "a remark", ""),
        ((lambda _: None,), Verdict.PASS, "", ""),
        ((raising(NotApplicable("it is no concern")),), Verdict.NOT_APPLICABLE, "it is no concern", ""),
        ((GIVEN_UP,), Verdict.NOT_TESTED, "it is not called any more", ""),
        ((FAILS, FAILS), Verdict.FAIL, "It is wrong.", ""),
        ((FAILS, UNTESTED), Verdict.NOT_TESTED, "it could not be tried: see a.b", "a.b"),
        ((raising(NotTested("no")), passes), Verdict.PASS, "a remark", ""),
        (
            (FAILS, passes),
            Verdict.NOT_TESTED,
            "it fails only after other games: see memory.back-to-back",
            AFTER_OTHERS,
        ),
        ((UNTESTED, passes), Verdict.NOT_TESTED, "it fails only after other games: see a.b", "a.b"),
        ((raising(KeyError("x")), FAILS), Verdict.FAIL, "It is wrong.", ""),
    ],
)
def test_a_case_that_is_not_met_where_the_player_had_a_past_is_tried_again(
    bodies: Sequence[Any], verdict: Verdict, sentence: str, see: str
) -> None:
    began = time.monotonic()
    found = tried(*bodies)
    assert (found.verdict, found.sentence, found.see) == (verdict, sentence, see)
    assert (found.id, found.level, found.known) == ("x.y", Level.MUST, False)
    assert 0 <= found.seconds <= time.monotonic() - began


def test_a_recommendation_that_is_not_met_only_after_other_games_is_a_warning() -> None:
    assert tried(FAILS, passes, level=Level.SHOULD).verdict is Verdict.WARN
    assert tried(FAILS, FAILS, level=Level.SHOULD).verdict is Verdict.WARN
    assert tried(UNTESTED, passes, level=Level.SHOULD).verdict is Verdict.NOT_TESTED


def test_a_case_is_tried_once_where_the_player_had_no_past() -> None:
    assert tried(FAILS, with_past=False).verdict is Verdict.FAIL


def test_an_error_of_the_suite_is_shown_with_the_end_of_its_trace() -> None:
    found = tried(raising(KeyError("x" * 50_000, "the end")), with_past=False)
    assert found.verdict is Verdict.SUITE_ERROR
    assert found.sentence.startswith("the suite failed: KeyError: (")
    assert found.evidence is not None
    assert found.evidence.sentence == found.sentence
    (title, trace), (again_title, _) = found.evidence.sections
    assert (title, again_title) == ("Trace", "Again")
    assert trace.rstrip().endswith("'the end')")


def test_evidence_has_the_command_that_judges_the_case_or_its_history_again() -> None:
    found = tried(FAILS, with_past=False)
    assert found.evidence is not None
    assert found.evidence.sections == (("Again", "again x.y"),)
    with_history = raising(Failure(Evidence("It is wrong.", history="seat-0-of-2")))
    found = tried(with_history, with_past=False)
    assert found.evidence is not None
    assert found.evidence.sections == (("Again", "again memory.back-to-back seat-0-of-2"),)
    silent = judge(case("x.y", FAILS), Attempts(), lambda case_id, history="": "")
    assert silent.evidence is not None
    assert silent.evidence.sections == ()


# Several cases


@dataclass(frozen=True)
class SomePlan:
    """Cases to judge with attempts that a test watches."""

    cases: Sequence[Case]
    attempts: Attempts = field(default_factory=Attempts)
    run: Run = RUN
    known: frozenset[str] = frozenset()
    opened: list[str] = field(default_factory=list)

    @contextmanager
    def open_context(self) -> Iterator[Attempts]:
        self.opened.append("open")
        yield self.attempts
        self.opened.append("closed")

    def repeat_command(self, case_id: str, history: str = "") -> str:
        return again(case_id, history)


class Recorder:
    """Keeps all events, and raises KeyboardInterrupt when a case with some id begins."""

    def __init__(self, interrupted_at: str = "") -> None:
        self.events: list[Event] = []
        self._interrupted_at = interrupted_at

    def take(self, event: Event) -> None:
        self.events.append(event)
        if isinstance(event, CaseBegan) and event.case_id == self._interrupted_at:
            raise KeyboardInterrupt


def trial(*calls: tuple[CallKind, float]) -> Trial:
    exchanges = [Exchange(FISH.turn, b"", kind, 1.0, seconds, b"") for kind, seconds in calls]  # type: ignore[arg-type]
    return Trial(Scenario("x", Situation(FISH.settings_type(), 2, 0), 1), exchanges)


def test_one_context_is_opened_for_the_first_case_and_closed_at_the_end() -> None:
    plan = SomePlan([])
    with Judge(plan) as judging:
        assert plan.opened == []
        for name in ("a.b", "a.c"):
            assert judging.judge(case(name)).judged.verdict is Verdict.PASS
        assert plan.opened == ["open"]
    assert plan.opened == ["open", "closed"]


def test_each_result_has_what_was_measured_since_the_case_before() -> None:
    plan = SomePlan([])

    def plays(*calls: tuple[CallKind, float]) -> Case:
        return case("a.b", lambda context: context.trials.extend(trial(each) for each in calls))

    with Judge(plan) as judging:
        first = judging.judge(plays((CallKind.NOTIFICATION, 0.1), (CallKind.DECISION, 0.2)))
        plan.attempts.description = PlayerDescription(display_name="me")
        second = judging.judge(plays((CallKind.DECISION, 0.3)))
        third = judging.judge(case("a.c"))
    assert [each.times for each in (first, second, third)] == [{"TakeTurn": [0.1, 0.2]}, {"TakeTurn": [0.3]}, {}]
    assert [each.decisions for each in (first, second, third)] == [{"TakeTurn": 1}, {"TakeTurn": 1}, {}]
    assert [each.player.display_name for each in (first, second, third)] == ["", "me", "me"]


def test_what_concerns_every_player_of_a_kind_cannot_be_inapplicable() -> None:
    inapplicable = raising(NotApplicable("it is no concern"))
    with Judge(SomePlan([])) as judging:
        allowed = judging.judge(case("contract.one-reply-per-call", inapplicable)).judged
        found = judging.judge(case("contract.describes-itself", inapplicable)).judged
    assert (allowed.verdict, allowed.sentence) == (Verdict.NOT_APPLICABLE, "it is no concern")
    assert found.verdict is Verdict.SUITE_ERROR
    assert found.sentence == "the suite failed: this case concerns every player that is reached by object"
    assert found.evidence == Evidence(found.sentence)


def test_known_failures_are_marked() -> None:
    report = run_here(SomePlan([case("a.b", FAILS), case("a.c", FAILS)], known=frozenset({"a.c"})))
    assert [each.known for each in report.judged] == [False, True]


def test_three_cases_are_judged_before_others_are_prepared_each_of_them_once() -> None:
    noted: list[str] = []

    def prepared(name: str) -> Case:
        return Case(name, Level.MUST, (), "", lambda _: noted.append(name), lambda _: noted.append(f"prepare {name}"))

    run_here(SomePlan([prepared("a.1"), prepared("a.2"), case("a.3"), prepared("a.4"), case("a.5"), prepared("a.6")]))
    assert noted == ["a.1", "a.2", "prepare a.4", "prepare a.6", "a.4", "a.6"]


def test_writers_are_told_what_was_judged_up_to_an_interruption() -> None:
    recorder, plan = Recorder("a.2"), SomePlan([case("a.1"), case("a.2")])
    with pytest.raises(KeyboardInterrupt):
        run_here(plan, [recorder])
    assert [type(event) for event in recorder.events] == [Began, CaseBegan, CaseJudged, CaseBegan, Ended]
    ended = recorder.events[-1]
    assert isinstance(ended, Ended)
    assert (ended.report.complete, [each.id for each in ended.report.judged]) == (False, ["a.1"])
    assert plan.opened == ["open", "closed"]


# Tallies


def result(case_id: str, verdict: Verdict = Verdict.PASS, *, known: bool = False, **more: Any) -> Result:
    evidence = Evidence("It raised.") if verdict is Verdict.NOT_TESTED else None
    judged = Judged(case_id, Level.MUST, verdict, "", 0.1, evidence, known, more.pop("see", ""))
    return Result(judged, more.pop("times", {}), more.pop("decisions", {}), more.pop("player", PlayerDescription()))


def tallied(*results: Result, missing: Sequence[str] = ()) -> tuple[Report, Recorder]:
    recorder = Recorder()
    cases = [case(each) for each in (*(each.judged.id for each in results), *missing)]
    tally = Tally(SomePlan(cases[::-1]), [recorder])
    tally.begin(cases)
    for each in results:
        tally.add(each)
    return tally.end(), recorder


def test_a_report_has_the_cases_in_their_order_with_all_that_was_measured() -> None:
    me = PlayerDescription(display_name="me")
    report, recorder = tallied(
        result("a.1", times={"Setup": [0.1, 0.3]}, decisions={"TakeTurn": 1}, player=me),
        result("a.2", times={"Setup": [0.2], "TakeTurn": [0.5]}, decisions={"TakeTurn": 2, "Setup": 3}),
    )
    assert [each.id for each in report.judged] == ["a.2", "a.1"]
    assert (report.player, report.complete, report.run) == (me, True, RUN)
    assert (report.times["Setup"].call_count, report.times["Setup"].median_s) == (3, 0.2)
    assert list(report.decisions.items()) == [("Setup", 3), ("TakeTurn", 3)]
    assert 0 <= report.seconds < 3_600
    assert [type(event) for event in recorder.events] == [Began, CaseJudged, CaseJudged, Ended]


def test_misconduct_is_charged_only_where_all_cases_were_judged() -> None:
    seen = result("b.x", Verdict.NOT_TESTED, see="a.1")
    report, recorder = tallied(result("a.1"), seen)
    assert report.verdict("a.1") is Verdict.FAIL
    assert [event.judged.id for event in recorder.events if isinstance(event, CaseJudged)] == ["a.1", "b.x", "a.1"]
    report, recorder = tallied(result("a.1"), seen, missing=["a.2"])
    assert (report.verdict("a.1"), report.complete) == (Verdict.PASS, False)
    assert len(recorder.events) == 4


@pytest.mark.parametrize(
    ("verdict", "known", "failed"),
    [
        (Verdict.FAIL, False, True),
        (Verdict.FAIL, True, False),
        (Verdict.PASS, False, False),
        (Verdict.PASS, True, False),
        (Verdict.NOT_TESTED, False, False),
        (Verdict.WARN, False, False),
    ],
)
def test_a_run_has_failed_with_a_must_that_is_not_met_and_not_known(
    verdict: Verdict, known: bool, failed: bool
) -> None:
    tally = Tally(SomePlan([]), [])
    assert not tally.failed
    tally.add(result("a.0"))
    tally.add(result("a.1", verdict, known=known))
    assert tally.failed is failed


@pytest.mark.parametrize(("fail_fast", "judged"), [(True, 1), (False, 2)])
def test_a_run_that_is_to_fail_fast_ends_with_the_first_failure(fail_fast: bool, judged: int) -> None:
    def make() -> Any:
        made: Any = FISH.player("first")
        made.describe = raising(RuntimeError("this player is broken"))
        return made

    only = "contract.describes-itself,contract.every-method"
    report = run_plan(make_plan(Options("fish", make, only=only, fail_fast=fail_fast)))
    assert [each.id for each in report.judged][:1] == ["contract.describes-itself"]
    assert (len(report.judged), report.complete) == (judged, not fail_fast)


# Workers


class Orders(SimpleQueue[Any]):
    """The orders of a worker, after which it is ended."""

    def __init__(self, *orders: object) -> None:
        super().__init__()
        for order in orders:
            self.put(order)

    def get(self, block: bool = True, timeout: float | None = None) -> Any:
        if self.empty():
            raise KeyboardInterrupt
        return super().get(block, timeout)


def test_a_worker_judges_the_cases_of_its_orders_one_after_the_other() -> None:
    output = StringIO()
    ids = ["contract.reachable", "contract.describes-itself", "time.slow-rivals"]
    orders = Orders({"game": "fish", "player": "bot:first"}, ids[:2], ids[2:])
    with pytest.raises(KeyboardInterrupt):
        worker.judge_orders(orders, output)
    lines = [json.loads(line) for line in output.getvalue().splitlines()]
    assert [each["began"] for each in lines[::2]] == ids
    results = [unpack(each["judged"]) for each in lines[1::2]]
    assert [(each.judged.id, each.judged.verdict) for each in results] == [(each, Verdict.PASS) for each in ids]


def test_the_end_of_its_input_interrupts_a_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    orders = SimpleQueue[Any]()
    monkeypatch.setattr("sys.stdin", StringIO('{"game": "fish"}\n["a.b"]\n'))
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            worker.read_orders(orders)
            threading.Event().wait(30)
    finally:
        signal.signal(signal.SIGINT, before)
    assert [orders.get(timeout=1), orders.get(timeout=1)] == [{"game": "fish"}, ["a.b"]]


def test_runs_that_wait_are_interrupted_and_those_that_begin_later_at_once() -> None:
    interruption, waiting, over, later = Interruption(), SimpleQueue[Any](), SimpleQueue[Any](), SimpleQueue[Any]()
    queues: tuple[Messages, Messages, Messages] = (waiting, over, later)
    for queue in queues[:2]:
        interruption.join(queue)
    interruption.leave(over)
    assert waiting.empty()
    interruption.interrupt()
    interruption.join(later)
    assert [queue.qsize() for queue in queues] == [1, 0, 1]
    assert waiting.get() == later.get() == (None, None)


def test_a_result_is_the_same_after_its_way_from_a_worker() -> None:
    evidence = Evidence("It is wrong.", ["a.rule"], [("Call", "Setup")], "board", "<svg/>", "seat-0-of-2")
    judged = Judged("a.b", Level.SHOULD, Verdict.WARN, "It is wrong.", 0.25, evidence, True, "c.d")
    result = Result(judged, {"Setup": [0.1]}, {"Setup": 1}, PlayerDescription(display_name="me"))
    assert unpack(pack(result)) == result
    assert unpack(pack(result._replace(judged=Judged("a", Level.MUST, Verdict.PASS, "", 0.1)))).judged.evidence is None
