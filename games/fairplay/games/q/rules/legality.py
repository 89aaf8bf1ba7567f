"""Which actions are legal in the Q game, and the rule that an illegal one breaks (q.md section 3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import overload

from fairplay.games.q.rules.board import FARTHEST, KINDS, Board, Placement, fitting, is_adjacent, tile_set, tiles_in
from fairplay.games.q.rules.state import PASS, REPLACE, Action, Extension, State, Word


class Legal(Sequence[Action]):
    """A choice of legal actions: all placements of a single tile, replace if it is legal, pass.

    The placements come first, by row, column and tile. Longer extensions are legal as well, if `violation` says so,
    but there are too many to list. An action is made when it is asked for.
    """

    __slots__ = ("_placements", "_words")

    def __init__(self, placements: Sequence[tuple[int, int, int]], words: Sequence[Word]) -> None:
        """Take placements as (row, column, tile), in the order in which they are listed."""
        self._placements = placements
        self._words = words

    def __len__(self) -> int:
        """Return how many actions are listed."""
        return len(self._placements) + len(self._words)

    @overload
    def __getitem__(self, index: int) -> Action: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Action]: ...
    def __getitem__(self, index: int | slice) -> Action | Sequence[Action]:
        """Return an action, or those of a slice."""
        if isinstance(index, slice):
            return [self[at] for at in range(*index.indices(len(self)))]
        index = range(len(self))[index]
        if index < len(self._placements):
            return Extension((Placement._make(self._placements[index]),))
        return self._words[index - len(self._placements)]


def legal(state: State) -> Sequence[Action]:
    """Return single placements, replace and pass for the seat to move, those of them that are legal (see `Legal`)."""
    if state.mover is None:
        return ()
    return choices(state.board, state.hands[state.mover], len(state.pile))


def choices(board: Board, hand: Sequence[int], pile_left: int) -> Legal:
    """Return single placements, replace and pass, those of them that are legal with this hand."""
    owned = tile_set(hand)
    singles = [
        (row, column, tile)
        for (row, column), kinds in board.spots.items()
        if (fit := kinds & owned)
        for tile in tiles_in(fit)
    ]
    singles.sort()
    return Legal(singles, (REPLACE, PASS) if pile_left >= len(hand) else (PASS,))


def violation(state: State, action: Action) -> str | None:
    """Return the id of the first rule that an action of the seat to move breaks; None if it is legal. Never raises."""
    if state.mover is None:
        return "q.action.game-over"
    return breach(state.board, state.hands[state.mover], len(state.pile), action)


def breach(board: Board, hand: Sequence[int], pile_left: int, action: Action) -> str | None:
    """Return the same as `violation`, from what a player knows: the id of the rule broken, or None."""
    if isinstance(action, Extension):
        return _malformed(action.placements) or _illegal_extension(board, hand, action.placements)
    if action is REPLACE and pile_left < len(hand):
        return "q.replace.pile"
    return None


def _malformed(placed: Sequence[Placement]) -> str | None:
    for row, column, tile in placed:
        if not (-FARTHEST <= row <= FARTHEST and -FARTHEST <= column <= FARTHEST):
            return "q.coordinate.range"
        if not 0 <= tile < KINDS:
            return "q.tile.known"
    return None


def _illegal_extension(board: Board, hand: Sequence[int], placed: Sequence[Placement]) -> str | None:
    if not placed:
        return "q.extension.not-empty"
    if Counter(placement.tile for placement in placed) - Counter(hand):
        return "q.extension.own-tiles"
    if not one_line(placed):
        return "q.extension.one-line"
    return _illegal_placement(board, placed)


def one_line(placed: Sequence[Placement]) -> bool:
    """Return whether all placements share one row, or all share one column; they need not touch."""
    return len({each.row for each in placed}) == 1 or len({each.column for each in placed}) == 1


def _illegal_placement(board: Board, placed: Sequence[Placement]) -> str | None:
    tiles = dict(board.tiles)
    for row, column, tile in placed:
        if (row, column) in tiles:
            return "q.extension.free"
        if not is_adjacent(tiles, row, column):
            return "q.extension.adjacent"
        if not fitting(tiles, row, column, board.whole_lines) >> tile & 1:
            return "q.extension.fit"
        tiles[row, column] = tile
    return None
