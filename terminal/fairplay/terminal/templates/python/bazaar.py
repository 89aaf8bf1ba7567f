"""A player of Bazaar. It asks for a pebble as long as there is one, and buys the first card that it can pay."""

from __future__ import annotations

from fairplay.bazaar.v1.bazaar_pb2 import Exchanges, Pebble
from fairplay.bazaar.v1.bazaar_player_pb2 import (
    RequestCardsRequest,
    RequestCardsResponse,
    RequestPebbleOrExchangesRequest,
    RequestPebbleOrExchangesResponse,
    SetupRequest,
    WinRequest,
)
from fairplay.player.command import run_player


class Player:
    """One method for each call of the game. It remembers nothing: each request says all that is needed."""

    game = "bazaar"

    def setup(self, request: SetupRequest) -> None:
        """Hear the equations; every turn has them, too."""

    def request_pebble_or_exchanges(self, request: RequestPebbleOrExchangesRequest) -> RequestPebbleOrExchangesResponse:
        """Ask for a pebble of the bank, or, if there is none, for no exchange at all."""
        if any(request.turn_state.bank):
            return RequestPebbleOrExchangesResponse(pebble=Pebble())
        return RequestPebbleOrExchangesResponse(exchanges=Exchanges())

    def request_cards(self, request: RequestCardsRequest) -> RequestCardsResponse:
        """Buy a card, if the wallet has all its pebbles: both are five counts."""
        wallet = request.turn_state.wallet
        affordable = [
            card
            for card in request.turn_state.visible
            if all(price <= held for price, held in zip(card.pebbles, wallet, strict=True))
        ]
        return RequestCardsResponse(cards=affordable[:1])

    def win(self, request: WinRequest) -> None:
        """Hear whether the game is won."""


if __name__ == "__main__":
    run_player(Player())
