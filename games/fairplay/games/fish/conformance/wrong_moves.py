"""What players of Fish get wrong: situations in which they slip, and the cells and moves that they take then.

The player itself is seat 0 of every state.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from random import Random

from fairplay.fish.v1 import fish_pb2
from fairplay.fish.v1.fish_player_pb2 import SetupRequest, TakeTurnRequest, TakeTurnResponse
from fairplay.games.fish import rules
from fairplay.games.fish.protocol import codec
from fairplay.games.fish.rules import Move, State
from fairplay.games.kit.conformance import choose

# Special situations


def single_move(request: TakeTurnRequest) -> bool:
    """There is one legal move."""
    return len(rules.moves(codec.view(request.state), 0)) == 1


def last_turn(request: TakeTurnRequest) -> bool:
    """Any move ends the game."""
    state = codec.view(request.state)
    return all(rules.apply(state, move).over for move in rules.moves(state, 0))


def last_penguin(request: SetupRequest) -> bool:
    """The player places its last penguin."""
    return len(request.state.players[0].places) == request.state.penguin_count - 1


def black(request: SetupRequest | TakeTurnRequest) -> bool:
    """The player was the fourth."""
    return request.state.players[0].color == fish_pb2.COLOR_BLACK


def neither_red_nor_white(request: TakeTurnRequest) -> bool:
    """Two players are left, and the first two of the game are not among them."""
    players = request.state.players
    return len(players) == 2 and all(player.color > fish_pb2.COLOR_WHITE for player in players)


def told_of_a_skip(request: TakeTurnRequest) -> bool:
    """Somebody was passed over since the player's last turn."""
    return any(action.skip for action in request.actions)


# Wrong cells and moves


def cells(state: State) -> range:
    """All cells of the board."""
    return range(state.board.geometry.size)


def others_cells(state: State) -> list[int]:
    """Where others' penguins stand."""
    return [cell for own in state.places[1:] for cell in own]


def lines(state: State) -> Iterator[tuple[Move, ...]]:
    """The moves over an empty board from each of the player's cells in each direction, nearest first."""
    return (ray for cell in state.places[0] for ray in state.board.geometry.rays[cell])


def jumps(state: State, over: Collection[int]) -> Iterator[Move]:
    """Moves to free tiles, at the first taken cell of whose way is one of these."""
    for ray in lines(state):
        blocks = [steps for steps, move in enumerate(ray) if state.taken >> move.target & 1]
        if blocks and ray[blocks[0]].target in over:
            yield from (move for move in ray[blocks[0] :] if not state.taken >> move.target & 1)


def holes(state: State) -> list[int]:
    """Where no tile is, or none is left."""
    return [cell for cell in cells(state) if rules.holes(state) >> cell & 1]


def everywhere(state: State) -> Iterator[Move]:
    """To all cells, in reach or not."""
    return (Move(source, target) for source in state.places[0] for target in cells(state))


def beside(state: State) -> Iterator[Move]:
    """To the next cells of the same row, as if tiles were squares."""
    return (Move(cell, cell + step) for cell in state.places[0] for step in (-1, 1))


def with_wrong_parity(state: State) -> Iterator[Move]:
    """One step, in odd rows to where it would lead from an even one and the other way round."""
    columns = state.board.columns
    for cell in state.places[0]:
        side = -1 if cell // columns % 2 else 1
        if 0 <= cell % columns + side < columns:
            yield from (Move(cell, cell + side - columns), Move(cell, cell + side + columns))


def wrapped(state: State) -> Iterator[Move]:
    """Steps over the left or right edge, which the numbers of the cells take to the other side."""
    columns = state.board.columns
    for cell in state.places[0]:
        if cell // columns % 2 == 0 and cell % columns == 0:
            yield from (Move(cell, cell - 1), Move(cell, cell + 2 * columns - 1), Move(cell, cell + columns - 1))
        if cell // columns % 2 == 1 and cell % columns == columns - 1:
            yield from (Move(cell, cell + 1), Move(cell, cell + columns + 1), Move(cell, cell - columns + 1))


def bent(state: State) -> Iterator[Move]:
    """Two moves in one, with a turn between them."""
    for first in rules.moves(state, 0):
        moved = state._replace(places=((first.target,), *state.places[1:]), taken=state.taken | 1 << first.target)
        yield from (Move(first.source, then.target) for then in rules.moves(moved, 0))


def transposed(state: State) -> Iterator[Move]:
    """Sound moves in numbers that go column by column."""
    rows, columns = state.board.rows, state.board.columns
    for source, target in rules.moves(state, 0):
        yield Move(source % columns * rows + source // columns, target % columns * rows + target // columns)


def without_zero(request: TakeTurnRequest, reply: TakeTurnResponse, luck: Random) -> TakeTurnResponse | None:
    """A sound move from or to cell 0, with the zero left out."""
    moves = rules.moves(codec.view(request.state), 0)
    move = choose([move for move in moves if 0 in move], luck)
    if move is None:
        return None
    action = fish_pb2.Action(target=move.target) if move.source == 0 else fish_pb2.Action(source=move.source)
    return TakeTurnResponse(action=action)
