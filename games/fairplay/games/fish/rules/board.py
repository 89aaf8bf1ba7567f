"""Boards of Fish: their hexagonal tiles, the lines through each cell, and the fish when the game begins (section 2).

A cell is numbered ``row * columns + column``; a set of cells is an int with one bit a cell.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple, TypeAlias

MAX_SIDE = 25  # rows and columns of the largest board
FISH_LIMIT = 5  # the largest `max_fish`

# (rows, columns) to the next tile N, NE, SE, S, SW, NW of a tile in an even and in an odd row
_STEPS = (
    ((-2, 0), (-1, 0), (+1, 0), (+2, 0), (+1, -1), (-1, -1)),
    ((-2, 0), (-1, +1), (+1, +1), (+2, 0), (+1, 0), (-1, 0)),
)
_KNOWN_LIMIT = 20_000  # remembered answers of one board size: all of 8 x 8, and some 5 MB


class Place(NamedTuple):
    """Put the next penguin on a cell."""

    cell: int


class Move(NamedTuple):
    """Move the penguin on one cell to another."""

    source: int
    target: int


Action: TypeAlias = Place | Move
_Known: TypeAlias = dict[int, tuple[Move, ...]]


class Geometry:
    """The cells of a board: all that depends on its size alone.

    `near` holds the set of neighbours of each cell; `rays` the moves from each cell over an empty board in each of the
    six directions (N, NE, SE, S, SW, NW; nearest first). `lines` holds for each cell and each of the three axes: the
    set of the other cells of that line, the open moves by those of these cells that are taken (filled as they come up),
    and the axis. `placements` holds the action of placing a penguin on each cell.
    """

    __slots__ = ("_known_count", "columns", "lines", "near", "placements", "rays", "rows", "size")

    def __init__(self, rows: int, columns: int) -> None:
        self.rows = rows
        self.columns = columns
        self.size = rows * columns
        self.rays = tuple(
            tuple(_ray(rows, columns, cell, direction) for direction in range(6)) for cell in range(self.size)
        )
        self.near = tuple(set_of(ray[0].target for ray in rays if ray) for rays in self.rays)
        self.lines: tuple[tuple[tuple[int, _Known, int], ...], ...] = tuple(
            tuple((set_of(move.target for move in rays[axis] + rays[axis + 3]), {}, axis) for axis in range(3))
            for rays in self.rays
        )
        self.placements = tuple(map(Place, range(self.size)))
        self._known_count = 0

    def learn(self, cell: int, axis: int, taken: int) -> tuple[Move, ...]:
        """Return the moves from a cell along an axis, and remember them under the taken cells of that line."""
        if self._known_count >= _KNOWN_LIMIT:
            for lines in self.lines:
                for _, known, _ in lines:
                    known.clear()
            self._known_count = 0
        rays = self.rays[cell]
        moves = open_moves(rays[axis], taken) + open_moves(rays[axis + 3], taken)
        self.lines[cell][axis][1][taken] = moves
        self._known_count += 1
        return moves

    def __eq__(self, other: object) -> bool:
        """Compare the sizes; what each remembers does not count."""
        return isinstance(other, Geometry) and (self.rows, self.columns) == (other.rows, other.columns)

    def __hash__(self) -> int:
        """Return the hash of the size."""
        return hash((self.rows, self.columns))

    def __repr__(self) -> str:
        """Return the call that makes it."""
        return f"geometry({self.rows}, {self.columns})"

    def __reduce__(self) -> tuple[object, tuple[int, int]]:
        """Copy and pickle the size alone."""
        return geometry, (self.rows, self.columns)


@lru_cache(maxsize=32)
def geometry(rows: int, columns: int) -> Geometry:
    """Return the geometry of a board size, shared by all boards of that size."""
    return Geometry(rows, columns)


def _ray(rows: int, columns: int, cell: int, direction: int) -> tuple[Move, ...]:
    row, column = divmod(cell, columns)
    ray: list[Move] = []
    while True:
        down, right = _STEPS[row % 2][direction]
        row, column = row + down, column + right
        if not (0 <= row < rows and 0 <= column < columns):
            return tuple(ray)
        ray.append(Move(cell, row * columns + column))


def open_moves(ray: tuple[Move, ...], taken: int) -> tuple[Move, ...]:
    """Return the moves of a ray that end before its first taken cell."""
    for steps, (_, target) in enumerate(ray):
        if taken >> target & 1:
            return ray[:steps]
    return ray


def set_of(cells: Iterable[int]) -> int:
    """Return the set of some cells."""
    found = 0
    for cell in cells:
        found |= 1 << cell
    return found


_OUTSIDE = bytes.maketrans(b"01", b"\x01\x00")


def outside(cells: int, size: int) -> bytes:
    """Return one byte for each cell of a board of this size: 0 for the cells of a set, 1 for the others."""
    return bin(cells | 1 << size)[:2:-1].encode().translate(_OUTSIDE)  # without "0b" and the bit put in front


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
