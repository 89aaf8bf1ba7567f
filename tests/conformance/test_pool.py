"""Runs in worker processes: what each worker is given, and what is done when one ends or all are interrupted."""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from fairplay.conformance.engine import run_apart, run_plan
from fairplay.conformance.events import Began, CaseBegan, CaseJudged, Ended, Event
from fairplay.conformance.judging import Result
from fairplay.conformance.options import Options
from fairplay.conformance.packing import pack
from fairplay.conformance.plan import Plan, make_plan
from fairplay.conformance.several import PlayerEvent, run_several
from fairplay.conformance.verdicts import Judged, Verdict
from fairplay.conformance.workers import Interruption, Messages
from fairplay.games.conformance import Level
from fairplay.v1.player_pb2 import PlayerDescription

WORKER = """
import json, os, signal, sys
path, doing = sys.argv[1], json.loads(sys.argv[2])
pipe, has_waited = path + "-pipe", False
def note(what):
    with open(path, "a") as notes:
        notes.write(json.dumps([os.getpid(), what]) + chr(10))
def say(what):
    print(json.dumps(what), flush=True)
note({**json.loads(sys.stdin.readline()), "leads_session": os.getsid(0) == os.getpid()})
for line in sys.stdin:
    note(json.loads(line))
    for case_id in json.loads(line):
        say({"began": case_id})
        does = doing.get(case_id)
        if does == "ends" and not os.path.exists(path + case_id):
            open(path + case_id, "w").close()
            os._exit(3)
        if does == "hangs":
            sys.stdin.read()
            sys.exit()
        if does == "outlives":
            sys.stdin.read()
            open(pipe).read()
            note("outlived")
            sys.exit()
        if does == "waits":
            signal.alarm(60)
            open(pipe).read()
            signal.alarm(0)
            has_waited = True
        if does == "holds":
            sys.stdin.read()
            held = open(pipe, "w")
            sys.exit()
        if does == "says no more":
            os.close(1)
            signal.pause()
        verdict = "FAIL" if does == "fails" else "PASS"
        say({"judged": {**json.loads(sys.argv[3]), "id": case_id, "verdict": verdict}})
note("end")
if "waits" in doing.values() and not has_waited:
    held = open(pipe, "w")
"""
"""A worker that judges nothing: it notes what it is given, and ends, hangs or fails at some cases.

At others it waits until another worker has ended: that one holds a pipe open.
"""


def passed() -> dict[str, Any]:
    judged = Judged("", Level.MUST, Verdict.PASS, "", 0.1)
    return pack(Result(judged, {"Setup": [0.1]}, {"Setup": 1}, PlayerDescription(display_name="me")))


class Workers:
    """What workers do at some cases, and what they have noted."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self._notes = folder / "notes"
        self._notes.touch()
        os.mkfifo(f"{self._notes}-pipe")
        self._monkeypatch = monkeypatch
        self.do()

    def do(self, **at: str) -> None:
        """Say what workers do at cases; by id, with _ for . and -."""
        command = (sys.executable, "-S", "-c", WORKER, str(self._notes), json.dumps(doing(at)), json.dumps(passed()))
        self._monkeypatch.setattr("fairplay.conformance.workers.COMMAND", command)

    @property
    def notes(self) -> dict[int, list[Any]]:
        """Return what each worker was given, first the options."""
        found: dict[int, list[Any]] = {}
        for line in self._notes.read_text().splitlines():
            pid, what = json.loads(line)
            found.setdefault(pid, []).append(what)
        return found

    @property
    def groups(self) -> list[list[str]]:
        return sorted((each for given in self.notes.values() for each in given[1:] if each != "end"), key=IDS.index_of)


def doing(at: dict[str, str]) -> dict[str, str]:
    return {case_id: at[name] for case_id in IDS for name in at if case_id.replace(".", "_").replace("-", "_") == name}


class _Ids(list[str]):
    def index_of(self, group: Sequence[str]) -> int:
        return self.index(group[0])


def plan(**more: Any) -> Plan:
    return make_plan(Options("fish", "bot:first", only="contract,memory", **{"jobs": 2, **more}))


IDS = _Ids(case.id for case in plan().cases)
FIRST, SECOND, THIRD = IDS[:3]


@pytest.fixture
def workers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workers:
    return Workers(tmp_path, monkeypatch)


def name(case_id: str) -> str:
    return case_id.replace(".", "_").replace("-", "_")


def in_fours(ids: Sequence[str]) -> list[list[str]]:
    return [[*ids[first : first + 4]] for first in range(0, len(ids), 4)]


class Recorder:
    """Keeps all events."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    def take(self, event: Event) -> None:
        self.events.append(event)


