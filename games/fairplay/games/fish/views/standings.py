"""What both kinds of picture of Fish show: the players that are left, their colours and scores, and names of cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from fairplay.fish.v1 import fish_pb2
from fairplay.games.fish import rules
from fairplay.games.kit.lettering import short_name


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


def standings_of(state: rules.State, colors: Sequence[int], players: Sequence[str]) -> list[Standing]:
    """Return the standing of each surviving seat."""
    turn = rules.turn(state)
    return [
        Standing(
            coat := _COATS.get(colors[seat], _GREY),
            _name(colors[seat], players) or coat.name,
            state.scores[seat],
            _status(state, seat),
            seat == turn,
        )
        for seat, alive in enumerate(state.alive)
        if alive
    ]


def _name(color: int, players: Sequence[str]) -> str:
    """Return the name of the player in a colour, fit for XML and terminals; empty if there is none."""
    name = players[color - 1] if 0 < color <= len(players) else ""
    return short_name(name, NAME_LIMIT)


def _status(state: rules.State, seat: int) -> str:
    if state.over:
        return "winner" if seat in rules.ranking(state)[0] else ""
    if seat == state.seat:
        return "to place" if rules.placing(state) else "to move"
    return "" if rules.placing(state) or rules.moves(state, seat) else "stuck"


def coats_of(state: rules.State, colors: Sequence[int]) -> dict[int, Coat]:
    """Return the coat of the penguin on each cell that carries one."""
    return {cell: _COATS.get(color, _GREY) for color, own in zip(colors, state.places, strict=True) for cell in own}


def name_cell(board: rules.Board, cell: int) -> str:
    """Return the position of a cell, e.g. "[2, 0]"."""
    return "[{}, {}]".format(*divmod(cell, board.columns))


def part_of(cell: int) -> str:
    """Return the id of a cell in pictures."""
    return f"cell-{cell}"


def cell_of(part: str) -> int:
    """Return the cell of an id; -1, which is on no board, if the id is another part's."""
    number = part.removeprefix("cell-")
    return int(number) if number.isascii() and number.isdigit() and number != part else -1


def move_line(state: rules.State, colors: Sequence[int], last: rules.Move | None, players: Sequence[str]) -> str:
    """Return who moved last, from where and to where, as plain text; empty if no move led to the state."""
    coat = coats_of(state, colors).get(last.target) if last is not None else None
    if last is None or coat is None:
        return ""
    mover = next((each.name for each in standings_of(state, colors, players) if each.coat == coat), coat.name)
    return f"{mover} moves from {name_cell(state.board, last.source)} to {name_cell(state.board, last.target)}."
