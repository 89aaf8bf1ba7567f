"""A player of Fish. It takes the tile with the most fish that it can reach."""

from __future__ import annotations

from fairplay.fish.v1.fish_pb2 import Action, State
from fairplay.fish.v1.fish_player_pb2 import (
    PlayAsRequest,
    PlayWithRequest,
    SetupRequest,
    SetupResponse,
    TakeTurnRequest,
    TakeTurnResponse,
)
from fairplay.player.command import run_player

STEPS = (  # (rows down, columns right) to the next tile N, NE, SE, S, SW, NW: from an even row, from an odd row
    ((-2, 0), (-1, 0), (1, 0), (2, 0), (1, -1), (-1, -1)),
    ((-2, 0), (-1, 1), (1, 1), (2, 0), (1, 0), (-1, 0)),
)


class Player:
    """One method for each call of the game. It remembers nothing: each request says all that is needed."""

    game = "fish"

    def play_as(self, request: PlayAsRequest) -> None:
        """Hear the colour of this player."""

    def play_with(self, request: PlayWithRequest) -> None:
        """Hear the colours of the others."""

    def setup(self, request: SetupRequest) -> SetupResponse:
        """Place a penguin on a free cell."""
        state = request.state
        return SetupResponse(place=max(free_cells(state), key=lambda cell: state.fish[cell]))

    def take_turn(self, request: TakeTurnRequest) -> TakeTurnResponse:
        """Move a penguin. The called player is the first one of the state."""
        state = request.state
        moves = [(source, target) for source in state.players[0].places for target in targets(state, source)]
        source, target = max(moves, key=lambda move: state.fish[move[1]])
        return TakeTurnResponse(action=Action(source=source, target=target))


def free_cells(state: State) -> set[int]:
    """Return the cells with a tile and without a penguin."""
    tiles = {cell for cell, count in enumerate(state.fish) if count > 0}
    return tiles.difference(*(player.places for player in state.players))


def targets(state: State, source: int) -> list[int]:
    """Return the cells that a penguin can move to."""
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


if __name__ == "__main__":
    run_player(Player())