def test_each_worker_gets_the_options_of_one_job_and_groups_of_cases_until_all_are_judged(workers: Workers) -> None:
    recorder = Recorder()
    report = run_plan(plan(seed=5), [recorder])
    assert [each.id for each in report.judged] == IDS
    assert (report.complete, report.counts[Verdict.PASS]) == (True, len(IDS))
    assert report.player.display_name == "me"
    assert report.times["Setup"].call_count == report.decisions["Setup"] == len(IDS)
    assert workers.groups == in_fours(IDS)
    assert len(workers.notes) == 2
    for given in workers.notes.values():
        assert (given[0]["game"], given[0]["player"], given[0]["seed"], given[0]["jobs"]) == ("fish", "bot:first", 5, 1)
        assert given[0]["leads_session"], "Ctrl-C reaches the run only"
        assert given[-1] == "end", "it ends by itself when there is nothing more to do"
    begun = [event.case_id for event in recorder.events if isinstance(event, CaseBegan)]
    assert sorted(begun) == sorted(IDS)
    assert sum(isinstance(event, CaseJudged) for event in recorder.events) == len(IDS)


def test_no_more_workers_are_started_than_there_are_groups(workers: Workers) -> None:
    run_plan(make_plan(Options("fish", "bot:first", only=",".join(IDS[:4]), jobs=8)))
    assert len(workers.notes) == 1
    run_plan(make_plan(Options("fish", "bot:first", only=",".join(IDS[:5]), jobs=8)))
    assert len(workers.notes) == 1 + 2


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_case_in_which_a_worker_ends_is_lost_and_another_worker_judges_the_rest(workers: Workers, jobs: int) -> None:
    workers.do(**{name(SECOND): "ends"})
    report = run_apart(plan(jobs=jobs), (), Interruption())
    assert [each.id for each in report.judged] == IDS
    lost = report.judged[1]
    assert (lost.id, lost.verdict, lost.known, lost.seconds) == (SECOND, Verdict.SUITE_ERROR, False, 0.0)
    assert lost.sentence == "the suite failed: the process that judged this case ended with exit code 3"
    assert lost.evidence is not None
    assert lost.evidence.sentence == lost.sentence
    assert report.counts[Verdict.PASS] == len(IDS) - 1
    assert report.complete
    assert IDS[2:4] in workers.groups
    assert len(workers.notes) == jobs + 1


def test_a_worker_that_has_nothing_more_to_judge_ends_while_others_go_on(workers: Workers) -> None:
    workers.do(**{name(FIRST): "waits"})
    report = run_plan(make_plan(Options("fish", "bot:first", only=",".join(IDS[:5]), jobs=2)))
    assert report.counts[Verdict.PASS] == 5


def test_all_workers_are_told_to_end_before_any_of_them_is_waited_for(workers: Workers) -> None:
    workers.do(**{name(FIRST): "outlives", name(IDS[4]): "holds"})
    begun: list[str] = []

    class Both(Recorder):
        def take(self, event: Event) -> None:
            if isinstance(event, CaseBegan):
                begun.append(event.case_id)
                if len(begun) == 2:
                    raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_plan(plan(jobs=2), [Both()])
    assert sorted(begun) == sorted([FIRST, IDS[4]])
    assert "outlived" in [given[-1] for given in workers.notes.values()]


