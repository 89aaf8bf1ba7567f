"""Tournaments whose workers take no time: what a game costs the command that leads them, and whether many cost more."""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from benchmarks.bots import GAME
from benchmarks.figures import SCALE_REACH, Figure, Pace, Unmeasurable, figure
from fairplay.server.cluster.pool import Pool
from fairplay.server.cluster.runner import ClusterRunner
from fairplay.server.links.secrets import Secrets
from fairplay.server.links.ways import Ways
from fairplay.server.manager.manager import Manager
from fairplay.server.records.place import Place, at, parse_place
from fairplay.server.records.store import Store
from fairplay.server.server import Config, Server
from fairplay.v1.tournament_pb2 import TournamentPlan
from tests.postgresql import PostgresqlMissingError, running

WORKERS = (sys.executable, "-m", "benchmarks.workers")
NAME = "scale"
STRATEGIES = ("greedy", "first", "random", "greedy", "random")
SIDE = 4
"""Who plays on which board. A deal is a game of each with each in each seat."""
DEALS_A_SECOND = 5
"""How many deals the smaller tournament has, for each second of the measure: in a full one 1,000 games."""
FACTOR = 10
"""How many times as many games the larger one has."""


class Cost(NamedTuple):
    """What a tournament has cost: processor time of the command and bytes on disk a game, and opening the store."""

    cpu_s: float
    disk_bytes: float
    open_s: float


async def measure(pace: Pace) -> list[Figure]:
    """Return the ratio of what a game costs in a large and in a small tournament, and what it costs."""
    few = round(DEALS_A_SECOND * pace.repeats * pace.seconds)
    small, large, other = [], [], []
    with tempfile.TemporaryDirectory(prefix="fairplay-bench-") as folder:
        for number in range(pace.repeats):
            small.append(await _cost(at(Path(folder, f"small{number}")), few))
            large.append(await _cost(at(Path(folder, f"large{number}")), FACTOR * few))
    try:
        with running() as cluster:
            other = [(await _cost(parse_place(cluster.new_database()), few)).cpu_s for _ in range(pace.repeats)]
    except PostgresqlMissingError as missing:
        raise Unmeasurable(str(missing)) from None
    ratios = [more.cpu_s / less.cpu_s for more, less in zip(large, small, strict=True)]
    return [
        figure("scale", ratios, SCALE_REACH, game=GAME),
        figure("scale-cpu", [1e6 * each.cpu_s for each in large], game=GAME),
        figure("scale-postgresql", [1e6 * each for each in other], game=GAME),
        figure("scale-disk", [each.disk_bytes for each in large], game=GAME),
        figure("scale-open", [1e3 * each.open_s for each in large], game=GAME),
    ]


async def _cost(place: Place, deals: int) -> Cost:
    """Play a tournament with so many deals, and return what a game has cost."""
    server = await Server.start(Config(records=place))
    pool = Pool(2, WORKERS)
    try:
        runner = ClusterRunner(pool, server.referee, server.store, Ways(), Secrets(None))
        manager = Manager(runner, server.links, server.hub, server.store, server.clock)
        began = time.process_time()
        await manager.create(NAME, _plan(deals))
        async for _ in manager.watch(NAME):
            pass
        cpu_s = time.process_time() - began
        count = manager.get(NAME).game_count
    finally:
        await pool.close()
        await server.stop()
    size = sum(file.stat().st_size for folder in place.folders for file in folder.iterdir())
    began = time.process_time()
    await Store.open(place).close()
    return Cost(cpu_s / count, size / count, time.process_time() - began)


def _plan(deals: int) -> TournamentPlan:
    plan = TournamentPlan(game=GAME, seed=1, deal_count=deals)
    for number, strategy in enumerate(STRATEGIES, start=1):
        plan.entrants.add(name=f"player{number}", link=f"bot:{strategy}")
    plan.format.round_robin.SetInParent()
    plan.settings.fish.rows = plan.settings.fish.columns = SIDE
    return plan
