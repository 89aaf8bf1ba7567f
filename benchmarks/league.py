"""A league of 200 entrants and 20,000 games of Fish between bots: what its standings cost, against its games."""

from __future__ import annotations

import asyncio
import copy
import time

import numpy as np

from benchmarks.calibration import Event
from benchmarks.figures import Figure, Pace, figure
from benchmarks.subjects import LEAGUE_REACH, STRATEGY
from fairplay.games.game import find
from fairplay.server.manager.standing import pause_s
from fairplay.server.server import Config, Server
from fairplay.standings.ratings import Start
from fairplay.standings.results import Outcome
from fairplay.standings.scoreboard import Scoreboard
from fairplay.v1.game_pb2 import Player
from fairplay.v1.referee_pb2 import GamePlan

GAME = "fish"
AT_ONCE = 16
LEAGUE = Event(entrants=200, seats=2, deals=10_000)
ROUND = LEAGUE.entrants // LEAGUE.seats


async def measure(pace: Pace) -> list[Figure]:
    """Return the share of the playing time that the standings take, and both parts of it."""
    shares, rates, costs = [], [], []
    for number in range(pace.repeats):
        rates.append(await _games_per_s(pace.seconds))
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
    start, due_s = Start(), 0.0
    began = time.process_time()
    for number, outcome in enumerate(outcomes, start=1):
        board.add(outcome)
        now_s = number / games_per_s
        if number % ROUND == 0 and now_s >= due_s:
            before = time.process_time()
            copy.deepcopy(board).compute(start=start)
            due_s = now_s + pause_s(time.process_time() - before)
    board.compute()
    return time.process_time() - began


async def _games_per_s(seconds: float) -> float:
    """Return how many games a second the referee plays between bots in this process."""
    server = await Server.start(Config())
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
