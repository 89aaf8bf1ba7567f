"""The map of the Q game: tiles on an endless grid, the free spots beside them, and what a placement scores.

Source: q.md sections 1, 3 and 4. A tile is a small int, ``shape * 6 + color``, so that tile order is int order;
a coordinate is a (row, column) tuple, rows growing downwards and columns to the right, both may be negative.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

SHAPES = ("star", "8star", "square", "circle", "clover", "diamond")
COLORS = ("red", "green", "blue", "yellow", "orange", "purple")
KINDS = 36
FARTHEST = 1_000_000
"""The greatest row or column number, and the smallest one negated (q.md section 8)."""
OUT_OF_RANGE = f"Rows and columns must lie between {-FARTHEST} and {FARTHEST}."
Q_LENGTH = 6

Coordinate = tuple[int, int]

_ABSENT = KINDS


class Placement(NamedTuple):
    """A tile and the coordinate it is to lie on."""

    row: int
    column: int
    tile: int


def tile_of(shape: str, color: str) -> int:
    """Return the tile of a shape and a color given by name. Raises ValueError if there is no such name."""
    return SHAPES.index(shape) * 6 + COLORS.index(color)


def tile_name(tile: int) -> str:
    """Return a tile as people say it, e.g. "red 8star"."""
    return f"{COLORS[tile % 6]} {SHAPES[tile // 6]}"


def tile_set(tiles: Iterable[int]) -> int:
    """Return the kinds among these tiles as a bit set: bit t is on if tile t is there."""
    kinds = 0
    for tile in tiles:
        kinds |= 1 << tile
    return kinds


_EVERY_KIND = tile_set(range(KINDS))
_OF_COLOR = tuple(tile_set(tile for tile in range(KINDS) if tile % 6 == color) for color in range(len(COLORS)))
_OF_SHAPE = tuple(tile_set(tile for tile in range(KINDS) if tile // 6 == shape) for shape in range(len(SHAPES)))


@lru_cache(maxsize=4096)
def tiles_in(kinds: int) -> tuple[int, ...]:
    """Return the tiles of a bit set, in tile order."""
    return tuple(tile for tile in range(KINDS) if kinds >> tile & 1)


def _sharing(line: Sequence[int]) -> int:
    """Return the kinds that have the one color, or the one shape, of all tiles of a line (section 3, rule 4)."""
    if not line:
        return _EVERY_KIND
    colors = {tile % 6 for tile in line}
    shapes = {tile // 6 for tile in line}
    by_color = _OF_COLOR[colors.pop()] if len(colors) == 1 else 0
    by_shape = _OF_SHAPE[shapes.pop()] if len(shapes) == 1 else 0
    return by_color | by_shape


_BETWEEN = tuple(
    tuple(_sharing([tile for tile in (one, other) if tile != _ABSENT]) for other in (*range(KINDS), _ABSENT))
    for one in (*range(KINDS), _ABSENT)
)
"""The kinds that fit between two neighbours on one line, of which either may be absent."""


def fitting(tiles: Mapping[Coordinate, int], row: int, column: int, whole_lines: bool = False) -> int:
    """Return the bit set of the kinds that fit at a free coordinate; every kind if it has no neighbour.

    `whole_lines` asks for the rule of Qwirkle: the whole line a tile joins is of one color or of one shape, and no
    kind is in it twice. Else only the immediate neighbours count.
    """
    if whole_lines:
        return _joining(line_through(tiles, row, column, 0, 1)) & _joining(line_through(tiles, row, column, 1, 0))
    get = tiles.get
    beside = _BETWEEN[get((row, column - 1), _ABSENT)][get((row, column + 1), _ABSENT)]
    return beside & _BETWEEN[get((row - 1, column), _ABSENT)][get((row + 1, column), _ABSENT)]


def _joining(line: Sequence[int]) -> int:
    if len(set(line)) < len(line):
        return 0
    return _sharing(line) & ~tile_set(line)


def ahead(tiles: Mapping[Coordinate, int], row: int, column: int, down: int, right: int) -> list[int]:
    """Return the unbroken run of tiles next to a coordinate in one direction, the nearest first."""
    run = []
    row, column = row + down, column + right
    while (tile := tiles.get((row, column))) is not None:
        run.append(tile)
        row, column = row + down, column + right
    return run


def line_through(tiles: Mapping[Coordinate, int], row: int, column: int, down: int, right: int) -> list[int]:
    """Return the tiles before and behind a coordinate on one line: those a tile put there would join."""
    return ahead(tiles, row, column, -down, -right) + ahead(tiles, row, column, down, right)


def is_adjacent(tiles: Mapping[Coordinate, int], row: int, column: int) -> bool:
    """Return whether a coordinate shares a side with at least one tile."""
    return any(side in tiles for side in sides(row, column))


def sides(row: int, column: int) -> tuple[Coordinate, Coordinate, Coordinate, Coordinate]:
    """Return the four coordinates that share a side with this one."""
    return (row - 1, column), (row, column - 1), (row, column + 1), (row + 1, column)


def is_q(run: Sequence[int]) -> bool:
    """Return whether a run is a Q: exactly six tiles with all six shapes or all six colors (section 4)."""
    if len(run) != Q_LENGTH:
        return False
    return len({tile // 6 for tile in run}) == 6 or len({tile % 6 for tile in run}) == 6


def points(tiles: Mapping[Coordinate, int], placements: Sequence[Placement], q_bonus: int) -> int:
    """Return the points of placements on one line of the map, without the finish bonus (section 4).

    `tiles` is the map with all of them on it. Every maximal run of the line counts once, however many placed tiles
    it holds; each placed tile brings its orthogonal run.
    """
    if not placements:
        return 0
    down, right = (0, 1) if len({placement.row for placement in placements}) == 1 else (1, 0)
    along = dict([_run_from(tiles, placement, down, right, q_bonus) for placement in placements])
    across = [_run_from(tiles, placement, right, down, q_bonus)[1] for placement in placements]
    return len(placements) + sum(along.values()) + sum(across)


def _run_from(
    tiles: Mapping[Coordinate, int], placement: Placement, down: int, right: int, q_bonus: int
) -> tuple[int, int]:
    """Return a number that the runs of a line have each for itself, and how many points that through a tile brings."""
    row, column, tile = placement
    before = ahead(tiles, row, column, -down, -right)
    behind = ahead(tiles, row, column, down, right)
    start = row + column - len(before)  # one of the two is the same on the whole line
    length = len(before) + 1 + len(behind)
    if length == 1:
        return start, 0
    if is_q([*before, tile, *behind]):
        return start, length + q_bonus
    return start, length


class Board:
    """The tiles on the map and an index of its free spots; a value: never changed once made.

    tiles maps coordinates to tiles. spots maps every free coordinate that shares a side with a tile (and is not out
    of range) to the bit set of the kinds that fit there, 0 where none does. The index is made when it is first asked
    for and then carried on from map to map, so that no turn looks through the whole map.
    """

    __slots__ = ("_spots", "_tiles", "whole_lines")

    def __init__(self, tiles: Mapping[Coordinate, int], whole_lines: bool = False) -> None:
        """Make a map of tiles; whole_lines asks for the fit rule of Qwirkle (see ``fitting``)."""
        self._tiles = dict(tiles)
        self._spots: dict[Coordinate, int] | None = None
        self.whole_lines = whole_lines

    @property
    def tiles(self) -> Mapping[Coordinate, int]:
        """Return the tiles by coordinate, in the order in which they were put."""
        return self._tiles

    @property
    def spots(self) -> Mapping[Coordinate, int]:
        """Return the free spots beside tiles, in no particular order, each with the bit set of the kinds that fit."""
        if self._spots is None:
            free = {side for cell in self._tiles for side in sides(*cell) if side not in self._tiles}
            self._spots = {spot: fitting(self._tiles, *spot, self.whole_lines) for spot in free if _in_range(spot)}
        return self._spots

    def put(self, placements: Iterable[Placement]) -> Board:
        """Return the map with these tiles on it as well; nothing is checked against the rules."""
        after = Board(self._tiles, self.whole_lines)
        after._spots = None if self._spots is None else self._spots.copy()
        for row, column, tile in placements:
            after._tiles[row, column] = tile
            if after._spots is not None:
                after._update(after._spots, row, column)
        return after

    def _update(self, spots: dict[Coordinate, int], row: int, column: int) -> None:
        """Carry the index on where a tile has just been put."""
        spots.pop((row, column), None)
        tiles, whole_lines = self._tiles, self.whole_lines
        for spot in _ends(tiles, row, column) if whole_lines else sides(row, column):
            if spot not in tiles and _in_range(spot):
                spots[spot] = fitting(tiles, *spot, whole_lines)

    def __eq__(self, other: object) -> bool:
        """Compare tiles, coordinates and fit rule."""
        if not isinstance(other, Board):
            return NotImplemented
        return self._tiles == other._tiles and self.whole_lines == other.whole_lines

    def __hash__(self) -> int:
        """Return the hash of the tiles, in whatever order they were put."""
        return hash(frozenset(self._tiles.items()))

    def __repr__(self) -> str:
        """Show the tiles with their coordinates, in row-column order."""
        tiles = ", ".join(f"{cell}: {tile_name(tile)}" for cell, tile in sorted(self._tiles.items()))
        return f"<Board {tiles}>"


def _in_range(cell: Coordinate) -> bool:
    return abs(cell[0]) <= FARTHEST and abs(cell[1]) <= FARTHEST


def _ends(tiles: Mapping[Coordinate, int], row: int, column: int) -> Iterator[Coordinate]:
    """Yield the nearest free coordinate in each direction: those whose lines a tile put here changes."""
    for down, right in ((-1, 0), (0, -1), (0, 1), (1, 0)):
        steps = len(ahead(tiles, row, column, down, right)) + 1
        yield row + down * steps, column + right * steps


def placements(board: Board, tile: int) -> list[Coordinate]:
    """Return every free spot at which a tile may be placed, in row-column order."""
    return sorted(spot for spot, kinds in board.spots.items() if kinds >> tile & 1)
