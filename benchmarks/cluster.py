"""Games of bots that search, played by two processes and by one: what other processors are worth."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Sequence
from functools import partial

from benchmarks.bots import GAME
from benchmarks.figures import CLUSTER_REACH, Figure, Pace, figure
from fairplay.games.game import find
from fairplay.server.cluster.jobs import ClusterOptions
from fairplay.server.links.link import Link
from fairplay.server.server import Config, Server
from fairplay.v1.game_pb2 import Player
from fairplay.v1.referee_pb2 import GamePlan

JOBS = 2
MOST_GAMES = 1_000_000
AT_ONCE = 2 * JOBS
LINK, SIDE, LIMIT_S = "bot:minimax:depth=4", 6, 60
"""Who plays, on which board, and how long it may think."""
FACTOR = 5
"""So many times as long as others this is measured: a game takes a good part of a second."""


async def measure(pace: Pace) -> list[Figure]:
    """Return the ratio of the games a second, and those of two processes."""
    ratios, rates = [], []
    one = await Server.start(Config())
    two = await Server.start(Config(cluster=ClusterOptions(jobs=JOBS)))
    try:
        await _played(two, 0, pace.seconds)  # its processes load what they need
        for number in range(1, pace.repeats + 1):
            alone = await _rate(one, number, FACTOR * pace.seconds)
            rates.append(await _rate(two, number, FACTOR * pace.seconds))
            ratios.append(rates[-1] / alone)
    finally:
        await one.stop()
        await two.stop()
    return [
        figure("cluster", ratios, CLUSTER_REACH, game=GAME),
        figure("cluster-rate", rates, game=GAME),
    ]


async def _rate(server: Server, part: int, seconds: float) -> float:
    """Return how many games a second a server plays, all the games that it has begun included."""
    began = time.perf_counter()
    return await _played(server, part, seconds) / (time.perf_counter() - began)


async def _played(server: Server, part: int, seconds: float) -> int:
    """Play games for so long, and return how many have been played, with all that were begun."""
    seeds, began = itertools.count(MOST_GAMES * part), time.perf_counter()
    never: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    async def play() -> int:
        count = 0
        while time.perf_counter() - began < seconds:
            plan = _plan(next(seeds))
            await server.runner.play(plan, f"cluster-{plan.seed}", "", partial(_links, server, plan), never)
            count += 1
        return count

    return sum(await asyncio.gather(*(play() for _ in range(AT_ONCE))))


def _plan(seed: int) -> GamePlan:
    plan = GamePlan(game=GAME, seed=seed, players=[Player(name=name, link=LINK) for name in ("ann", "bob")])
    plan.settings.fish.rows = plan.settings.fish.columns = SIDE
    plan.time_control.decision_limit.seconds = plan.time_control.first_decision_limit.seconds = LIMIT_S
    return plan


async def _links(server: Server, plan: GamePlan) -> Sequence[Link]:
    return [await server.links.open(player, find(plan.game)) for player in plan.players]
