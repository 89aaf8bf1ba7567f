"""Reference players for Bazaar. Section 9 of bazaar.md describes two of them: `points` and `size`.

A strategy is made for one game, when its equations are known, and answers from what it is shown alone. It need
not remember anything: what section 9 has it remember for the second call of a turn is what it finds there again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from heapq import nlargest
from itertools import chain
from random import Random
from types import MappingProxyType
from typing import NamedTuple, Protocol, TypeAlias

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
from fairplay.games.bazaar.rules import PEBBLE, Purchase, Request, Rulebook, View, purchases, requests
from fairplay.games.bazaar.rules.pieces import UNITS, Bag, holds, size, unpack

_WALLETS = 4000
_NEXT_WALLETS = 500
"""How many wallets `best` considers in a turn, and in the next one after each choice: keeps it well below 1 s."""


class Brain(Protocol):
    """Answers the two calls of a turn."""

    def request(self, view: View) -> Request:
        """A pebble, or exchanges in order."""

    def cards(self, view: View) -> Purchase:
        """The cards to buy, in order."""


Strategy: TypeAlias = Callable[[Rulebook], Brain]
"""Makes the brain for one game from the equations that set-up tells."""


class _First:
    def __init__(self, rulebook: Rulebook) -> None:
        """Has no use for the equations."""

    def request(self, view: View) -> Request:
        """A pebble, or else no exchange."""
        return PEBBLE if view.bank else ()

    def cards(self, view: View) -> Purchase:
        """One card at most."""
        return next(((card,) for card in view.visible if holds(view.wallet, card.pebbles)), ())


class _Random:
    def __init__(self, rulebook: Rulebook, seed: int) -> None:
        self._rulebook = rulebook
        self._seed = seed

    def request(self, view: View) -> Request:
        """Any of the shortest requests."""
        return self._random(view).choice(requests(self._rulebook, view.wallet, view.bank))

    def cards(self, view: View) -> Purchase:
        """Any purchase."""
        return self._random(view).choice(tuple(purchases(view.wallet, view.visible)))

    def _random(self, view: View) -> Random:
        """The same for the same view in every process, as `hash` would not be."""
        return Random(repr((self._seed, *view)))


class _House:
    def __init__(self, rulebook: Rulebook, metric: Metric, depth: int) -> None:
        self._rulebook = rulebook
        self._metric = metric
        self._depth = depth

    def request(self, view: View) -> Request:
        """A pebble if no equation can be used, else the exchanges of the best plan."""
        if view.bank and not self._rulebook.usable(view.wallet, view.bank):
            return PEBBLE
        return best_plan(self._rulebook, view, self._metric, self._depth).exchanges

    def cards(self, view: View) -> Purchase:
        """The purchase of the plan: it was the best one for the wallet that the exchanges have made."""
        return best_purchase(view.wallet, view.visible, self._metric)


class _Best:
    """Stronger than `points` in three ways.

    It tries twice as many exchanges in a row (as far as 4,000 wallets go), because a long list costs no more
    than a short one. It values what a purchase leaves by the points that this could score in the next turn, so
    it may buy fewer cards, or other ones, now. And it asks for a pebble, which is free, whenever one promises
    as much on average as the best exchanges, which cost a card.
    """

    def __init__(self, rulebook: Rulebook, depth: int, width: int, ahead: int) -> None:
        self._rulebook = rulebook
        self._depth = depth
        self._width = width
        self._ahead = ahead / 100

    def request(self, view: View) -> Request:
        """A pebble if it promises as much as the best exchanges: it costs no card."""
        reach = reachable(self._rulebook, view.wallet, view.bank, self._depth, most=_WALLETS)
        value, offer = self._choice(view, chain.from_iterable(reach.levels))
        if view.bank and self._pebble_value(view) >= value:
            return PEBBLE
        return reach.exchanges_to(payer(offer))

    def cards(self, view: View) -> Purchase:
        """What leaves most, this turn and the next one together."""
        return self._choice(view, [view.wallet])[1].line.cards

    def _pebble_value(self, view: View) -> float:
        """What a random pebble is worth on average."""
        drawn = [(count, unit) for count, unit in zip(unpack(view.bank), UNITS, strict=True) if count]
        values = [count * self._choice(view, [view.wallet + unit])[0] for count, unit in drawn]
        return sum(values) / size(view.bank)

    def _choice(self, view: View, wallets: Iterable[Bag]) -> tuple[float, Offer]:
        """The best of the purchases with the most points, and its value."""
        likely = nlargest(self._width, offers(wallets, bundles(view.visible, "points"), "points"))
        return max((offer.points + self._ahead * self._next_points(view, offer), offer) for offer in likely)

    def _next_points(self, view: View, offer: Offer) -> int:
        """The most that the rest of a wallet can earn with the rest of the row."""
        row = list(view.visible)
        for card in offer.line.cards:
            row.remove(card)
        bank = view.wallet + view.bank - offer.left
        reach = reachable(self._rulebook, offer.left, bank, most=_NEXT_WALLETS)
        found = best_offer(chain.from_iterable(reach.levels), bundles(tuple(row), "points"), "points", 1)
        return found.points if found else 0


class Option(NamedTuple):
    """A whole number that a strategy can be told."""

    default: int
    low: int
    high: int


class Kind(NamedTuple):
    """A strategy by name."""

    summary: str
    make: Callable[..., Brain]
    options: Mapping[str, Option] = MappingProxyType({})


_DEPTH = MappingProxyType({"depth": Option(DEPTH, 0, DEPTH)})

STRATEGIES: Mapping[str, Kind] = MappingProxyType(
    {
        "first": Kind("Always a pebble, and the first card it can pay for: answers at once.", _First),
        "random": Kind(
            "Any pebble, exchange or purchase; the same one whenever it is shown the same.",
            _Random,
            {"seed": Option(0, 0, 2**63 - 1)},
        ),
        "points": Kind(
            "Searches up to four exchanges for the purchase with the most points.",
            partial(_House, metric="points"),
            _DEPTH,
        ),
        "size": Kind(
            "Searches up to four exchanges for the purchase with the most cards.",
            partial(_House, metric="size"),
            _DEPTH,
        ),
        "best": Kind(
            "Searches up to eight exchanges, and values what a purchase leaves for the next turn: beats points.",
            _Best,
            {"depth": Option(8, 0, 8), "width": Option(20, 1, 20), "ahead": Option(90, 0, 100)},
        ),
    }
)


def strategy(spec: str) -> Strategy:
    """The strategy written "name" or "name:key=value,...": "points", "random:seed=7", "best:depth=6,width=10".

    ValueError, saying what is allowed, for an unknown name or key or a value out of range.
    """
    name, _, settings = spec.partition(":")
    if name not in STRATEGIES:
        raise ValueError(f"no strategy {name!r}: there are {', '.join(STRATEGIES)}")
    kind = STRATEGIES[name]
    values = {key: option.default for key, option in kind.options.items()}
    for setting in filter(None, settings.split(",")):
        key, value = _parsed(name, kind, setting)
        values[key] = value
    return partial(kind.make, **values)


def _parsed(name: str, kind: Kind, setting: str) -> tuple[str, int]:
    key, _, text = setting.partition("=")
    if key not in kind.options:
        allowed = ", ".join(kind.options) or "none"
        raise ValueError(f"strategy {name} has no setting {key!r}: it has {allowed}")
    option = kind.options[key]
    if not (text.isascii() and text.isdigit() and option.low <= int(text) <= option.high):
        raise ValueError(f"{key} of strategy {name} must be {option.low} to {option.high}, not {text!r}")
    return key, int(text)
