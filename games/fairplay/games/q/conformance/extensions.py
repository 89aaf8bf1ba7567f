"""Sound extensions in the Q game, from which wrong ones are made."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from fairplay.games.q import rules
from fairplay.games.q.rules import Extension, Placement, View
from fairplay.games.q.rules.board import is_adjacent, sides

Placed: TypeAlias = tuple[Placement, ...]


def singles(view: View) -> list[Placement]:
    """Return all legal placements of one tile."""
    legal = rules.choices(view.board, view.hand, 0)
    return [action.placements[0] for action in legal if isinstance(action, Extension)]


def others_held(view: View, placed: Placement) -> list[int]:
    """Return the hand without the tile of a placement."""
    rest = list(view.hand)
    rest.remove(placed.tile)
    return rest


def chains(view: View) -> Iterator[tuple[Placement, Placement]]:
    """Find pairs of placements on one line, the second of which has no neighbour but the first."""
    for first in singles(view):
        for spot in sides(first.row, first.column):
            if spot not in view.board.tiles and not is_adjacent(view.board.tiles, *spot):
                yield from ((first, Placement(*spot, tile)) for tile in others_held(view, first))


def breach(view: View, placed: Placed) -> str | None:
    """Return the id of the rule that an extension breaks; None if it is legal."""
    return rules.breach(view.board, view.hand, view.pile_left, Extension(placed))
