"""Cases about mistakes that players of one game make: one for each probe of the game."""

from __future__ import annotations

from collections.abc import Sequence

from fairplay.conformance.case import Case
from fairplay.conformance.context import Context
from fairplay.conformance.trial import Scenario
from fairplay.games.conformance import Probe, find_conformance
from fairplay.games.game import Game


def _case(probe: Probe) -> Case:
    def body(context: Context) -> None:
        situation = probe.situation(context.rng(probe.id, "situation"))
        seed = context.rng(probe.id).getrandbits(32)
        context.judge(context.play(Scenario(probe.id, situation, seed, probe.level)))

    return Case(probe.id, probe.level, probe.rules, probe.why, body)


def cases(game: Game) -> Sequence[Case]:
    """Return the cases of this module."""
    return [_case(probe) for probe in find_conformance(game.name).probes]
