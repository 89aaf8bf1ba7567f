"""Fish: a state as one SVG document and as text for a terminal.

Both take what `protocol.Shown` holds: the state, the colour of each seat and the move that led to the state, if one
did; and the names of the players, the one in red first. Eliminated seats do not appear. The unit of the document is the
pixel; x and y of the board are counted from the centre of its tile [0, 0].
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from math import atan2, degrees, hypot, sqrt
from typing import NamedTuple

from fairplay.fish.v1 import fish_pb2
from fairplay.games.fish import rules
from fairplay.games.fish.protocol import Shown
from fairplay.games.fish.rules.board import Board, Move
from fairplay.games.kit.lettering import font_size, literally, name_column, short_name
from fairplay.games.kit.person import NO_MARKS, Marks
from fairplay.games.kit.pictures import AMBER, Frame, document, lay_out, outline, piece

# The players that are left, their colours and scores, and names of cells


class Coat(NamedTuple):
    """How a player's colour looks: `letter` and `style` (of rich) in text, the others in pictures."""

    name: str
    letter: str
    style: str
    body: str
    line: str
    belly: str


_GREY = Coat("grey", "?", "bold #ffffff on #6b7680", "#8b959e", "#4a535b", "#ffffff")
_COATS: Mapping[int, Coat] = {
    fish_pb2.COLOR_RED: Coat("red", "R", "bold #ffffff on #c62828", "#d63a30", "#7d1712", "#ffffff"),
    fish_pb2.COLOR_WHITE: Coat("white", "W", "bold #000000 on #ffffff", "#ffffff", "#55646f", "#dfe8ee"),
    fish_pb2.COLOR_BROWN: Coat("brown", "B", "bold #ffffff on #7a4a1e", "#94602f", "#4f2f10", "#fdf3e4"),
    fish_pb2.COLOR_BLACK: Coat("black", "K", "bold #ffffff on #000000", "#2b3038", "#05070a", "#ffffff"),
}


NAME_LIMIT = 16  # cells of a terminal; longer names are cut


class Standing(NamedTuple):
    """A surviving seat; `status` is empty or what there is to say of it."""

    coat: Coat
    name: str
    score: int
    status: str
    turn: bool


def standings_of(shown: Shown, players: Sequence[str]) -> list[Standing]:
    """Return the standing of each surviving seat, with names fit for XML and terminals."""
    state, found = shown.state, []
    for seat, color in enumerate(shown.colors):
        if state.alive[seat]:
            coat, name = _COATS.get(color, _GREY), players[color - 1] if 0 < color <= len(players) else ""
            shown_name = short_name(name, NAME_LIMIT) or coat.name
            is_turn = seat == rules.turn(state)
            found.append(Standing(coat, shown_name, state.scores[seat], _status(state, seat), is_turn))
    return found


def _status(state: rules.State, seat: int) -> str:
    if state.over:
        return "winner" if seat in rules.ranking(state)[0] else ""
    if seat == state.seat:
        return "to place" if rules.placing(state) else "to move"
    return "" if rules.placing(state) or rules.moves(state, seat) else "stuck"


def coats_of(shown: Shown) -> dict[int, Coat]:
    """Return the coat of the penguin on each cell that carries one."""
    places = zip(shown.colors, shown.state.places, strict=True)
    return {cell: _COATS.get(color, _GREY) for color, own in places for cell in own}


def name_cell(board: Board, cell: int) -> str:
    """Return the position of a cell, e.g. "[2, 0]"."""
    return "[{}, {}]".format(*divmod(cell, board.columns))


def part_of(cell: int) -> str:
    """Return the id of a cell in pictures."""
    return f"cell-{cell}"


def cell_of(part: str) -> int:
    """Return the cell of an id; -1, which is on no board, if the id is another part's."""
    number = part.removeprefix("cell-")
    return int(number) if number.isascii() and number.isdigit() and number != part else -1


def move_line(shown: Shown, players: Sequence[str]) -> str:
    """Return who moved last, from where and to where, as plain text; empty if no move led to the state."""
    board, last = shown.state.board, shown.last
    coat = coats_of(shown).get(last.target) if last is not None else None
    if last is None or coat is None:
        return ""
    mover = next((each.name for each in standings_of(shown, players) if each.coat == coat), coat.name)
    return f"{mover} moves from {name_cell(board, last.source)} to {name_cell(board, last.target)}."


# SVG

_SIDE = 40.0  # of a hexagon
_STEP = _SIDE * sqrt(3) / 2  # from one row to the next: half the height of a hexagon (section 2)
_SHORE = 30.0  # water around the tiles
_CARD_WIDTH, _CARD_HEIGHT = 216.0, 60.0
_NAME_ROOM = 150.0
_LEGIBLE = 960.0  # the longest side of a board beside which the legend can be read where the picture is small

_SHOALS = {  # how large the fish of a tile are drawn, and how many of them in each row
    1: (1.25, (1,)),
    2: (1.0, (1, 1)),
    3: (0.85, (1, 2)),
    4: (0.85, (1, 2, 1)),
    5: (0.7, (2, 1, 2)),
    6: (0.7, (2, 2, 2)),
    7: (0.7, (2, 3, 2)),
    8: (0.7, (3, 2, 3)),
    9: (0.7, (3, 3, 3)),
}


