"""Whole games through the real protocol: all loads of one session take turns, so that their ratios mean something."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from contextlib import AsyncExitStack
from typing import NamedTuple

from benchmarks.arena import Arena, Load, Sample, arena
from benchmarks.echo import Echo, echo
from benchmarks.figures import Figure, Pace, figure
from benchmarks.rehearsal import rehearse
from benchmarks.subjects import Subject

MANY, DIALLED, ONE = Load(64), Load(64, "dialled"), Load(1)
MORE, MOST = Load(256), Load(1_000)

LOADS = {
    "games": (MANY,),
    "dial-out": (MANY, DIALLED),
    "one": (ONE,),
    "echo": (ONE,),
    "cost": (MANY, MORE, MOST),
}
"""The measures that a session takes, and what must run for each of them."""


class Round(NamedTuple):
    """What one repetition of a session gave."""

    samples: dict[Load, Sample]
    echo_rate: float


async def measure(subject: Subject, wanted: Collection[str], pace: Pace) -> list[Figure]:
    """Return the wanted figures of one game, in the order of LOADS."""
    measures = [name for name in LOADS if name in wanted]
    loads = list(dict.fromkeys(load for name in measures for load in LOADS[name]))
    rehearsal = rehearse(subject)
    async with AsyncExitStack() as stack:
        here = await stack.enter_async_context(arena(subject, rehearsal))
        bare = await stack.enter_async_context(echo(rehearsal.exchanges)) if "echo" in measures else None
        rounds = [await _round(here, loads, bare, pace.seconds) for _ in range(pace.repeats)]
    return [found for name in measures for found in _figures(subject, name, rounds)]


async def _round(here: Arena, loads: Sequence[Load], bare: Echo | None, seconds: float) -> Round:
    samples, echo_rate = {}, 0.0
    for load in loads:
        samples[load] = await here.run(load, seconds)
        if load == ONE and bare is not None:  # at once: what else the machine does must not come between
            echo_rate = await bare.rate(seconds)
    return Round(samples, echo_rate)


def _rate(load: Load) -> Callable[[Round], float]:
    return lambda one: one.samples[load].turns / one.samples[load].wall_s


def _calls(load: Load) -> Callable[[Round], float]:
    return lambda one: one.samples[load].calls / one.samples[load].wall_s


def _cost_us(load: Load) -> Callable[[Round], float]:
    return lambda one: 1e6 * one.samples[load].cpu_s / one.samples[load].turns


def _echo_rate(one: Round) -> float:
    return one.echo_rate


def _over(above: Callable[[Round], float], below: Callable[[Round], float]) -> Callable[[Round], float]:
    return lambda one: above(one) / below(one)


FIGURES: dict[str, dict[str, Callable[[Round], float]]] = {
    "games": {"games": _rate(MANY), "games-calls": _calls(MANY)},
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


def _figures(subject: Subject, measure_name: str, rounds: Sequence[Round]) -> list[Figure]:
    found = []
    for name, of in FIGURES[measure_name].items():
        reach = subject.reaches.get(name)
        found.append(figure(name, [of(one) for one in rounds], reach, game=subject.game, turns=subject.turns))
    return found
