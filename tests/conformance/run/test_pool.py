"""Worker processes of a run: what they report, and what happens when one of them dies."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from queue import SimpleQueue

import psutil
import pytest

from fairplay.certificate import Verdict
from fairplay.conformance.run.engine import Messages, Worker, run
from fairplay.conformance.run.judge import CaseBegan, Event, Tally
from fairplay.conformance.run.options import Options
from fairplay.conformance.run.plan import make_plan
from tests.conformance.harness import player
from tests.interrupts import blocking_ctrl_c, ignoring_ctrl_c


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


def test_workers_report_the_times_and_the_player() -> None:
    report = run(Options("fish", "bot:first", only="contract,memory", jobs=2))
    assert report.player.display_name == "first"
    assert report.times["TakeTurn"].call_count > 100
    assert report.decisions["TakeTurn"] > 100
    assert "Setup" in report.decisions
    assert "PlayAs" not in report.decisions
    assert {each.verdict for each in report.judged} <= {Verdict.PASS, Verdict.NOT_APPLICABLE}


def test_objects_cannot_be_judged_by_other_processes() -> None:
    with pytest.raises(ValueError, match="give a link instead of an object"):
        run(Options("fish", player, jobs=2))


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


def test_what_is_printed_in_a_worker_does_not_come_between_what_it_reports(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sitecustomize.py").write_text(PRINTS)
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}:{os.environ.get('PYTHONPATH', '')}")
    report = run(Options("fish", "bot:first", only="contract.reachable,memory.early-end", jobs=2))
    assert [each.verdict for each in report.judged] == [Verdict.PASS, Verdict.PASS]


def test_evidence_is_the_same_from_a_worker() -> None:
    link = f"exec:{sys.executable} -m fairplay.conformance.zoo fish has-no-name"
    options = Options("fish", link, only="contract.reachable,contract.describes-itself", start_limit_s=60.0)
    here, there = run(options), run(replace(options, jobs=2))
    assert [each.verdict for each in here.judged] == [Verdict.PASS, Verdict.FAIL]
    for one, other in zip(here.judged, there.judged, strict=True):
        assert (one.id, one.verdict, one.sentence) == (other.id, other.verdict, other.sentence)
        assert (one.evidence and one.evidence.digest) == (other.evidence and other.evidence.digest)


@pytest.mark.parametrize("heedless", [blocking_ctrl_c, ignoring_ctrl_c])
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
