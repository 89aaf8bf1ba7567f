"""Fish: a state as one SVG document.

The unit is the pixel; x and y of the board are counted from the centre of its tile [0, 0].
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from math import atan2, ceil, degrees, hypot, sqrt
from typing import NamedTuple

from fairplay.games.fish import rules
from fairplay.games.fish.views.standings import Coat, Standing, coats_of, name_cell, part_of, standings_of
from fairplay.games.kit.lettering import font_size
from fairplay.games.kit.person import NO_MARKS, Marks
from fairplay.games.kit.pictures import AMBER, document, outline, piece

_SIDE = 40.0  # of a hexagon
_STEP = _SIDE * sqrt(3) / 2  # from one row to the next: half the height of a hexagon (section 2)
_SHORE = 30.0  # water around the tiles
_MARGIN = 14.0  # around water and legend, and between them
_CARD_WIDTH, _CARD_HEIGHT = 216.0, 60.0
_NAME_ROOM = 150.0

_SHOALS = {  # how large the fish of a tile are drawn, and how many of them in each row
    1: (1.25, (1,)),
    2: (1.0, (1, 1)),
    3: (0.85, (1, 2)),
    4: (0.85, (1, 2, 1)),
    5: (0.85, (2, 1, 2)),
    6: (0.7, (2, 2, 2)),
    7: (0.7, (2, 3, 2)),
    8: (0.7, (3, 2, 3)),
    9: (0.7, (3, 3, 3)),
}


def svg(
    state: rules.State,
    colors: Sequence[int],
    last: rules.Move | None,
    players: Sequence[str],
    marks: Marks = NO_MARKS,
) -> str:
    """Return the board with its penguins and last move, and the players with their scores, as one SVG document.

    Tiles and holes have the id of their part as `data-part`.
    """
    standings = standings_of(state, colors, players)
    frame = _frame(state.board, len(standings))
    x, y = frame.water
    parts = [
        f"<defs>{_ARTWORK}</defs>",
        _water(frame),
        f'<g transform="translate({x + _SHORE + _SIDE:.1f} {y + _SHORE + _STEP:.1f})">',
        *_axes(state.board),
        *_floes(state, colors, marks),
        '<g pointer-events="none">',  # so that tiles show their titles below penguins too
        *(() if last is None else _last_move(state.board, last)),
        *_penguins(state, colors),
        "</g></g>",
        *_legend(standings, frame),
    ]
    return document(frame.width, frame.height, _title(standings), parts, ground="#f6fafc", ink="#1f2d36")


def _title(standings: Sequence[Standing]) -> str:
    each = (f"{name} {score}{status and f' ({status})'}" for _, name, score, status, _ in standings)
    return f"Fish: {', '.join(each) or 'nobody is left'}"


class _Frame(NamedTuple):
    """Where things are; `cards` of the legend stand side by side, enlarged `scale` times to go with large boards."""

    width: float
    height: float
    water: tuple[float, float]
    water_size: tuple[float, float]
    legend: tuple[float, float]
    scale: float
    cards: int


def _frame(board: rules.Board, players: int) -> _Frame:
    """Return where things are: the legend below the board, or beside one that is higher than wide."""
    wide = (3 * board.columns - 1 + 1.5 * (board.rows > 1)) * _SIDE + 2 * _SHORE
    high = (board.rows + 1) * _STEP + 2 * _SHORE
    beside = high > wide
    scale = max(1.0, (high if beside else wide) / 960)
    fitting = 1 if beside else max(1, int(wide / scale / _CARD_WIDTH))
    lines = ceil(players / fitting)
    cards = ceil(players / max(1, lines))
    legend_wide, legend_high = cards * _CARD_WIDTH * scale, lines * _CARD_HEIGHT * scale
    if beside:
        width, height = wide + legend_wide + 3 * _MARGIN, max(high, legend_high) + 2 * _MARGIN
        water, legend = (_MARGIN, (height - high) / 2), (wide + 2 * _MARGIN, (height - legend_high) / 2)
    else:
        width, height = max(wide, legend_wide) + 2 * _MARGIN, high + legend_high + 3 * _MARGIN
        water, legend = ((width - wide) / 2, _MARGIN), ((width - legend_wide) / 2, high + 2 * _MARGIN)
    return _Frame(width, height, water, (wide, high), legend, scale, cards)


def _hexagon(radius: float) -> str:
    """Return the corners of a hexagon with flat top and bottom around 0, 0."""
    half, high = radius / 2, radius * sqrt(3) / 2
    corners = (radius, 0.0), (half, high), (-half, high), (-radius, 0.0), (-half, -high), (half, -high)
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in corners)


_MARKED = f'polygon points="{_hexagon(34)}"'


def centre(board: rules.Board, cell: int) -> tuple[float, float]:
    """Return the centre of a cell, x before y, in pixels from that of [0, 0]."""
    row, column = divmod(cell, board.columns)
    return (3 * column + 1.5 * (row % 2)) * _SIDE, row * _STEP


def _at(board: rules.Board, cell: int) -> str:
    return "translate({:.1f} {:.1f})".format(*centre(board, cell))


def _shoal(count: int, scale: float, rows: Sequence[int]) -> str:
    places = [
        (30 * scale * (number - (length - 1) / 2), 21 * scale * (row - (len(rows) - 1) / 2))
        for row, length in enumerate(rows)
        for number in range(length)
    ]
    fish = (f'<use href="#fish-fish" transform="translate({x:.1f} {y:.1f}) scale({scale})"/>' for x, y in places)
    return f'<g id="fish-{count}">{"".join(fish)}</g>'


# What is drawn often is drawn once, here. A penguin's body and outline have the fill and stroke of its use, its belly
# the color. The ids start with the game's name, as a page may hold several pictures.
_ARTWORK = f"""
<g id="fish-ice">
  <polygon points="{_hexagon(38)}" fill="#9cc3d8" transform="translate(0 3)"/>
  <polygon points="{_hexagon(38)}" fill="#f2f9fc" transform="translate(0 -1)"/>
