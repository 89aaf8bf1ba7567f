"""A strategy behind the methods of the diagram: the reference player of Fish."""

from __future__ import annotations

from fairplay.fish.v1.fish_player_pb2 import (
    PlayAsRequest,
    PlayWithRequest,
    SetupRequest,
    SetupResponse,
    TakeTurnRequest,
    TakeTurnResponse,
)
from fairplay.games.fish.players.strategies import Minimax, strategy
from fairplay.games.fish.protocol import codec


class StrategyPlayer:
    """Plays as its strategy says. Keeps nothing between calls, so it may be in any number of games."""

    game = "fish"

    def __init__(self, spec: str) -> None:
        self.name = spec
        self._strategy = strategy(spec)
        self.quick = not isinstance(self._strategy, Minimax)

    def play_as(self, request: PlayAsRequest) -> None:
        """Its colour is said again in every state."""

    def play_with(self, request: PlayWithRequest) -> None:
        """The opponents' colours are, too."""

    def setup(self, request: SetupRequest) -> SetupResponse:
        """Where the next penguin goes."""
        return SetupResponse(place=self._strategy.place(codec.view(request.state), 0))

    def take_turn(self, request: TakeTurnRequest) -> TakeTurnResponse:
        """The move."""
        move = self._strategy.move(codec.view(request.state), 0)
        return TakeTurnResponse(action=codec.action_message(move))
