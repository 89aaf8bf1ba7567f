"""Judging several players on a cluster, each by a worker that does nothing else meanwhile."""

from __future__ import annotations

import asyncio
import pickle
import socket
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from fairplay.conformance.player.loop import side_by_side
from fairplay.conformance.run.engine import run_apart
from fairplay.conformance.run.events import Began, CaseJudged, Ended, Event, Writer
from fairplay.conformance.run.options import Options
from fairplay.conformance.run.plan import Plan, make_plan
from fairplay.conformance.run.pool import Interruption
from fairplay.conformance.run.report import Report
from fairplay.conformance.run.several import PlayerEvent
from fairplay.server.cluster.cluster import make_workers
from fairplay.server.cluster.jobs import ClusterOptions, Job, WorkerError, make_job


@dataclass(frozen=True, slots=True)
class CertificationWork:
    """A player to be judged. What comes of it is the report, pickled."""

    options: Options

    def run(self) -> bytes:
        """Judge the player and return the report, pickled. Raises WorkerError if the options make no sense here."""
        try:
            plan = make_plan(self.options)
        except ValueError as error:  # it made sense where the run began
            raise WorkerError(f"{socket.gethostname()}: {error}") from None
        return pickle.dumps(run_apart(plan, (), Interruption()))


async def run_on_cluster(
    plans: Mapping[str, Plan],
    options: ClusterOptions,
    at_once: int | None,
    writers: Callable[[str], Sequence[Writer]],
    take: Callable[[PlayerEvent], None],
) -> None:
    """Have the players of the plans judged by a cluster, `at_once` at a time; None: as many as it has processors.

    The writers of a player, and `take` for all, are told the events of a run once it is over. A player whose worker is
    lost is judged again by another one. Raises ClusterError if there is no cluster, WorkerError if a worker is not fit,
    LostError if there are no workers; by then all have been told of those that were judged.
    """
    async with make_workers(options) as cluster:
        await judge_all(cluster, plans, at_once, writers, take)


class DoesJobs(Protocol):
    """A cluster that was started."""

    async def do(self, job: Job) -> bytes:
        """Return what comes of a job."""


async def judge_all(
    cluster: DoesJobs,
    plans: Mapping[str, Plan],
    at_once: int | None,
    writers: Callable[[str], Sequence[Writer]],
    take: Callable[[PlayerEvent], None],
) -> None:
    """Have the players of the plans judged by a cluster: see `run_on_cluster`."""
    room = asyncio.Semaphore(at_once or len(plans))

    async def judge(name: str, plan: Plan) -> None:
        link = str(plan.options.player)
        async with room:
            done = await cluster.do(make_job("certify", CertificationWork(plan.options), [link]))
        report: Report = pickle.loads(done)
        receivers = [*writers(name)]
        events: Sequence[Event] = (Began(report.run, plan.cases), *map(CaseJudged, report.judged), Ended(report))
        for event in events:
            for writer in receivers:
                writer.take(event)
            take(PlayerEvent(name, event))

    await side_by_side(judge(name, plan) for name, plan in plans.items())
