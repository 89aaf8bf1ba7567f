"""Mutants that fail in states with a feature that their game declares, and nowhere else."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from fairplay.conformance import case_ids
from fairplay.conformance.games.features import own_features
from fairplay.conformance.zoo.mutants import MAY_SAY_NOTHING, Mutant
from fairplay.conformance.zoo.player import Trigger
from fairplay.games.conformance import find_conformance
from fairplay.games.game import Game

EVERY = 4


def of_features(game: Game) -> Iterator[Mutant]:
    """Yield a mutant for one of EVERY features: a test shows that all of them are drawn, whatever the seed."""
    for name, sentence in islice(own_features(game).items(), 0, None, EVERY):
        where = f"Answers with an empty message in this state: {sentence}"
        trigger = _having(game, name)
        yield Mutant(f"says-nothing-at-{name}", where, (case_ids.DRAWN_STATES,), trigger, MAY_SAY_NOTHING, ("*",))


def _having(game: Game, name: str) -> Trigger:
    """Trigger in decisions whose request has a feature."""
    features = find_conformance(game.name).features
    return lambda call: call.decision > 0 and name in features.find(call.request)
