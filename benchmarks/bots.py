"""Games of Fish between bots in the server's own process: what a referee, its records and its standings can do."""

from __future__ import annotations

import asyncio
import copy
import tempfile
import time
from pathlib import Path

import numpy as np

from benchmarks.calibration import Event
from benchmarks.figures import LEAGUE_REACH, POSTGRESQL_REACH, STRATEGY, Figure, Pace, Unmeasurable, figure
from fairplay.games.game import find
from fairplay.server.manager.standing import BURST_S, SHARE
from fairplay.server.records.place import Place, at, parse_place
from fairplay.server.server import Config, Server
from fairplay.standings.rating import Start
from fairplay.standings.results import Outcome
from fairplay.standings.scoreboard import Scoreboard
from fairplay.v1.game_pb2 import Player
from fairplay.v1.referee_pb2 import GamePlan
from tests.postgresql import PostgresqlMissingError, running

GAME = "fish"
AT_ONCE = 16
LEAGUE = Event(entrants=200, seats=2, deals=10_000)


async def games_per_s(config: Config, seconds: float) -> float:
    """Return how many games a second a server plays between bots in this process."""
    server = await Server.start(config)
    try:
        began, played = time.perf_counter(), 0
        while time.perf_counter() - began < seconds:
            await asyncio.gather(*(server.referee.play(_plan(played + number)) for number in range(AT_ONCE)))
            played += AT_ONCE
        return played / (time.perf_counter() - began)
    finally:
        await server.stop()


def _plan(seed: int) -> GamePlan:
    players = [Player(name=name, link=f"bot:{STRATEGY}") for name in ("ann", "bob")]
    return GamePlan(game=find(GAME).name, players=players, seed=seed)


async def measure_stores(pace: Pace) -> list[Figure]:
    """Return the ratio of the games a second, and those of PostgreSQL. Raises Unmeasurable on a machine without it."""
    ratios, rates = [], []
    try:
        with running() as cluster, tempfile.TemporaryDirectory(prefix="fairplay-bench-") as directory:
            for number in range(pace.repeats):
                plain = await _store_rate(at(Path(directory) / str(number)), pace)
                rates.append(await _store_rate(parse_place(cluster.new_database()), pace))
                ratios.append(rates[-1] / plain)
    except PostgresqlMissingError as missing:
        raise Unmeasurable(str(missing)) from None
    return [figure("postgresql", ratios, POSTGRESQL_REACH), figure("postgresql-rate", rates, game=GAME)]


async def _store_rate(place: Place, pace: Pace) -> float:
    return await games_per_s(Config(records=place), pace.seconds)


async def measure_league(pace: Pace) -> list[Figure]:
    """Return the share of the playing time that the standings take, and both parts of it."""
    shares, rates, costs = [], [], []
    for number in range(pace.repeats):
        rates.append(await games_per_s(Config(), pace.seconds))
        costs.append(_standings_s(number, rates[-1]))
        shares.append(100 * costs[-1] * rates[-1] / LEAGUE.games)
    return [
        figure("league", shares, LEAGUE_REACH),
        figure("league-games", rates, game=GAME),
        figure("league-standings", costs),
    ]


def _standings_s(seed: int, games_per_s: float) -> float:
    """Return how long live standings take, as often as a server computes them, with those at the end."""
    results = LEAGUE.play(LEAGUE.strengths(seed), np.random.default_rng(seed), LEAGUE.deals)
    [table] = results.tables()
    columns = (table.entrants.tolist(), table.places.tolist(), table.scores.tolist(), table.deals.tolist())
    outcomes = [Outcome(*row) for row in zip(*columns, strict=True)]
    board = Scoreboard([f"entrant{number}" for number in range(LEAGUE.entrants)], seed)
    start, took_s = Start(), 0.0
    began = time.process_time()
    for number, outcome in enumerate(outcomes, start=1):
        board.add(outcome)
        if took_s <= BURST_S + SHARE * number / games_per_s:
            before = time.process_time()
            copy.deepcopy(board).compute(start=start)
            took_s += time.process_time() - before
    board.compute()
    return time.process_time() - began
