"""Ordinary games: from the beginning, under the default settings. They follow from the seed of a run alone."""

from __future__ import annotations

from random import Random
from typing import NamedTuple

from fairplay.conformance.games.trial import Scenario
from fairplay.games.conformance import Situation
from fairplay.games.game import Game


class OrdinaryGames(NamedTuple):
    """The ordinary games of a run."""

    game: Game
    seed: int

    def rng(self, *words: object) -> Random:
        """Return a random generator that depends on the seed and these words alone."""
        return Random("/".join(map(str, (self.seed, self.game.name, *words))))

    def scenario(self, seat: int, count: int, turn_count: int = 0) -> Scenario:
        """Return a game with the player under test in a seat, to its end or for so many of its decisions."""
        settings = self.game.full_settings(self.game.settings_type())
        situation = Situation(settings, count, seat, turn_count=turn_count)
        return Scenario(f"seat-{seat}-of-{count}", situation, self.rng(seat, count).getrandbits(32))
