"""Whole games through the real protocol: all loads of one session take turns, so that their ratios mean something."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Sequence
from contextlib import AsyncExitStack
from random import Random
from typing import NamedTuple

from benchmarks.arena import Arena, Load, Sample, arena
from benchmarks.echo import Echo, echo
from benchmarks.figures import Figure, MeasuredGame, Pace, figure
from benchmarks.playouts import SEED, playout_rate
from benchmarks.sample import play_sample

MANY, DIALLED = Load(64), Load(64, "dialled")
CLASS, ONE = Load(64, "class"), Load(1)
MORE, MOST = Load(256), Load(1_000)

LOADS = {
    "games": (MANY,),
    "cpu": (MANY,),
    "start": (MANY,),
    "class": (MANY, CLASS),
    "dial-out": (MANY, DIALLED),
    "one": (ONE,),
    "echo": (ONE,),
    "cost": (MANY, MORE, MOST),
}
"""The measures that a session takes, and what must run for each of them."""


class Round(NamedTuple):
    """What one repetition of a session gave."""

    samples: dict[Load, Sample]
    echo_rate: float = 0.0
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
        session = Session(measured, measures, loads, here, bare)
        rounds = [await session.round(pace.seconds) for _ in range(pace.repeats)]
    return [found for name in measures for found in _figures(measured, name, rounds)]


class Session(NamedTuple):
    """What is repeated: all loads in turn, each followed at once by what it is compared with."""

    measured: MeasuredGame
    measures: Collection[str]
    loads: Sequence[Load]
    here: Arena
    bare: Echo | None

    async def round(self, seconds: float) -> Round:
        """Take each load once, for so long."""
        samples, echo_rate, playouts, start_cpu_s = {}, 0.0, 0.0, 0.0
        for load in self.loads:
            samples[load] = await self.here.run(load, seconds)
            if load == MANY and "cpu" in self.measures:
                playouts = await asyncio.to_thread(playout_rate, self.measured, Random(SEED), seconds)
            if load == MANY and "start" in self.measures:
                start_cpu_s = await self.here.start_cpu_s(seconds)
            if load == ONE and self.bare is not None:
                echo_rate = await self.bare.rate(seconds)
        return Round(samples, echo_rate, playouts, start_cpu_s)


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


def _echo_rate(one: Round) -> float:
    return one.echo_rate


def _over(above: Callable[[Round], float], below: Callable[[Round], float]) -> Callable[[Round], float]:
    return lambda one: above(one) / below(one)


FIGURES: dict[str, dict[str, Callable[[Round], float]]] = {
    "games": {"games": _rate(MANY), "games-calls": _calls(MANY)},
    "cpu": {"cpu": _call_in_playout_turns, "cpu-server": _call_us, "cpu-players": _players_call_us},
    "start": {"start": _start_in_calls, "start-us": _start_us},
    "class": {"class": _over(_rate(CLASS), _rate(MANY)), "class-rate": _rate(CLASS)},
    "dial-out": {"dial-out": _over(_rate(MANY), _rate(DIALLED)), "dial-out-rate": _rate(DIALLED)},
    "one": {"one": _rate(ONE), "one-calls": _calls(ONE)},
    "echo": {"echo": _over(_calls(ONE), _echo_rate), "echo-rate": _echo_rate},
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
