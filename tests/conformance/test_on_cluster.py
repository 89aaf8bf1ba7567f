"""What a worker of a cluster finds of a player, and where from it knows whom to trust."""

from __future__ import annotations

import os
import pickle

import pytest

from fairplay.conformance.engine import run
from fairplay.conformance.on_cluster import CertificationWork
from fairplay.conformance.options import Options
from fairplay.conformance.report import Report
from fairplay.server.cluster.jobs import WorkerError, make_job
from fairplay.server.cluster.worker import do

ONLY = "contract.reachable,contract.describes-itself"


def judged(options: Options, environment: dict[str, str] | None = None) -> Report:
    own = {name: value for name, value in os.environ.items() if name.startswith("FAIRPLAY_")}
    work = CertificationWork(options, own if environment is None else environment)
    report = pickle.loads(do(make_job("certify", work, [str(options.player)])))
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


def test_variables_of_the_suite_are_those_of_where_the_run_began(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAIRPLAY_CA", "of the worker")
    monkeypatch.setenv("FAIRPLAY_TOKEN", "")
    monkeypatch.setenv("OTHER", "of the worker")
    judged(Options("fish", "bot:first", only="contract.reachable"), {"FAIRPLAY_TOKEN": "given"})
    assert "FAIRPLAY_CA" not in os.environ
    assert (os.environ["FAIRPLAY_TOKEN"], os.environ["OTHER"]) == ("given", "of the worker")


def test_a_worker_that_lacks_what_the_options_ask_for_says_so() -> None:
    with pytest.raises(WorkerError, match=r": there is no level 'most'"):
        judged(Options("fish", "bot:first", level="most"))
