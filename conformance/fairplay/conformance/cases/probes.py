"""Cases about mistakes that players of one game make: one for each probe of the game."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import attrgetter

from fairplay.conformance.blame.judge import answers_differ, judge
from fairplay.conformance.case import Case
from fairplay.conformance.games.context import AT_ONCE, Context
from fairplay.conformance.games.rivals import Departure
from fairplay.conformance.games.trial import Scenario, Trial
from fairplay.games.conformance import Level, Probe, find_conformance
from fairplay.games.game import Game

ROUNDS = 8
"""A player that draws lots plays a probe so often: it may go wrong in one of several answers only."""


def _case(probe: Probe, next_ones: Sequence[Probe]) -> Case:
    def body(context: Context) -> None:
        for found in _played(context, probe, next_ones):
            judge(context, found)

    return Case(probe.id, probe.level, probe.rules, probe.why, body)


def _played(context: Context, probe: Probe, next_ones: Sequence[Probe]) -> Sequence[Trial]:
    """Return the trials of a probe. Of a slow player, the next probes are played at the same time, each once."""
    kept: dict[str, Sequence[Trial]] = context.once("probes", dict)
    if probe.id not in kept:
        scenarios = _scenarios(context, probe)
        if context.is_slow:
            same = [each for each in next_ones if each.level is probe.level and each.id not in kept]
            others = [(each.id, scenario_of(context, each)) for each in same[: AT_ONCE - 1]]
            inside = [pair for pair in others if context.scope.holds(pair[1].situation)]
            batch = [(probe.id, scenarios[0]), *inside]
            trials = context.play_each(scenario for _, scenario in batch)
            kept.update((name, [found]) for (name, _), found in zip(batch, trials, strict=True))
        else:
            kept[probe.id] = list(_played_again(context, scenarios))
    return kept[probe.id]


def _played_again(context: Context, scenarios: list[Scenario]) -> Iterator[Trial]:
    """Yield the trials of all situations of a probe with the same player, until it misbehaves.

    The first situation comes again, for what only goes well when it comes up first. A player that answers differently
    then plays all of them again and again.
    """
    trials: list[Trial] = []
    with context.shared() as connection:
        for scenario in scenarios * ROUNDS:
            trials.append(context.play(scenario, connection))
            yield trials[-1]
            if trials[-1].misconduct is not None:
                return
            if len(trials) == len(scenarios) + 1 and not answers_differ(trials[0], trials[-1]):
                return


def _scenarios(context: Context, probe: Probe) -> list[Scenario]:
    """Return the games of a probe. Raises NotApplicable if all of them are outside the profile."""
    drawn = (scenario_of(context, probe, draw) for draw in range(probe.draws))
    return list(context.scope.choose(drawn, attrgetter("situation")))


def scenario_of(context: Context, probe: Probe, draw: int = 0) -> Scenario:
    """Return the game of a probe, or another one if it has more."""
    words = (probe.id, draw + 1) if draw else (probe.id,)
    situation = probe.situation(context.rng(*words, "situation"))
    seed = context.rng(*words).getrandbits(32)
    departures = tuple([Departure(seat, after=1) for seat in situation.leaving])
    return Scenario("-".join(map(str, words)), situation, seed, probe.level, departures, joins=situation.first_call)


def games_of_probes(context: Context) -> Sequence[Scenario]:
    """Return the games of the probes that every player must meet, for other cases; none for a slow player."""
    probes = () if context.is_slow else find_conformance(context.game.name).probes
    must = [each for each in probes if each.level is Level.MUST]
    begun = context.once("games of probes", lambda: [scenario_of(context, each) for each in must])
    return [each for each in begun if context.scope.holds(each.situation)]


def cases(game: Game) -> Sequence[Case]:
    """Return the cases of this module."""
    probes = find_conformance(game.name).probes
    return [_case(probe, probes[number:]) for number, probe in enumerate(probes, 1)]
