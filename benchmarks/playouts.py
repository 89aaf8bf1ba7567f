"""Games played at random by the rules alone: no messages, no server, one core."""

from __future__ import annotations

import time
from random import Random
from typing import Any

from benchmarks.figures import Figure, Pace, figure
from benchmarks.subjects import Subject

SEED = 1


def measure(subject: Subject, pace: Pace) -> list[Figure]:
    """Return turns a second. Drawing a fresh game, and playing it until it is ready, is not in the time."""
    rng = Random(SEED)
    rates = [playout_rate(subject, rng, pace.seconds) for _ in range(pace.repeats)]
    return [figure("rules", rates, subject.reaches["rules"], game=subject.game, turns=subject.turns)]


def playout_rate(subject: Subject, rng: Random, seconds: float) -> float:
    """Return turns a second of playouts that take so long, in CPU time of this thread."""
    turns, spent = 0, 0.0
    while spent < seconds:
        start = _ready(subject, rng)
        began = time.thread_time()
        end = playout(subject.rules, start, rng)
        spent += time.thread_time() - began
        turns += subject.played(end) - subject.played(start)
    return turns / spent


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


def playout(rules: Any, state: Any, rng: Random) -> Any:
    """Return the end of the game, every action any legal one."""
    turn, legal, apply, random = rules.turn, rules.legal, rules.apply, rng.random
    while turn(state) is not None:
        actions = legal(state)
        state = apply(state, actions[int(random() * len(actions))])
    return state
