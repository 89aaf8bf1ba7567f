"""How test data of Fish writes boards, states and actions, and how they are read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from fairplay.games.fish import rules
from fairplay.games.fish.rules import Settings, State
from fairplay.games.fish.rules.board import Action, Board, Move, Place, board_of_rows
from fairplay.games.kit.testdata import Json, read_int, read_list, read_object, read_settings, read_text


class Table(NamedTuple):
    """A state and the colour of each of its seats, which are numbered in the order of the players."""

    state: State
    colors: tuple[str, ...]


# Reading


def read_board(value: Json, where: str = "board") -> Board:
    """Return the board with these rows. Raises ValueError if the value has another form."""
    rows = [read_list(row, f"{where}[{number}]") for number, row in enumerate(read_list(value, where))]
    fish = [
        [read_int(each, f"{where}[{row}][{column}]", 0) for column, each in enumerate(tiles)]
        for row, tiles in enumerate(rows)
    ]
    if not any(fish):
        raise ValueError(f"{where} has no tiles.")
    return board_of_rows(fish)


def read_state(value: Json, penguins: Json = None) -> Table:
    """Return the state in a JSON value; its first player becomes seat 0.

    `penguins` is how many each player places in all: as long as one has fewer, penguins are being placed. Without it
    all have been placed. If the first player cannot act, the turn is the next one's that can. Raises ValueError if a
    value has another form.
    """
    fields = read_object(value, "state", ("players", "board"))
    board = read_board(fields["board"])
    players = [
        read_object(player, f"players[{number}]", ("color", "score", "places"))
        for number, player in enumerate(read_list(fields["players"], "players"))
    ]
    places = [_read_places(player["places"], f"players[{seat}].places", board) for seat, player in enumerate(players)]
    _check_distinct([cell for own in places for cell in own], "Two penguins stand on the same tile.")
    state = rules.state_of(
        board,
        places,
        scores=[read_int(player["score"], f"players[{seat}].score", 0) for seat, player in enumerate(players)],
        penguins=min(map(len, places), default=0) if penguins is None else read_int(penguins, "penguins", 0),
    )
    colors = [read_text(player["color"], f"players[{seat}].color", rules.COLORS) for seat, player in enumerate(players)]
    _check_distinct(colors, "Two players have the same color.")
    return Table(state, tuple(colors))


def read_action(value: Json, board: Board) -> Action | None:
    """Return the action in [from, to], in a position, or None for false; cell -1 stands for all that is off the board.

    Raises ValueError if the value has another form.
    """
    if value is False:
        return None
    parts = read_list(value, "action", count=2)
    if isinstance(parts[0], list):
        return Move(*(_read_cell(part, f"action[{number}]", board) for number, part in enumerate(parts)))
    return Place(_read_cell(value, "action", board))


def read_position(value: Json, where: str, board: Board) -> int:
    """Return the cell of a position. Raises ValueError if it has another form or is not on the board."""
    cell = _read_cell(value, where, board)
    if cell < 0:
        raise ValueError(f"{where} is not on the board of {board.rows} rows and {board.columns} columns.")
    return cell


def read_chosen(value: Json) -> Settings:
    """Return the settings in a JSON value. Raises ValueError if a name or value is not allowed."""
    return read_settings(value, Settings, rules.settings_problem, board=_read_rows)


def _read_rows(value: Json, where: str) -> tuple[tuple[int, ...], ...]:
    board = read_board(value, where)
    return tuple(board.fish[start : start + board.columns] for start in range(0, len(board.fish), board.columns))


def _read_places(value: Json, where: str, board: Board) -> list[int]:
    cells = [read_position(place, f"{where}[{number}]", board) for number, place in enumerate(read_list(value, where))]
    for number, cell in enumerate(cells):
        if not board.fish[cell]:
            raise ValueError(f"{where}[{number}] is a hole.")
    return cells


def _read_cell(value: Json, where: str, board: Board) -> int:
    parts = enumerate(read_list(value, where, count=2))
    row, column = (read_int(part, f"{where}[{number}]", 0) for number, part in parts)
    return row * board.columns + column if row < board.rows and column < board.columns else -1


def _check_distinct(values: Sequence[object], sentence: str) -> None:
    if len(set(values)) < len(values):
        raise ValueError(sentence)


# Writing


def write_board(state: State) -> Json:
    """Return the board as it is now, all rows of the same length."""
    columns, fish = state.board.columns, list(rules.tiles(state))
    return [fish[start : start + columns] for start in range(0, len(fish), columns)]


def write_state(table: Table) -> dict[str, Any]:
    """Return the surviving players of a state, the one to act first, and the board as it is now."""
    state, count = table.state, len(table.state.places)
    players = [
        {
            "color": table.colors[seat],
            "score": state.scores[seat],
            "places": [write_position(cell, state.board) for cell in state.places[seat]],
        }
        for seat in ((state.seat + step) % count for step in range(count))
        if state.alive[seat]
    ]
    return {"players": players, "board": write_board(state)}


def write_position(cell: int, board: Board) -> Json:
    """Return the position of a cell."""
    return list(divmod(cell, board.columns))


def write_action(action: Action, board: Board) -> Json:
    """Return a placement as a position, a move as [from, to]."""
    if isinstance(action, Place):
        return write_position(action.cell, board)
    return [write_position(cell, board) for cell in action]
