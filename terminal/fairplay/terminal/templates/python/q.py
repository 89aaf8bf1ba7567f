"""A player of the Q game. It places the first tile that fits somewhere, else it changes its tiles, else it passes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from fairplay.player.command import run_player
from fairplay.q.v1.q_pb2 import FIT_RULE_QWIRKLE, Action, Extension, Pass, Placement, Replace, State
from fairplay.q.v1.q_player_pb2 import NewTilesRequest, SetupRequest, TakeTurnRequest, TakeTurnResponse, WinRequest

Place: TypeAlias = tuple[int, int]
Board: TypeAlias = Mapping[Place, int]
FARTHEST = 1_000_000  # no row and no column is farther from 0
LINES = (((0, -1), (0, 1)), ((-1, 0), (1, 0)))  # both ways along a row, and along a column


class Player:
    """One method for each call of the game. It remembers nothing: each request says all that is needed."""

    game = "q"

    def setup(self, request: SetupRequest) -> None:
        """Hear the map and the tiles at the start."""

    def take_turn(self, request: TakeTurnRequest) -> TakeTurnResponse:
        """Place a tile, change all tiles, or pass. The called player is the first one of the state."""
        state = request.state
        hand = state.players[0].hand
        placement = find_placement(state)
        if placement is not None:
            return TakeTurnResponse(action=Action(extension=Extension(placements=[placement])))
        if state.pile_left >= len(hand):
            return TakeTurnResponse(action=Action(replace=Replace()))
        return TakeTurnResponse(action=Action(pass_turn=Pass()))

    def new_tiles(self, request: NewTilesRequest) -> None:
        """Hear which tiles were drawn; the next state has them, too."""

    def win(self, request: WinRequest) -> None:
        """Hear whether the game is won."""


def find_placement(state: State) -> Placement | None:
    """Return the first place where a tile of the hand fits; None if there is none."""
    board = dict(zip(zip(state.rows, state.columns, strict=True), state.tiles, strict=True))
    for row, column in sorted({beside for place in board for beside in neighbours(place)} - board.keys()):
        for tile in state.players[0].hand:
            if fits(state, board, (row, column), tile):
                return Placement(row=row, column=column, tile=tile)
    return None


def neighbours(place: Place) -> list[Place]:
    """Return the places that share a side with one, and are not too far away."""
    places = [(place[0] + down, place[1] + right) for line in LINES for down, right in line]
    return [beside for beside in places if max(map(abs, beside)) <= FARTHEST]


def fits(state: State, board: Board, place: Place, tile: int) -> bool:
    """Return whether a tile fits, looking at its row and its column separately."""
    whole = state.fit_rule == FIT_RULE_QWIRKLE
    return all(matches(run(board, place, line, whole), tile, whole) for line in LINES)


def run(board: Board, place: Place, line: tuple[Place, Place], whole: bool) -> list[int]:
    """Return the tiles beside a place on a line: the next ones, or the whole unbroken runs."""
    found = []
    for down, right in line:
        row, column = place[0] + down, place[1] + right
        while (row, column) in board:
            found.append(board[row, column])
            if not whole:
                break
            row, column = row + down, column + right
    return found


def matches(beside: list[int], tile: int, distinct: bool) -> bool:
    """Return whether all have the tile's colour or all its shape, and, where asked for, no two are equal."""
    colours = {(each - 1) % 6 for each in (*beside, tile)}
    shapes = {(each - 1) // 6 for each in (*beside, tile)}
    return min(len(colours), len(shapes)) == 1 and not (distinct and len({*beside, tile}) <= len(beside))


if __name__ == "__main__":
    run_player(Player())
