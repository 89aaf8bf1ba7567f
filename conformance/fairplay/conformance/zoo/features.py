"""Mutants that fail in states with a feature that their game declares, and nowhere else, or once a rival has left."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import islice

from fairplay.conformance.games.features import own_features
from fairplay.conformance.zoo.departures import forgiving_settings, with_fewer_players
from fairplay.conformance.zoo.mutants import RAISES, Mutant
from fairplay.conformance.zoo.player import ReceivedCall, Trigger
from fairplay.games.conformance import find_conformance
from fairplay.games.game import Game

EVERY = 4
RAISES_THERE = "exceptions.drawn-states"


def of_features(game: Game) -> Iterator[Mutant]:
    """Yield a mutant for one of EVERY features: a test shows that all of them are drawn, whatever the seed."""
    for name, sentence in islice(own_features(game).items(), 0, None, EVERY):
        where = f"Raises an exception in this state: {sentence}"
        yield Mutant(f"raises-at-{name}", where, (RAISES_THERE,), _having(game, name), RAISES, ("*",))
    if forgiving_settings(game.name):  # who has left may be back there
        return
    names = [*own_features(game)][1::EVERY]
    listed = ", ".join(names)
    where = f"Raises an exception once another one has left a game that began for it in a state with one of: {listed}."
    yield Mutant("raises-when-left-in-a-rare-state", where, (RAISES_THERE,), _left(game, names), RAISES, ("*",))


def _left(game: Game, names: Collection[str]) -> Trigger:
    """Trigger in decisions with fewer players than the first one of the game, if that had one of these features."""
    rare, is_left = [_having(game, name) for name in names], with_fewer_players(game.name)

    def trigger(call: ReceivedCall) -> bool:
        if call.decision == 1:
            call.game.notes["rare"] = any(has(call) for has in rare)
        return is_left(call) and call.decision > 1 and bool(call.game.notes.get("rare"))

    return trigger


def _having(game: Game, name: str) -> Trigger:
    """Trigger in decisions whose request has a feature."""
    features = find_conformance(game.name).features
    return lambda call: call.decision > 0 and name in features.find(call.request)
