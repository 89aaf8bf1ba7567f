"""The declaration of a mutant."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Any

from fairplay.conformance.zoo.effects import Effect, Symptom
from fairplay.conformance.zoo.mutant_player import Environment, MutantPlayer, Trigger
from fairplay.conformance.zoo.program_behaviour import ProgramBehaviour
from fairplay.games.game import Game


@dataclass(frozen=True, slots=True)
class Mutant:
    """A player of a game with exactly one defect."""

    name: str
    sentence: str
    """What such a player does, in the third person."""
    cases: tuple[str, ...]
    """The ids of the cases that name the mutant: each of them fails."""
    trigger: Trigger
    effect: Effect
    related: tuple[str, ...] = ()
    """Patterns of cases that may fail too, because the mutation shows in them."""
    instead: str = ""
    """The id of the case that fails in place of those where the most ordinary game shows the mutation; empty: none."""
    rule: str = ""
    """The id of the rule that is broken. Empty: none, or it depends on the situation."""
    lacks: tuple[str, ...] = ()
    """Python names of the methods that the player lacks."""
    program: ProgramBehaviour | None = None
    """How the player behaves as a program, for defects that only a program can have."""

    def make(self, game: Game, strategy: str, environment: Environment, after: int = 0) -> MutantPlayer:
        """Return a player of a strategy that spares the first `after` calls. Raises ValueError if it is unknown."""
        sound: Any = game.player(strategy)
        rng = Random(self.name)
        player = MutantPlayer(game, sound, environment, self.trigger, self.effect.act, rng, after)
        return player.without(*self.lacks)

    @property
    def behaviour(self) -> ProgramBehaviour:
        """Return how the player behaves as a program."""
        return self.program or ProgramBehaviour()

    @property
    def symptoms(self) -> frozenset[Symptom]:
        """Return what a referee may find where the mutation shows in a game."""
        return self.effect.symptoms
