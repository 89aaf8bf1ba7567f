"""Features of decisions in the Q game: on both sides of the borders of its rules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from fairplay.games.conformance import Features
from fairplay.games.q import rules
from fairplay.games.q.protocol import codec
from fairplay.games.q.rules.board import Q_LENGTH, Board, Placement, is_q, line_through, sides
from fairplay.games.q.rules.state import Extension, View

COLORS = 6


class Seen(NamedTuple):
    """What a request shows, and the tiles that fit, once for each place."""

    view: View
    fitting: list[int]

    @property
    def most_equal(self) -> int:
        """Return how many tiles of the hand are equal at most."""
        return max(Counter(self.view.hand).values(), default=0)

    @property
    def room(self) -> int:
        """Return how many tiles the pile has more than the hand."""
        return self.view.pile_left - len(self.view.hand)


def read(request: Any) -> Seen:
    """Return what a request shows."""
    view = codec.read_view(request.state)
    legal = rules.choices(view.board, view.hand, 0)
    return Seen(view, [action.placements[0].tile for action in legal if isinstance(action, Extension)])


def has_place_between(seen: Seen, neighbour_count: int, *, fits: bool) -> bool:
    """Return whether a free place has so many neighbours, and a tile of some kind fits there, or none at all."""
    tiles = seen.view.board.tiles
    return any(
        sum(side in tiles for side in sides(*spot)) == neighbour_count and bool(kinds) == fits
        for spot, kinds in seen.view.board.spots.items()
    )


LINES = ((0, 1), (1, 0))


def single_lines(seen: Seen) -> Iterator[tuple[int, list[int]]]:
    """Yield each tile of the hand that fits in a place, and the others of a line that it joins there."""
    tiles = seen.view.board.tiles
    for (row, column), kinds in seen.view.board.spots.items():
        for tile in {tile for tile in seen.view.hand if kinds >> tile & 1}:
            for direction in LINES:
                yield tile, line_through(tiles, row, column, *direction)


def completes_a_q(seen: Seen) -> bool:
    """Return whether a tile of the hand completes a Q."""
    return any(len(line) == Q_LENGTH - 1 and is_q([tile, *line]) for tile, line in single_lines(seen))


def completes_two_qs(seen: Seen) -> bool:
    """Return whether a tile of the hand completes a Q in its row and one in its column."""
    tiles = seen.view.board.tiles
    return any(
        kinds >> tile & 1 and all(is_q([tile, *line_through(tiles, *spot, *direction)]) for direction in LINES)
        for spot, kinds in seen.view.board.spots.items()
        for tile in {*seen.view.hand}
    )


def fits_beside_its_like(seen: Seen) -> bool:
    """Return whether a tile of the hand fits beside an equal one."""
    tiles = seen.view.board.tiles
    return any(
        kinds >> tile & 1 and any(tiles.get(side) == tile for side in sides(*spot))
        for spot, kinds in seen.view.board.spots.items()
        for tile in seen.view.hand
    )


def joins_two_lines(seen: Seen) -> bool:
    """Return whether a tile of the hand fits between two tiles of one line."""
    tiles = seen.view.board.tiles
    return any(
        (row - down, column - right) in tiles and (row + down, column + right) in tiles
        for (row, column), kinds in seen.view.board.spots.items()
        for down, right in LINES
        if any(kinds >> tile & 1 for tile in seen.view.hand)
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
            len(line) >= Q_LENGTH for _, line in single_lines(seen)
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
        "between-three: Something fits in a place with three neighbours.": lambda seen: has_place_between(
            seen, 3, fits=True
        ),
        "hole: A place between four tiles is free.": lambda seen: (
            has_place_between(seen, 4, fits=True) or has_place_between(seen, 4, fits=False)
        ),
        "between-two-misfits: Nothing at all fits in a place with two neighbours.": lambda seen: has_place_between(
            seen, 2, fits=False
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
