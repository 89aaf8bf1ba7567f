"""Scenes for the rules of a game: situations and settings that referees get wrong, wrong replies, and failing players.

They are the same in every run. Players choose by chance among all that is legal, so that a referee that refuses
something legal meets it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from random import Random
from typing import NamedTuple

from google.protobuf.message import Message

from fairplay.conformance.games.profiles import Scope
from fairplay.conformance.games.variations import fits, vary
from fairplay.conformance.servers.scenes import (
    AMPLE_S,
    NAMES,
    Act,
    Asked,
    Manner,
    Scene,
    Script,
    any_of,
    at,
    control,
    draw_state,
    fail,
    mutated,
    reply,
)
from fairplay.games.conformance import Situation, find_conformance
from fairplay.games.game import Game, find

GARBAGE = b"\xff\xff\xff\xff"
"""No message in protobuf's encoding."""
LONGEST = 14
"""After so many questions a player fails, so that games on large boards end."""
TIMES = control(5 * AMPLE_S, 6 * AMPLE_S, 4 * AMPLE_S)
"""Limits that differ, and that players keep while other games run."""
FAILURES = {
    "an error status": fail(13, "scripted failure"),
    "a reply that cannot be parsed": reply(GARBAGE),
    "an empty reply": reply(b""),
}


class Drawn(NamedTuple):
    """A scene, and what is special about it."""

    title: str
    scene: Scene


@cache
def draw_situations(name: str) -> Sequence[Drawn]:
    """Return games from the situations that players of a game get wrong, in which everybody keeps the rules."""
    game = find(name)
    return [
        Drawn(f"the situation {title}", _scene(game, situation, Random(f"{title}/players")))
        for title, situation in _situations(name).items()
    ]


@cache
def draw_settings(name: str) -> Sequence[Drawn]:
    """Return games under settings of which each pair of values is found, and those that matter when players leave."""
    game, drawn = find(name), []
    for number, variation in enumerate(vary(game, Random(f"{name}/settings"), Scope(game))):
        rng = Random(f"{name}/settings/{number}")
        situation = Situation(variation.settings, variation.player_count, 0)
        drawn.append(Drawn(f"unusual settings, number {number}", _scene(game, situation, rng)))
    return drawn


@cache
def draw_wrong_replies(name: str) -> Sequence[Drawn]:
    """Return games in which some players break a rule: each wrong reply, where it is made most easily, and later."""
    game, conformance, drawn = find(name), find_conformance(name), []
    situations = _situations(name)
    ordinary = Situation(game.full_settings(game.settings_type()), game.seats.start, 0)
    for number, mutation in enumerate(conformance.mutations):
        rng = Random(f"{name}/{mutation.name}")
        named = [situations[case] for case in mutation.cases if case in situations]
        for situation in named[:1] or [ordinary]:
            count = situation.player_count
            seat = situation.seat if named else rng.randrange(count)
            again = conformance.mutations[rng.randrange(len(conformance.mutations))]
            other = (seat + 1 + number % max(count - 1, 1)) % count
            scripts = [mutated(game, mutation, seat)]
            if other != seat:
                scripts.append(_later(mutated(game, again, other), 2))
            scene = _scene(game, situation, rng, *scripts)
            drawn.append(Drawn(f"{mutation.name} by seat {seat}, {again.name} by seat {other}", scene))
    return drawn


@cache
def draw_failures(name: str) -> Sequence[Drawn]:
    """Return games in which players fail in every method, early and late, alone and one after another."""
    game, drawn = find(name), []
    usual = game.settings_type()
    for chosen, settings in enumerate((usual, *find_conformance(name).leaving_settings)):
        full = game.full_settings(settings)
        for index, method in enumerate(game.methods):
            for number in (1, 2, 4) if len(game.methods) < 6 else [(1, 2, 4)[(index + chosen) % 3]]:
                rng = Random(f"{name}/{full}/{method.name}/{number}")
                count = rng.choice([each for each in game.seats if each <= 4 and fits(game, full, each)])
                how, act = list(FAILURES.items())[(index + number) % len(FAILURES)]
                seat, later = rng.sample(range(count), 2)
                script = any_of(
                    at(seat, method.name, act, number),
                    at(later, game.turn.name, fail(2, "scripted failure"), number + rng.randrange(3)),
                )
                title = f"seat {seat} answers call {number} of {method.name} to it with {how}"
                drawn.append(Drawn(title, _scene(game, Situation(full, count, 0), rng, script)))
    return drawn


def _situations(name: str) -> Mapping[str, Situation]:
    return {
        f"{probe.id}{f'-{draw}' if draw else ''}": probe.situation(Random(f"{probe.id}/{draw}"))
        for probe in find_conformance(name).probes
        for draw in range(min(probe.draws, 2))
    }


def _scene(game: Game, situation: Situation, rng: Random, *scripts: Script) -> Scene:
    """Return the scene of a situation, in which the players do as any of the scripts says."""
    settings, count = situation.settings, situation.player_count
    state: Message | None = situation.state
    if state is None:
        state = draw_state(game, settings, count, rng.getrandbits(32))
    script = any_of(_tires(game, rng), *scripts)
    strategies = [rng.choice((f"random:seed={rng.getrandbits(20)}", *_thoughtful(game))) for _ in range(count)]
    return Scene(game, game.full_settings(settings), state, count, script, TIMES, strategies)


def _thoughtful(game: Game) -> Sequence[str]:
    """Return a strategy that gets further than chance, if there is one that answers at once."""
    return [name for name, kind in game.strategies.items() if kind.is_quick and name != "random"][-1:]


def _tires(game: Game, rng: Random) -> Script:
    """Return the script in which each player fails after so many questions of one method, in few games after many."""
    asking = {method.name for method in game.methods if method.response.DESCRIPTOR.fields}
    longest = rng.choice((LONGEST, LONGEST, LONGEST, LONGEST, 4 * LONGEST))
    last = [longest + rng.randrange(3) for _ in NAMES]

    def script(asked: Asked) -> Act | None:
        if asked.method not in asking or asked.number <= last[asked.seat]:
            return None
        return Act(Manner.FAIL, code=13, message="this player is tired")

    return script


def _later(script: Script, number: int) -> Script:
    """Return a script that begins with the call of this number of each method."""
    return lambda asked: script(asked) if asked.number >= number else None
