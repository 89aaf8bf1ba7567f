"""Cases about states drawn at random from games of reference players; of those that fail a simple one is shown."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from random import Random
from typing import NamedTuple

from fairplay.conformance.blame import faults
from fairplay.conformance.blame.judge import judge, untested
from fairplay.conformance.case import Case, NotTested, case
from fairplay.conformance.cases.settings import is_usual, judge_elsewhere
from fairplay.conformance.games import positions
from fairplay.conformance.games.context import Context
from fairplay.conformance.games.positions import Source, find_position
from fairplay.conformance.games.rivals import rival_names
from fairplay.conformance.games.trial import Scenario, Trial
from fairplay.games.game import Game
from fairplay.v1.misconduct_pb2 import MisconductKind

GAMES = 12
"""From so many games under the usual settings states are drawn, or from one for each number of players and strategy."""
STEPS = 40
"""A game is cut into so many steps."""
DECISIONS = 3
"""The player decides so often from each state."""
MAX_DECISIONS = 80
"""Games under unusual settings are followed so far: there are many of them."""
SIMPLIFY_LIMIT_S = 10.0
FEW_STATES, AMPLE_S = 40, 60.0
"""After so many seconds so many states are enough: a player may be slow."""


class Drawn(NamedTuple):
    """What is drawn: the index of a game, those under the usual settings first, and a step of it."""

    source: int
    step: int


class Results(NamedTuple):
    """The trials from drawn states."""

    trials: Sequence[tuple[Drawn, Trial]]
    stopped: NotTested | None
    """Why no more were played, if the player is not asked any more."""


@case("rules.drawn-states", "FAIL-1")
def keeps_the_rules(context: Context) -> None:
    """What a player gets wrong shows in positions that its author never thought of."""
    _judge_states(context, MisconductKind.MISCONDUCT_KIND_RULE_VIOLATION)


@case("exceptions.drawn-states", "FAIL-2")
def never_raises(context: Context) -> None:
    """A player that raises is out of the game, whatever the position was."""
    _judge_states(context, MisconductKind.MISCONDUCT_KIND_EXCEPTION)


@case("time.drawn-states", "TIME-5")
def answers_in_time(context: Context) -> None:
    """Some positions take longer than others."""
    _judge_states(context, MisconductKind.MISCONDUCT_KIND_TIMEOUT)


def _judge_states(context: Context, kind: MisconductKind.ValueType) -> None:
    """Judge the simplest state in which the player misbehaves in this way.

    Raises NotTested if it misbehaves in other ways only: what would have come after that was not seen.
    """
    results = context.once("drawn states", partial(_play_states, context))
    ended_early: Trial | None = None
    for drawn, found in results.trials:
        if found.misconduct is None:
            continue
        if found.misconduct.kind == kind:
            simple = _simplify(context, drawn, found)
            if simple.scenario.situation.settings == context.settings:
                judge(context, simple)
            judge_elsewhere(context, simple)
        ended_early = found
    if results.stopped is not None:
        raise results.stopped
    if ended_early is not None:
        raise untested(context, "games from drawn states ended early", ended_early, _owner(context, ended_early))


def _owner(context: Context, found: Trial) -> str:
    """Return the id of the case to see for the misconduct from a drawn state."""
    assert found.misconduct is not None
    if is_usual(context, found):
        return faults.owning_case(found)
    return CASES[found.misconduct.kind].id


def _play_states(context: Context) -> Results:
    trials: list[tuple[Drawn, Trial]] = []
    asked: list[Drawn] = []
    try:
        for found in context.play_each(_scenarios(context, _draw(context), asked)):
            trials.append((asked[len(trials)], found))
    except NotTested as stopped:
        return Results(trials, stopped)
    return Results(trials, None)


def _draw(context: Context) -> Iterator[Drawn]:
    """Yield different states, half of them of games under the usual settings."""
    rng, count = context.rng("drawn states"), len(sources(context))
    usual_count = count - len(context.variations)
    began = time.monotonic()
    unusual = range(usual_count, count) if context.variations else range(usual_count)
    halves = _turns(range(usual_count), rng), _turns(unusual, rng)
    for number in range(context.examples):
        if number >= FEW_STATES and (context.is_slow or time.monotonic() - began > AMPLE_S):
            return
        yield next(halves[number % 2])


def _turns(sources: Sequence[int], rng: Random) -> Iterator[Drawn]:
    """Yield states of each game in turn, without end, none twice as long as there are others."""
    while True:
        steps = [rng.sample(range(STEPS + 1), STEPS + 1) for _ in sources]
        for turn in zip(*steps, strict=True):
            yield from map(Drawn, sources, turn)


def _scenarios(context: Context, drawn: Iterator[Drawn], asked: list[Drawn]) -> Iterator[Scenario]:
    """Yield the games from drawn states, and add these to a list. A game without any state is passed over."""
    for each in drawn:
        source = sources(context)[each.source]
        place = find_position(context.game, source, each.step / STEPS)
        if place is not None:
            asked.append(each)
            yield Scenario(f"drawn-{each.source}-{each.step}", place.situation(DECISIONS), source.seed)


def _simplify(context: Context, drawn: Drawn, found: Trial) -> Trial:
    """Return the trial from a simpler state in which the player misbehaves in the same way, or the one that was found.

    Simpler are states of games under the usual settings, of fewer players, and earlier ones.
    """
    usual_count = len(sources(context)) - len(context.variations)
    steps = (0, 1, 2, 4, 8, 16, 32)
    others = (Drawn(source, step) for source in range(min(drawn.source, usual_count)) for step in steps)
    earlier = (Drawn(drawn.source, step) for step in range(drawn.step))
    give_up = time.monotonic() + SIMPLIFY_LIMIT_S
    try:
        for simpler in context.play_each(_scenarios(context, chain(others, earlier), [])):
            if faults.signature(simpler) == faults.signature(found):
                return simpler
            if time.monotonic() > give_up:
                break
    except NotTested:
        return found
    return found


def sources(context: Context) -> Sequence[Source]:
    """Return the games from which states are drawn, those under the usual settings first."""
    return context.once("sources of states", partial(_make_sources, context))


def _make_sources(context: Context) -> Sequence[Source]:
    names, counts = rival_names(context.game), context.game.seats
    usual = [(context.settings, count, name, positions.MAX_DECISIONS) for count in counts for name in names]
    several = usual * max(1, GAMES // len(usual))
    unusual = [
        (each.settings, each.player_count, names[index % len(names)], MAX_DECISIONS)
        for index, each in enumerate(context.variations)
    ]
    return [
        Source(settings, count, context.rng("drawn", index).getrandbits(32), name, most)
        for index, (settings, count, name, most) in enumerate([*several, *unusual])
    ]


CASES: Mapping[MisconductKind.ValueType, Case] = {
    MisconductKind.MISCONDUCT_KIND_RULE_VIOLATION: keeps_the_rules,
    MisconductKind.MISCONDUCT_KIND_EXCEPTION: never_raises,
    MisconductKind.MISCONDUCT_KIND_TIMEOUT: answers_in_time,
}


def cases(game: Game) -> Sequence[Case]:
    """Return the cases of this module."""
    return tuple(CASES.values())
