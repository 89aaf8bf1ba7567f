"""The Q game in numbers, for programs that learn.

An extension is taken in steps: a tile, where it goes, the next tile, ..., done. The map is endless and numbers are not:
coordinates beyond the rows and columns of the part `map` can neither be chosen nor seen.
"""

from __future__ import annotations

from functools import reduce
from operator import or_
from typing import NamedTuple

from fairplay.games.q import rules
from fairplay.games.q.protocol import codec
from fairplay.games.q.protocol.conversation import TAKE_TURN
from fairplay.games.q.rules.board import KINDS, Board, Placement
from fairplay.games.q.rules.state import MAX_HAND, PASS, REPLACE, Action, Extension, State
from fairplay.games.research import (
    Encoding,
    Kind,
    Part,
    Position,
    Question,
    Research,
    by_player,
    first_numbers,
    turn_part,
)
from fairplay.q.v1 import q_pb2
from fairplay.q.v1.q_player_pb2 import TakeTurnRequest

REACH = 20
"""The greatest row or column number that actions and observations have, and the smallest one negated."""
SIDE = 2 * REACH + 1


class _Draft(NamedTuple):
    """A turn that is not complete: the map with what is placed so far, and the tile that is to go somewhere next."""

    board: Board
    placed: tuple[Placement, ...]
    tile: int | None
    rest: tuple[int, ...]
    """The tiles in hand that are neither placed nor chosen."""


class QEncoding(Encoding):
    """The Q game with a map of `SIDE` by `SIDE` coordinates, (0, 0) in the middle."""

    kinds = (
        Kind("pass", 1, "Place nothing."),
        Kind("replace", 1, "Replace all tiles."),
        Kind("done", 1, "Place no more tiles."),
        Kind("tile", KINDS, "Choose this tile, shape times 6 + color, to be placed next."),
        Kind("cell", SIDE * SIDE, f"Place it at row N // {SIDE} - {REACH}, column N % {SIDE} - {REACH}."),
    )
    _pass, _replace, _done, _tile, _cell, _ = first_numbers(kinds)

    def __init__(self, settings: q_pb2.Settings, seat_count: int) -> None:
        chosen = codec.read_settings(settings)
        super().__init__(rules, chosen, seat_count)
        tiles = KINDS * chosen.copies_per_kind
        most = tiles * (2 * tiles + 2 * chosen.q_bonus + 1) + chosen.finish_bonus
        self.parts = (
            Part("map", (SIDE, SIDE), KINDS, "1 + the tile on each coordinate; 0: none."),
            Part("placed", (SIDE, SIDE), 1, "1 where the observer has placed a tile in this turn."),
            Part("hand", (KINDS,), MAX_HAND, "By tile: how many of it the observer holds."),
            Part("chosen", (1,), KINDS, "1 + the tile that the observer is to place next; 0: none."),
            by_player("scores", seat_count, most, "its points."),
            Part("pile", (1,), tiles, "How many tiles are in the pile."),
            turn_part(seat_count),
        )

    def legal(self, position: Position) -> list[int]:
        """Return the legal actions. Passing is always one of them before the first tile, and being done after it."""
        state: State = position.state
        if state.mover is None:
            return []
        draft = self._draft(position)
        spots = [(spot, kinds) for spot, kinds in rules.open_spots(draft.board, draft.placed) if _in_reach(*spot)]
        if draft.tile is not None:
            return [self._cell + _cell_number(*spot) for spot, kinds in spots if kinds >> draft.tile & 1]
        fitting = reduce(or_, (kinds for _, kinds in spots), 0)
        tiles = [self._tile + tile for tile in sorted(set(draft.rest)) if fitting >> tile & 1]
        if draft.placed:
            return [self._done, *tiles]
        can_replace = rules.violation(state, REPLACE) is None
        return [self._pass, *([self._replace] if can_replace else []), *tiles]

    def _draft(self, position: Position) -> _Draft:
        """Return what the steps of a turn come to."""
        state: State = position.state
        assert state.mover is not None
        steps = position.steps
        placed = tuple(
            Placement((cell - self._cell) // SIDE - REACH, (cell - self._cell) % SIDE - REACH, tile - self._tile)
            for tile, cell in zip(steps[::2], steps[1::2], strict=False)
        )
        tile = steps[-1] - self._tile if len(steps) % 2 else None
        rest = list(state.hands[state.mover])
        for gone in [placement.tile for placement in placed] + ([] if tile is None else [tile]):
            rest.remove(gone)
        board = state.board.put(placed) if placed else state.board
        return _Draft(board, placed, tile, tuple(rest))

    def apply(self, position: Position, action: int) -> Position:
        """Return the position after an action; tiles that a turn brings have arrived there."""
        after: Position = super().apply(position, action)
        return after if after.steps else Position(rules.delivered(after.state))

    def complete(self, position: Position, action: int) -> Action | None:
        """Return the turn that is complete with an action; None: it goes on."""
        if action >= self._tile:
            return None
        if action == self._done:
            return Extension(self._draft(position).placed)
        return PASS if action == self._pass else REPLACE

    def read(self, request: TakeTurnRequest) -> Position:
        """Return the position that a request shows; who is out of the game sits behind the others."""
        view = codec.read_view(request.state)
        points = view.score, *view.others
        out = self.seat_count - len(points)
        hands = (view.hand, *[()] * (self.seat_count - 1))
        return Position(State(self.settings, view.board, (0,) * view.pile_left, hands, points + (0,) * out))

    def observe(self, position: Position, seat: int) -> list[int]:
        """Return what a seat sees: a turn that is not complete is seen by its player only."""
        state: State = position.state
        if seat == state.mover:
            board, placed, tile, rest = self._draft(position)
        else:
            board, placed, tile, rest = _Draft(state.board, (), None, state.hands[seat])
        cells, own = [0] * SIDE**2, [0] * SIDE**2
        for (row, column), there in board.tiles.items():
            if _in_reach(row, column):
                cells[_cell_number(row, column)] = 1 + there
        for row, column, _ in placed:
            own[_cell_number(row, column)] = 1
        return [
            *cells,
            *own,
            *(rest.count(kind) for kind in range(KINDS)),
            0 if tile is None else 1 + tile,
            *(state.points[other] for other in self.seats_from(seat)),
            len(state.pile),
            self.turns_until(position, seat),
        ]

    def shown(self, position: Position) -> codec.Shown:
        """Return the state as the game shows it."""
        return codec.Shown(position.state)


def _in_reach(row: int, column: int) -> bool:
    return abs(row) <= REACH and abs(column) <= REACH


def _cell_number(row: int, column: int) -> int:
    return (row + REACH) * SIDE + column + REACH


RESEARCH = Research(
    rules,
    codec.read_settings,
    QEncoding,
    {TAKE_TURN: Question(QEncoding.read, codec.build_reply)},
)
