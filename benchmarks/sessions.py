"""Whole games through the real protocol: all loads of one session take turns, so that their ratios mean something."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Callable, Collection, Sequence
from contextlib import AsyncExitStack
from operator import attrgetter
from random import Random
from typing import Any, NamedTuple

from benchmarks.arena import CLASS_SIZE, Arena, Load, Sample, arena
from benchmarks.echo import Echo, echo
from benchmarks.figures import Figure, MeasuredGame, Pace, figure
from benchmarks.sample import play_sample
from fairplay.games.research import play_randomly, playouts

SEED = 1
MANY, DIALLED = Load(64), Load(64, "dialled")
CLASS, ONE = Load(64, "class"), Load(1)
MORE, MOST = Load(256), Load(1_000)
LOADS = {
    "games": (MANY,),
    "games-rules": (MANY,),
    "cpu": (MANY,),
    "start": (MANY,),
    "class": (MANY, CLASS),
    "class-echo": (CLASS,),
    "dial-out": (MANY, DIALLED),
    "one": (ONE,),
    "echo": (ONE,),
    "cost": (MANY, MORE, MOST),
}
"""The measures that a session takes, and what must run for each of them."""


def measure_rules(measured: MeasuredGame, pace: Pace) -> list[Figure]:
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
            actions = rules.legal(state)
            state = rules.apply(state, actions[int(rng.random() * len(actions))])


class Round(NamedTuple):
    """What one repetition of a session gave."""

    samples: dict[Load, Sample]
    echo_rate: float = 0.0
    class_echo_rate: float = 0.0
    playout_rate: float = 0.0
    start_cpu_s: float = 0.0


async def measure(measured: MeasuredGame, wanted: Collection[str], pace: Pace) -> list[Figure]:
    """Return the wanted figures of one game, in the order of LOADS."""
    measures = [name for name in LOADS if name in wanted]
    loads = list(dict.fromkeys(load for name in measures for load in LOADS[name]))
    sample = play_sample(measured)
    async with AsyncExitStack() as stack:
        here = await stack.enter_async_context(arena(measured, sample, {load.way for load in loads}))
        bare = await stack.enter_async_context(echo(sample.exchanges)) if "echo" in measures else None
        programs = [[str(number)] for number in range(CLASS_SIZE)]
        crowd = await stack.enter_async_context(echo(sample.exchanges, programs)) if "class-echo" in measures else None
        session = Session(measured, measures, loads, here, bare, crowd)
        rounds = [await session.round(pace.seconds) for _ in range(pace.repeats)]
    return [found for name in measures for found in _figures(measured, name, rounds)]


class Session(NamedTuple):
    """What is repeated: all loads in turn, each followed at once by what it is compared with."""

    measured: MeasuredGame
    measures: Collection[str]
    loads: Sequence[Load]
    here: Arena
    bare: Echo | None
    crowd: Echo | None

    async def round(self, seconds: float) -> Round:
        """Take each load once, for so long."""
        found = Round({})
        for load in self.loads:
            found.samples[load] = await self.here.run(load, seconds)
            if load == MANY and ("cpu" in self.measures or "games-rules" in self.measures):
                playouts = await asyncio.to_thread(playout_rate, self.measured, Random(SEED), seconds)
                found = found._replace(playout_rate=playouts)
            if load == MANY and "start" in self.measures:
                found = found._replace(start_cpu_s=await self.here.start_cpu_s(seconds))
            if load == ONE and self.bare is not None:
                found = found._replace(echo_rate=await self.bare.rate(seconds))
            if load == CLASS and self.crowd is not None:
                found = found._replace(class_echo_rate=await self.crowd.crowded_rate(seconds))
        return found


def _rate(load: Load) -> Callable[[Round], float]:
    return lambda one: one.samples[load].turns / one.samples[load].wall_s


def _calls(load: Load) -> Callable[[Round], float]:
    return lambda one: one.samples[load].calls / one.samples[load].wall_s


def _cost_us(load: Load) -> Callable[[Round], float]:
    return lambda one: 1e6 * one.samples[load].cpu_s / one.samples[load].turns


def _call_us(one: Round) -> float:
    return 1e6 * one.samples[MANY].cpu_s / one.samples[MANY].calls


def _players_call_us(one: Round) -> float:
    return 1e6 * one.samples[MANY].players_cpu_s / one.samples[MANY].calls


def _call_in_playout_turns(one: Round) -> float:
    return 1e-6 * _call_us(one) * one.playout_rate


def _start_us(one: Round) -> float:
    return 1e6 * one.start_cpu_s


def _start_in_calls(one: Round) -> float:
    return _start_us(one) / _call_us(one)


def _over(above: Callable[[Round], float], below: Callable[[Round], float]) -> Callable[[Round], float]:
    return lambda one: above(one) / below(one)


ECHO, CROWD = attrgetter("echo_rate"), attrgetter("class_echo_rate")
FIGURES: dict[str, dict[str, Callable[[Round], float]]] = {
    "games": {"games": _rate(MANY), "games-calls": _calls(MANY)},
    "games-rules": {"games-rules": _over(attrgetter("playout_rate"), _rate(MANY))},
    "cpu": {"cpu": _call_in_playout_turns, "cpu-server": _call_us, "cpu-players": _players_call_us},
    "start": {"start": _start_in_calls, "start-us": _start_us},
    "class": {"class": _over(_rate(CLASS), _rate(MANY)), "class-rate": _rate(CLASS)},
    "class-echo": {"class-echo": _over(_calls(CLASS), CROWD), "class-echo-rate": CROWD},
    "dial-out": {"dial-out": _over(_rate(MANY), _rate(DIALLED)), "dial-out-rate": _rate(DIALLED)},
    "one": {"one": _rate(ONE), "one-calls": _calls(ONE)},
    "echo": {"echo": _over(_calls(ONE), ECHO), "echo-rate": ECHO},
    "cost": {
        "cost": _over(_cost_us(MOST), _cost_us(MANY)),
        "cost-64": _cost_us(MANY),
        "cost-256": _cost_us(MORE),
        "cost-1000": _cost_us(MOST),
    },
}


def _figures(measured: MeasuredGame, measure_name: str, rounds: Sequence[Round]) -> list[Figure]:
    found = []
    for name, of in FIGURES[measure_name].items():
        reach = measured.reaches.get(name)
        found.append(figure(name, [of(one) for one in rounds], reach, game=measured.game, turns=measured.turns))
    return found
