"""A strategy behind the methods of the diagram: the reference player of the Q game."""

from __future__ import annotations

from fairplay.games.q.players.strategies import strategy
from fairplay.games.q.protocol import codec
from fairplay.q.v1.q_player_pb2 import NewTilesRequest, SetupRequest, TakeTurnRequest, TakeTurnResponse, WinRequest


class StrategyPlayer:
    """A player that plays as its strategy says. It keeps nothing between calls: it may be in any number of games."""

    game = "q"

    def __init__(self, spec: str) -> None:
        self.name = spec
        self._strategy = strategy(spec)
        self.quick = spec.partition(":")[0] != "best"

    def setup(self, request: SetupRequest) -> None:
        """Ignore the tiles: every state says them again."""

    def take_turn(self, request: TakeTurnRequest) -> TakeTurnResponse:
        """Return what the strategy does."""
        return TakeTurnResponse(action=codec.action_message(self._strategy(codec.view(request.state))))

    def new_tiles(self, request: NewTilesRequest) -> None:
        """Ignore the new tiles: the next state says them again."""

    def win(self, request: WinRequest) -> None:
        """Ignore the result."""
