"""Worker processes of a run: what they report, and what happens when one of them dies; the events of a run."""

from __future__ import annotations

import os
import pickle
import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from queue import SimpleQueue

import psutil
import pytest

from fairplay.certificate import Verdict
from fairplay.conformance.run.engine import Messages, Worker, run
from fairplay.conformance.run.judge import Began, CaseBegan, CaseJudged, Ended, Event, Tally
from fairplay.conformance.run.options import Options
from fairplay.conformance.run.plan import make_plan
from fairplay.conformance.run.report import Report
from fairplay.conformance.run.roster import CertificationWork
from fairplay.server.cluster.jobs import WorkerError, make_job
from fairplay.server.cluster.worker import do
from tests.conformance.harness import player
from tests.interrupts import blocking_ctrl_c, ignoring_ctrl_c
from tests.slow import all_but_first_slow


class Recorder:
    """Keeps all events."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    def take(self, event: Event) -> None:
        self.events.append(event)


def test_writers_get_each_case_as_it_begins_and_as_it_is_judged_between_beginning_and_end() -> None:
    first, second = Recorder(), Recorder()
    report = run(Options("fish", player, only="contract", limit_s=5.0), (first, second))
    began, *reported, ended = first.events
    assert isinstance(began, Began)
    assert isinstance(ended, Ended)
    assert ended.report is report
    ids = [case.id for case in began.cases]
    assert len(ids) > 1
    assert [type(event) for event in reported] == [CaseBegan, CaseJudged] * len(ids)
    assert [event.case_id for event in reported if isinstance(event, CaseBegan)] == ids
    assert [event.judged for event in reported if isinstance(event, CaseJudged)] == report.judged
    assert second.events == first.events


PRINTS = """
import os, sys, threading, time
def prints():
    while os.fstat(1).st_ino != os.fstat(2).st_ino:
        time.sleep(0.01)
    while True:
        print("noise")
        time.sleep(0.01)
if "fairplay.conformance.run.worker" in sys.orig_argv:
    threading.Thread(target=prints, daemon=True).start()
