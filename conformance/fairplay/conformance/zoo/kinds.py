"""Kinds of players with a fault."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Any

from fairplay.conformance.zoo.deeds import Deed, Trace
from fairplay.conformance.zoo.habits import Habits
from fairplay.conformance.zoo.specimen import Specimen, When, World
from fairplay.games.game import Game


@dataclass(frozen=True, slots=True)
class Kind:
    """Players of a game with exactly one fault."""

    name: str
    sentence: str
    """What such a player does, in the third person."""
    cases: tuple[str, ...]
    """The ids of the cases that name the fault: each of them finds it."""
    when: When
    deed: Deed
    related: tuple[str, ...] = ()
    """Patterns of cases that may find the fault too, as it shows itself there."""
    rule: str = ""
    """The id of the rule that is broken. Empty: none, or that depends."""
    lacks: tuple[str, ...] = ()
    """Methods that such a player does not have; Python names."""
    program: Habits | None = None
    """How it behaves as a program, where it takes one to have the fault."""

    def make(self, game: Game, strategy: str, world: World, after: int = 0) -> Specimen:
        """A player with this fault, which spares the first `after` calls. ValueError: there is no such strategy."""
        sound: Any = game.player(strategy)
        specimen = Specimen(game, sound, world, self.when, self.deed.does, Random(self.name), after)
        return specimen.without(*self.lacks)

    @property
    def habits(self) -> Habits:
        """How it behaves as a program."""
        return self.program or Habits()

    @property
    def traces(self) -> frozenset[Trace]:
        """What a referee may find when the fault shows itself in a game."""
        return self.deed.traces
