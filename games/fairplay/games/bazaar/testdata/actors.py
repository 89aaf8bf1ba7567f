"""Actors of test games: reference players that fail or cheat by a script (bazaar.md section 10)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from itertools import combinations_with_replacement, permutations
from random import Random
from types import MappingProxyType
from typing import Any

from fairplay.games.bazaar.players.player import StrategyPlayer
from fairplay.games.bazaar.players.search import Metric
from fairplay.games.bazaar.players.strategies import Strategy, strategy
from fairplay.games.bazaar.protocol import codec
from fairplay.games.bazaar.protocol.conversation import METHODS, REQUEST_CARDS, REQUEST_PEBBLE_OR_EXCHANGES
from fairplay.games.bazaar.rules import EquationTable, Purchase, Request, TurnView
from fairplay.games.bazaar.rules.pieces import CARD_PEBBLES, UNITS, Card, Exchange, holds
from fairplay.games.conformance import Mutation
from fairplay.games.kit.testdata import Actor, Json, kebab_case, read_list, read_scripts, read_text

METRICS: Mapping[str, Metric] = MappingProxyType({"purchase-points": "points", "purchase-size": "size"})
FIRST_CALL = "request-pebble-or-trades"
"""What test data calls the method RequestPebbleOrExchanges."""
MOST_CALLS = 7
_NAME = re.compile(r"[a-zA-Z0-9]{1,20}")


def read_metric(policy: Json) -> Metric:
    """Return what a policy maximises. Raises ValueError if it is neither of the two of section 9."""
    return METRICS[read_text(policy, "policy", tuple(METRICS))]


def read_strategy(policy: Json) -> Strategy:
    """Return the strategy of a policy, or of a text that `strategy` reads. Raises ValueError if there is none."""
    return strategy(_spec(read_text(policy, "policy")))


def _spec(policy: str) -> str:
    return METRICS.get(policy, policy)


def read_actors(value: Json, count: int) -> list[Actor]:
    """Return the actors of a game. Raises ValueError if there are not `count`, or if one is not as documented."""
    given = [_with_own_methods(actor) for actor in read_list(value, "actors", count=count)]
    scripts = read_scripts(given, "actors", tuple(METHODS.values()), CHEATS)
    for script in scripts:
        if not _NAME.fullmatch(script.name):
            raise ValueError(f"An actor is called {script.name!r}: a name is 1 to 20 letters and digits.")
        if script.from_call > MOST_CALLS:
            raise ValueError(f"The actor {script.name} hangs from call {script.from_call}: at most {MOST_CALLS} count.")
    return [Actor(script, StrategyPlayer(_spec(script.strategy)), CHEATS) for script in scripts]


def _with_own_methods(actor: Json) -> Json:
    if not isinstance(actor, list):
        return actor
    return [kebab_case(REQUEST_PEBBLE_OR_EXCHANGES.name) if part == FIRST_CALL else part for part in actor]


# Cheats


def _cheat_in_request(find: Callable[[EquationTable, TurnView], Request | None]) -> Mutation:
    def answer(request: Any, reply: Any, rng: Random) -> Any:
        shown = request.turn_state
        wrong = find(codec.table(shown.table), codec.view(shown))
        return None if wrong is None else codec.request_message(wrong)

    return Mutation("", "", REQUEST_PEBBLE_OR_EXCHANGES.name, "", (), answer)


def _cheat_in_purchase(find: Callable[[TurnView], Purchase | None]) -> Mutation:
    def answer(request: Any, reply: Any, rng: Random) -> Any:
        wrong = find(codec.view(request.turn_state))
        return None if wrong is None else codec.purchase_message(wrong)

    return Mutation("", "", REQUEST_CARDS.name, "", (), answer)


def _false_equation(table: EquationTable, view: TurnView) -> Request:
    """Return an exchange of none of the equations: of these forty a table of ten equations lacks some."""
    tried = (Exchange(count * mine, theirs) for count in (1, 2) for mine, theirs in permutations(UNITS, 2))
    return (next(exchange for exchange in tried if exchange not in table),)


def _bank_cannot(table: EquationTable, view: TurnView) -> Request | None:
    return next(((way,) for way in table.exchanges if not holds(view.bank, way.right)), None)


def _wallet_cannot(table: EquationTable, view: TurnView) -> Request | None:
    return next(((way,) for way in table.exchanges if not holds(view.wallet, way.left)), None)


def _unavailable_card(view: TurnView) -> Purchase:
    cards = (Card(sum(five), False) for five in combinations_with_replacement(UNITS, CARD_PEBBLES))
    return (next(card for card in cards if card not in view.visible),)


def _unpayable_card(view: TurnView) -> Purchase | None:
    return next(((card,) for card in view.visible if not holds(view.wallet, card.pebbles)), None)


CHEATS: Mapping[str, Mutation] = MappingProxyType(
    {
        "use-non-existent-equation": _cheat_in_request(_false_equation),
        "bank-cannot-trade": _cheat_in_request(_bank_cannot),
        "wallet-cannot-trade": _cheat_in_request(_wallet_cannot),
        "buy-unavailable-card": _cheat_in_purchase(_unavailable_card),
        "wallet-cannot-buy-card": _cheat_in_purchase(_unpayable_card),
    }
)