"""
"""A module that prints as soon as a worker has put its standard error in the place of its standard output."""


def test_with_jobs_each_case_begins_before_it_is_judged_and_the_report_has_their_order_times_and_player(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sitecustomize.py").write_text(PRINTS)  # which does not come between what workers report
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}:{os.environ.get('PYTHONPATH', '')}")
    recorder = Recorder()
    report = run(Options("fish", "bot:first", only="contract,memory", jobs=2), (recorder,))
    began, *reported, ended = recorder.events
    assert isinstance(began, Began)
    assert isinstance(ended, Ended)
    ids = [case.id for case in began.cases]
    begun = [event.case_id for event in reported if isinstance(event, CaseBegan)]
    judged = [event.judged.id for event in reported if isinstance(event, CaseJudged)]
    assert sorted(begun) == sorted(judged) == sorted(ids)
    for case_id in ids:
        places = [index for index, event in enumerate(reported) if case_of(event) == case_id]
        assert [type(reported[index]) for index in places] == [CaseBegan, CaseJudged]
    assert [each.id for each in report.judged] == ids
    assert report.complete
    assert report.player.display_name == "first"
    assert report.times["TakeTurn"].call_count > 100
    assert report.decisions["TakeTurn"] > 100
    assert "Setup" in report.decisions
    assert "PlayAs" not in report.decisions
    assert {each.verdict for each in report.judged} <= {Verdict.PASS, Verdict.NOT_APPLICABLE}


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_player_that_gets_slower_in_ordinary_games_is_judged_for_that_before_other_cases(jobs: int) -> None:
    recorder = Recorder()
    link = f"exec:{sys.executable} -m tests.conformance.program slows"
    only = "rules.whole-game,memory,endings,growth.memory"
    limited = Options("fish", link, only=only, limit_s=0.5, first_limit_s=0.5, sandbox="off", fail_fast=True, jobs=jobs)
    report = run(limited, [recorder])
    begun = [event.case_id for event in recorder.events if isinstance(event, CaseBegan)]
    assert report.verdict("growth.memory") is Verdict.FAIL
    assert "endings.win-and-lose" not in begun


def case_of(event: Event) -> str:
    assert isinstance(event, CaseBegan | CaseJudged)
    return event.case_id if isinstance(event, CaseBegan) else event.judged.id


def test_nothing_begins_where_no_case_is_meant() -> None:
    recorder = Recorder()
    with pytest.raises(ValueError, match="no case matches 'contrakt'"):
        run(Options("fish", player, only="contrakt"), (recorder,))
    assert recorder.events == []


ONLY = "contract.reachable,contract.describes-itself"


def judged(options: Options) -> Report:
    report = pickle.loads(do(make_job("certify", CertificationWork(options), [str(options.player)])))
    assert isinstance(report, Report)
    return report


@pytest.mark.parametrize("player", ["bot:first", "exec:false"])
def test_a_worker_finds_what_is_found_here(player: str) -> None:
    options = Options("fish", player, only=ONLY, start_limit_s=60.0)
    here, there = run(options), judged(options)
    assert there.run == here.run
    assert [(each.id, each.verdict, each.sentence) for each in there.judged] == [
        (each.id, each.verdict, each.sentence) for each in here.judged
    ]
    assert (there.player, there.complete, there.exit_code) == (here.player, here.complete, here.exit_code)


def test_a_worker_that_lacks_what_the_options_ask_for_says_so() -> None:
    with pytest.raises(WorkerError, match=r": there is no level 'most'"):
        judged(Options("fish", "bot:first", level="most"))


def workers() -> list[psutil.Process]:
    children = psutil.Process().children()
    alive = [each for each in children if each.status() != psutil.STATUS_ZOMBIE]
    return [each for each in alive if "fairplay.conformance.run.worker" in each.cmdline()]


class Killer:
    """Kills all workers as soon as one of them has begun a case."""

    def take(self, event: Event) -> None:
        if isinstance(event, CaseBegan):
            for worker in workers():
                worker.kill()


class Interrupter:
    """Interrupts the run when the second case begins."""

    def __init__(self) -> None:
        self.begun = 0
        self.workers: list[psutil.Process] = []

    def take(self, event: Event) -> None:
        if isinstance(event, CaseBegan):
            self.begun += 1
            if self.begun == 2:
                self.workers = workers()
                raise KeyboardInterrupt


@pytest.mark.slow
def test_a_worker_that_dies_costs_its_case_a_suite_error_and_the_others_are_judged() -> None:
    seconds = "61.25"
    only = "contract.reachable,contract.describes-itself,memory.early-end"
    options = Options("fish", f"exec:sleep {seconds}", only=only, jobs=2, start_limit_s=60.0)
    report = run(options, (Killer(),))
    assert [each.id for each in report.judged] == only.split(",")
    assert report.complete
    assert report.exit_code == 1
    for each in report.judged:
        assert each.verdict is Verdict.SUITE_ERROR
        assert each.sentence.endswith("ended with exit code -9")
    assert workers() == []
    until_gone(seconds)


def until_gone(argument: str) -> None:
    """Wait until no process has this argument: a player ends when the process that started it was killed."""
    give_up = time.monotonic() + 60
    while time.monotonic() < give_up:
        commands = [each.info["cmdline"] or [] for each in psutil.process_iter(["cmdline"])]
        if not any(command[:1] == ["sleep"] and argument in command for command in commands):
            return
        time.sleep(0.05)
    raise AssertionError(f"a player with {argument} is still running")


def test_an_interrupted_run_ends_its_workers() -> None:
    interrupter = Interrupter()
    with pytest.raises(KeyboardInterrupt):
        run(Options("fish", "bot:first", jobs=2), (interrupter,))
    assert interrupter.workers
    assert not any(each.is_running() for each in interrupter.workers)


def test_objects_cannot_be_judged_by_other_processes() -> None:
    with pytest.raises(ValueError, match="give a link instead of an object"):
        run(Options("fish", player, jobs=2))


@pytest.mark.parametrize("heedless", all_but_first_slow([blocking_ctrl_c, ignoring_ctrl_c]))
def test_a_worker_ends_with_its_input_where_ctrl_c_is_blocked_or_ignored(
    heedless: Callable[[], AbstractContextManager[None]],
) -> None:
    messages: Messages = SimpleQueue()
    with heedless():
        worker = Worker(Tally(make_plan(Options("fish", "bot:first")), ()), messages)
    worker.give(["contract.reachable"])
    assert [(case_id, result is None) for _, case_id, result in (messages.get(), messages.get())] == [
        ("contract.reachable", True),
        ("contract.reachable", False),
    ]
    assert worker.wait() == 0
