"""Games of bots that search, played by two processes on Ray and by one: what other processors are worth."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Sequence
from functools import partial
from importlib.util import find_spec

import psutil

from benchmarks.bots import GAME
from benchmarks.figures import Figure, Pace, Unmeasurable, figure
from benchmarks.measured import CLUSTER_REACH, STRATEGY
from fairplay.games.game import find
from fairplay.server.cluster.cluster import COMMAND
from fairplay.server.cluster.jobs import ClusterOptions
from fairplay.server.links.link import Link
from fairplay.server.server import Config, Server
from fairplay.v1.game_pb2 import Player
from fairplay.v1.referee_pb2 import GamePlan

JOBS = 2
DRIVER = COMMAND[-1]
MOST_GAMES = 1_000_000
AT_ONCE = 2 * JOBS
LINK, SIDE, LIMIT_S = "bot:minimax:depth=4", 6, 60
"""Who plays, on which board, and how long it may think."""
SHORT = f"bot:{STRATEGY}"
"""Who plays games that take a worker some milliseconds."""
FACTOR = 5
"""So many times as long as others this is measured: a game takes a good part of a second."""


async def measure(pace: Pace) -> list[Figure]:
    """Return the ratio of the games a second, those of two processes, and what Ray's driver takes for a game.

    Raises Unmeasurable without Ray.
    """
    if find_spec("ray") is None:
        raise Unmeasurable("the extra cluster is not installed")
    ratios, rates, costs = [], [], []
    one = await Server.start(Config())
    two = await Server.start(Config(cluster=ClusterOptions(jobs=JOBS)))
    try:
        await _played(two, 0, pace.seconds)  # its processes load what they need
        for number in range(1, pace.repeats + 1):
            alone = await _rate(one, number, FACTOR * pace.seconds)
            rates.append(await _rate(two, number, FACTOR * pace.seconds))
            ratios.append(rates[-1] / alone)
            costs.append(await _driver_us(two, pace.repeats + number, FACTOR * pace.seconds))
    finally:
        await one.stop()
        await two.stop()
    return [
        figure("cluster", ratios, CLUSTER_REACH, game=GAME),
        figure("cluster-rate", rates, game=GAME),
        figure("cluster-driver", costs, game=GAME),
    ]


async def _rate(server: Server, part: int, seconds: float) -> float:
    """Return how many games a second a server plays, all the games that it has begun included."""
    began = time.perf_counter()
    return await _played(server, part, seconds) / (time.perf_counter() - began)


async def _driver_us(server: Server, part: int, seconds: float) -> float:
    """Return the processor time that the driver of Ray takes for each short game, in microseconds."""
    [driver] = [each for each in psutil.Process().children() if DRIVER in each.cmdline()]
    before = driver.cpu_times()
    count = await _played(server, part, seconds, SHORT)
    after = driver.cpu_times()
    return 1e6 * (after.user + after.system - before.user - before.system) / count


async def _played(server: Server, part: int, seconds: float, link: str = LINK) -> int:
    """Play games for so long, and return how many have been played, with all that were begun."""
    seeds, began = itertools.count(MOST_GAMES * part), time.perf_counter()
    never: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    async def play() -> int:
        count = 0
        while time.perf_counter() - began < seconds:
            plan = _plan(next(seeds), link)
            await server.runner.play(plan, f"cluster-{plan.seed}", "", partial(_links, server, plan), never)
            count += 1
        return count

    return sum(await asyncio.gather(*(play() for _ in range(AT_ONCE))))


def _plan(seed: int, link: str) -> GamePlan:
    plan = GamePlan(game=GAME, seed=seed, players=[Player(name=name, link=link) for name in ("ann", "bob")])
    plan.settings.fish.rows = plan.settings.fish.columns = SIDE
    plan.time_control.decision_limit.seconds = plan.time_control.first_decision_limit.seconds = LIMIT_S
    return plan


async def _links(server: Server, plan: GamePlan) -> Sequence[Link]:
    return [await server.links.open(player, find(plan.game)) for player in plan.players]