def svg(shown: Shown, players: Sequence[str], marks: Marks = NO_MARKS) -> str:
    """Return the board with its penguins and last move, and the players with their scores, as one SVG document.

    Tiles and holes have the id of their part as `data-part`.
    """
    board, standings = shown.state.board, standings_of(shown, players)
    wide = (3 * board.columns - 1 + 1.5 * (board.rows > 1)) * _SIDE + 2 * _SHORE
    high = (board.rows + 1) * _STEP + 2 * _SHORE
    frame = lay_out(wide, high, len(standings), (_CARD_WIDTH, _CARD_HEIGHT), _LEGIBLE)
    x, y = frame.board
    parts = [
        f"<defs>{_ARTWORK}</defs>",
        f'<rect class="surface" x="{x:.1f}" y="{y:.1f}" width="{wide:.1f}" height="{high:.1f}" rx="14" '
        'fill="#7cbcdd"/>',
        f'<g transform="translate({x + _SHORE + _SIDE:.1f} {y + _SHORE + _STEP:.1f})">',
        *_axes(board),
        *_floes(shown, marks),
        '<g pointer-events="none">',  # so that tiles show their titles below penguins too
        *(() if shown.last is None else _last_move(board, shown.last)),
        *_penguins(shown),
        "</g></g>",
        *_legend(standings, frame),
    ]
    each = (f"{name} {score}{status and f' ({status})'}" for _, name, score, status, _ in standings)
    title = f"Fish: {', '.join(each) or 'nobody is left'}"
    return document(frame.width, frame.height, title, parts, ground="#f6fafc", ink="#1f2d36")


def _hexagon(radius: float) -> str:
    """Return the corners of a hexagon with flat top and bottom around 0, 0."""
    half, high = radius / 2, radius * sqrt(3) / 2
    corners = (radius, 0.0), (half, high), (-half, high), (-radius, 0.0), (-half, -high), (half, -high)
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in corners)


_MARKED = f'polygon points="{_hexagon(34)}"'


def centre(board: Board, cell: int) -> tuple[float, float]:
    """Return the centre of a cell, x before y, in pixels from that of [0, 0]."""
    row, column = divmod(cell, board.columns)
    return (3 * column + 1.5 * (row % 2)) * _SIDE, row * _STEP


def _at(board: Board, cell: int) -> str:
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


def _axes(board: Board) -> Iterator[str]:
    """Draw the numbers of rows and columns, on the water."""
    yield '<g class="axes" font-size="13" fill="#1d5270" text-anchor="middle">'
    for column in range(board.columns):
        yield f'<text x="{3 * _SIDE * column:.1f}" y="{-_STEP - 8:.1f}">{column}</text>'
    for row in range(board.rows):
        yield f'<text x="{-_SIDE - 13:.1f}" y="{_STEP * row + 4.5:.1f}">{row}</text>'
    yield "</g>"


def _floes(shown: Shown, marks: Marks) -> Iterator[str]:
    """Draw all tiles and holes; the fish below a penguin stand beside it, as a number."""
    board, coats = shown.state.board, coats_of(shown)
    for cell, fish in enumerate(rules.tiles(shown.state)):
        kind, words, drawn = "tile", f"{fish} fish", f'<use href="#fish-ice"/><use href="#fish-{fish}"/>'
        if not fish:
            kind, words, drawn = "hole", "water", '<use href="#fish-hole"/>'
        elif coat := coats.get(cell):
            words = f"{fish} fish, {coat.name} penguin"
            drawn = (
                '<use href="#fish-ice"/><use href="#fish-fish" transform="translate(17 9) scale(.7)"/>'
                '<text x="17" y="-1" font-size="16" font-weight="700" fill="#2f7f9f" text-anchor="middle">'
                f"{fish}</text>"
            )
        part, title = part_of(cell), f"{name_cell(board, cell)}: {words}"
        yield f"{piece(kind, title, part=part, transform=_at(board, cell))}{drawn}"
        yield f"{outline(_MARKED, part, marks)}</g>"


def _last_move(board: Board, last: Move) -> Iterator[str]:
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


def _penguins(shown: Shown) -> Iterator[str]:
    for cell, coat in coats_of(shown).items():
        x, y = centre(shown.state.board, cell)
        yield _penguin(coat, "penguin", f"translate({x - 9:.1f} {y:.1f})")


def _legend(standings: Sequence[Standing], frame: Frame) -> Iterator[str]:
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
    yield f'<rect x="4" y="4" width="{wide:.0f}" height="{high:.0f}" rx="10" class="surface" fill="#ffffff" {border}/>'
    yield _penguin(standing.coat, "icon", "translate(29 30) scale(.85)")
    size = f"{font_size(name, _NAME_ROOM, 16.0):.1f}"
    yield f'<text class="name" x="52" y="25" font-size="{size}" font-weight="700">{escape(name)}</text>'
    yield f'<text class="status" x="52" y="45" font-size="13" fill="#5b6f7c">{status}</text>'
    yield f'<text class="score" x="176" y="47" font-size="20" font-weight="700" text-anchor="end">{score}</text>'
    yield '<use href="#fish-fish" transform="translate(192 40) scale(.8)"/>'


