"""The Q game for who does not know it."""

from __future__ import annotations

from fairplay.games.frontends import Figure, Guide
from fairplay.games.kit.person import NO_MARKS, Marks
from fairplay.games.q.protocol import codec
from fairplay.games.q.rules import open_spots
from fairplay.games.q.rules.board import Board, Coordinate, tile_of
from fairplay.games.q.views.svg import svg
from fairplay.games.q.views.table import Own, cell_part, hand_part

_MAP = {
    (0, 0): ("star", "red"),
    (0, 1): ("circle", "red"),
    (0, 2): ("clover", "red"),
    (1, 0): ("star", "blue"),
    (1, 2): ("clover", "green"),
}
_Q = ("star", "8star", "square", "circle", "clover", "diamond")
_HAND = (("circle", "green"), ("diamond", "blue"), ("square", "yellow"))


def _laid(tiles: dict[Coordinate, int], hand: tuple[int, ...] = (), marks: Marks = NO_MARKS) -> str:
    board = Board(tiles)
    free = frozenset(board.spots) if hand else frozenset[Coordinate]()
    return svg(codec.map_message(board), (), Own(hand, free=free), marks)


def _places_of_one() -> str:
    """Draw a map with all places of a tile that is chosen."""
    tiles = {cell: tile_of(*words) for cell, words in _MAP.items()}
    hand = tuple(tile_of(*words) for words in _HAND)
    fitting = (cell for cell, kinds in open_spots(Board(tiles), ()) if kinds >> hand[0] & 1)
    return _laid(tiles, hand, Marks(frozenset(map(cell_part, fitting)), frozenset([hand_part(0)])))


def _qs() -> str:
    """Draw a Q of each kind."""
    shapes = {(0, column): tile_of(shape, "green") for column, shape in enumerate(_Q)}
    colors = ("green", "red", "yellow", "blue", "orange", "purple")
    return _laid({**shapes, **{(row, 0): tile_of("star", color) for row, color in enumerate(colors)}})


GUIDE = Guide(
    goal="Place tiles on the map so that they make long rows and columns. Who has the most points has won.",
    turn=(
        "Place tiles: choose one of your hand, then a free place beside a tile of the map. You may place more in the "
        "same turn if all of them come to lie in one row or in one column. You draw as many new ones.",
        "A tile fits where its neighbours to the left and right all have its colour or all have its shape; and so do "
        "those above and below. One line may go by colour and the other by shape.",
        "Instead you can replace all your tiles, as long as the pile has as many, or pass.",
    ),
    scoring=(
        "1 point for each tile that you place.",
        "The length of each row and each column of two tiles or more that has one of your new tiles in it.",
        "8 points more for a Q: a row or column of exactly six tiles that has all six shapes, or all six colours.",
        "4 points more if you place all tiles that you hold. The game is over then; and also after a round in which "
        "nobody has placed a tile.",
    ),
    figures=(
        Figure("The green circle that is chosen fits in the places with a dashed edge.", _places_of_one),
        Figure("Two Qs: the row has all shapes, and the column has all colours.", _qs),
    ),
)
