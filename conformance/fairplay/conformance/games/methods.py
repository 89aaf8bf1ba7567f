"""What the suite recognises in the methods of any game."""

from __future__ import annotations

from fairplay.games.steps import Method


def tells_the_end(method: Method) -> bool:
    """Return whether a method of a game tells a player that the game is over, and whether the player has won."""
    fields = set(method.request.DESCRIPTOR.fields_by_name)
    return "game_id" in fields and not {"won", "winner_seats"}.isdisjoint(fields)
