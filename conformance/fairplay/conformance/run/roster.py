"""Judging several players: side by side on this machine, or on a cluster by workers that do nothing else meanwhile."""

from __future__ import annotations

import asyncio
import pickle
import socket
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from fairplay.conformance.player.loop import side_by_side
from fairplay.conformance.run.engine import judge_in_workers
from fairplay.conformance.run.judge import Began, CaseJudged, Ended, Event, Plan, Tally, Writer
from fairplay.conformance.run.options import Options
from fairplay.conformance.run.plan import make_plan
from fairplay.conformance.run.report import Report
from fairplay.server.cluster.cluster import Cluster
from fairplay.server.cluster.jobs import ClusterOptions, WorkerError, make_job

Take: TypeAlias = Callable[[str, Event], None]
"""Takes an event of the run of a player, by its name."""


class _Named:
    """Hands the events of a player on with its name."""

    def __init__(self, name: str, take: Take) -> None:
        self._name = name
        self._take = take

    def take(self, event: Event) -> None:
        """Hand an event on."""
        self._take(self._name, event)


def run_several(
    plans: Mapping[str, Plan], at_once: int, writers: Callable[[str], Sequence[Writer]], take: Take
) -> None:
    """Judge the players of the plans, `at_once` at a time, each in a process of its own.

    The writers of a player, and `take` for all, are told the events. Raises KeyboardInterrupt if it is interrupted; by
    then all have been told the end of what was judged so far.
    """
    judge_in_workers([Tally(plan, [*writers(name), _Named(name, take)]) for name, plan in plans.items()], at_once)


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
        [report] = judge_in_workers([Tally(plan, ())], 1)
        return pickle.dumps(report)


async def run_on_cluster(
    plans: Mapping[str, Plan],
    options: ClusterOptions,
    at_once: int | None,
    writers: Callable[[str], Sequence[Writer]],
    take: Take,
) -> None:
    """Have the players of the plans judged by a cluster, `at_once` at a time; None: as many as it has processors.

    The writers of a player, and `take` for all, are told the events of a run once it is over. A player whose worker is
    lost is judged again by another one. Raises ClusterError if there is no cluster, WorkerError if a worker is not fit,
    LostError if there are no workers; by then all have been told of those that were judged.
    """
    room = asyncio.Semaphore(at_once or len(plans))

    async def judge(name: str, plan: Plan) -> None:
        assert plan.options is not None
        async with room:
            work = CertificationWork(plan.options)
            done = await cluster.do(make_job("certify", work, [str(plan.options.player)]))
        report: Report = pickle.loads(done)
        receivers = [*writers(name), _Named(name, take)]
        events: Sequence[Event] = (Began(report.run, plan.cases), *map(CaseJudged, report.judged), Ended(report))
        for event in events:
            for writer in receivers:
                writer.take(event)

    cluster = Cluster(options)
    await cluster.start()
    try:
        await side_by_side(judge(name, plan) for name, plan in plans.items())
    finally:
        await cluster.close()
