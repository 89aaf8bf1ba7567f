"""Games played at random by the rules alone: no messages, no server, one core."""

from __future__ import annotations

import sys
import time
from random import Random
from typing import Any

from benchmarks.figures import Figure, MeasuredGame, Pace, figure
from fairplay.games.research import play_randomly, playouts

SEED = 1


def measure(measured: MeasuredGame, pace: Pace) -> list[Figure]:
    """Return turns a second. Drawing a fresh game, and playing it until it is ready, is not in the time.

    And what whole games by one call come to, in which it is.
    """
    rng = Random(SEED)
    rates, shares, games = [], [], []
    for _ in range(pace.repeats):
        rates.append(playout_rate(measured, rng, pace.seconds))
        turns, whole = whole_game_rates(measured, rng, pace.seconds)
        shares.append(turns / rates[-1])
        games.append(whole)
    return [
        figure("rules", rates, measured.reaches["rules"], game=measured.game, turns=measured.turns),
        figure("rules-whole", shares, game=measured.game),
        figure("rules-games", games, game=measured.game),
    ]


def playout_rate(measured: MeasuredGame, rng: Random, seconds: float) -> float:
    """Return turns a second of playouts that take so long, in CPU time of this thread."""
    turns, spent = 0, 0.0
    while spent < seconds:
        start = _ready(measured, rng)
        began = time.thread_time()
        end, _ = play_randomly(measured.rules, start, rng)
        spent += time.thread_time() - began
        turns += measured.played(end) - measured.played(start)
    return turns / spent


def whole_game_rates(measured: MeasuredGame, rng: Random, seconds: float) -> tuple[float, float]:
    """Return turns and games a second of whole games that take so long, dealt and ranked, in CPU time likewise."""
    turns, count, began = 0, 0, time.thread_time()
    settings = measured.settings_message
    for ending in playouts(measured.game, measured.seat_count, sys.maxsize, rng, settings):
        turns += measured.played(ending.state)
        count += 1
        if (spent := time.thread_time() - began) >= seconds:
            break
    return turns / spent, count / spent


def _ready(measured: MeasuredGame, rng: Random) -> Any:
    rules = measured.rules
    while True:
        state = rules.initial(rules.Settings(**measured.settings), measured.seat_count, rng)
        while rules.turn(state) is not None:
            if measured.ready(state):
                return state
            state = _step(rules, state, rng)


def _step(rules: Any, state: Any, rng: Random) -> Any:
    actions = rules.legal(state)
    return rules.apply(state, actions[int(rng.random() * len(actions))])
