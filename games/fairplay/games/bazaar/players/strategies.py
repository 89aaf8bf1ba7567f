"""The strategies of Bazaar's reference players. Section 9 of bazaar.md describes two of them: `points` and `size`.

A strategy is made for one game, when its equations are known, and answers from what it is shown alone. It remembers
nothing: the purchase that section 9 has it remember for the second call is the best one that it finds there again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from heapq import nlargest
from itertools import chain
from random import Random
from typing import Protocol, TypeAlias

from fairplay.games.bazaar.players.search import (
    DEPTH,
    Metric,
    Offer,
    best_offer,
    best_plan,
    best_purchase,
    bundles,
    offers,
    payer,
    reachable,
)
from fairplay.games.bazaar.rules import PEBBLE, EquationTable, Purchase, Request, TurnView, purchases, requests
from fairplay.games.bazaar.rules.pieces import UNITS, Bag, holds, size, unpack
from fairplay.games.kit.strategies import StrategyKind, make_strategy
from fairplay.games.kit.strategies import search_depth as search_depth_among

_WALLETS = 4000
_NEXT_WALLETS = 500
"""How many wallets `best` considers in a turn, and in the next turn after each choice, to answer well below 1 s."""


class Brain(Protocol):
    """A strategy in one game: it answers the two calls of a turn."""

    def request(self, view: TurnView) -> Request:
        """Return a pebble, or exchanges in order."""

    def cards(self, view: TurnView) -> Purchase:
        """Return the cards to buy, in order."""


Strategy: TypeAlias = Callable[[EquationTable], Brain]
"""Equations -> the brain for one game."""


class _First:
    def __init__(self, table: EquationTable) -> None:
        """Ignore the equations."""

    def request(self, view: TurnView) -> Request:
        """Return a pebble, or no exchange if the bank is empty."""
        return PEBBLE if view.bank else ()

    def cards(self, view: TurnView) -> Purchase:
        """Return one card at most."""
        return next(((card,) for card in view.visible if holds(view.wallet, card.pebbles)), ())


class _Random:
    def __init__(self, table: EquationTable, seed: int) -> None:
        self._table = table
        self._seed = seed

    def request(self, view: TurnView) -> Request:
        """Return any of the shortest requests."""
        return self._random(view).choice(requests(self._table, view.wallet, view.bank))

    def cards(self, view: TurnView) -> Purchase:
        """Return any purchase."""
        return self._random(view).choice(tuple(purchases(view.wallet, view.visible)))

    def _random(self, view: TurnView) -> Random:
        """Return a generator that is the same for the same view in every process, as `hash` would not be."""
        return Random(repr((self._seed, *view)))


class _Search:
    def __init__(self, table: EquationTable, metric: Metric, depth: int) -> None:
        self._table = table
        self._metric = metric
        self._depth = depth

    def request(self, view: TurnView) -> Request:
        """Return a pebble if no equation can be used, else the exchanges of the best plan."""
        if view.bank and not self._table.usable(view.wallet, view.bank):
            return PEBBLE
        return best_plan(self._table, view, self._metric, self._depth).exchanges

    def cards(self, view: TurnView) -> Purchase:
        """Return the purchase of the plan: it is the best one for the wallet that the exchanges have made."""
        return best_purchase(view.wallet, view.visible, self._metric)


class _Best:
    """A strategy that is stronger than `points` in three ways.

    It tries twice as many exchanges in a row (as far as 4,000 wallets go), because a long list costs no more than a
    short one. It values what a purchase leaves by the points that this could score in the next turn, so it may buy
    fewer cards, or other ones, now. And it asks for a pebble, which is free, whenever one promises as much on average
    as the best exchanges, which cost a card.
    """

    def __init__(self, table: EquationTable, depth: int, width: int, ahead: int) -> None:
        self._table = table
        self._depth = depth
        self._width = width
        self._ahead = ahead / 100

    def request(self, view: TurnView) -> Request:
        """Return a pebble if it promises as much as the best exchanges, else those."""
        reach = reachable(self._table, view.wallet, view.bank, self._depth, most=_WALLETS)
        value, offer = self._choice(view, chain.from_iterable(reach.levels))
        if view.bank and self._pebble_value(view) >= value:
            return PEBBLE
        return reach.exchanges_to(payer(offer))

    def cards(self, view: TurnView) -> Purchase:
        """Return the purchase that is worth most, this turn and the next one together."""
        return self._choice(view, [view.wallet])[1].line.cards

    def _pebble_value(self, view: TurnView) -> float:
        """Return what a random pebble is worth on average."""
        drawn = [(count, unit) for count, unit in zip(unpack(view.bank), UNITS, strict=True) if count]
        values = [count * self._choice(view, [view.wallet + unit])[0] for count, unit in drawn]
        return sum(values) / size(view.bank)

    def _choice(self, view: TurnView, wallets: Iterable[Bag]) -> tuple[float, Offer]:
        """Return the best of the purchases with the most points, and its value."""
        likely = nlargest(self._width, offers(wallets, bundles(view.visible, "points"), "points"))
        return max((offer.points + self._ahead * self._next_points(view, offer), offer) for offer in likely)

    def _next_points(self, view: TurnView, offer: Offer) -> int:
        """Return the most that the rest of a wallet can earn with the rest of the row."""
        row = list(view.visible)
        for card in offer.line.cards:
            row.remove(card)
        bank = view.wallet + view.bank - offer.left
        reach = reachable(self._table, offer.left, bank, most=_NEXT_WALLETS)
        found = best_offer(chain.from_iterable(reach.levels), bundles(tuple(row), "points"), "points", 1)
        return found.points if found else 0


_DEPTH = {"depth": (DEPTH, 0, DEPTH)}

STRATEGIES: Mapping[str, StrategyKind[Strategy]] = {
    "first": StrategyKind(
        lambda: _First, "Asks for a pebble whenever it can, and buys the first card it can pay for: answers at once."
    ),
    "random": StrategyKind(
        lambda **keys: partial(_Random, **keys),
        "Answers by chance, in the same way whenever it is shown the same.",
        {"seed": (0, 0, 2**63 - 1)},
    ),
    "points": StrategyKind(
        lambda **keys: partial(_Search, metric="points", **keys),
        "Searches up to four exchanges for the purchase with the most points.",
        _DEPTH,
    ),
    "size": StrategyKind(
        lambda **keys: partial(_Search, metric="size", **keys),
        "Searches up to four exchanges for the purchase with the most cards.",
        _DEPTH,
    ),
    "best": StrategyKind(
        lambda **keys: partial(_Best, **keys),
        "Searches up to eight exchanges, and values what a purchase leaves for the next turn: beats points.",
        {"depth": (8, 0, 8), "width": (20, 1, 20), "ahead": (90, 0, 100)},
    ),
}


def strategy(spec: str) -> Strategy:
    """Return the strategy that a text names: "points", "random:seed=7", "best:depth=6,width=10".

    Raises ValueError, with a sentence that says what is allowed, if there is no such strategy, key or value.
    """
    return make_strategy(spec, STRATEGIES, "Bazaar")


def search_depth(spec: str) -> int:
    """Return how deep a strategy is asked to search; 0 if no deeper than by default. Raises ValueError likewise."""
    return search_depth_among(spec, STRATEGIES, "Bazaar")
