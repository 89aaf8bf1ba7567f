"""The Q game: a state as one SVG document. The unit is the pixel; tiles are drawn around their centre."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from html import escape
from math import ceil, cos, pi, sin

from fairplay.games.kit.lettering import font_size
from fairplay.games.kit.person import NO_MARKS, Marks
from fairplay.games.kit.pictures import (
    AMBER,
    BUTTON_HEIGHT,
    Frame,
    button_lines,
    buttons,
    document,
    lay_out,
    outline,
    piece,
)
from fairplay.games.q.rules.board import COLORS, SHAPES, Coordinate
from fairplay.games.q.views.table import (
    NOTHING_OWN,
    UNKNOWN,
    Own,
    Standing,
    Table,
    cell_part,
    hand_part,
    table,
    tile_words,
    with_own,
)
from fairplay.q.v1 import q_pb2

_CELL = 44.0  # from one tile to the next
_EDGE = 34.0  # around the map, where the numbers of rows and columns are
_CARD_WIDTH, _CARD_HEIGHT = 250.0, 62.0
_NAME_ROOM = 168.0
_HAND_STEP = 50.0  # from one tile of the hand to the next
_CAPTION = 30.0  # above the hand
_MINI = 0.44  # how large tiles on cards are
_ON_CARD = 12  # tiles in one line of a card
_LEGIBLE = 560.0  # the longest side of a map beside which cards can be read where the picture is shown small
_LONGEST = 2400.0  # the longest side of a picture; a larger map is drawn smaller
_FILLS = ("#ff4d4d", "#2fc26e", "#4aa3ff", "#ffe04a", "#ff9838", "#c58bff")  # in the order of COLORS


def svg(state: q_pb2.State, players: Sequence[str], own: Own = NOTHING_OWN, marks: Marks = NO_MARKS) -> str:
    """Return the map with its coordinates and the last placements, the players, and the pile, as one SVG document.

    `players` are the names by seat. Hands and the pile are shown where the state holds them. `own` is what a person
    sees of its own, below the map; cells, tiles of its hand and words have the id of their part as `data-part`.
    """
    shown = with_own(table(state, players), own)
    wide = max(1, len(shown.columns)) * _CELL + 2 * _EDGE
    high = max(1, len(shown.rows)) * _CELL + 2 * _EDGE
    card = _CARD_WIDTH, _CARD_HEIGHT + _MINI * _CELL * _card_lines(shown)
    frame = lay_out(wide, high, len(shown.standings) + 1, card, _LEGIBLE, partial(_own_height, own))
    x, y = frame.board
    parts = [
        f"<defs>{_ARTWORK}</defs>",
        f'<rect class="surface" x="{x:.1f}" y="{y:.1f}" width="{wide:.1f}" height="{high:.1f}" rx="14" '
        'fill="#cfdccb"/>',
        f'<g transform="translate({x + _EDGE + _CELL / 2:.1f} {y + _EDGE + _CELL / 2:.1f})">',
        *_axes(shown),
        *_map(shown, own, marks),
        "</g>",
        *_own(own, marks, frame),
        *_cards(shown, frame),
    ]
    each = (f"{name} {score}{status and f' ({status})'}" for name, score, status, _ in shown.standings)
    title = f"Q: {', '.join(each) or f'{len(shown.tiles)} on the map'}"
    zoom = min(1.0, _LONGEST / max(frame.width, frame.height))
    return document(frame.width, frame.height, title, parts, ground="#f5f7f4", ink="#20262b", zoom=zoom)


def _card_lines(table: Table) -> int:
    """Return how many lines of tiles the card with the most of them has."""
    return max(ceil(len(tiles) / _ON_CARD) for tiles in (_next(table), *(each.hand for each in table.standings)))


def _next(table: Table) -> Sequence[int]:
    """Return the tiles of the pile that are drawn: one line of them."""
    return table.pile[:_ON_CARD]


# The artwork: drawn once, used often. The ids start with the game's name, as a page may hold several pictures


def _points(points: int, outer: float, inner: float) -> str:
    """Return the corners of a star with one point upwards."""
    corners = ((inner if step % 2 else outer, pi * step / points) for step in range(2 * points))
    return " ".join(f"{radius * sin(angle):.1f},{-radius * cos(angle):.1f}" for radius, angle in corners)


_SHAPES: Mapping[str, str] = {
    "star": f'<polygon points="{_points(4, 17, 6.2)}"/>',
    "8star": f'<polygon points="{_points(8, 16, 9)}"/>',
    "square": '<rect x="-11.5" y="-11.5" width="23" height="23" rx="1.5"/>',
    "circle": '<circle r="12.5"/>',
    "clover": "".join(f'<circle cx="{x}" cy="{y}" r="7"/>' for x, y in ((0, -7.5), (7.5, 0), (0, 7.5), (-7.5, 0)))
    + '<rect x="-5" y="-5" width="10" height="10"/>',
    "diamond": '<polygon points="0,-16 12.5,0 0,16 -12.5,0"/>',
}
_BACK = '<rect x="-20" y="-20" width="40" height="40" rx="6" fill="#262a33" stroke="#4a505c" stroke-width="1.5"/>'
_FRAME = f'<rect x="-20.5" y="-20.5" width="41" height="41" rx="6.5" fill="none" stroke="{AMBER}" stroke-width="4"/>'
_MARKED = 'rect x="-20.5" y="-20.5" width="41" height="41" rx="6.5"'
_FREE = (
    '<rect class="surface" x="-20" y="-20" width="40" height="40" rx="6" fill="#e6eee3" stroke="#8aa084" '
    'stroke-dasharray="2 4"/>'
)
_ARTWORK = f"""
<g id="q-back">{_BACK}</g>
<g id="q-last">{_FRAME}</g>
{"".join(f'<g id="q-{name}">{drawn}</g>' for name, drawn in _SHAPES.items())}
"""


def _tile(tile: int) -> str:
    if tile == UNKNOWN:
        return '<use href="#q-back"/><text y="8" font-size="24" fill="#ffffff" text-anchor="middle">?</text>'
    shape, color = divmod(tile, len(COLORS))
    return f'<use href="#q-back"/><use href="#q-{SHAPES[shape]}" fill="{_FILLS[color]}"/>'


# The map


def _at(table: Table, cell: Coordinate) -> tuple[float, float]:
    """Return the centre of a cell, counted from that of the first row and column."""
    row, column = cell
    return (column - table.columns.start) * _CELL, (row - table.rows.start) * _CELL


def _axes(table: Table) -> Iterator[str]:
    """Draw the numbers of the rows and columns that hold tiles, on the edge of the map."""
    near, far = -_CELL / 2 - 9, -_CELL / 2 - 6
    yield '<g class="axes" font-size="13" fill="#4a5a46">'
    for column in sorted({column for _, column in table.tiles}):
        x, _ = _at(table, (table.rows.start, column))
        yield f'<text class="column" x="{x:.1f}" y="{near:.1f}" text-anchor="middle">{column}</text>'
    for row in sorted({row for row, _ in table.tiles}):
        _, y = _at(table, (row, table.columns.start))
        yield f'<text class="row" x="{far:.1f}" y="{y + 4.5:.1f}" text-anchor="end">{row}</text>'
    yield "</g>"


def _map(table: Table, own: Own, marks: Marks) -> Iterator[str]:
    """Draw all tiles, those of the last turn framed, and the free places that can be pointed at."""
    for cell, tile in table.tiles.items():
        last = '<use class="last" href="#q-last"/>' if cell in table.last else ""
        yield _cell(table, cell, "tile", tile_words(tile), f"{_tile(tile)}{last}", marks)
    for cell in sorted(own.free):
        yield _cell(table, cell, "free", "free", _FREE, marks)


def _cell(table: Table, cell: Coordinate, css_class: str, words: str, drawn: str, marks: Marks) -> str:
    x, y = _at(table, cell)
    part, title = cell_part(cell), f"[{cell[0]}, {cell[1]}]: {words}"
    opened = piece(css_class, title, part=part, transform=f"translate({x:.1f} {y:.1f})")
    return f"{opened}{drawn}{outline(_MARKED, part, marks, 3.0)}</g>"


# What is a person's own


def _own_height(own: Own, width: float) -> float:
    """Return how much room the hand and the words need; none if there is nothing."""
    hand, words = ceil(len(own.hand) / _tiles_in(width)), len(button_lines(own.words, width))
    return (_CAPTION + hand * _HAND_STEP if hand else 0.0) + words * BUTTON_HEIGHT


def _tiles_in(width: float) -> int:
    return int(width // _HAND_STEP)


def _own(own: Own, marks: Marks, frame: Frame) -> Iterator[str]:
    x, y = frame.own
    yield f'<g class="own" transform="translate({x:.1f} {y:.1f}) scale({frame.scale:.3f})">'
    top = 0.0
    if own.hand:
        at = f'x="2" y="{_CAPTION - 8:.0f}" font-size="14" font-weight="700"'
        yield f'<text class="title" {at} fill="#4a5a46">Your hand</text>'
        for place, tile in enumerate(own.hand):
            line, column = divmod(place, _tiles_in(frame.own_width))
            middle = f"{(column + 0.5) * _HAND_STEP:.1f} {_CAPTION + (line + 0.5) * _HAND_STEP:.1f}"
            opened = piece("own-tile", tile_words(tile), part=hand_part(place), transform=f"translate({middle})")
            yield f"{opened}{_tile(tile)}{outline(_MARKED, hand_part(place), marks, 3.0)}</g>"
        top = _own_height(own._replace(words=()), frame.own_width)
    yield from buttons(button_lines(own.words, frame.own_width), marks, 0, top, frame.own_width)
    yield "</g>"


# The cards


def _cards(table: Table, frame: Frame) -> Iterator[str]:
    x, y = frame.legend
    yield f'<g class="cards" transform="translate({x:.1f} {y:.1f}) scale({frame.scale:.3f})">'
    for number in range(len(table.standings) + 1):
        line, card = divmod(number, frame.cards)
        at = f'transform="translate({card * _CARD_WIDTH:.0f} {line * frame.card[1]:.1f})"'
        if number < len(table.standings):
            yield f'<g class="player" {at}>'
            yield from _player(table.standings[number], frame)
        else:
            yield f'<g class="pile" {at}>'
            yield from _pile(table, frame)
        yield "</g>"
    yield "</g>"


def _card(frame: Frame, *, marked: bool) -> str:
    border = f'stroke="{AMBER}" stroke-width="3"' if marked else 'stroke="#d3dbd0"'
    return (
        f'<rect x="4" y="4" width="{_CARD_WIDTH - 8:.0f}" height="{frame.card[1] - 8:.1f}" rx="10" '
        f'class="surface" fill="#ffffff" {border}/>'
    )


def _player(standing: Standing, frame: Frame) -> Iterator[str]:
    name, score, status, hand = standing
    faded = ' fill-opacity=".45"' if status == "out" else ""
    yield _card(frame, marked=status in ("to move", "winner"))
    yield (
        f'<text class="name" x="16" y="27" font-size="{font_size(name, _NAME_ROOM, 17):.1f}" font-weight="700"{faded}>'
        f"{escape(name)}</text>"
    )
    yield f'<text class="status" x="16" y="47" font-size="13" fill="#66716a">{status}</text>'
    yield (
        f'<text class="score" x="{_CARD_WIDTH - 18:.0f}" y="36" font-size="22" font-weight="700" '
        f'text-anchor="end"{faded}>{score}</text>'
    )
    yield from _minis(hand, "hand")


def _pile(table: Table, frame: Frame) -> Iterator[str]:
    yield _card(frame, marked=False)
    yield '<g transform="translate(30 29) scale(.5)">'
    for step in range(-1, min(table.pile_left, 3) - 1):
        yield f'<use href="#q-back" x="{5 * step}" y="{-5 * step}"/>'
    yield "</g>"
    words = f"{table.pile_left} in the pile"
    yield f'<text class="pile-count" x="52" y="27" font-size="16" font-weight="700">{words}</text>'
    yield f'<text class="told" x="52" y="47" font-size="12" fill="#66716a">{escape(table.last_turn)}</text>'
    yield from _minis(_next(table), "next")


def _minis(tiles: Sequence[int], css_class: str) -> Iterator[str]:
    """Draw small tiles on a card, in lines."""
    for number, tile in enumerate(tiles):
        line, place = divmod(number, _ON_CARD)
        x, y = 22 + place * _MINI * _CELL * 0.97, 64 + line * _MINI * _CELL
        where = f"translate({x:.1f} {y:.1f}) scale({_MINI})"
        yield f"{piece(css_class, tile_words(tile), transform=where)}{_tile(tile)}</g>"
