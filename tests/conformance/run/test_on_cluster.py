"""What a worker of a cluster finds of a player."""

from __future__ import annotations

import pickle

import pytest

from fairplay.conformance.run.engine import run
from fairplay.conformance.run.options import Options
from fairplay.conformance.run.report import Report
from fairplay.conformance.run.roster import CertificationWork
from fairplay.server.cluster.jobs import WorkerError, make_job
from fairplay.server.cluster.worker import do

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
