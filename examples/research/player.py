"""Plays Fish for Fairplay as `learner.py` has learned it: python player.py FILE [ADDRESS [NAME]]."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import numpy as np
from learner import Board, Choice, Policy, near

from fairplay.fish.v1.fish_pb2 import State
from fairplay.fish.v1.fish_player_pb2 import (
    PlayAsRequest,
    PlayWithRequest,
    SetupRequest,
    SetupResponse,
    TakeTurnRequest,
    TakeTurnResponse,
)
from fairplay.games.fish import protocol, rules
from fairplay.games.fish.rules.board import Move
from fairplay.player import dial_in, serve


class LearnedPlayer:
    """Takes the best choice of a policy. It remembers nothing, so it can be in many games at once."""

    game = "fish"

    def __init__(self, policy: Policy) -> None:
        self._policy = policy

    def play_as(self, request: PlayAsRequest) -> None:
        """Hear the colour of this player. Each state says it again: the called player comes first there."""

    def play_with(self, request: PlayWithRequest) -> None:
        """Hear the colours of the others."""

    def setup(self, request: SetupRequest) -> SetupResponse:
        """Place a penguin."""
        return SetupResponse(place=self._choose(request.state).target)

    def take_turn(self, request: TakeTurnRequest) -> TakeTurnResponse:
        """Move a penguin."""
        source, target = self._choose(request.state)
        return TakeTurnResponse(action=protocol.build_action(Move(source, target)))

    def _choose(self, state: State) -> Choice:
        legal = rules.legal(protocol.read_view(state))
        choices = [Choice(*action) if isinstance(action, Move) else Choice(None, *action) for action in legal]
        return choices[self._policy.best(see(state), choices)]


def see(state: State) -> Board:
    """Return a state as a board."""
    size = len(state.fish)
    own, others = np.zeros(size), np.zeros(size)
    own[list(state.players[0].places)] = 1.0
    for player in state.players[1:]:
        others[list(player.places)] = 1.0
    return Board(near(size // state.columns, state.columns), np.array(state.fish, float), own, others)


if __name__ == "__main__":
    player = LearnedPlayer(Policy.load(Path(sys.argv[1])))
    match sys.argv[2:]:
        case [address, name]:
            dial_in(player, address, name)
        case [address]:
            serve(player, address)
        case _:  # started by a server, which says where
            serve(player, os.environ["FAIRPLAY_LISTEN"])
