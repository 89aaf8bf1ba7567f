"""Reference players as opponents of the player under test, and as the source of positions."""

from __future__ import annotations

from collections.abc import Sequence

from fairplay.games.game import Game

RIVALS = ("first", "random")


def rival_names(game: Game) -> Sequence[str]:
    """Return the names of reference strategies that answer at once."""
    return [name for name in RIVALS if name in game.strategies] or list(game.strategies)[:1]
