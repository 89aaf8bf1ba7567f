"""Games played at random by the rules alone: no messages, no server, one core."""

from __future__ import annotations

import sys
import time
from random import Random
from typing import Any

from benchmarks.figures import Figure, Pace, figure
from benchmarks.subjects import Subject
from fairplay.games.research import play_randomly, playouts

SEED = 1


def measure(subject: Subject, pace: Pace) -> list[Figure]:
    """Return turns a second. Drawing a fresh game, and playing it until it is ready, is not in the time.

    And what whole games by one call come to, in which it is.
    """
    rng = Random(SEED)
    rates, shares, games = [], [], []
    for _ in range(pace.repeats):
        rates.append(playout_rate(subject, rng, pace.seconds))
        turns, whole = whole_game_rates(subject, rng, pace.seconds)
        shares.append(turns / rates[-1])
        games.append(whole)
    return [
        figure("rules", rates, subject.reaches["rules"], game=subject.game, turns=subject.turns),
        figure("rules-whole", shares, game=subject.game),
        figure("rules-games", games, game=subject.game),
    ]


def playout_rate(subject: Subject, rng: Random, seconds: float) -> float:
    """Return turns a second of playouts that take so long, in CPU time of this thread."""
    turns, spent = 0, 0.0
    while spent < seconds:
        start = _ready(subject, rng)
        began = time.thread_time()
        end, _ = play_randomly(subject.rules, start, rng)
        spent += time.thread_time() - began
        turns += subject.played(end) - subject.played(start)
    return turns / spent


def whole_game_rates(subject: Subject, rng: Random, seconds: float) -> tuple[float, float]:
    """Return turns and games a second of whole games that take so long, dealt and ranked, in CPU time likewise."""
    turns, count, began = 0, 0, time.thread_time()
    settings = subject.settings_message
    for ending in playouts(subject.game, subject.seat_count, sys.maxsize, rng, settings):
        turns += subject.played(ending.state)
        count += 1
        if (spent := time.thread_time() - began) >= seconds:
            break
    return turns / spent, count / spent


def _ready(subject: Subject, rng: Random) -> Any:
    rules = subject.rules
    while True:
        state = rules.initial(rules.Settings(**subject.settings), subject.seat_count, rng)
        while rules.turn(state) is not None:
            if subject.ready(state):
                return state
            state = _step(rules, state, rng)


def _step(rules: Any, state: Any, rng: Random) -> Any:
    actions = rules.legal(state)
    return rules.apply(state, actions[int(rng.random() * len(actions))])
