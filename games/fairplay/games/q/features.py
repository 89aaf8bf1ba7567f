"""Features of decisions in the Q game: on both sides of the borders of its rules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence, Set
from typing import Any, NamedTuple

from fairplay.games.conformance import Features
from fairplay.games.q import rules
from fairplay.games.q.protocol import codec
from fairplay.games.q.rules.board import (
    Q_LENGTH,
    Board,
    Coordinate,
    Placement,
    is_q,
    line_through,
    sides,
    tile_set,
    tiles_in,
)
from fairplay.games.q.rules.state import View

COLORS = 6


class Fit(NamedTuple):
    """A tile of the hand in a place where it fits."""

    tile: int
    place: Coordinate
    lines: Sequence[Sequence[int]]
    """The other tiles of its row there, and of its column."""


class Seen(NamedTuple):
    """What a request shows."""

    view: View
    places: Set[tuple[int, bool]]
    """How many neighbours free places have, with whether a tile of some kind fits there."""
    fits: Sequence[Fit]

    @property
    def fitting(self) -> Sequence[int]:
        """Return the tiles that fit, once for each place."""
        return [fit.tile for fit in self.fits]

    @property
    def most_equal(self) -> int:
        """Return how many tiles of the hand are equal at most."""
        return max(Counter(self.view.hand).values(), default=0)

    @property
    def room(self) -> int:
        """Return how many tiles the pile has more than the hand."""
        return self.view.pile_left - len(self.view.hand)


LINES = ((0, 1), (1, 0))


def read(request: Any) -> Seen:
    """Return what a request shows."""
    view = codec.read_view(request.state)
    tiles, owned = view.board.tiles, tile_set(view.hand)
    places, fits = set[tuple[int, bool]](), list[Fit]()
    for place, kinds in view.board.spots.items():
        places.add((len([side for side in sides(*place) if side in tiles]), kinds != 0))
        if kinds & owned:
            lines = [line_through(tiles, *place, *direction) for direction in LINES]
            fits += [Fit(tile, place, lines) for tile in tiles_in(kinds & owned)]
    return Seen(view, places, fits)


def completes_a_q(seen: Seen) -> bool:
    """Return whether a tile of the hand completes a Q."""
    return any(len(line) == Q_LENGTH - 1 and is_q([fit.tile, *line]) for fit in seen.fits for line in fit.lines)


def completes_two_qs(seen: Seen) -> bool:
    """Return whether a tile of the hand completes a Q in its row and one in its column."""
    return any(all(is_q([fit.tile, *line]) for line in fit.lines) for fit in seen.fits)


def fits_beside_its_like(seen: Seen) -> bool:
    """Return whether a tile of the hand fits beside an equal one."""
    tiles = seen.view.board.tiles
    return any(tiles.get(side) == fit.tile for fit in seen.fits for side in sides(*fit.place))


def joins_two_lines(seen: Seen) -> bool:
    """Return whether a tile of the hand fits between two tiles of one line."""
    tiles = seen.view.board.tiles
    return any(
        (row - down, column - right) in tiles and (row + down, column + right) in tiles
        for row, column in {fit.place for fit in seen.fits}
        for down, right in LINES
    )


def goes_out(board: Board, hand: Sequence[int], line: Sequence[Placement] = ()) -> bool:
    """Return whether all tiles of a hand can be placed at once, in one line."""
    if not hand:
        return True
    for (row, column), kinds in board.spots.items():
        if rules.one_line([*line, Placement(row, column, hand[0])]):
            for tile in {tile for tile in hand if kinds >> tile & 1}:
                rest = list(hand)
                rest.remove(tile)
                placed = Placement(row, column, tile)
                if goes_out(board.put([placed]), rest, [*line, placed]):
                    return True
    return False


FEATURES = Features(
    read,
    {
        "nothing-fits: No tile of the hand fits anywhere.": lambda seen: not seen.fitting,
        "few-fit: There are one to three ways to place one tile.": lambda seen: 1 <= len(seen.fitting) <= 3,
        "many-fit: There are more than 50 ways to place one tile.": lambda seen: len(seen.fitting) > 50,
        "pile-short: The pile has fewer tiles than the hand.": lambda seen: seen.room < 0,
        "pile-short-by-one: The pile has one tile less than the hand.": lambda seen: seen.room == -1,
        "pile-equal: The pile has as many tiles as the hand.": lambda seen: seen.room == 0,
        "pile-more-by-one: The pile has one tile more than the hand.": lambda seen: seen.room == 1,
        "last-tile: The hand has one tile, and it fits.": lambda seen: len(seen.view.hand) == 1 and bool(seen.fitting),
        "last-tile-misfits: The hand has one tile, and it fits nowhere.": lambda seen: (
            len(seen.view.hand) == 1 and not seen.fitting
        ),
        "goes-out: Two or three tiles are the whole hand, and all can be placed at once.": lambda seen: (
            2 <= len(seen.view.hand) <= 3 and goes_out(seen.view.board, seen.view.hand)
        ),
        "can-only-pass: No tile fits, and the pile is too short for the hand.": lambda seen: (
            not seen.fitting and seen.room < 0
        ),
        "can-only-replace: No tile of the hand fits, and the pile suffices for it.": lambda seen: (
            bool(seen.view.hand) and not seen.fitting and seen.room >= 0
        ),
        "completes-a-q: A tile of the hand completes a Q.": completes_a_q,
        "completes-two-qs: A tile of the hand completes two.": completes_two_qs,
        "joins-a-long-line: A tile of the hand fits in a line that has six tiles already.": lambda seen: any(
            len(line) >= Q_LENGTH for fit in seen.fits for line in fit.lines
        ),
        "beside-its-like: A tile of the hand fits beside an equal one.": fits_beside_its_like,
        "joins-two-lines: A tile of the hand fits between two tiles of one line.": joins_two_lines,
        "three-equal: Three tiles of the hand are equal.": lambda seen: seen.most_equal == 3,
        "four-equal: Four tiles of the hand are equal.": lambda seen: seen.most_equal == 4,
        "one-kind: Several tiles are the whole hand, all equal.": lambda seen: (
            len(seen.view.hand) == seen.most_equal > 1
        ),
        "equal-fit: A tile fits that the hand has three times or more.": lambda seen: any(
            count > 2 and tile in seen.fitting for tile, count in Counter(seen.view.hand).items()
        ),
        "seven-alike: A tile fits that the hand has seven times or more.": lambda seen: any(
            count > 6 and tile in seen.fitting for tile, count in Counter(seen.view.hand).items()
        ),
        "large-hand: The hand has more than twelve tiles.": lambda seen: len(seen.view.hand) > 12,
        "six-colors: The hand has all colours.": lambda seen: len({tile % COLORS for tile in seen.view.hand}) == COLORS,
        "six-shapes: The hand has all shapes.": lambda seen: len({tile // COLORS for tile in seen.view.hand}) == COLORS,
        "between-three: Something fits in a place with three neighbours.": lambda seen: (3, True) in seen.places,
        "hole: A place between four tiles is free.": lambda seen: any(count == 4 for count, _ in seen.places),
        "between-two-misfits: Nothing at all fits in a place with two neighbours.": lambda seen: (
            (2, False) in seen.places
        ),
        "alone: No rival is left.": lambda seen: not seen.view.others,
        "pile-empty: The pile is empty.": lambda seen: not seen.view.pile_left,
        "all-fit: Each tile of a hand of several kinds fits somewhere.": lambda seen: (
            len(set(seen.view.hand)) > 1 and set(seen.view.hand) == set(seen.fitting)
        ),
        "level: All players have the same number of points, and it is not 0.": lambda seen: (
            seen.view.score != 0 and {seen.view.score} == set(seen.view.others)
        ),
    },
)
