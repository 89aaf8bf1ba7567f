"""Cases about phases of games: a rival leaves in each of them, in each seat, under settings that may matter there.

Phases are found by machine, in games of reference players (`games.phases`). Of all that can be combined few games are
drawn, in which each pair of a phase and something else is found: a seat, a setting, a way to fail. Most of them begin
shortly before the phase, so that they take a few decisions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import product
from random import Random
from typing import Any, NamedTuple, TypeAlias

from google.protobuf.message import Message

from fairplay.conformance.blame.faults import same
from fairplay.conformance.case import Case, case
from fairplay.conformance.cases.settings import judge_elsewhere
from fairplay.conformance.games.context import Context
from fairplay.conformance.games.phases import Occurrence, Trace, find_beginning, foresee_departures, trace
from fairplay.conformance.games.rivals import Departure, Fault
from fairplay.conformance.games.trial import Scenario
from fairplay.games.conformance import Situation, find_conformance
from fairplay.games.game import Game

MOST_DECISIONS, FEW_DECISIONS = 120, 80
"""Games of reference players are followed so far; there are many under unusual settings."""
GAMES, FEW_GAMES = 36, 12
"""The most games of a case, and for a slow player."""
ATTEMPTS = 80
"""So many games are looked at."""
CHOICES = 10
"""From so many games the best one is taken."""
AT_ONCE_EVERY = 4
"""In each game with this number, on average, several rivals leave between two decisions of the player under test."""
FAILED_CALLS = (Fault.DISCONNECTION, Fault.ERROR_STATUS)
LEAST_GAIN = 4
"""A game that would show fewer pairs that no game has shown is not played."""
DECISIONS = 4
"""The player under test decides so often from the beginning of a game, or to its end if that is near."""
NEAR_THE_END = 8

Kind: TypeAlias = tuple[Message, int]
"""Settings, and a number of players that they fit."""
Feature: TypeAlias = tuple[str, Any]
"""What a game has: its name, and its value."""
Pair: TypeAlias = tuple[Any, Feature]
"""A phase, or that a game goes on from a state, and what else the game has."""


@case("rules.rivals-leave-in-any-phase", "FAIL-14")
def rivals_leave_in_any_phase(context: Context) -> None:
    """Rivals may leave in any call: while the game is set up, between two calls of a turn, when others are waiting."""
    game = context.game
    settings = map(game.full_settings, (game.settings_type(), *find_conformance(game.name).leaving_settings))
    _play_all(context, "phase", [*product(filter(context.scope.allows, settings), game.seats)], MOST_DECISIONS)


@case("rules.settings-in-any-phase", "FAIL-14", "FAIL-1")
def settings_in_any_phase(context: Context) -> None:
    """A setting matters in the phase that reads it: in the middle of a turn, when players leave, near the end."""
    kinds = [(each.settings, each.player_count) for each in context.variations]
    _play_all(context, "settings-phase", kinds, FEW_DECISIONS)


def _play_all(context: Context, name: str, kinds: Sequence[Kind], length: int) -> None:
    """Play games with these settings and numbers of players, and judge each.

    What goes wrong in the same way if nobody leaves is shown without anybody leaving. Raises NotApplicable if the
    profile has none of these settings.
    """
    if not kinds:
        raise context.scope.outside()
    for found in context.play_each(_scenarios(context, name, kinds, length)):
        if found.misconduct is not None:
            stayed = context.play(found.scenario._replace(name=f"{found.scenario.name}-stay", departures=()))
            judge_elsewhere(context, stayed if same(stayed, found) else found)


def _scenarios(context: Context, name: str, kinds: Sequence[Kind], length: int) -> Iterator[Scenario]:
    game, rng, covered = context.game, context.rng(name), set[Pair]()
    traces, count = _Traces(game, kinds, length, rng), 0
    for _ in range(ATTEMPTS):
        plans = [_draw(game, traces, rng) for _ in range(CHOICES)]
        plan = max(plans, key=lambda each: len(each.pairs(game, each.departures) - covered))
        scenario = plan.scenario(game, f"{name}-{count}", rng)
        left = foresee_departures(game, scenario)
        both = zip(plan.departures, scenario.departures, strict=True)
        shown = plan.pairs(game, [each for each, played in both if played.seat in left])
        if len(shown - covered) < LEAST_GAIN:
            continue
        covered |= shown
        count += 1
        yield scenario
        if count >= (FEW_GAMES if context.is_slow else GAMES):
            return


class _Plan(NamedTuple):
    trace: Trace
    first: Occurrence
    departures: Sequence[Departure]
    is_fresh: bool

    def scenario(self, game: Game, name: str, rng: Random) -> Scenario:
        """Return the game, which goes on from a state shortly before the first phase, or begins afresh."""
        played, (_, tested, _, start) = self.trace, self.first
        state, shift = find_beginning(game, played, 0 if self.is_fresh else start)

        def seat(traced: int) -> int:
            return (traced + shift) % played.player_count

        left = sum(tested in seats for seats in played.deciders[start:])
        turn_count = DECISIONS if left > NEAR_THE_END else NEAR_THE_END * 2
        place = seat(tested), state, turn_count, played.strategy
        situation = Situation(played.settings, played.player_count, *place)
        departures = tuple(each._replace(seat=seat(each.seat)) for each in self.departures)
        waits = rng.random() < 0.5
        return Scenario(name, situation, rng.getrandbits(32), departures=departures, rivals_wait=waits)

    def pairs(self, game: Game, departures: Sequence[Departure]) -> set[Pair]:
        """Return the pairs of a phase and what else is found in the game if these rivals leave it."""
        played, tested = self.trace, self.first.tested
        count = played.player_count
        usual = game.full_settings(game.settings_type())
        settings: list[Feature] = [
            (field.name, str(getattr(played.settings, field.name)))
            for field in usual.DESCRIPTOR.fields
            if getattr(played.settings, field.name) != getattr(usual, field.name)
        ]
        common: list[Feature] = [*settings, ("players", count), ("seat", tested), ("last seat", tested == count - 1)]
        found: list[Pair] = [("fresh" if self.is_fresh else "goes on", each) for each in settings]
        for seat, _, _, fault, phase in departures:
            side = {1: "next", count - 1: "previous"}.get((seat - tested) % count, "another")
            own: list[Feature] = [("side", side), ("fault", fault), ("leads", seat in played.winners)]
            found += [(phase or "at once", each) for each in (*common, *own, ("number", len(departures)))]
        return {*found}


class _Traces:
    """Games of reference players, each played when it is drawn for the first time, for so many decisions."""

    def __init__(self, game: Game, kinds: Sequence[Kind], length: int, rng: Random) -> None:
        self._make = [partial(trace, game, *kind, rng, length) for kind in kinds]
        self._made: dict[int, Trace] = {}

    def draw(self, rng: Random) -> Trace:
        """Return any of them."""
        number = rng.randrange(len(self._make))
        if number not in self._made:
            self._made[number] = self._make[number]()
        return self._made[number]


def _draw(game: Game, traces: _Traces, rng: Random) -> _Plan:
    """Return a game in which a rival leaves in any phase, and perhaps others at once, or each in a phase of its own."""
    played = traces.draw(rng)
    phase = rng.choice(sorted({each.phase for each in played.occurrences}))
    first = rng.choice([each for each in played.occurrences if each.phase == phase])
    others = [seat for seat in range(played.player_count) if seat not in (first.tested, first.leaver)]
    if others and rng.randrange(AT_ONCE_EVERY) == 0:
        start = played.last_decision(first.tested, first.start)
        leaving = [first.leaver, *others[: rng.choice((1, len(others)))]]
        departures = [Departure(seat, 1, in_decision=False, fault=rng.choice(FAILED_CALLS)) for seat in leaving]
        return _Plan(played, first._replace(start=start), departures, is_fresh=start == 0)
    rng.shuffle(others)
    departures = [_departure(game, first, rng, after=0)]
    for seat in others[: rng.choice((0, 0, 1, 2, len(others)))]:
        later = [each for each in played.occurrences if (each.tested, each.leaver) == (first.tested, seat)]
        if later := [each for each in later if each.start >= first.start]:
            departures.append(_departure(game, rng.choice(later), rng, rng.randrange(3)))
    is_early = first.start <= played.player_count
    return _Plan(played, first, departures, is_fresh=first.start == 0 or (is_early and rng.random() < 0.5))


def _departure(game: Game, found: Occurrence, rng: Random, after: int) -> Departure:
    """Return that a rival leaves in a phase, in any way that is possible there."""
    faults = [*Fault] if found.phase.method == game.turn.name else FAILED_CALLS
    return Departure(found.leaver, after, fault=rng.choice(faults), phase=found.phase)


def cases(game: Game) -> Sequence[Case]:
    """Return the cases of this module."""
    return rivals_leave_in_any_phase, settings_in_any_phase
