"""The reference player of Bazaar: a strategy behind the methods of a player."""

from __future__ import annotations

from fairplay.bazaar.v1.bazaar_pb2 import TurnState
from fairplay.bazaar.v1.bazaar_player_pb2 import (
    RequestCardsRequest,
    RequestCardsResponse,
    RequestPebbleOrExchangesRequest,
    RequestPebbleOrExchangesResponse,
    SetupRequest,
    WinRequest,
)
from fairplay.games.bazaar.players.strategies import Brain, strategy
from fairplay.games.bazaar.protocol import codec

QUICK = ("first", "random")


class StrategyPlayer:
    """A player that plays as its strategy says.

    It remembers nothing, because the equations are in every request: it may be in any number of games at once, and join
    a game after its beginning.
    """

    game = "bazaar"

    def __init__(self, spec: str) -> None:
        self.name = spec
        self._strategy = strategy(spec)
        self.quick = spec.partition(":")[0] in QUICK

    def setup(self, request: SetupRequest) -> None:
        """Do nothing: the equations are said again in every turn."""

    def request_pebble_or_exchanges(self, request: RequestPebbleOrExchangesRequest) -> RequestPebbleOrExchangesResponse:
        """Return the answer to the first call of a turn."""
        shown = request.turn_state
        return codec.request_message(self._brain(shown).request(codec.view(shown)))

    def request_cards(self, request: RequestCardsRequest) -> RequestCardsResponse:
        """Return the answer to the second call of a turn."""
        shown = request.turn_state
        return codec.purchase_message(self._brain(shown).cards(codec.view(shown)))

    def win(self, request: WinRequest) -> None:
        """Do nothing: the game is over."""

    def _brain(self, shown: TurnState) -> Brain:
        return self._strategy(codec.table(shown.table))
