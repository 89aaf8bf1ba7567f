"""Cases about mistakes that players of one game make: one for each probe of the game."""

from __future__ import annotations

from collections.abc import Sequence

from fairplay.conformance.case import Case
from fairplay.conformance.context import Context
from fairplay.conformance.trial import Scenario, Trial
from fairplay.conformance.whole_games import AT_ONCE
from fairplay.games.conformance import Probe, find_conformance
from fairplay.games.game import Game


def _case(probe: Probe, next_ones: Sequence[Probe]) -> Case:
    def body(context: Context) -> None:
        for found in _played(context, probe, next_ones):
            context.judge(found)

    return Case(probe.id, probe.level, probe.rules, probe.why, body)


def _played(context: Context, probe: Probe, next_ones: Sequence[Probe]) -> Sequence[Trial]:
    """Return the trials of a probe: the same game twice, for what only goes well when it comes up first.

    Of a slow player, the next probes are played at the same time, each once.
    """
    kept: dict[str, Sequence[Trial]] = context.once("probes", dict)
    if probe.id not in kept:
        if context.is_slow:
            same = [each for each in next_ones if each.level is probe.level and each.id not in kept]
            batch = [probe, *same[: AT_ONCE - 1]]
            trials = context.play_each(_scenario(context, each) for each in batch)
            kept.update((each.id, [found]) for each, found in zip(batch, trials, strict=True))
        else:
            kept[probe.id] = _played_twice(context, _scenario(context, probe))
    return kept[probe.id]


def _played_twice(context: Context, scenario: Scenario) -> Sequence[Trial]:
    """Return the trials of a game that is played, and played once more if it went well, by the same player."""
    with context.shared() as connection:
        first = context.play(scenario, connection)
        return [first] if first.misconduct is not None else [first, context.play(scenario, connection)]


def _scenario(context: Context, probe: Probe) -> Scenario:
    situation = probe.situation(context.rng(probe.id, "situation"))
    return Scenario(probe.id, situation, context.rng(probe.id).getrandbits(32), probe.level)


def cases(game: Game) -> Sequence[Case]:
    """Return the cases of this module."""
    probes = find_conformance(game.name).probes
    return [_case(probe, probes[number:]) for number, probe in enumerate(probes, 1)]
