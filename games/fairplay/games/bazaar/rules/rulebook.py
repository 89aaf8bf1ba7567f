"""The rules of Bazaar that an answer can break, by their ids."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

RULES: Mapping[str, str] = MappingProxyType(
    {
        "bazaar.request.required": "The first answer of a turn is either a pebble or a list of exchanges.",
        "bazaar.pebble.bank-empty": "A pebble can be requested only while the bank has one.",
        "bazaar.pebble.known": "A pebble is red, white, blue, green or yellow.",
        "bazaar.pebble.counts": "A bag of pebbles is five counts, one for each colour, each 0 to 400.",
        "bazaar.exchange.too-many": "A request has at most max_exchanges exchanges.",
        "bazaar.exchange.sides": "An exchange names pebbles to give and pebbles to get, at least one of each.",
        "bazaar.exchange.in-table": "An exchange is an equation of the table, either way, both sides exactly.",
        "bazaar.exchange.wallet": "When its turn in the list comes, the wallet holds what an exchange gives.",
        "bazaar.exchange.bank": "When its turn in the list comes, the bank holds what an exchange gets.",
        "bazaar.purchase.required": "The second answer of a turn is a list of cards, which may be empty.",
        "bazaar.card.face": "A card says whether it has a happy face.",
        "bazaar.card.five-pebbles": "A card shows exactly five pebbles.",
        "bazaar.purchase.visible": "A card to buy is still visible: one with the same pebbles and face.",
        "bazaar.purchase.wallet": "When its turn in the list comes, the wallet holds the pebbles of a card.",
        "bazaar.turn.call": "An answer fits the call that is due: a request first, then a purchase.",
        "bazaar.turn.game-over": "Nothing can be played once the game is over.",
    }
)
