"""Wrong answers to take-turn in the Q game: each breaks one rule, and is caught by the cases that it names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import permutations
from random import Random
from typing import Any, TypeAlias

from fairplay.games.conformance import Mutation
from fairplay.games.kit.conformance import (
    DRAWN_STATES,
    UNUSUAL_SETTINGS,
    WHOLE_GAME,
    build_mutation,
    choose,
    collect_mutations,
    whole_game,
    with_field,
    without_field,
)
from fairplay.games.q import rules
from fairplay.games.q.protocol import codec
from fairplay.games.q.rules.board import (
    FARTHEST,
    KINDS,
    Coordinate,
    Placement,
    fitting,
    is_adjacent,
    line_through,
    sides,
)
from fairplay.games.q.rules.state import REPLACE, Extension, View
from fairplay.q.v1 import q_pb2
from fairplay.q.v1.q_player_pb2 import TakeTurnRequest, TakeTurnResponse

ANYWHERE = (WHOLE_GAME, DRAWN_STATES)
WHERE_TILES_FIT = (DRAWN_STATES, "q.extension.in-order", "q.extension.across-a-gap")
FIRST = "action.extension.placements.0"

Condition: TypeAlias = Callable[[Any], bool]
Placed: TypeAlias = tuple[Placement, ...]


# Sound extensions, from which wrong ones are made


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


# How wrong answers are declared


def answering(rule: str, *cases: str) -> Callable[[Callable[[View], TakeTurnResponse | None]], Mutation]:
    """Declare a mutation that answers what the function returns, where that is not None."""

    def declare(answer: Callable[[View], TakeTurnResponse | None]) -> Mutation:
        def mutate(request: TakeTurnRequest, reply: TakeTurnResponse, rng: Random) -> TakeTurnResponse | None:
            return answer(codec.read_view(request.state))

        return build_mutation(answer, "TakeTurn", rule, cases, mutate)

    return declare


def misspelling(
    rule: str, *cases: str, in_row_zero: bool = False
) -> Callable[[Callable[[TakeTurnResponse], TakeTurnResponse | None]], Mutation]:
    """Declare a mutation of the form of a sound placement, which it makes wherever something fits."""

    def declare(misspell: Callable[[TakeTurnResponse], TakeTurnResponse | None]) -> Mutation:
        def mutate(request: TakeTurnRequest, reply: TakeTurnResponse, rng: Random) -> TakeTurnResponse | None:
            sound = singles(codec.read_view(request.state))
            single = choose((placed for placed in sound if not (in_row_zero and placed.row)), rng)
            return None if single is None else misspell(codec.build_reply(Extension((single,))))

        return build_mutation(misspell, "TakeTurn", rule, cases, mutate)

    return declare


def extending(
    rule: str, *cases: str, only: Condition | None = None
) -> Callable[[Callable[[View], Iterable[Placed]]], Mutation]:
    """Declare a mutation that makes one of the returned extensions, of those that break the rule."""

    def declare(extensions: Callable[[View], Iterable[Placed]]) -> Mutation:
        def mutate(request: TakeTurnRequest, reply: TakeTurnResponse, rng: Random) -> TakeTurnResponse | None:
            view = codec.read_view(request.state)
            placed = choose((placed for placed in extensions(view) if breach(view, placed) == rule), rng)
            return None if placed is None else codec.build_reply(Extension(placed))

        return build_mutation(extensions, "TakeTurn", rule, cases, mutate, only)

    return declare


def misfitting(*cases: str) -> Callable[[Callable[[View, Coordinate, int], bool]], Mutation]:
    """Declare a mutation that places a tile beside the map where it does not fit, but does as the function says."""

    def declare(matches: Callable[[View, Coordinate, int], bool]) -> Mutation:
        def extensions(view: View) -> Iterable[Placed]:
            tiles = sorted(set(view.hand))
            spots = ((spot, tile) for spot in view.board.spots for tile in tiles)
            return ((Placement(*spot, tile),) for spot, tile in spots if matches(view, spot, tile))

        extensions.__name__, extensions.__doc__ = matches.__name__, matches.__doc__
        return extending("q.extension.fit", *cases)(extensions)

    return declare


# Special situations, in which alone some players go wrong


def pile_too_small(view: View) -> bool:
    """Return whether the pile has fewer tiles than the hand."""
    return view.pile_left < len(view.hand)


def pile_empty(view: View) -> bool:
    """Return whether the pile is empty, but not the hand."""
    return not view.pile_left and bool(view.hand)


def seats_have_gaps(request: TakeTurnRequest) -> bool:
    """Return whether somebody is eliminated, but not everybody else."""
    seats = sorted(player.seat for player in request.state.players)
    return len(seats) > 1 and seats != list(range(len(seats)))


# What is left out


@answering("q.action.required", *ANYWHERE, "q.turn.only-pass", "q.settings.setup-tells-the-map", "q.resume.in-a-round")
def answers_nothing(view: View) -> TakeTurnResponse:
    """Answers take-turn with an empty message."""
    return TakeTurnResponse()


@answering("q.action.required", *ANYWHERE, "q.hand.one-tile", "q.settings.no-bonus")
def acts_without_choice(view: View) -> TakeTurnResponse:
    """Answers with an action that is none of pass, replace and extension."""
    return TakeTurnResponse(action=q_pb2.Action())


@answering("q.action.required", "q.turn.only-pass", "q.replace.one-short")
def answers_nothing_for_pass(view: View) -> TakeTurnResponse | None:
    """Answers with an empty message where it can only pass."""
    return TakeTurnResponse() if pile_too_small(view) and not singles(view) else None


@misspelling("q.coordinate.required", *WHERE_TILES_FIT)
def places_without_row(reply: TakeTurnResponse) -> TakeTurnResponse | None:
    """Leaves out the row of a placement."""
    return without_field(reply, f"{FIRST}.row")


@misspelling("q.coordinate.required", *WHERE_TILES_FIT)
def places_without_column(reply: TakeTurnResponse) -> TakeTurnResponse | None:
    """Leaves out the column of a placement."""
    return without_field(reply, f"{FIRST}.column")


@misspelling("q.coordinate.required", "q.hand.last-tile", "q.fit.long-line", in_row_zero=True)
def leaves_out_zero(reply: TakeTurnResponse) -> TakeTurnResponse | None:
    """Leaves out the row of a placement where it is 0."""
    return without_field(reply, f"{FIRST}.row")


@misspelling("q.tile.required", DRAWN_STATES, "q.hand.equal-tiles")
def places_without_tile(reply: TakeTurnResponse) -> TakeTurnResponse | None:
    """Leaves out the tile of a placement."""
    return without_field(reply, f"{FIRST}.tile")


# What is out of range


@misspelling("q.tile.known", *WHERE_TILES_FIT)
def places_unknown_tile(reply: TakeTurnResponse) -> TakeTurnResponse | None:
    """Names a tile one behind the last."""
    return with_field(reply, f"{FIRST}.tile", KINDS + 1)


@misspelling("q.tile.known", *WHERE_TILES_FIT)
def places_negative_tile(reply: TakeTurnResponse) -> TakeTurnResponse | None:
    """Gives a tile a negative number."""
    return with_field(reply, f"{FIRST}.tile", -1)


@misspelling("q.coordinate.range", *WHERE_TILES_FIT)
def places_beyond_last_row(reply: TakeTurnResponse) -> TakeTurnResponse | None:
    """Places a tile behind the last row that there is."""
    return with_field(reply, f"{FIRST}.row", FARTHEST + 1)


@misspelling("q.coordinate.range", *WHERE_TILES_FIT)
def places_beyond_first_column(reply: TakeTurnResponse) -> TakeTurnResponse | None:
    """Places a tile far before the first column that there is."""
    return with_field(reply, f"{FIRST}.column", -(2**31))


@extending("q.coordinate.range", "q.map.last-row", "q.map.first-column")
def steps_over_the_edge(view: View) -> Iterable[Placed]:
    """Goes on placing tiles where the map has come to its edge."""
    cells = (side for cell in view.board.tiles if FARTHEST in map(abs, cell) for side in sides(*cell))
    outside = (cell for cell in cells if max(map(abs, cell)) > FARTHEST)
    return ((Placement(*cell, tile),) for cell in outside for tile in sorted(set(view.hand)))


# Pass and replace


@answering("q.replace.pile", "q.turn.only-pass", "q.replace.one-short", "q.pile.empty")
def replaces_from_small_pile(view: View) -> TakeTurnResponse | None:
    """Replaces its hand though the pile holds fewer tiles."""
    return codec.build_reply(REPLACE) if pile_too_small(view) else None


@answering("q.replace.pile", "q.replace.one-short", "q.turn.only-pass")
def replaces_one_short(view: View) -> TakeTurnResponse | None:
    """Replaces its hand where the pile holds one tile less."""
    return codec.build_reply(REPLACE) if view.pile_left == len(view.hand) - 1 else None


@answering("q.replace.pile", "q.replace.one-short")
def replaces_by_six(view: View) -> TakeTurnResponse | None:
    """Replaces its hand wherever the pile holds six tiles, though the hand is larger."""
    return codec.build_reply(REPLACE) if 6 <= view.pile_left < len(view.hand) else None


@answering("q.replace.pile", "q.pile.empty", "q.resume.after-eliminations", "q.round.nobody-has-placed")
def replaces_from_empty_pile(view: View) -> TakeTurnResponse | None:
    """Replaces its hand where the pile is empty."""
    return codec.build_reply(REPLACE) if pile_empty(view) else None


@answering("q.extension.not-empty", *ANYWHERE, "q.replace.just-enough")
def extends_by_nothing(view: View) -> TakeTurnResponse:
    """Answers with an extension without tiles."""
    return codec.build_reply(Extension(()))


@answering(
    "q.extension.not-empty",
    "q.turn.only-pass",
    "q.turn.only-replace",
    "q.replace.just-enough",
    "q.round.nobody-has-placed",
)
def extends_by_nothing_for_pass(view: View) -> TakeTurnResponse | None:
    """Answers with an extension without tiles where no tile fits."""
    return codec.build_reply(Extension(())) if not singles(view) else None


@answering("q.extension.not-empty", "q.hand.empty")
def extends_by_empty_hand(view: View) -> TakeTurnResponse | None:
    """Places its whole hand where that is empty."""
    return codec.build_reply(Extension(())) if not view.hand else None


# Whose tiles


def not_owned(view: View) -> Iterator[Placed]:
    """Find the placements of a tile that fits, but is not in the hand."""
    strange = [tile for tile in range(KINDS) if tile not in view.hand]
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


@extending("q.extension.own-tiles", "q.hand.last-tile")
def places_last_tile_twice(view: View) -> Iterable[Placed]:
    """Places its tile twice where it has only one left."""
    return once_more(view) if len(view.hand) == 1 else ()


@extending("q.extension.own-tiles", "q.hand.largest")
def forgets_what_it_holds_of_many(view: View) -> Iterable[Placed]:
    """Places a tile that it does not hold, but only from a hand of more than six."""
    return once_more(view) if len(view.hand) > 6 else ()


@extending("q.extension.own-tiles", "q.pile.empty")
def places_strange_tile_from_empty_pile(view: View) -> Iterable[Placed]:
    """Believes to have drawn tiles though the pile was empty."""
    return not_owned(view) if pile_empty(view) else ()


@extending(
    "q.extension.own-tiles",
    "q.seats.last-of-four",
    "q.resume.after-eliminations",
    whole_game(3, 4),
    only=lambda request: request.state.players[0].seat == 3,
)
def places_strange_tile_as_fourth(view: View) -> Iterable[Placed]:
    """Places a tile that is not in its hand, but only as the fourth player."""
    return not_owned(view)


@extending("q.extension.own-tiles", "q.resume.after-eliminations", only=seats_have_gaps)
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


@misfitting("q.resume.alone")
def matches_nothing_when_alone(view: View, spot: Coordinate, tile: int) -> bool:
    """Places whatever it likes when it is the last player."""
    return not view.others and is_like_none(view, spot, tile)


@misfitting("q.fit.qwirkle-duplicate", "q.fit.qwirkle-line", "q.fit.qwirkle-game")
def matches_neighbours_only(view: View, spot: Coordinate, tile: int) -> bool:
    """Looks at the immediate neighbours where the fit rule is qwirkle."""
    return view.board.whole_lines and bool(fitting(view.board.tiles, *spot) >> tile & 1)


def shared_by(tile: int, line: Sequence[int]) -> bool:
    """Return whether all tiles of a line have the colour of a tile, or all have its shape."""
    return all(other % 6 == tile % 6 for other in line) or all(other // 6 == tile // 6 for other in line)


@misfitting("q.fit.qwirkle-gap")
def joins_equal_tiles(view: View, spot: Coordinate, tile: int) -> bool:
    """Joins runs of the same kind that hold an equal tile, where the fit rule is qwirkle."""
    lines = [line_through(view.board.tiles, *spot, *way) for way in ((0, 1), (1, 0))]
    return view.board.whole_lines and all(tile not in line and shared_by(tile, line) for line in lines)


@extending("q.extension.own-tiles", UNUSUAL_SETTINGS)
def believes_in_six_tiles(view: View) -> Iterable[Placed]:
    """Places a tile that it does not hold where three or more players have fewer than six."""
    return not_owned(view) if len(view.others) > 1 and view.pile_left > 40 and len(view.hand) < 6 else ()


@misfitting(UNUSUAL_SETTINGS)
def forgets_the_fit_rule_of_four(view: View, spot: Coordinate, tile: int) -> bool:
    """Places a tile that does not fit where four players play by the fit rule qwirkle."""
    return view.board.whole_lines and len(view.others) == 3


MUTATIONS = collect_mutations(globals())
