"""What a worker of a cluster finds of a player."""

from __future__ import annotations

import asyncio
import pickle

import pytest

from fairplay.conformance.engine import run
from fairplay.conformance.events import Began, CaseJudged, Ended, Event
from fairplay.conformance.on_cluster import CertificationWork, judge_all
from fairplay.conformance.options import Options
from fairplay.conformance.plan import make_plan
from fairplay.conformance.report import Report
from fairplay.conformance.several import PlayerEvent
from fairplay.server.cluster.jobs import Job, WorkerError, make_job
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


class Here:
    """A cluster whose jobs are done by a report that a test gives, and counts how many are done at once."""

    def __init__(self, report: Report) -> None:
        self.most = 0
        self._open = 0
        self._report = report

    async def do(self, job: Job) -> bytes:
        self._open += 1
        self.most = max(self.most, self._open)
        await asyncio.sleep(0)
        self._open -= 1
        return pickle.dumps(self._report)


class Recorder:
    """Keeps all events."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    def take(self, event: Event) -> None:
        self.events.append(event)


@pytest.mark.parametrize(("at_once", "most"), [(None, 3), (2, 2), (1, 1)])
async def test_all_are_told_of_each_player_that_a_cluster_has_judged(at_once: int | None, most: int) -> None:
    options = Options("fish", "bot:first", only=ONLY)
    plan, cluster = make_plan(options), Here(run(options))
    reported: list[PlayerEvent] = []
    written = {name: (Recorder(), Recorder()) for name in ("anna", "bruno", "carla")}
    await judge_all(cluster, dict.fromkeys(written, plan), at_once, written.__getitem__, reported.append)
    assert cluster.most == most
    for name, (first, second) in written.items():
        began, *judged, ended = first.events
        assert isinstance(began, Began)
        assert began.cases == plan.cases
        assert [event.judged.id for event in judged if isinstance(event, CaseJudged)] == ONLY.split(",")
        assert isinstance(ended, Ended)
        assert second.events == first.events == [each.event for each in reported if each.name == name]
