"""A complete player of Fish. It goes for tiles with many fish, and stays where it can move far."""

from __future__ import annotations

import sys

from fairplay.fish.v1.fish_pb2 import Action, State
from fairplay.fish.v1.fish_player_pb2 import (
    PlayAsRequest,
    PlayWithRequest,
    SetupRequest,
    SetupResponse,
    TakeTurnRequest,
    TakeTurnResponse,
)
from fairplay.player import dial_in, serve
from fairplay.player.command import run_player

STEPS = (  # (rows down, columns right) to the next tile N, NE, SE, S, SW, NW: from an even row, from an odd row
    ((-2, 0), (-1, 0), (1, 0), (2, 0), (1, -1), (-1, -1)),
    ((-2, 0), (-1, 1), (1, 1), (2, 0), (1, 0), (-1, 0)),
)


def free_cells(state: State) -> set[int]:
    """Return the cells with a tile and without a penguin. Cells are numbered row by row, from 0."""
    tiles = {cell for cell, count in enumerate(state.fish) if count > 0}
    return tiles.difference(*(player.places for player in state.players))


def targets(state: State, source: int) -> list[int]:
    """Return the cells to which a penguin can move from `source`."""
    found, free = [], free_cells(state)
    for direction in range(6):
        cell = source
        while True:
            row, column = divmod(cell, state.columns)
            down, right = STEPS[row % 2][direction]
            cell = (row + down) * state.columns + column + right
            if not 0 <= column + right < state.columns or cell not in free:
                break
            found.append(cell)
    return found


class MyPlayer:
    """One method for each call of the game. It remembers nothing, so it can be in many games at once."""

    game = "fish"

    def play_as(self, request: PlayAsRequest) -> None:
        """Hear the colour of this player. Each state says it again: the called player comes first there."""

    def play_with(self, request: PlayWithRequest) -> None:
        """Hear the colours of the others."""

    def setup(self, request: SetupRequest) -> SetupResponse:
        """Place a penguin."""
        return SetupResponse(place=max(free_cells(request.state), key=lambda cell: worth(request.state, cell)))

    def take_turn(self, request: TakeTurnRequest) -> TakeTurnResponse:
        """Move a penguin. The tile that it leaves is won, so it also goes for the tile that it can win next."""
        state = request.state
        moves = [(source, target) for source in state.players[0].places for target in targets(state, source)]
        source, target = max(moves, key=lambda move: 2 * state.fish[move[0]] + worth(state, move[1]))
        return TakeTurnResponse(action=Action(source=source, target=target))


def worth(state: State, cell: int) -> int:
    """Return what it is worth to stand on a cell: its fish, and how far one can go from there."""
    return state.fish[cell] + len(targets(state, cell))


if __name__ == "__main__":
    match sys.argv[1:]:
        case [address, name]:
            dial_in(MyPlayer(), address, name)
        case [address]:
            serve(MyPlayer(), address)
        case _:  # the environment says how, as that of a program that a server starts
            run_player(MyPlayer())
