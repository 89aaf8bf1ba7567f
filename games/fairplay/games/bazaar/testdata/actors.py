"""Actors of test games: reference players that fail or cheat as they are told (bazaar.md section 10)."""

from __future__ import annotations

import re
from collections import Counter
from itertools import combinations_with_replacement, permutations
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from fairplay.games.bazaar.players.strategies import strategy
from fairplay.games.bazaar.rules.pieces import CARD_PEBBLES, UNITS, Card, Exchange, holds

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from fairplay.games.bazaar.players.strategies import Strategy
    from fairplay.games.bazaar.rules import EquationTable, Purchase, Request, TurnView
    from fairplay.games.bazaar.testdata.forms import Json

POLICIES: Mapping[str, str] = MappingProxyType({"purchase-points": "points", "purchase-size": "size"})
METHODS = ("setup", "request-pebble-or-trades", "request-cards", "win")
_NAME = re.compile(r"[a-zA-Z0-9]{1,20}")


class ActorError(Exception):
    """Raised by an actor in place of an answer: it has raised, or it would never return."""


def policy_strategy(policy: str) -> Strategy:
    """The strategy of one of `POLICIES`, or of a spec that `strategy` reads; ValueError if it is neither."""
    return strategy(POLICIES.get(policy, policy))


class Script(NamedTuple):
    """What an actor is told to do."""

    name: str
    strategy: Strategy
    method: str = ""
    """In which method it fails, if in any,"""
    call: int = 1
    """and from which call of it on."""
    cheat: str = ""


class Actor:
    """Plays by a script. It cheats in every call in which its cheat is possible, and else plays normally."""

    def __init__(self, script: Script, table: EquationTable) -> None:
        """Calls are counted from here."""
        self._script = script
        self._table = table
        self._brain = script.strategy(table)
        self._calls = Counter[str]()

    def setup(self) -> None:
        """Only ever fails."""
        self._called("setup")

    def win(self) -> None:
        """Only ever fails."""
        self._called("win")

    def request(self, view: TurnView) -> Request:
        """The answer to the first call."""
        self._called("request-pebble-or-trades")
        cheat = REQUEST_CHEATS.get(self._script.cheat, _plays_fair)
        return cheat(self._table, view) or self._brain.request(view)

    def cards(self, view: TurnView) -> Purchase:
        """The answer to the second call."""
        self._called("request-cards")
        cheat = PURCHASE_CHEATS.get(self._script.cheat, _plays_fair)
        return cheat(self._table, view) or self._brain.cards(view)

    def _called(self, method: str) -> None:
        self._calls[method] += 1
        if method == self._script.method and self._calls[method] >= self._script.call:
            raise ActorError(f"{self._script.name} fails in {method}")


def _plays_fair(table: EquationTable, view: TurnView) -> None:
    return None


def _false_equation(table: EquationTable, view: TurnView) -> Request:
    """Of these forty exchanges a table of ten equations lacks some."""
    tried = (Exchange(count * mine, theirs) for count in (1, 2) for mine, theirs in permutations(UNITS, 2))
    return (next(exchange for exchange in tried if exchange not in table),)


def _bank_cannot(table: EquationTable, view: TurnView) -> Request | None:
    return next(((way,) for way in table.exchanges if not holds(view.bank, way.right)), None)


def _wallet_cannot(table: EquationTable, view: TurnView) -> Request | None:
    return next(((way,) for way in table.exchanges if not holds(view.wallet, way.left)), None)


def _unavailable_card(table: EquationTable, view: TurnView) -> Purchase:
    cards = (Card(sum(five), False) for five in combinations_with_replacement(UNITS, CARD_PEBBLES))
    return (next(card for card in cards if card not in view.visible),)


def _unpayable_card(table: EquationTable, view: TurnView) -> Purchase | None:
    return next(((card,) for card in view.visible if not holds(view.wallet, card.pebbles)), None)


REQUEST_CHEATS: Mapping[str, Callable[[EquationTable, TurnView], Request | None]] = MappingProxyType(
    {
        "use-non-existent-equation": _false_equation,
        "bank-cannot-trade": _bank_cannot,
        "wallet-cannot-trade": _wallet_cannot,
    }
)
PURCHASE_CHEATS: Mapping[str, Callable[[EquationTable, TurnView], Purchase | None]] = MappingProxyType(
    {
        "buy-unavailable-card": _unavailable_card,
        "wallet-cannot-buy-card": _unpayable_card,
    }
)


def read_scripts(value: Json) -> list[Script]:
    """Actors with names of their own; ValueError, saying what is wrong with which."""
    if not isinstance(value, list):
        raise ValueError("actors are an array")
    scripts = [_read_script(actor) for actor in value]
    if len({script.name for script in scripts}) < len(scripts):
        raise ValueError("two actors have the same name")
    return scripts


def _read_script(value: Json) -> Script:
    """`[name, policy]`, then nothing, a method, a method and a number, or "a cheat" and its kind."""
    match value:
        case [str(name), str(policy), *how] if _NAME.fullmatch(name):
            script = Script(name, policy_strategy(policy))
        case _:
            raise ValueError(f"not an actor: {value!r}")
    match how:
        case []:
            return script
        case [str(method)] if method in METHODS:
            return script._replace(method=method)
        case ["a cheat", str(cheat)] if cheat in REQUEST_CHEATS or cheat in PURCHASE_CHEATS:
            return script._replace(cheat=cheat)
        case [str(method), int(call)] if method in METHODS and call in range(1, 8) and call is not True:
            return script._replace(method=method, call=call)
    raise ValueError(f"actor {name} cannot do {how!r}")
