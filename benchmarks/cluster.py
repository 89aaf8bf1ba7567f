"""What other processors are worth, what a worker does with one, and what a game costs the command that leads them."""

from __future__ import annotations

import asyncio
import itertools
import sys
import tempfile
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from benchmarks.bots import GAME
from benchmarks.figures import CLUSTER_REACH, SCALE_REACH, STRATEGY, Figure, MeasuredGame, Pace, Unmeasurable, figure
from fairplay.games.envelopes import wrap
from fairplay.games.game import find
from fairplay.server.cluster.jobs import ClusterOptions
from fairplay.server.cluster.pool import Pool
from fairplay.server.cluster.runner import ClusterRunner, GameWork
from fairplay.server.links.link import Link
from fairplay.server.links.secrets import Secrets
from fairplay.server.links.ways import Ways
from fairplay.server.manager.manager import Manager
from fairplay.server.records.place import Place, at, parse_place
from fairplay.server.records.store import Store
from fairplay.server.server import Config, Server
from fairplay.v1.game_pb2 import GameSettings, Player
from fairplay.v1.referee_pb2 import GamePlan
from fairplay.v1.tournament_pb2 import TournamentPlan
from tests.postgresql import PostgresqlMissingError, running

JOBS = 2
MOST_GAMES = 1_000_000
AT_ONCE = 2 * JOBS
LINK, SIDE, LIMIT_S = "bot:minimax:depth=4", 6, 60
"""Who plays, on which board, and how long it may think."""
FACTOR = 5
"""So many times as long as others this is measured: a game takes a good part of a second."""
WORKER_LIMIT_S = 600
WORKERS = (sys.executable, "-m", "benchmarks.workers")
NAME = "scale"
STRATEGIES = ("greedy", "first", "random", "greedy", "random")
SCALE_SIDE = 4
"""Who plays on which board. A deal is a game of each with each in each seat."""
DEALS_A_SECOND = 5
"""How many deals the smaller tournament has, for each second of the measure: in a full one 1,000 games."""
SCALE_FACTOR = 10
"""How many times as many games the larger one has."""


async def measure_cluster(pace: Pace) -> list[Figure]:
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


def measure_worker(measured: MeasuredGame, pace: Pace) -> list[Figure]:
    """Return how many games a worker plays in a second of processor time: of the strategy `first`, and of the last."""
    best = [*measured.contract.strategies][-1]
    return [
        figure(name, [_worker_rate(measured, strategy, pace.seconds) for _ in range(pace.repeats)], game=measured.game)
        for name, strategy in (("worker", STRATEGY), ("worker-best", best))
    ]


def _worker_rate(measured: MeasuredGame, strategy: str, seconds: float) -> float:
    began = time.process_time()
    for seed in itertools.count(1):
        _work(measured, strategy, seed).run()
        if (took := time.process_time() - began) >= seconds:
            return seed / took
    raise AssertionError


def _work(measured: MeasuredGame, strategy: str, seed: int) -> GameWork:
    names = (f"player{seat}" for seat in range(1, measured.contract.seats.start + 1))
    players = [Player(name=name, link=f"bot:{strategy}") for name in names]
    plan = GamePlan(game=measured.game, seed=seed, players=players)
    plan.settings.CopyFrom(wrap(GameSettings, measured.contract, measured.settings_message))
    control = plan.time_control
    control.decision_limit.seconds = control.first_decision_limit.seconds = WORKER_LIMIT_S
    return GameWork(f"game{seed}", "", plan.SerializeToString(), Ways())


class Cost(NamedTuple):
    """What a tournament has cost: processor time of the command and bytes on disk a game, and opening the store."""

    cpu_s: float
    disk_bytes: float
    open_s: float


async def measure_scale(pace: Pace) -> list[Figure]:
    """Return the ratio of what a game costs in a large and in a small tournament, and what it costs."""
    few = round(DEALS_A_SECOND * pace.repeats * pace.seconds)
    small, large, other = [], [], []
    with tempfile.TemporaryDirectory(prefix="fairplay-bench-") as folder:
        for number in range(pace.repeats):
            small.append(await _cost(at(Path(folder, f"small{number}")), few))
            large.append(await _cost(at(Path(folder, f"large{number}")), SCALE_FACTOR * few))
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
        await manager.create(NAME, _league_plan(deals))
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


def _league_plan(deals: int) -> TournamentPlan:
    plan = TournamentPlan(game=GAME, seed=1, deal_count=deals)
    for number, strategy in enumerate(STRATEGIES, start=1):
        plan.entrants.add(name=f"player{number}", link=f"bot:{strategy}")
    plan.format.round_robin.SetInParent()
    plan.settings.fish.rows = plan.settings.fish.columns = SCALE_SIDE
    return plan
