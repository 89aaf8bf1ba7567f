"""Boards of Fish: how many fish each tile has when the game begins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from fairplay.games.fish.rules.geometry import Geometry, geometry
from fairplay.games.fish.rules.settings import FISH_LIMIT, MAX_SIDE


class Board(NamedTuple):
    """A board as the game began: the number of fish on each tile, row by row, 0 for a hole."""

    geometry: Geometry
    fish: tuple[int, ...]

    @property
    def rows(self) -> int:
        """Return the number of rows, 1 to 25."""
        return self.geometry.rows

    @property
    def columns(self) -> int:
        """Return the number of columns, 1 to 25."""
        return self.geometry.columns


def board_of(columns: int, fish: Sequence[int]) -> Board:
    """Return the board with these numbers of fish, row by row. Raises ValueError if there is no such board."""
    fish = tuple(fish)
    rows, rest = divmod(len(fish), max(columns, 1))
    if rest or not (1 <= rows <= MAX_SIDE and 1 <= columns <= MAX_SIDE):
        raise ValueError(f"{len(fish)} tiles in rows of {columns} make no board of 1 to {MAX_SIDE} rows and columns.")
    if min(fish) < 0 or max(fish) > FISH_LIMIT:
        raise ValueError(f"A tile carries 0 to {FISH_LIMIT} fish, not {min(fish) if min(fish) < 0 else max(fish)}.")
    return Board(geometry(rows, columns), fish)


def board_of_rows(rows: Sequence[Sequence[int]]) -> Board:
    """Return the board with these rows; short ones are filled up with holes on the right (section 2)."""
    columns = max(map(len, rows))
    return board_of(columns, [fish for row in rows for fish in (*row, *[0] * (columns - len(row)))])


def neighbours(board: Board, cell: int) -> tuple[int, ...]:
    """Return the cells next to a cell, holes too, in the order N, NE, SE, S, SW, NW."""
    return tuple(ray[0].target for ray in board.geometry.rays[cell] if ray)
