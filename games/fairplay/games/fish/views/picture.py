"""Fish: a state as one SVG document and as text for a terminal.

Both take what `codec.Shown` holds: the state, the colour of each seat (as in `fish_pb2.Color`) and the move that led
to the state, if one did; and the names of the players, the one in red first. Eliminated seats do not appear.
"""

from __future__ import annotations

from collections.abc import Sequence

from fairplay.games.fish import rules
from fairplay.games.fish.views.drawing import centre, svg
from fairplay.games.fish.views.standings import (
    NAME_LIMIT,
    Coat,
    Standing,
    coats_of,
    name_cell,
    part_of,
    standings_of,
)
from fairplay.games.kit.lettering import literally, name_column
from fairplay.games.kit.person import NO_MARKS, Marks

__all__ = ["board_text", "side_text", "svg", "text"]

_SIDE_NAME = 11  # cells of a name beside the board

# All of the board lies on water: white and black penguins are seen on it whatever the terminal's own background is

_WATER, _MUTED, _MARK = "#bfe3f5 on #3d83ad", "#5f8fb3", "bold #c77700"
_POINTED = "bold #ffffff"
_LEFT = "bold #5c2c00 on #ffc65c"  # where the last move began
_ICE = "bold {} on #d6eaf5"
_FISH = ("", "#5a6b78", "#005f9e", "#00703c", "#a34700", "#9c1458", "#5b2a9d", "#8a1c1c", "#3d5200", "#000000")
_ARROWS = {(0, -1): "↑", (1, -1): "↗", (1, 1): "↘", (0, 1): "↓", (-1, 1): "↙", (-1, -1): "↖"}


def text(state: rules.State, colors: Sequence[int], last: rules.Move | None, players: Sequence[str]) -> str:
    """Return the board and the players with their scores, in rich's console markup."""
    lines = [board_text(state, colors, last), "", *map(_line, standings_of(state, colors, players))]
    return "\n".join(lines if last is None else [*lines, _last_move_line(state.board, last)])


def board_text(state: rules.State, colors: Sequence[int], last: rules.Move | None, marks: Marks = NO_MARKS) -> str:
    """Return the board in rich's console markup.

    A penguin is its colour's letter, with the fish below it. A row of tiles is a line, six cells for a column; odd rows
    begin three cells later. What is marked stands between signs: dots for what may be chosen, brackets for what is
    chosen, arrows for the cursor.
    """
    board = state.board
    coats = coats_of(state, colors)
    cells = [
        _marked(_cell(board, cell, fish, coats.get(cell), last), part_of(cell), marks)
        for cell, fish in enumerate(rules.tiles(state))
    ]
    columns = "   ".join(f"{column:^3}" for column in range(board.columns))
    rows = (_row(board, row, cells[row * board.columns :][: board.columns]) for row in range(board.rows))
    return "\n".join([f"[{_MUTED}]    {columns}[/]", *rows])


def side_text(state: rules.State, colors: Sequence[int], players: Sequence[str]) -> str:
    """Return the players with their scores in rich's console markup, 22 cells wide, in the order of their colours."""
    rest = dict(zip(_left(state, colors), standings_of(state, colors, players), strict=True))
    return "\n".join(_side_lines(rest[color]) for color in sorted(rest))


def _left(state: rules.State, colors: Sequence[int]) -> list[int]:
    """Return the colours of the surviving seats."""
    return [color for color, alive in zip(colors, state.alive, strict=True) if alive]


def _side_lines(standing: Standing) -> str:
    coat, name, score, status, turn = standing
    mark = "▸" if turn else "★" if status == "winner" else " "
    shown = name_column(name, _SIDE_NAME)
    first = f"[{_MARK}]{mark}[/] [{coat.style}] {coat.letter} [/] [default]{shown} [bold]{score:>4}[/][/]"
    return f"{first}\n[{_MUTED}]      {status}[/]" if status else first


def _row(board: rules.Board, row: int, cells: Sequence[str]) -> str:
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


def _cell(board: rules.Board, cell: int, fish: int, coat: Coat | None, last: rules.Move | None) -> str:
    if coat:
        return f"[{coat.style}]{coat.letter}{'•' if last and cell == last.target else ' '}{fish}[/]"
    if last and cell == last.source:
        return f"[{_LEFT}] {_arrow(board, last)} [/]"
    return f"[{_ICE.format(_FISH[fish])}] {fish} [/]" if fish else " ~ "


def _arrow(board: rules.Board, move: rules.Move) -> str:
    (x, y), (end_x, end_y) = centre(board, move.source), centre(board, move.target)
    return _ARROWS.get(((end_x > x) - (end_x < x), (end_y > y) - (end_y < y)), "•")


def _line(standing: Standing) -> str:
    """Return a player's line; `default` keeps rich from colouring numbers and what it takes for code in a name."""
    coat, name, score, status, turn = standing
    mark = "▸" if turn else "★" if status == "winner" else " "
    chip = f"[{_WATER}] [{coat.style}] {coat.letter} [/] [/]"
    shown = name_column(name, NAME_LIMIT)
    return f"[{_MARK}]{mark}[/] {chip} [default]{shown} [bold]{score:>4}[/] {status}[/]"


def _last_move_line(board: rules.Board, last: rules.Move) -> str:
    source, target = (literally(name_cell(board, cell)) for cell in last)
    return f"  [{_MARK}]last move {source} {_arrow(board, last)} {target}[/]"
