"""What players of the Q game get wrong: situations in which they slip, and the extensions that they make then."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import permutations
from typing import TypeAlias

from fairplay.games.q import rules
from fairplay.games.q.protocol import codec
from fairplay.games.q.rules import Coordinate, Extension, Placement, View
from fairplay.games.q.rules.board import FARTHEST, fitting, is_adjacent, sides
from fairplay.q.v1 import q_pb2
from fairplay.q.v1.q_player_pb2 import TakeTurnRequest

Placed: TypeAlias = tuple[Placement, ...]


def breach(view: View, placed: Placed) -> str | None:
    """The rule that an extension breaks, None where it is legal."""
    return rules.breach(view.board, view.hand, view.pile_count, Extension(placed))


# Special situations


def pile_too_small(request: TakeTurnRequest) -> bool:
    """The pile has fewer tiles than the hand."""
    return request.state.pile_count < len(request.state.players[0].hand)


def pile_one_short(request: TakeTurnRequest) -> bool:
    """It has one tile less."""
    return request.state.pile_count == len(request.state.players[0].hand) - 1


def pile_empty(request: TakeTurnRequest) -> bool:
    """It has none, but the hand has."""
    return not request.state.pile_count and bool(request.state.players[0].hand)


def no_hand(request: TakeTurnRequest) -> bool:
    """The player holds nothing."""
    return not request.state.players[0].hand


def one_tile(request: TakeTurnRequest) -> bool:
    """It holds one tile."""
    return len(request.state.players[0].hand) == 1


def more_than_six(request: TakeTurnRequest) -> bool:
    """It holds more tiles than it usually would."""
    return len(request.state.players[0].hand) > 6


def fourth(request: TakeTurnRequest) -> bool:
    """It is the fourth player."""
    return request.state.players[0].seat == 3


def alone(request: TakeTurnRequest) -> bool:
    """Everybody else is out."""
    return len(request.state.players) == 1


def seats_have_gaps(request: TakeTurnRequest) -> bool:
    """Somebody is out, but not everybody else."""
    seats = sorted(player.seat for player in request.state.players)
    return len(seats) > 1 and seats != list(range(len(seats)))


def nothing_fits(request: TakeTurnRequest) -> bool:
    """No extension is legal."""
    return not singles(codec.view(request.state))


def can_only_pass(request: TakeTurnRequest) -> bool:
    """Neither an extension nor a replacement is legal."""
    return nothing_fits(request) and pile_too_small(request)


def qwirkle(request: TakeTurnRequest) -> bool:
    """The fit rule is not the usual one."""
    return request.state.fit_rule == q_pb2.FIT_RULE_QWIRKLE


# Wrong extensions


def singles(view: View) -> list[Placement]:
    """All legal placements of one tile."""
    legal = rules.choices(view.board, view.hand, 0)
    return [action.placements[0] for action in legal if isinstance(action, Extension)]


def others_held(view: View, placed: Placement) -> list[int]:
    """The hand without the tile of a placement."""
    rest = list(view.hand)
    rest.remove(placed.tile)
    return rest


def anything(view: View, cells: Iterable[Coordinate]) -> Iterator[Placed]:
    """Each tile of the hand on each of these coordinates."""
    return ((Placement(*cell, tile),) for cell in cells for tile in sorted(set(view.hand)))


def offset(view: View, steps: Sequence[Coordinate]) -> Iterator[Coordinate]:
    """The free coordinates so many steps away from tiles of the map."""
    cells = ((row + down, column + right) for row, column in view.board.tiles for down, right in steps)
    return (cell for cell in cells if cell not in view.board.tiles)


def over_the_edge(view: View) -> Iterator[Placed]:
    """Beyond the tiles that lie as far out as tiles can."""
    cells = (side for cell in view.board.tiles if FARTHEST in map(abs, cell) for side in sides(*cell))
    return anything(view, (cell for cell in cells if max(map(abs, cell)) > FARTHEST))


def without_sign(view: View) -> Iterator[Placed]:
    """Sound placements, taken to where rows and columns are not negative."""
    positive = (Placement(abs(row), abs(column), tile) for row, column, tile in singles(view))
    return ((placed,) for placed in positive if not is_adjacent(view.board.tiles, *placed[:2]))


def chains(view: View) -> Iterator[tuple[Placement, Placement]]:
    """Two tiles on one line, the second of which has no neighbour but the first."""
    for first in singles(view):
        for spot in sides(first.row, first.column):
            if spot not in view.board.tiles and not is_adjacent(view.board.tiles, *spot):
                yield from ((first, Placement(*spot, tile)) for tile in others_held(view, first))


def backwards(view: View) -> Iterator[Placed]:
    """Sound extensions of two tiles, the first of which lies on the second."""
    return ((then, first) for first, then in chains(view) if breach(view, (first, then)) is None)


def on_each_other(view: View) -> Iterator[Placed]:
    """Two tiles on one coordinate."""
    return ((first, first._replace(tile=tile)) for first in singles(view) for tile in others_held(view, first))


def not_owned(view: View) -> Iterator[Placed]:
    """A tile that fits, from nobody's hand."""
    strange = [tile for tile in range(rules.KINDS) if tile not in view.hand]
    return ((Placement(*spot, tile),) for spot, fit in view.board.spots.items() for tile in strange if fit >> tile & 1)