</g>
<path id="fish-hole" d="M-17-5q4.5-5 9 0t9 0t9 0M-8 7q4.5-5 9 0t9 0t9 0"
  fill="none" stroke="#a9d6ec" stroke-width="2" stroke-linecap="round"/>
<g id="fish-fish">
  <path d="M5 0L14-6.5Q11.5 0 14 6.5Z" fill="#2f7f9f"/>
  <path d="M-13 0C-9-8 2-8 8 0C2 8-9 8-13 0Z" fill="#3f9cbd"/>
  <path d="M-5-5.2Q-1.5 0-5 5.2" fill="none" stroke="#2f7f9f" stroke-width="1.3"/>
  <circle cx="-8.3" cy="-1.3" r="1.5" fill="#10313f"/>
</g>
<g id="fish-penguin" stroke-width="1.5" stroke-linejoin="round">
  <ellipse cy="24" rx="15" ry="3.5" fill="#16323f" fill-opacity=".18" stroke="none"/>
  <path d="M-10 23.5q4.5-6 9 0zM1 23.5q4.5-6 9 0z" fill="#f39c1f" stroke="#a8620a" stroke-width="1"/>
  <path d="M-11-7C-17-1-19 6-17.5 11C-14 9-11.5 5-10.5 0Z"/>
  <path d="M11-7C17-1 19 6 17.5 11C14 9 11.5 5 10.5 0Z"/>
  <path d="M0-25C8-25 11.5-19.5 11.5-13C15-4 15.5 20 0 21C-15.5 20-15-4-11.5-13C-11.5-19.5-8-25 0-25Z"/>
  <path d="M0-5C6-9 9.5-1 9.5 6C9.5 15 5 18.5 0 18.5C-5 18.5-9.5 15-9.5 6C-9.5-1-6-9 0-5Z"
    fill="currentColor" stroke="none"/>
  <circle cx="-4" cy="-15.5" r="3.6" fill="#ffffff" stroke="none"/>
  <circle cx="4" cy="-15.5" r="3.6" fill="#ffffff" stroke="none"/>
  <circle cx="-3.3" cy="-15.3" r="1.8" fill="#14181c" stroke="none"/>
  <circle cx="3.3" cy="-15.3" r="1.8" fill="#14181c" stroke="none"/>
  <path d="M-3.5-12H3.5L0-7Z" fill="#f39c1f" stroke="#a8620a" stroke-width="1"/>
