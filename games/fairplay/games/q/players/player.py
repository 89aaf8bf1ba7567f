"""A strategy behind the methods of the diagram: the reference player of the Q game."""

from __future__ import annotations

from fairplay.games.q.players.strategies import strategy
from fairplay.games.q.protocol import codec
from fairplay.q.v1.q_player_pb2 import NewTilesRequest, SetupRequest, TakeTurnRequest, TakeTurnResponse, WinRequest


class StrategyPlayer:
    """Plays as its strategy says. Keeps nothing between calls, so it may be in any number of games."""

    game = "q"

    def __init__(self, spec: str) -> None:
        self.name = spec
        self._strategy = strategy(spec)
        self.quick = spec.partition(":")[0] != "best"

    def setup(self, request: SetupRequest) -> None:
        """Its tiles are said again in every state."""

    def take_turn(self, request: TakeTurnRequest) -> TakeTurnResponse:
        """What the strategy does."""
        return TakeTurnResponse(action=codec.action_message(self._strategy(codec.view(request.state))))

    def new_tiles(self, request: NewTilesRequest) -> None:
        """The new tiles are, too."""

    def win(self, request: WinRequest) -> None:
        """It is a good loser."""