# Text

_SIDE_NAME = 11  # cells of a name beside the board

# All of the board lies on water: white and black penguins are seen on it whatever the terminal's own background is

_WATER, _MUTED, _MARK = "#bfe3f5 on #3d83ad", "#5f8fb3", "bold #c77700"
_POINTED = "bold #ffffff"
_LEFT = "bold #5c2c00 on #ffc65c"  # where the last move began
_ICE = "bold {} on #d6eaf5"
_FISH = ("", "#5a6b78", "#005f9e", "#00703c", "#a34700", "#9c1458", "#5b2a9d", "#8a1c1c", "#3d5200", "#000000")
_ARROWS = {(0, -1): "↑", (1, -1): "↗", (1, 1): "↘", (0, 1): "↓", (-1, 1): "↙", (-1, -1): "↖"}


def text(shown: Shown, players: Sequence[str]) -> str:
    """Return the board and the players with their scores, in rich's console markup."""
    board, last = shown.state.board, shown.last
    lines = [board_text(shown), ""]
    for standing in standings_of(shown, players):
        coat, name, score, status, _ = standing
        chip, column = f"[{_WATER}] [{coat.style}] {coat.letter} [/] [/]", name_column(name, NAME_LIMIT)
        # `default` keeps rich from colouring numbers and what it takes for code in a name
        lines.append(f"[{_MARK}]{_sign(standing)}[/] {chip} [default]{column} [bold]{score:>4}[/] {status}[/]")
    if last is not None:
        source, target = (literally(name_cell(board, cell)) for cell in last)
        lines.append(f"  [{_MARK}]last move {source} {_arrow(board, last)} {target}[/]")
    return "\n".join(lines)


def _sign(standing: Standing) -> str:
    return "▸" if standing.turn else "★" if standing.status == "winner" else " "


def board_text(shown: Shown, marks: Marks = NO_MARKS) -> str:
    """Return the board in rich's console markup.

    A penguin is its colour's letter, with the fish below it. A row of tiles is a line, six cells for a column; odd rows
    begin three cells later. What is marked stands between signs: dots for what may be chosen, brackets for what is
    chosen, arrows for the cursor.
    """
    board, coats = shown.state.board, coats_of(shown)
    cells = [
        _marked(_cell(board, cell, fish, coats.get(cell), shown.last), part_of(cell), marks)
        for cell, fish in enumerate(rules.tiles(shown.state))
    ]
    columns = "   ".join(f"{column:^3}" for column in range(board.columns))
    rows = (_row(board, row, cells[row * board.columns :][: board.columns]) for row in range(board.rows))
    return "\n".join([f"[{_MUTED}]    {columns}[/]", *rows])


def side_text(shown: Shown, players: Sequence[str]) -> str:
    """Return the players with their scores in rich's console markup, 22 cells wide, in the order of their colours."""
    left = [color for color, alive in zip(shown.colors, shown.state.alive, strict=True) if alive]
    lines = []
    for _, standing in sorted(zip(left, standings_of(shown, players), strict=True), key=lambda each: each[0]):
        coat, name, score, status, _ = standing
        column = f"[default]{name_column(name, _SIDE_NAME)} [bold]{score:>4}[/][/]"
        lines.append(f"[{_MARK}]{_sign(standing)}[/] [{coat.style}] {coat.letter} [/] {column}")
        if status:
            lines.append(f"[{_MUTED}]      {status}[/]")
    return "\n".join(lines)


def _row(board: Board, row: int, cells: Sequence[str]) -> str:
    shift = "   " if board.rows > 1 else ""
    before, after = (shift, "") if row % 2 else ("", shift)
    return f"[{_MUTED}]{row:>2}[/] [{_WATER}]{before}{' '.join(cells)}{after}[/]"


def _marked(cell: str, part: str, marks: Marks) -> str:
    """Return a drawn cell between the signs of its marks, or between blanks."""
    if part == marks.cursor:
        return f"[{_POINTED}]►[/]{cell}[{_POINTED}]◄[/]"
    if part in marks.chosen:
        return f"[{_POINTED}]\\[[/]{cell}[{_POINTED}]][/]"
    return f"·{cell}·" if part in marks.choices else f" {cell} "


def _cell(board: Board, cell: int, fish: int, coat: Coat | None, last: Move | None) -> str:
    if coat:
        return f"[{coat.style}]{coat.letter}{'•' if last and cell == last.target else ' '}{fish}[/]"
    if last and cell == last.source:
        return f"[{_LEFT}] {_arrow(board, last)} [/]"
    return f"[{_ICE.format(_FISH[fish])}] {fish} [/]" if fish else " ~ "


def _arrow(board: Board, move: Move) -> str:
    (x, y), (end_x, end_y) = centre(board, move.source), centre(board, move.target)
    return _ARROWS.get(((end_x > x) - (end_x < x), (end_y > y) - (end_y < y)), "•")
