"""Wrong extensions in the Q game: each breaks one rule, and is caught by the cases that it names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import permutations

from fairplay.games.kit.conformance import DRAWN_STATES, UNUSUAL_SETTINGS, collect_mutations, whole_game
from fairplay.games.q import rules
from fairplay.games.q.conformance import situations
from fairplay.games.q.conformance.declaring import extending, misfitting
from fairplay.games.q.conformance.extensions import Placed, breach, chains, others_held, singles
from fairplay.games.q.rules import Coordinate, Placement, View
from fairplay.games.q.rules.board import fitting, is_adjacent, line_through, sides

# Whose tiles


def not_owned(view: View) -> Iterator[Placed]:
    """Find the placements of a tile that fits, but is not in the hand."""
    strange = [tile for tile in range(rules.KINDS) if tile not in view.hand]
    return ((Placement(*spot, tile),) for spot, fit in view.board.spots.items() for tile in strange if fit >> tile & 1)


def once_more(view: View) -> Iterator[Placed]:
    """Find extensions with a tile more often than it is held."""
    for row, column, tile in singles(view):
        yield tuple(Placement(row, column + step, tile) for step in range(view.hand.count(tile) + 1))


@extending("q.extension.own-tiles", DRAWN_STATES, "q.hand.empty", "q.map.large")
def places_strange_tile(view: View) -> Iterable[Placed]:
    """Places a tile that fits, but is not in its hand."""
    return not_owned(view)


@extending("q.extension.own-tiles", DRAWN_STATES, "q.hand.equal-tiles", "q.hand.last-tile")
def places_tile_once_too_often(view: View) -> Iterable[Placed]:
    """Places a tile more often than it holds it."""
    return once_more(view)


@extending("q.extension.own-tiles", "q.hand.last-tile", only=situations.one_tile)
def places_last_tile_twice(view: View) -> Iterable[Placed]:
    """Places its tile twice where it has only one left."""
    return once_more(view)


@extending("q.extension.own-tiles", "q.hand.largest", only=situations.more_than_six)
def forgets_what_it_holds_of_many(view: View) -> Iterable[Placed]:
    """Places a tile that it does not hold, but only from a hand of more than six."""
    return once_more(view)


@extending("q.extension.own-tiles", "q.pile.empty", only=situations.pile_empty)
def places_strange_tile_from_empty_pile(view: View) -> Iterable[Placed]:
    """Believes to have drawn tiles though the pile was empty."""
    return not_owned(view)


@extending(
    "q.extension.own-tiles",
    "q.seats.last-of-four",
    "q.resume.after-eliminations",
    whole_game(3, 4),
    only=situations.fourth,
)
def places_strange_tile_as_fourth(view: View) -> Iterable[Placed]:
    """Places a tile that is not in its hand, but only as the fourth player."""
    return not_owned(view)


@extending("q.extension.own-tiles", "q.resume.after-eliminations", only=situations.seats_have_gaps)
def places_strange_tile_after_eliminations(view: View) -> Iterable[Placed]:
    """Takes a seat for a place in the list, and so another hand for its own."""
    return not_owned(view)


# Where to


def anything(view: View, cells: Iterable[Coordinate]) -> Iterator[Placed]:
    """Find the placements of each tile of the hand on each of these coordinates."""
    return ((Placement(*cell, tile),) for cell in cells for tile in sorted(set(view.hand)))


def offset(view: View, steps: Sequence[Coordinate]) -> Iterator[Coordinate]:
    """Find the free coordinates so many steps away from tiles of the map."""
    cells = ((row + down, column + right) for row, column in view.board.tiles for down, right in steps)
    return (cell for cell in cells if cell not in view.board.tiles)


@extending("q.extension.one-line", DRAWN_STATES, "q.extension.across-a-gap")
def places_in_two_lines(view: View) -> Iterable[Placed]:
    """Places tiles that share neither row nor column."""
    some = singles(view)[::7] + singles(view)[:7]
    return ((first, then) for first, then in permutations(some, 2) if {*first[:2]}.isdisjoint(then[:2]))


@extending("q.extension.one-line", DRAWN_STATES, "q.extension.in-order")
def places_around_a_corner(view: View) -> Iterable[Placed]:
    """Places tiles along a row and then down a column."""
    for first, (row, column, tile) in chains(view):
        rest = others_held(view, first)
        rest.remove(tile)
        if row == first.row:
            yield from ((first, Placement(row, column, tile), Placement(row + 1, column, other)) for other in rest)


@extending("q.extension.free", DRAWN_STATES, "q.fit.ring")
def covers_a_tile(view: View) -> Iterable[Placed]:
    """Places a tile on one that lies there already."""
    return anything(view, view.board.tiles)


@extending("q.extension.free", DRAWN_STATES, "q.fit.ring")
def covers_its_own_tile(view: View) -> Iterable[Placed]:
    """Places two tiles of an extension on the same coordinate."""
    return ((first, first._replace(tile=tile)) for first in singles(view) for tile in others_held(view, first))


@extending("q.extension.adjacent", DRAWN_STATES, "q.extension.across-a-gap")
def leaves_a_gap(view: View) -> Iterable[Placed]:
    """Places a tile two steps away from the map."""
    return anything(view, offset(view, [(0, 2), (2, 0)]))


@extending("q.extension.adjacent", DRAWN_STATES, "q.hand.last-tile")
def places_diagonally(view: View) -> Iterable[Placed]:
    """Places a tile that touches the map with a corner."""
    return anything(view, offset(view, [(1, 1), (-1, 1)]))


@extending("q.extension.adjacent", DRAWN_STATES, "q.extension.in-order")
def places_out_of_order(view: View) -> Iterable[Placed]:
    """Places a tile beside one that comes later in the same extension."""
    return ((then, first) for first, then in chains(view) if breach(view, (first, then)) is None)


@extending("q.extension.adjacent", "q.map.negative")
def loses_the_sign(view: View) -> Iterable[Placed]:
    """Takes negative rows and columns for positive ones."""
    positive = (Placement(abs(row), abs(column), tile) for row, column, tile in singles(view))
    return ((placed,) for placed in positive if not is_adjacent(view.board.tiles, *placed[:2]))


@extending("q.extension.adjacent", "q.map.last-row", "q.fit.long-line")
def mixes_up_rows_and_columns(view: View) -> Iterable[Placed]:
    """Takes rows for columns and columns for rows."""
    return ((Placement(column, row, tile),) for row, column, tile in singles(view))


# What fits


def neighbour_lines(view: View, spot: Coordinate) -> tuple[list[int], list[int]]:
    """Return the neighbours of a coordinate in its row and in its column."""
    above, left, right, below = (view.board.tiles.get(side) for side in sides(*spot))
    row, column = (left, right), (above, below)
    return [tile for tile in row if tile is not None], [tile for tile in column if tile is not None]


def is_like(tile: int, other: int) -> bool:
    """Return whether two tiles share colour or shape."""
    return tile % 6 == other % 6 or tile // 6 == other // 6


def fits_line(tile: int, line: Sequence[int]) -> bool:
    """Return whether all neighbours of a line match a tile in the same way."""
    return all(tile % 6 == other % 6 for other in line) or all(tile // 6 == other // 6 for other in line)


def is_like_none(view: View, spot: Coordinate, tile: int) -> bool:
    """Return whether a tile matches none of the neighbours of a coordinate."""
    return not any(is_like(tile, other) for line in neighbour_lines(view, spot) for other in line)


@misfitting(DRAWN_STATES, "q.turn.only-pass", "q.turn.only-replace")
def matches_nothing(view: View, spot: Coordinate, tile: int) -> bool:
    """Places a tile that matches none of its neighbours."""
    return is_like_none(view, spot, tile)


@misfitting("q.fit.same-attribute", "q.fit.row-and-column", "q.fit.ring")
def matches_one_of_two(view: View, spot: Coordinate, tile: int) -> bool:
    """Places a tile between two others on a line, of which it matches one."""
    return any(1 == sum(is_like(tile, other) for other in line) < len(line) for line in neighbour_lines(view, spot))


@misfitting("q.fit.same-attribute")
def matches_by_turns(view: View, spot: Coordinate, tile: int) -> bool:
    """Places a tile between two others on a line, with the colour of the one and the shape of the other."""
    lines = neighbour_lines(view, spot)
    every_neighbour = all(is_like(tile, other) for line in lines for other in line)
    return every_neighbour and not all(fits_line(tile, line) for line in lines)


@misfitting("q.fit.row-and-column")
def matches_one_line(view: View, spot: Coordinate, tile: int) -> bool:
    """Places a tile that fits in its row but not in its column, or the other way round."""
    row, column = neighbour_lines(view, spot)
    return bool(row and column) and fits_line(tile, row) != fits_line(tile, column)


@extending("q.extension.fit", DRAWN_STATES, "q.hand.largest")
def matches_the_map_only(view: View) -> Iterable[Placed]:
    """Does not look at the tiles that it has placed in the same turn."""
    return chains(view)


@misfitting("q.resume.alone", only=situations.alone)
def matches_nothing_when_alone(view: View, spot: Coordinate, tile: int) -> bool:
    """Places whatever it likes when it is the last player."""
    return is_like_none(view, spot, tile)


@misfitting("q.fit.qwirkle-duplicate", "q.fit.qwirkle-line", "q.fit.qwirkle-game", only=situations.qwirkle)
def matches_neighbours_only(view: View, spot: Coordinate, tile: int) -> bool:
    """Looks at the immediate neighbours where the fit rule is qwirkle."""
    return bool(fitting(view.board.tiles, *spot) >> tile & 1)


def shared_by(tile: int, line: Sequence[int]) -> bool:
    """Return whether all tiles of a line have the colour of a tile, or all have its shape."""
    return all(other % 6 == tile % 6 for other in line) or all(other // 6 == tile // 6 for other in line)


@misfitting("q.fit.qwirkle-gap", only=situations.qwirkle)
def joins_equal_tiles(view: View, spot: Coordinate, tile: int) -> bool:
    """Joins runs of the same kind that hold an equal tile, where the fit rule is qwirkle."""
    lines = [line_through(view.board.tiles, *spot, *way) for way in ((0, 1), (1, 0))]
    return all(tile not in line and shared_by(tile, line) for line in lines)


@extending("q.extension.own-tiles", UNUSUAL_SETTINGS, only=situations.few_tiles_in_a_crowd)
def believes_in_six_tiles(view: View) -> Iterable[Placed]:
    """Places a tile that it does not hold where three or more players have fewer than six."""
    return not_owned(view)


@misfitting(UNUSUAL_SETTINGS, only=situations.qwirkle_in_a_crowd)
def forgets_the_fit_rule_of_four(view: View, spot: Coordinate, tile: int) -> bool:
    """Places a tile that does not fit where four players play by the fit rule qwirkle."""
    return True


MUTATIONS = collect_mutations(globals())
