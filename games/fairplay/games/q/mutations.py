"""Wrong answers to take-turn in the Q game: each breaks one rule, and is caught by the cases that it names."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import permutations
from random import Random
from typing import TypeAlias

from fairplay.games.conformance import Failing
from fairplay.games.kit.conformance import (
    DRAWN_STATES,
    UNUSUAL_SETTINGS,
    WHOLE_GAME,
    Breaking,
    Mutate,
    Wrong,
    build_mutations,
    choose,
    replying,
    whole_game,
    with_field,
)
from fairplay.games.q import rules
from fairplay.games.q.features import completes_two_qs, read
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
from fairplay.q.v1.q_player_pb2 import NewTilesRequest, TakeTurnRequest, TakeTurnResponse

ANYWHERE = (WHOLE_GAME, DRAWN_STATES)
WHERE_TILES_FIT = (DRAWN_STATES, "extension.in-order", "extension.across-a-gap")

Placed: TypeAlias = tuple[Placement, ...]
Matches: TypeAlias = Callable[[View, Coordinate, int], bool]
"""(what the player sees, a free coordinate, a tile) -> whether a player takes it for fitting there."""


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


# How wrong answers are made


def build_extension(placed: Placed) -> TakeTurnResponse:
    """Return the reply with an extension."""
    return codec.build_reply(Extension(placed))


def misspelled(field: str, value: int | None, *, in_row_zero: bool = False) -> Mutate:
    """Return what changes a field of a legal placement, or for None leaves it out, wherever something fits."""

    def mutate(request: TakeTurnRequest, reply: TakeTurnResponse, rng: Random) -> TakeTurnResponse | None:
        sound = singles(codec.read_view(request.state))
        single = choose((placed for placed in sound if not (in_row_zero and placed.row)), rng)
        changed = single and build_extension((single,))
        return changed and with_field(changed, f"action.extension.placements.0.{field}", value)

    return mutate


def reach(request: TakeTurnRequest) -> int:
    """Return how many cells there are from the first row and column of the map to the last ones."""
    return math.prod(1 + max(values) - min(values) for values in (request.state.rows, request.state.columns))


def seeing(condition: Callable[[View], bool]) -> Callable[[TakeTurnRequest], bool]:
    """Return whether what a request shows fulfils a condition."""
    return lambda request: condition(codec.read_view(request.state))


turn = partial(Wrong, "TakeTurn")
extend = Breaking("q", "TakeTurn", lambda request, reply: codec.read_view(request.state), breach, build_extension)
NOTHING, NO_TILES, REPLACED = (
    replying(TakeTurnResponse()),
    replying(build_extension(())),
    replying(codec.build_reply(REPLACE)),
)


def misfit(matches: Matches, cases: Sequence[str]) -> Wrong:
    """Return the wrong answer that places a tile beside the map where it does not fit, but a player says it does."""

    def find(view: View) -> Iterator[Placed]:
        tiles = sorted(set(view.hand))
        spots = ((spot, tile) for spot in view.board.spots for tile in tiles)
        return ((Placement(*spot, tile),) for spot, tile in spots if matches(view, spot, tile))

    return extend("extension.fit", find, cases)


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


def nothing_fits(view: View) -> bool:
    """Return whether no tile of the hand fits anywhere."""
    return not singles(view)


# Extensions


def not_owned(view: View) -> Iterator[Placed]:
    """Find the placements of a tile that fits, but is not in the hand."""
    strange = [tile for tile in range(KINDS) if tile not in view.hand]
    return ((Placement(*spot, tile),) for spot, fit in view.board.spots.items() for tile in strange if fit >> tile & 1)


def once_more(view: View) -> Iterator[Placed]:
    """Find extensions with a tile more often than it is held."""
    for row, column, tile in singles(view):
        yield tuple(Placement(row, column + step, tile) for step in range(view.hand.count(tile) + 1))


def anything(view: View, cells: Iterable[Coordinate]) -> Iterator[Placed]:
    """Find the placements of each tile of the hand on each of these coordinates."""
    return ((Placement(*cell, tile),) for cell in cells for tile in sorted(set(view.hand)))


def offset(view: View, steps: Sequence[Coordinate]) -> Iterator[Coordinate]:
    """Find the free coordinates so many steps away from tiles of the map."""
    cells = ((row + down, column + right) for row, column in view.board.tiles for down, right in steps)
    return (cell for cell in cells if cell not in view.board.tiles)


def in_16_bits(view: View) -> Iterator[Placed]:
    """Find legal placements of whose rows and columns the last 16 bits are kept, with their sign."""
    return ((Placement(_last_bits(row), _last_bits(column), tile),) for row, column, tile in singles(view))


def _last_bits(number: int) -> int:
    return (number + 2**15) % 2**16 - 2**15


def beyond_the_edge(view: View) -> Iterator[Placed]:
    """Find placements of a tile that would fit, but beyond the last or the first row or column."""
    free = {spot for cell in view.board.tiles for spot in sides(*cell) if max(map(abs, spot)) > FARTHEST}
    kinds = {spot: fitting(view.board.tiles, *spot, view.board.whole_lines) for spot in sorted(free)}
    return ((Placement(*spot, tile),) for spot, fit in kinds.items() for tile in view.hand if fit >> tile & 1)


def each_alone(view: View) -> Iterator[Placed]:
    """Find pairs of placements on one line, each of which is legal where the other one is not made; not all of many."""
    some = singles(view)[:30]
    return ((first, then) for first, then in permutations(some, 2) if not {*first[:2]}.isdisjoint(then[:2]))


def in_two_lines(view: View) -> Iterator[Placed]:
    """Find pairs of placements that share neither row nor column."""
    some = singles(view)[::7] + singles(view)[:7]
    return ((first, then) for first, then in permutations(some, 2) if {*first[:2]}.isdisjoint(then[:2]))


def around_a_corner(view: View) -> Iterator[Placed]:
    """Find three placements along a row and then down a column."""
    for first, (row, column, tile) in chains(view):
        rest = others_held(view, first)
        rest.remove(tile)
        if row == first.row:
            yield from ((first, Placement(row, column, tile), Placement(row + 1, column, other)) for other in rest)


def without_sign(view: View) -> Iterator[Placed]:
    """Find legal placements with rows and columns taken for positive ones, away from the map."""
    positive = (Placement(abs(row), abs(column), tile) for row, column, tile in singles(view))
    return ((placed,) for placed in positive if not is_adjacent(view.board.tiles, *placed[:2]))


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


def shared_by(tile: int, line: Sequence[int]) -> bool:
    """Return whether all tiles of a line have the colour of a tile, or all have its shape."""
    return all(other % 6 == tile % 6 for other in line) or all(other // 6 == tile // 6 for other in line)


def is_like_one_of_two(view: View, spot: Coordinate, tile: int) -> bool:
    """Return whether a tile matches one of two neighbours on a line."""
    return any(1 == sum(is_like(tile, other) for other in line) < len(line) for line in neighbour_lines(view, spot))


def is_like_by_turns(view: View, spot: Coordinate, tile: int) -> bool:
    """Return whether a tile matches all neighbours, but not all of a line in the same way."""
    lines = neighbour_lines(view, spot)
    every_neighbour = all(is_like(tile, other) for line in lines for other in line)
    return every_neighbour and not all(fits_line(tile, line) for line in lines)


def fits_one_line(view: View, spot: Coordinate, tile: int) -> bool:
    """Return whether a tile fits in its row but not in its column, or the other way round."""
    row, column = neighbour_lines(view, spot)
    return bool(row and column) and fits_line(tile, row) != fits_line(tile, column)


def fits_neighbours(view: View, spot: Coordinate, tile: int) -> bool:
    """Return whether a tile fits its immediate neighbours where the fit rule is qwirkle."""
    return view.board.whole_lines and bool(fitting(view.board.tiles, *spot) >> tile & 1)


def joins_equal_tiles(view: View, spot: Coordinate, tile: int) -> bool:
    """Return whether a tile fits lines that lack it, equal tiles or not, where the fit rule is qwirkle."""
    lines = [line_through(view.board.tiles, *spot, *way) for way in ((0, 1), (1, 0))]
    return view.board.whole_lines and all(tile not in line and shared_by(tile, line) for line in lines)


WRONG_ANSWERS = {
    # What is left out
    "answers-nothing: Answers take-turn with an empty message.": turn(
        "action.required",
        NOTHING,
        [
            *(*ANYWHERE, "turn.only-pass", "resume.in-a-round", "settings.setup-tells-the-map"),
            *("settings.other-bonus", "settings.bonus-decides", "settings.no-bonus-decides"),
        ],
    ),
    "acts-without-choice: Answers with an action that is none of pass, replace and extension.": turn(
        "action.required",
        replying(TakeTurnResponse(action=q_pb2.Action())),
        [*ANYWHERE, "hand.one-tile", "settings.no-bonus"],
    ),
    "answers-nothing-on-sparse-maps: Answers with an empty message where 50 cells come to a tile of the map.": turn(
        "action.required", NOTHING, ["map.stairs"], only=lambda request: 50 * len(request.state.tiles) < reach(request)
    ),
    "answers-nothing-for-pass: Answers with an empty message where it can only pass.": turn(
        "action.required",
        NOTHING,
        ["turn.only-pass", "replace.one-short"],
        only=seeing(lambda view: pile_too_small(view) and nothing_fits(view)),
    ),
    "places-without-row: Leaves out the row of a placement.": turn(
        "coordinate.required", misspelled("row", None), WHERE_TILES_FIT
    ),
    "places-without-column: Leaves out the column of a placement.": turn(
        "coordinate.required", misspelled("column", None), WHERE_TILES_FIT
    ),
    "leaves-out-zero: Leaves out the row of a placement where it is 0.": turn(
        "coordinate.required", misspelled("row", None, in_row_zero=True), ["hand.last-tile", "fit.long-line"]
    ),
    "places-without-tile: Leaves out the tile of a placement.": turn(
        "tile.required", misspelled("tile", None), [DRAWN_STATES, "hand.equal-tiles"]
    ),
    # What is out of range
    "places-unknown-tile: Names a tile one behind the last.": turn(
        "tile.known", misspelled("tile", KINDS + 1), WHERE_TILES_FIT
    ),
    "places-negative-tile: Gives a tile a negative number.": turn(
        "tile.known", misspelled("tile", -1), WHERE_TILES_FIT
    ),
    "places-beyond-last-row: Places a tile behind the last row that there is.": turn(
        "coordinate.range", misspelled("row", FARTHEST + 1), WHERE_TILES_FIT
    ),
    "places-beyond-first-column: Places a tile far before the first column that there is.": turn(
        "coordinate.range", misspelled("column", -(2**31)), WHERE_TILES_FIT
    ),
    "places-beyond-the-edge: Places a tile that fits, but beyond the last row or column that there is.": extend(
        "coordinate.range", beyond_the_edge, ["map.last-row", "map.first-column"]
    ),
    # Pass and replace
    "replaces-from-small-pile: Replaces its hand though the pile holds fewer tiles.": turn(
        "replace.pile",
        REPLACED,
        ["turn.only-pass", "replace.one-short", "replace.freed", "pile.empty", "settings.bonus-decides"],
        only=seeing(pile_too_small),
    ),
    "replaces-one-short: Replaces its hand where the pile holds one tile less.": turn(
        "replace.pile",
        REPLACED,
        ["replace.one-short", "turn.only-pass"],
        only=seeing(lambda view: view.pile_left == len(view.hand) - 1),
    ),
    "replaces-by-six: Replaces its hand wherever the pile holds six tiles, though the hand is larger.": turn(
        "replace.pile", REPLACED, ["replace.one-short"], only=seeing(lambda view: 6 <= view.pile_left < len(view.hand))
    ),
    "replaces-from-empty-pile: Replaces its hand where the pile is empty.": turn(
        "replace.pile",
        REPLACED,
        ["pile.empty", "replace.freed", "resume.after-eliminations", "round.nobody-has-placed"],
        only=seeing(pile_empty),
    ),
    "extends-by-nothing: Answers with an extension without tiles.": turn(
        "extension.not-empty", NO_TILES, [*ANYWHERE, "replace.just-enough"]
    ),
    "extends-by-nothing-for-pass: Answers with an extension without tiles where no tile fits.": turn(
        "extension.not-empty",
        NO_TILES,
        ["turn.only-pass", "turn.only-replace", "replace.just-enough", "round.nobody-has-placed"],
        only=seeing(nothing_fits),
    ),
    "extends-by-empty-hand: Places its whole hand where that is empty.": turn(
        "extension.not-empty", NO_TILES, ["hand.empty"], only=seeing(lambda view: not view.hand)
    ),
    # Whose tiles
    "places-strange-tile: Places a tile that fits, but is not in its hand.": extend(
        "extension.own-tiles", not_owned, [DRAWN_STATES, "hand.empty", "map.large"]
    ),
    "places-tile-once-too-often: Places a tile more often than it holds it.": extend(
        "extension.own-tiles", once_more, [DRAWN_STATES, "hand.equal-tiles", "hand.last-tile"]
    ),
    "places-last-tile-twice: Places its tile twice where it has only one left.": extend(
        "extension.own-tiles", once_more, ["hand.last-tile"], only=seeing(lambda view: len(view.hand) == 1)
    ),
    "counts-on-one-more-of-seven: "
    "Places an eighth tile where it holds seven that are equal, or one more of more.": extend(
        "extension.own-tiles",
        once_more,
        ["hand.many-alike"],
        only=seeing(lambda view: max(map(view.hand.count, view.hand), default=0) > 6),
    ),
    "forgets-what-it-holds-of-many: Places a tile that it does not hold, but only from a hand of more than six.": (
        extend("extension.own-tiles", once_more, ["hand.largest"], only=seeing(lambda view: len(view.hand) > 6))
    ),
    "places-strange-tile-from-empty-pile: Believes to have drawn tiles though the pile was empty.": extend(
        "extension.own-tiles", not_owned, ["pile.empty"], only=seeing(pile_empty)
    ),
    "places-strange-tile-as-fourth: Places a tile that is not in its hand, but only as the fourth player.": extend(
        "extension.own-tiles",
        not_owned,
        ["seats.last-of-four", "resume.after-eliminations", whole_game(3, 4)],
        only=lambda request: request.state.players[0].seat == 3,
    ),
    "places-strange-tile-after-eliminations: Takes a seat for a place in the list, and so another hand for its own.": (
        extend("extension.own-tiles", not_owned, ["resume.after-eliminations"], only=seats_have_gaps)
    ),
    # Where to
    "places-in-two-lines: Places tiles that share neither row nor column.": extend(
        "extension.one-line", in_two_lines, [DRAWN_STATES, "extension.across-a-gap"]
    ),
    "places-around-a-corner: Places tiles along a row and then down a column.": extend(
        "extension.one-line", around_a_corner, [DRAWN_STATES, "extension.in-order"]
    ),
    "covers-a-tile: Places a tile on one that lies there already.": extend(
        "extension.free", lambda view: anything(view, view.board.tiles), [DRAWN_STATES, "fit.ring"]
    ),
    "covers-its-own-tile: Places two tiles of an extension on the same coordinate.": extend(
        "extension.free",
        lambda view: ((one, one._replace(tile=tile)) for one in singles(view) for tile in others_held(view, one)),
        [DRAWN_STATES, "fit.ring"],
    ),
    "leaves-a-gap: Places a tile two steps away from the map.": extend(
        "extension.adjacent",
        lambda view: anything(view, offset(view, [(0, 2), (2, 0)])),
        [DRAWN_STATES, "extension.across-a-gap"],
    ),
    "places-diagonally: Places a tile that touches the map with a corner.": extend(
        "extension.adjacent",
        lambda view: anything(view, offset(view, [(1, 1), (-1, 1)])),
        [DRAWN_STATES, "hand.last-tile"],
    ),
    "places-out-of-order: Places a tile beside one that comes later in the same extension.": extend(
        "extension.adjacent",
        lambda view: ((then, first) for first, then in chains(view) if breach(view, (first, then)) is None),
        [DRAWN_STATES, "extension.in-order"],
    ),
    "loses-the-sign: Takes negative rows and columns for positive ones.": extend(
        "extension.adjacent", without_sign, ["map.negative"]
    ),
    "keeps-coordinates-in-16-bits: Keeps the last 16 bits of rows and columns.": extend(
        "extension.adjacent", in_16_bits, ["map.first-column"]
    ),
    "mixes-up-rows-and-columns: Takes rows for columns and columns for rows.": extend(
        "extension.adjacent",
        lambda view: ((Placement(column, row, tile),) for row, column, tile in singles(view)),
        ["map.first-column", "fit.long-line"],
    ),
    # What fits
    "matches-nothing: Places a tile that matches none of its neighbours.": misfit(
        is_like_none, [DRAWN_STATES, "turn.only-pass", "turn.only-replace"]
    ),
    "matches-one-of-two: Places a tile between two others on a line, of which it matches one.": misfit(
        is_like_one_of_two, ["fit.same-attribute", "fit.row-and-column", "fit.ring"]
    ),
    "matches-by-turns: Places a tile between two others on a line, with the colour of the one and the shape of the "
    "other.": misfit(is_like_by_turns, ["fit.same-attribute"]),
    "matches-one-line: Places a tile that fits in its row but not in its column, or the other way round.": misfit(
        fits_one_line, ["fit.row-and-column"]
    ),
    "matches-the-map-only: Does not look at the tiles that it has placed in the same turn.": extend(
        "extension.fit", chains, [DRAWN_STATES, "hand.largest"]
    ),
    "matches-each-alone: Places two tiles that fit where they are put, but for the other one.": extend(
        "extension.fit", each_alone, ["extension.each-alone"], only=seeing(lambda view: not view.board.whole_lines)
    ),
    "matches-each-alone-in-whole-lines: Places two tiles that fit where they are put, but for the other one, where the "
    "fit rule is qwirkle.": extend(
        "extension.fit", each_alone, ["fit.qwirkle-own-tiles"], only=seeing(lambda view: view.board.whole_lines)
    ),
    "matches-nothing-when-alone: Places whatever it likes when it is the last player.": misfit(
        lambda view, spot, tile: not view.others and is_like_none(view, spot, tile), ["resume.alone"]
    ),
    "matches-neighbours-only: Looks at the immediate neighbours where the fit rule is qwirkle.": misfit(
        fits_neighbours, ["fit.qwirkle-duplicate", "fit.qwirkle-line", "fit.qwirkle-game"]
    ),
    "joins-equal-tiles: Joins runs of the same kind that hold an equal tile, where the fit rule is qwirkle.": misfit(
        joins_equal_tiles, ["fit.qwirkle-gap"]
    ),
    "believes-in-six-tiles: Places a tile that it does not hold where three or more players have fewer than six.": (
        extend(
            "extension.own-tiles",
            not_owned,
            [UNUSUAL_SETTINGS],
            only=seeing(lambda view: len(view.others) > 1 and view.pile_left > 40 and len(view.hand) < 6),
        )
    ),
    "forgets-the-fit-rule-of-four: Places a tile that does not fit where four players play by the fit rule qwirkle.": (
        misfit(lambda view, spot, tile: view.board.whole_lines and len(view.others) == 3, [UNUSUAL_SETTINGS])
    ),
}

MUTATIONS = build_mutations("q", WRONG_ANSWERS)

FAILING = (
    Failing(
        "fails-at-another-bonus",
        "Raises an exception where a rival has nine points and none, or ten, for a Q: with eight it would be 17.",
        ("q.settings.other-bonus",),
        lambda request: any(player.score in (9, 19) for player in getattr(request, "state", q_pb2.State()).players),
    ),
    Failing(
        "has-room-for-six-new-tiles",
        "Raises an exception where it is told of more than six new tiles.",
        ("q.hand.many-misfits",),
        lambda request: isinstance(request, NewTilesRequest) and len(request.tiles) > 6,
    ),
    Failing(
        "counts-one-q",
        "Raises an exception where a tile completes two Qs.",
        ("q.extension.two-qs",),
        lambda request: isinstance(request, TakeTurnRequest) and completes_two_qs(read(request)),
    ),
)
