"""The reference player of Fish: a strategy behind the methods of the contract."""

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
    """A player that plays as its strategy says. It keeps nothing between calls: it may be in any number of games."""

    game = "fish"

    def __init__(self, spec: str) -> None:
        self.name = spec
        self._strategy = strategy(spec)
        self.quick = not isinstance(self._strategy, Minimax)

    def play_as(self, request: PlayAsRequest) -> None:
        """Ignore the colour: every state says it again."""

    def play_with(self, request: PlayWithRequest) -> None:
        """Ignore the opponents' colours: every state says them again."""

    def setup(self, request: SetupRequest) -> SetupResponse:
        """Return where the next penguin goes."""
        return SetupResponse(place=self._strategy.place(codec.view(request.state), 0))

    def take_turn(self, request: TakeTurnRequest) -> TakeTurnResponse:
        """Return the move."""
        move = self._strategy.move(codec.view(request.state), 0)
        return TakeTurnResponse(action=codec.action_message(move))