def test_a_worker_that_says_no_more_is_killed_if_it_does_not_end(
    workers: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fairplay.conformance.workers.EXIT_LIMIT_S", 0.1)
    workers.do(**{name(FIRST): "says no more"})
    lost = run_apart(make_plan(Options("fish", "bot:first", only=FIRST)), (), Interruption()).judged[0]
    assert lost.sentence == "the suite failed: the process that judged this case ended with exit code -9"


def test_a_worker_that_ends_at_its_last_case_is_replaced_if_there_is_more_to_judge(workers: Workers) -> None:
    workers.do(**{name(IDS[3]): "ends"})
    report = run_apart(plan(jobs=1), (), Interruption())
    assert report.counts[Verdict.PASS] == len(IDS) - 1
    assert len(workers.notes) == 2
    workers.do(**{name(IDS[-1]): "ends"})
    report = run_apart(plan(jobs=1), (), Interruption())
    assert report.judged[-1].verdict is Verdict.SUITE_ERROR
    assert len(workers.notes) == 3


def test_a_lost_case_may_be_a_known_failure(workers: Workers, tmp_path: Path) -> None:
    known = tmp_path / "known"
    known.write_text(f"{FIRST}\n")
    workers.do(**{name(FIRST): "ends"})
    report = run_apart(plan(known_failures=str(known)), (), Interruption())
    assert [each.known for each in report.judged[:2]] == [True, False]


@pytest.mark.parametrize(("fail_fast", "complete"), [(True, False), (False, True)])
def test_a_run_that_is_to_fail_fast_ends_with_the_first_failure(
    workers: Workers, fail_fast: bool, complete: bool
) -> None:
    workers.do(**{name(FIRST): "fails"})
    report = run_apart(plan(jobs=1, fail_fast=fail_fast), (), Interruption())
    assert report.complete is complete
    assert report.verdict(FIRST) is Verdict.FAIL
    assert (len(report.judged) == 1) is fail_fast


def test_a_run_is_interrupted_from_another_thread(workers: Workers) -> None:
    workers.do(**{name(SECOND): "hangs"})
    interruption, recorder = Interruption(), Interrupter()
    recorder.interruption = interruption
    with pytest.raises(KeyboardInterrupt):
        run_apart(plan(jobs=1), [recorder], interruption)
    ended = recorder.events[-1]
    assert isinstance(ended, Ended)
    assert ([each.id for each in ended.report.judged], ended.report.complete) == ([FIRST], False)
    with pytest.raises(KeyboardInterrupt):
        run_apart(plan(jobs=1), [recorder], interruption)


def test_a_run_that_is_over_is_not_interrupted_any_more(workers: Workers) -> None:
    class Watched(Interruption):
        def join(self, messages: Messages) -> None:
            self.messages = messages
            super().join(messages)

    interruption = Watched()
    run_apart(make_plan(Options("fish", "bot:first", only=FIRST)), (), interruption)
    interruption.interrupt()
    left = [interruption.messages.get() for _ in range(interruption.messages.qsize())]
    assert (None, None) not in left


class Interrupter(Recorder):
    """Keeps all events, and interrupts the run from another thread when the second case begins."""

    interruption: Interruption

    def take(self, event: Event) -> None:
        super().take(event)
        if isinstance(event, CaseBegan) and event.case_id == SECOND:
            threading.Thread(target=self.interruption.interrupt).start()


# Several players


class Told:
    """Keeps what is told of several players, and raises an error where a test says so."""

    def __init__(self, raises: Callable[[PlayerEvent], bool] = lambda _: False) -> None:
        self.events: list[PlayerEvent] = []
        self.written: dict[str, Recorder] = {}
        self._raises = raises

    def writers(self, name: str) -> Sequence[Recorder]:
        self.written[name] = Recorder()
        return [self.written[name]]

    def take(self, event: PlayerEvent) -> None:
        self.events.append(event)
        if self._raises(event):
            raise RuntimeError("no room on the disk")

    def of(self, name: str) -> list[Event]:
        return [each.event for each in self.events if each.name == name]


@pytest.mark.parametrize("at_once", [1, 2])
def test_all_players_are_judged_and_told_of(workers: Workers, at_once: int) -> None:
    reported = Told()
    reports = run_several({each: plan(jobs=1) for each in ("anna", "bruno")}, at_once, reported.writers, reported.take)
    assert list(reports) == ["anna", "bruno"]
    assert all(report.complete and len(report.judged) == len(IDS) for report in reports.values())
    for each, report in reports.items():
        assert reported.of(each) == reported.written[each].events
        assert isinstance(reported.of(each)[0], Began)
        assert reported.of(each)[-1] == Ended(report)
    if at_once == 1:
        names = [each.name for each in reported.events]
        assert names == sorted(names)


def test_when_one_run_fails_the_others_are_interrupted_and_told_of(workers: Workers) -> None:
    workers.do(**{name(SECOND): "hangs"})
    begun = threading.Barrier(2, timeout=60)

    def raises(event: PlayerEvent) -> bool:
        return event.name == "anna" and isinstance(event.event, CaseBegan) and event.event.case_id == SECOND

    class Both(Told):
        def writers(self, name: str) -> Sequence[Recorder]:
            begun.wait()
            return super().writers(name)

    reported = Both(raises)
    with pytest.raises(RuntimeError, match="no room on the disk"):
        run_several({each: plan(jobs=1) for each in ("anna", "bruno")}, 2, reported.writers, reported.take)
    [ended] = [event for event in reported.of("bruno") if isinstance(event, Ended)]
    assert not ended.report.complete


def test_when_one_run_fails_those_that_have_not_begun_do_not_begin(workers: Workers) -> None:
    workers.do(**{name(SECOND): "hangs"})
    reported = Told(lambda event: event.name == "anna" and isinstance(event.event, CaseJudged))
    with pytest.raises(RuntimeError, match="no room on the disk"):
        run_several({each: plan(jobs=1) for each in ("anna", "bruno", "carla")}, 1, reported.writers, reported.take)
    assert "carla" not in reported.written
