"""Special situations of Fish, in which alone some players go wrong: conditions on a request."""

from __future__ import annotations

from fairplay.fish.v1 import fish_pb2
from fairplay.fish.v1.fish_player_pb2 import SetupRequest, TakeTurnRequest
from fairplay.games.fish import rules
from fairplay.games.fish.protocol import codec

USUAL_PENGUIN_BASE = 6


def single_move(request: TakeTurnRequest) -> bool:
    """Return whether there is one legal move."""
    return len(rules.moves(codec.view(request.state), 0)) == 1


def last_turn(request: TakeTurnRequest) -> bool:
    """Return whether any move ends the game."""
    state = codec.view(request.state)
    return all(rules.apply(state, move).over for move in rules.moves(state, 0))


def last_penguin(request: SetupRequest) -> bool:
    """Return whether the player places its last penguin."""
    return len(request.state.players[0].places) == request.state.penguin_count - 1


def first_cell_free(request: SetupRequest) -> bool:
    """Return whether cell 0 is a tile without a penguin."""
    return not codec.view(request.state).taken & 1


def black(request: SetupRequest | TakeTurnRequest) -> bool:
    """Return whether the player was the fourth."""
    return request.state.players[0].color == fish_pb2.COLOR_BLACK


def neither_red_nor_white(request: TakeTurnRequest) -> bool:
    """Return whether two players are left, and the first two of the game are not among them."""
    players = request.state.players
    return len(players) == 2 and all(player.color > fish_pb2.COLOR_WHITE for player in players)


def more_penguins_than_usual(request: SetupRequest) -> bool:
    """Return whether three or more players place more penguins than under the default settings."""
    count = len(request.state.players)
    return count > 2 and len(request.state.players[0].places) >= USUAL_PENGUIN_BASE - count


def crowded_and_not_square(request: TakeTurnRequest) -> bool:
    """Return whether three or more players are on a board that is not square."""
    return len(request.state.players) > 2 and not_square(request)


def after_a_skip(request: TakeTurnRequest) -> bool:
    """Return whether somebody was passed over since the player's last turn."""
    return any(action.skip for action in request.actions)


def not_square(request: TakeTurnRequest) -> bool:
    """Return whether the board has more rows than columns, or fewer."""
    return len(request.state.fish) != request.state.columns**2