def once_more(view: View) -> Iterator[Placed]:
    """A tile more often than it is held."""
    for row, column, tile in singles(view):
        yield tuple(Placement(row, column + step, tile) for step in range(view.hand.count(tile) + 1))


def apart(view: View) -> Iterator[Placed]:
    """Two sound placements that share neither row nor column."""
    some = singles(view)[::7] + singles(view)[:7]
    return ((first, then) for first, then in permutations(some, 2) if {*first[:2]}.isdisjoint(then[:2]))


def corners(view: View) -> Iterator[Placed]:
    """Three tiles around a corner."""
    for first, (row, column, tile) in chains(view):
        rest = others_held(view, first)
        rest.remove(tile)
        if row == first.row:
            yield from ((first, Placement(row, column, tile), Placement(row + 1, column, other)) for other in rest)


def misfits(view: View, strange: Callable[[View, Coordinate, int], bool]) -> Iterator[Placed]:
    """Tiles on free coordinates beside the map, on which they are strange in some way."""
    tiles = sorted(set(view.hand))
    return ((Placement(*spot, tile),) for spot in view.board.spots for tile in tiles if strange(view, spot, tile))


def near(view: View, spot: Coordinate) -> tuple[list[int], list[int]]:
    """The neighbours of a coordinate in its row and in its column."""
    above, left, right, below = (view.board.tiles.get(side) for side in sides(*spot))
    row, column = (left, right), (above, below)
    return [tile for tile in row if tile is not None], [tile for tile in column if tile is not None]


def matches(tile: int, other: int) -> bool:
    """Whether two tiles share colour or shape."""
    return tile % 6 == other % 6 or tile // 6 == other // 6


def together(tile: int, line: Sequence[int]) -> bool:
    """Whether all neighbours of a line match a tile in the same way."""
    return all(tile % 6 == other % 6 for other in line) or all(tile // 6 == other // 6 for other in line)


def like_none(view: View, spot: Coordinate, tile: int) -> bool:
    """No neighbour matches."""
    return not any(matches(tile, other) for line in near(view, spot) for other in line)


def like_one_of_a_line(view: View, spot: Coordinate, tile: int) -> bool:
    """Of two neighbours on a line one matches."""
    return any(1 == sum(matches(tile, other) for other in line) < len(line) for line in near(view, spot))


def like_both_by_turns(view: View, spot: Coordinate, tile: int) -> bool:
    """Every neighbour matches, but two of one line do so in different ways."""
    lines = near(view, spot)
    return all(matches(tile, other) for line in lines for other in line) and not all(
        together(tile, line) for line in lines
    )


def like_one_line(view: View, spot: Coordinate, tile: int) -> bool:
    """The row matches or the column, not both."""
    row, column = near(view, spot)
    return bool(row and column) and together(tile, row) != together(tile, column)


def like_neighbours_only(view: View, spot: Coordinate, tile: int) -> bool:
    """The tile fits by the usual fit rule."""
    return bool(fitting(view.board.tiles, *spot) >> tile & 1)