</g>
{"".join(_shoal(count, *rows) for count, rows in _SHOALS.items())}
"""


def _water(frame: _Frame) -> str:
    (x, y), (wide, high) = frame.water, frame.water_size
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{wide:.1f}" height="{high:.1f}" rx="14" fill="#7cbcdd"/>'


def _axes(board: rules.Board) -> Iterator[str]:
    """Draw the numbers of rows and columns, on the water."""
    yield '<g class="axes" font-size="13" fill="#1d5270" text-anchor="middle">'
    for column in range(board.columns):
        yield f'<text x="{3 * _SIDE * column:.1f}" y="{-_STEP - 8:.1f}">{column}</text>'
    for row in range(board.rows):
        yield f'<text x="{-_SIDE - 13:.1f}" y="{_STEP * row + 4.5:.1f}">{row}</text>'
    yield "</g>"


def _floes(state: rules.State, colors: Sequence[int], marks: Marks) -> Iterator[str]:
    """Draw all tiles and holes; the fish below a penguin stand beside it, as a number."""
    coats = coats_of(state, colors)
    for cell, fish in enumerate(rules.tiles(state)):
        kind, words, drawn = _floe(fish, coats.get(cell))
        part, title = part_of(cell), f"{name_cell(state.board, cell)}: {words}"
        yield f"{piece(kind, title, part=part, transform=_at(state.board, cell))}{drawn}"
        yield f"{outline(_MARKED, part, marks)}</g>"


def _floe(fish: int, coat: Coat | None) -> tuple[str, str, str]:
    if not fish:
        return "hole", "water", '<use href="#fish-hole"/>'
    if coat:
        return "tile", f"{fish} fish, {coat.name} penguin", f'<use href="#fish-ice"/>{_badge(fish)}'
    return "tile", f"{fish} fish", f'<use href="#fish-ice"/><use href="#fish-{fish}"/>'


def _badge(fish: int) -> str:
    return (
        '<use href="#fish-fish" transform="translate(17 9) scale(.7)"/>'
        f'<text x="17" y="-1" font-size="16" font-weight="700" fill="#2f7f9f" text-anchor="middle">{fish}</text>'
    )


def _last_move(board: rules.Board, last: rules.Move) -> Iterator[str]:
    """Outline where the penguin stood and where it stands, and draw an arrow that ends short of it."""
    (x, y), (end_x, end_y) = centre(board, last.source), centre(board, last.target)
    turned = degrees(atan2(end_y - y, end_x - x))
    tip = hypot(end_x - x, end_y - y) - 31
    arrow = f'd="M-6 0H{tip - 10:.1f}M{tip - 12:.1f}-9L{tip:.1f} 0L{tip - 12:.1f} 9Z"'
    yield f'<g class="last" fill="none" stroke="{AMBER}" stroke-linejoin="round" stroke-linecap="round">'
    for cell, dashes in ((last.source, ' stroke-dasharray="7 6"'), (last.target, "")):
        yield f'<polygon points="{_hexagon(36)}" transform="{_at(board, cell)}" stroke-width="4"{dashes}/>'
    yield f'<g class="arrow" transform="translate({x:.1f} {y:.1f}) rotate({turned:.1f})">'
    yield f'<path {arrow} stroke="#ffffff" stroke-width="9"/><path {arrow} stroke-width="5" fill="{AMBER}"/>'
    yield "</g></g>"


def _penguin(coat: Coat, css_class: str, transform: str) -> str:
    return (
        f'<use class="{css_class}" href="#fish-penguin" transform="{transform}" '
        f'fill="{coat.body}" stroke="{coat.line}" color="{coat.belly}"/>'
    )


def _penguins(state: rules.State, colors: Sequence[int]) -> Iterator[str]:
    for cell, coat in coats_of(state, colors).items():
        x, y = centre(state.board, cell)
        yield _penguin(coat, "penguin", f"translate({x - 9:.1f} {y:.1f})")


def _legend(standings: Sequence[Standing], frame: _Frame) -> Iterator[str]:
    x, y = frame.legend
    yield f'<g class="legend" transform="translate({x:.1f} {y:.1f}) scale({frame.scale:.3f})">'
    for number, standing in enumerate(standings):
        line, card = divmod(number, frame.cards)
        yield f'<g class="player" transform="translate({card * _CARD_WIDTH:.0f} {line * _CARD_HEIGHT:.0f})">'
        yield from _card(standing)
        yield "</g>"
    yield "</g>"


def _card(standing: Standing) -> Iterator[str]:
    _, name, score, status, turn = standing
    wide, high = _CARD_WIDTH - 8, _CARD_HEIGHT - 8
    border = f'stroke="{AMBER}" stroke-width="3"' if turn or status == "winner" else 'stroke="#cfe0ea"'
    yield f'<rect x="4" y="4" width="{wide:.0f}" height="{high:.0f}" rx="10" fill="#ffffff" {border}/>'
    yield _penguin(standing.coat, "icon", "translate(29 30) scale(.85)")
    size = f"{font_size(name, _NAME_ROOM, 16.0):.1f}"
    yield f'<text class="name" x="52" y="25" font-size="{size}" font-weight="700">{escape(name)}</text>'
    yield f'<text class="status" x="52" y="45" font-size="13" fill="#5b6f7c">{status}</text>'
    yield f'<text class="score" x="176" y="47" font-size="20" font-weight="700" text-anchor="end">{score}</text>'
    yield '<use href="#fish-fish" transform="translate(192 40) scale(.8)"/>'
