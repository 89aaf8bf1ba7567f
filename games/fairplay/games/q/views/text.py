"""The Q game: a state message of any kind as text for a terminal, in rich's console markup."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fairplay.games.kit.lettering import literally, name_column
from fairplay.games.kit.person import NO_MARKS, Marks, bracketed
from fairplay.games.q.rules.board import COLORS, Coordinate
from fairplay.games.q.views.table import (
    NAME_LIMIT,
    UNKNOWN,
    Own,
    Standing,
    Table,
    cell_of,
    cell_part,
    hand_part,
    table,
    with_own,
)
from fairplay.q.v1 import q_pb2

_MOST_ROWS, _MOST_COLUMNS = 24, 24  # of a map that is shown; of a larger one, the part around the last turn
_PERSON_COLUMNS = 18  # where something stands beside the map
_SIDE_NAME = 13  # cells of a name beside the map
_MOST_TILES = 12  # of a hand or the pile
_GLYPHS = "✦✸■●♣◆"  # in the order of SHAPES
_STYLES = ("#ff6b6b", "#3ddc84", "#62b0ff", "#ffe04a", "#ff9d45", "#cf9fff")  # in the order of COLORS
_MARKS = {"to move": "▸", "winner": "★", "out": "✗"}
_MUTED, _MARK = "#8a948c", "bold #f59e0b"
_TILE, _LAST = "{} on #262a33", "bold {} on #6b4a00"


def text(state: q_pb2.State, players: Sequence[str]) -> str:
    """Return the map, the players, the pile and the last turn, in rich's console markup.

    A tile is its shape and the first letter of its colour. The tiles of the last turn have a background of their own.
    """
    shown = table(state, players)
    following = f", next {_tiles(shown.pile)}" if shown.pile else ""
    pile = f"  [default]pile {shown.pile_left}[/]{following}"
    lines = [*_map(shown), "", *map(_line, shown.standings), pile]
    if shown.last_turn:
        lines.append(f"  [{_MARK}]{literally(shown.last_turn)}[/]")
    return "\n".join(lines)


def board_text(state: q_pb2.State, own: Own, marks: Marks) -> str:
    """Return the map for a person in rich's console markup, at most 56 cells wide where numbers are short.

    Places where a tile may go are two dots, and arrows are the cursor.
    """
    shown = table(state, ())
    cells = frozenset(cell for cell in map(cell_of, marks.choices) if cell is not None)
    last = frozenset((row, column) for row, column, _ in own.placed) or shown.last
    shown = with_own(shown._replace(last=last), own._replace(free=cells))
    lines = [*_map(shown, marks, cell_of(marks.cursor), _PERSON_COLUMNS)]
    if own.hand:
        pieces = (bracketed(_tile(tile), hand_part(place), marks) for place, tile in enumerate(own.hand))
        lines += ["", f"[{_MUTED}]hand[/]  {''.join(pieces)}"]
    if own.words:
        lines.append(
            "      " + "  ".join(bracketed(f"[default]{word.label}[/]", word.part, marks) for word in own.words)
        )
    return "\n".join(lines)


def side_text(state: q_pb2.State, players: Sequence[str]) -> str:
    """Return the players with their points, and the pile, in rich's console markup, 22 cells wide."""
    shown = table(state, players)
    lines = []
    for name, score, status, _ in shown.standings:
        mark = _MARKS.get(status, " ")
        lines.append(f"[{_MARK}]{mark}[/] [default]{name_column(name, _SIDE_NAME)} [bold]{score:>5}[/][/]")
    return "\n".join([*lines, "", f"  [default]{shown.pile_left} in the pile[/]"])


def _map(
    shown: Table, marks: Marks = NO_MARKS, middle: Coordinate | None = None, most: int = _MOST_COLUMNS
) -> Iterator[str]:
    middle = middle or next(reversed(shown.tiles), (0, 0))  # what was placed at last
    rows, columns = _part(shown.rows, middle[0], _MOST_ROWS), _part(shown.columns, middle[1], most)
    margin, width = _longest(rows), max(3, _longest(columns) + 1)
    numbers = "".join(f"{column:>{width - 1}} " for column in columns)
    yield f"[{_MUTED}]{'':{margin}} {numbers.rstrip()}[/]"
    for row in rows:
        cells = "".join(_cell(shown, (row, column), width, marks) for column in columns)
        yield f"[{_MUTED}]{row:>{margin}}[/] {cells.rstrip()}"
    if len(rows) < len(shown.rows) or len(columns) < len(shown.columns):
        down, right = (f"{all_[0]} to {all_[-1]}" for all_ in (shown.rows, shown.columns))
        yield f"[{_MUTED}]a part of the rows {down}, columns {right}[/]"


def _longest(numbers: range) -> int:
    return max((len(str(number)) for number in numbers), default=1)


def _part(numbers: range, middle: int, most: int) -> range:
    """Return at most that many of the numbers, around one of them."""
    if len(numbers) <= most:
        return numbers
    start = min(max(numbers[0], middle - most // 2), numbers[-1] + 1 - most)
    return range(start, start + most)


def _cell(shown: Table, cell: Coordinate, width: int, marks: Marks) -> str:
    tile, part = shown.tiles.get(cell), cell_part(cell)
    if part == marks.cursor or (tile is None and part in marks.choices):
        return " " * (width - 3) + f"[{_MARK}]{'►◄' if part == marks.cursor else '··'}[/] "
    if tile is None:
        return " " * width
    return " " * (width - 3) + _tile(tile, _LAST if cell in shown.last else _TILE) + " "


def _tile(tile: int, style: str = _TILE) -> str:
    if tile == UNKNOWN:
        return f"[{style.format('#ffffff')}]??[/]"
    shape, color = divmod(tile, len(COLORS))
    return f"[{style.format(_STYLES[color])}]{_GLYPHS[shape]}{COLORS[color][0]}[/]"


def _tiles(tiles: Sequence[int]) -> str:
    more = f" [{_MUTED}]and {len(tiles) - _MOST_TILES} more[/]" if len(tiles) > _MOST_TILES else ""
    return " ".join(map(_tile, tiles[:_MOST_TILES])) + more


def _line(standing: Standing) -> str:
    """Return a player's line; `default` keeps rich from colouring numbers and what it takes for code in a name."""
    name, score, status, hand = standing
    held = f"  {_tiles(hand)}" if hand else ""
    shown = f"{name_column(name, NAME_LIMIT)} [bold]{score:>6}[/] {status:7}"
    return f"[{_MARK}]{_MARKS.get(status, ' ')}[/] [default]{shown}[/]{held}".rstrip()
