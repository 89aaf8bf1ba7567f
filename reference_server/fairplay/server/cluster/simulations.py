"""Games between reference strategies, simulated by a cluster: RulesService.SimulateGame by the thousand."""

from __future__ import annotations

import asyncio
import pickle
from collections.abc import Sequence
from dataclasses import dataclass

from fairplay.server.cluster.cluster import Cluster
from fairplay.server.cluster.jobs import JobError, make_job
from fairplay.server.game.rules import simulate_game
from fairplay.server.net.errors import Refusal
from fairplay.v1.rules_pb2 import SimulateGameRequest, SimulateGameResponse

GAMES_A_JOB = 16
"""A job takes some milliseconds on its way: more than many a game."""


@dataclass(frozen=True, slots=True)
class SimulationWork:
    """Games to be simulated, as serialised requests. What comes of it are their serialised responses, pickled."""

    requests: Sequence[bytes]

    def run(self) -> bytes:
        """Simulate the games and return the responses, pickled. Raises JobError if a request is refused."""
        try:
            answers = [simulate_game(SimulateGameRequest.FromString(each)) for each in self.requests]
        except Refusal as refusal:
            raise JobError(refusal.message) from None
        return pickle.dumps([each.SerializeToString() for each in answers])


async def simulate_games(cluster: Cluster, requests: Sequence[SimulateGameRequest]) -> list[SimulateGameResponse]:
    """Return how games between reference strategies end, in the order of the requests, simulated by a cluster.

    Raises JobError, with one sentence, if there is no such game, strategy or setting; see Cluster.do for the others.
    """
    packed = [each.SerializeToString() for each in requests]
    chunks = [packed[first : first + GAMES_A_JOB] for first in range(0, len(packed), GAMES_A_JOB)]
    jobs = [make_job("simulate", SimulationWork(chunk), ()) for chunk in chunks]
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(cluster.do(job)) for job in jobs]
    except ExceptionGroup as errors:
        raise errors.exceptions[0] from None
    return [SimulateGameResponse.FromString(data) for task in tasks for data in pickle.loads(task.result())]
