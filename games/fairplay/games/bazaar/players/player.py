"""A strategy behind the methods of the diagram: the reference player of Bazaar."""

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
    """Plays as its strategy says.

    It keeps nothing of a game: the equations are in every request, so it may be in any number of games, and go on with
    one of which it never saw the beginning.
    """

    game = "bazaar"

    def __init__(self, spec: str) -> None:
        self.name = spec
        self._strategy = strategy(spec)
        self.quick = spec.partition(":")[0] in QUICK

    def setup(self, request: SetupRequest) -> None:
        """The equations are said again in every turn."""

    def request_pebble_or_exchanges(self, request: RequestPebbleOrExchangesRequest) -> RequestPebbleOrExchangesResponse:
        """The first half of a turn."""
        shown = request.turn_state
        return codec.request_message(self._brain(shown).request(codec.view(shown)))

    def request_cards(self, request: RequestCardsRequest) -> RequestCardsResponse:
        """The second half."""
        shown = request.turn_state
        return codec.purchase_message(self._brain(shown).cards(codec.view(shown)))

    def win(self, request: WinRequest) -> None:
        """Nothing is left to do."""

    def _brain(self, shown: TurnState) -> Brain:
        return self._strategy(codec.rulebook(shown.table))
