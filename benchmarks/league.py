"""A league of 200 entrants and 20,000 games of Fish between bots: what its standings cost, against its games."""

from __future__ import annotations

import copy
import time

import numpy as np

from benchmarks.bots import GAME, games_per_s
from benchmarks.calibration import Event
from benchmarks.figures import LEAGUE_REACH, Figure, Pace, figure
from fairplay.server.manager.standing import BURST_S, SHARE
from fairplay.server.server import Config
from fairplay.standings.rating import Start
from fairplay.standings.results import Outcome
from fairplay.standings.scoreboard import Scoreboard

LEAGUE = Event(entrants=200, seats=2, deals=10_000)


async def measure(pace: Pace) -> list[Figure]:
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
