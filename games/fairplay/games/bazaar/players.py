"""The reference players of Bazaar: strategies, the search of two of them, and the player that answers with one.

Bank and wallet together do not change in a turn, so of all lists of exchanges that lead to one wallet only the
shortest, then smallest, is kept. Which cards a wallet can pay for depends on their pebbles alone, and only the last of
them can leave fewer than three pebbles: so a wallet is compared with bundles of cards, not with every order of them.
Buying more is never worse, so the best purchases are maximal without being told to be.

A strategy answers from the equations and what it is shown alone. It remembers nothing: the purchase that section 9 has
it remember for the second call is the best one that it finds there again.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from heapq import nlargest
from itertools import chain, combinations
from random import Random
from typing import Literal, NamedTuple, TypeAlias

from fairplay.bazaar.v1.bazaar_player_pb2 import (
    RequestCardsRequest,
    RequestCardsResponse,
    RequestPebbleOrExchangesRequest,
    RequestPebbleOrExchangesResponse,
)
from fairplay.games.bazaar.protocol import codec
from fairplay.games.bazaar.protocol.conversation import METHODS, REQUEST_CARDS, REQUEST_PEBBLE_OR_EXCHANGES
from fairplay.games.bazaar.rules import purchases, requests
from fairplay.games.bazaar.rules.pieces import (
    POINTS,
    UNITS,
    Bag,
    EquationTable,
    Exchange,
    bag_order,
    card_order,
    holds,
    size,
    unpack,
)
from fairplay.games.bazaar.rules.state import PEBBLE, Exchanges, Purchase, Request, TurnView
from fairplay.games.kit.players import build_players
from fairplay.games.kit.strategies import StrategyKind, make_strategy

Metric: TypeAlias = Literal["points", "size"]
DEPTH = 4
"""How many exchanges `points` and `size` put into one request at most."""

_ROOMY = POINTS[-1]
_LAST = tuple((plain - _ROOMY[0], face - _ROOMY[1]) for plain, face in POINTS)
"""What the last card scores more than the others: by pebbles left (0, 1, 2, 3 or more), plain and with a face."""


class Plan(NamedTuple):
    """The two answers of one turn."""

    exchanges: Exchanges
    purchase: Purchase


class Reach(NamedTuple):
    """The wallets that exchanges lead to: `levels[n]` are those that take n exchanges, smallest list first."""

    levels: tuple[tuple[Bag, ...], ...]
    steps: dict[Bag, tuple[Bag, Exchange]]
    """Wallet -> the wallet before the last exchange that leads to it, and that exchange; not for the first wallet."""

    def exchanges_to(self, wallet: Bag) -> Exchanges:
        """Return the shortest, then smallest, list of exchanges that leads to a wallet."""
        path: list[Exchange] = []
        while wallet in self.steps:
            wallet, exchange = self.steps[wallet]
            path.append(exchange)
        return tuple(reversed(path))


def reachable(table: EquationTable, wallet: Bag, bank: Bag, depth: int = DEPTH, *, most: int = sys.maxsize) -> Reach:
    """Return every wallet that at most `depth` legal exchanges lead to, or the first ones once there are `most`.

    Lists of exchanges are tried from the smallest to the largest, so the first that leads to a wallet is its smallest.
    """
    levels: list[tuple[Bag, ...]] = [(wallet,)]
    steps: dict[Bag, tuple[Bag, Exchange]] = {}
    while len(levels) <= depth and len(steps) < most:
        levels.append(tuple(_next_level(table, levels, wallet + bank, steps, most)))
    return Reach(tuple(levels), steps)


def _next_level(
    table: EquationTable, levels: list[tuple[Bag, ...]], total: Bag, steps: dict[Bag, tuple[Bag, Exchange]], most: int
) -> Iterator[Bag]:
    """Yield the wallets one exchange further, and note the step to each."""
    start = levels[0][0]
    for before in levels[-1]:
        for exchange in table.usable(before, total - before):
            after = before - exchange.left + exchange.right
            if after not in steps and after != start:
                steps[after] = before, exchange
                yield after
        if len(steps) >= most:
            return


class _Line(NamedTuple):
    """Cards in an order. Of two lines of the same length, the greater rank is the smaller card sequence (section 9)."""

    rank: tuple[tuple[bool, int], ...]
    cards: Purchase


class Bundle(NamedTuple):
    """Cards that may be bought together."""

    pebbles: Bag
    limit: int
    """The most that it can be worth by the metric that it is made for."""
    worth: int
    """The points of its cards if all leave three pebbles or more."""
    line: _Line
    """The smallest sequence. It ends with a face if there is one, so no other sequence scores more."""


class Offer(NamedTuple):
    """A purchase that a wallet can pay for. The greater of two is the better one (section 9, (a) to (d))."""

    value: int
    points: int
    left_count: int
    left: Bag
    """The wallet afterwards: of two with as many pebbles, the greater number is the smaller wallet."""
    line: _Line


def bundles(visible: Purchase, metric: Metric) -> list[Bundle]:
    """Return every different choice of visible cards, the most promising first."""
    row = sorted(visible, key=card_order)
    chosen = {cards for count in range(len(row) + 1) for cards in combinations(row, count)}
    return sorted([_bundle(cards, metric) for cards in chosen], reverse=True, key=lambda bundle: bundle.limit)


def _bundle(cards: Purchase, metric: Metric) -> Bundle:
    """Return the bundle of cards that are in ascending order."""
    pebbles = sum(card.pebbles for card in cards)
    worth = sum(_ROOMY[card.face] for card in cards)
    limit = worth + _LAST[0][any(card.face for card in cards)] if metric == "points" else len(cards)
    rank = tuple((not card.face, -bag_order(card.pebbles)) for card in cards)
    return Bundle(pebbles, limit, worth, _Line(rank, cards))


def offers(wallets: Iterable[Bag], choices: Sequence[Bundle], metric: Metric) -> Iterator[Offer]:
    """Yield all that the wallets can buy. `choices` are the bundles of the visible cards for this metric."""
    for wallet in wallets:
        for bundle in choices:
            if holds(wallet, bundle.pebbles):
                yield _offer(wallet - bundle.pebbles, bundle, metric)


def best_offer(wallets: Iterable[Bag], choices: Sequence[Bundle], metric: Metric, floor: int) -> Offer | None:
    """Return the best of `offers`, or None if the value of none reaches the floor."""
    best: Offer | None = None
    for wallet in wallets:
        for bundle in choices:
            if bundle.limit < floor:
                break
            if holds(wallet, bundle.pebbles):
                offer = _offer(wallet - bundle.pebbles, bundle, metric)
                if offer.value >= floor and (best is None or offer > best):
                    best, floor = offer, offer.value
    return best


def _offer(left: Bag, bundle: Bundle, metric: Metric) -> Offer:
    """Return a bundle bought, in the order that scores most and, among those, in the smallest."""
    left_count, points, line = size(left), bundle.worth, bundle.line
    if left_count < 3 and line.cards:
        points += _LAST[left_count][line.cards[-1].face]
    return Offer(points if metric == "points" else len(line.cards), points, left_count, left, line)


def payer(offer: Offer) -> Bag:
    """Return the wallet that an offer is for."""
    return offer.left + sum(card.pebbles for card in offer.line.cards)


def best_purchase(wallet: Bag, visible: Purchase, metric: Metric) -> Purchase:
    """Return the best purchase of a wallet."""
    offer = best_offer([wallet], bundles(visible, metric), metric, 0)
    return offer.line.cards if offer else ()


def best_plan(table: EquationTable, view: TurnView, metric: Metric, depth: int = DEPTH) -> Plan:
    """Return the best exchanges with the best purchase after them.

    After the metric fewer exchanges count most, so a longer list has to reach a higher value. Then the purchase counts.
    Lists of one length that buy and leave the same lead to the same wallet, of which the smallest list is kept.
    """
    reach = reachable(table, view.wallet, view.bank, depth)
    choices = bundles(view.visible, metric)
    plan, floor = Plan((), ()), 0
    for level in reach.levels:
        if offer := best_offer(level, choices, metric, floor):
            floor = offer.value + 1
            plan = Plan(reach.exchanges_to(payer(offer)), offer.line.cards)
    return plan


_WALLETS = 4000
_NEXT_WALLETS = 500
"""How many wallets `best` considers in a turn, and in the next turn after each choice, to answer well below 1 s."""


class Strategy(NamedTuple):
    """How a player answers the two calls of a turn, from the equations and what it is shown."""

    request: Callable[[EquationTable, TurnView], Request]
    """Returns a pebble, or exchanges in order."""
    cards: Callable[[EquationTable, TurnView], Purchase]
    """Returns the cards to buy, in order."""


_FIRST = Strategy(
    lambda table, view: PEBBLE if view.bank else (),
    lambda table, view: next(((card,) for card in view.visible if holds(view.wallet, card.pebbles)), ()),
)


def _random(*, seed: int) -> Strategy:
    def rng(view: TurnView) -> Random:
        return Random(repr((seed, *view)))  # the same for the same view in every process, as `hash` would not be

    return Strategy(
        lambda table, view: rng(view).choice(requests(table, view.wallet, view.bank)),
        lambda table, view: rng(view).choice(tuple(purchases(view.wallet, view.visible))),
    )


def _search(metric: Metric, *, depth: int) -> Strategy:
    """Return the strategy of section 9: a pebble if no equation can be used, else what the best plan says.

    The purchase of the plan is the best one for the wallet that the exchanges have made, and found again there.
    """

    def request(table: EquationTable, view: TurnView) -> Request:
        if view.bank and not table.usable(view.wallet, view.bank):
            return PEBBLE
        return best_plan(table, view, metric, depth).exchanges

    return Strategy(request, lambda table, view: best_purchase(view.wallet, view.visible, metric))


class _Best:
    """A strategy that is stronger than `points` in three ways.

    It tries twice as many exchanges in a row (as far as 4,000 wallets go), because a long list costs no more than a
    short one. It values what a purchase leaves by the points that this could score in the next turn, so it may buy
    fewer cards, or other ones, now. And it asks for a pebble, which is free, whenever one promises as much on average
    as the best exchanges, which cost a card.
    """

    def __init__(self, *, depth: int, width: int, ahead: int) -> None:
        self._depth = depth
        self._width = width
        self._ahead = ahead / 100

    def request(self, table: EquationTable, view: TurnView) -> Request:
        """Return a pebble if it promises as much as the best exchanges, else those."""
        reach = reachable(table, view.wallet, view.bank, self._depth, most=_WALLETS)
        value, offer = self._choice(table, view, chain.from_iterable(reach.levels))
        if view.bank and self._pebble_value(table, view) >= value:
            return PEBBLE
        return reach.exchanges_to(payer(offer))

    def cards(self, table: EquationTable, view: TurnView) -> Purchase:
        """Return the purchase that is worth most, this turn and the next one together."""
        return self._choice(table, view, [view.wallet])[1].line.cards

    def _pebble_value(self, table: EquationTable, view: TurnView) -> float:
        """Return what a random pebble is worth on average."""
        drawn = [(count, unit) for count, unit in zip(unpack(view.bank), UNITS, strict=True) if count]
        values = [count * self._choice(table, view, [view.wallet + unit])[0] for count, unit in drawn]
        return sum(values) / size(view.bank)

    def _choice(self, table: EquationTable, view: TurnView, wallets: Iterable[Bag]) -> tuple[float, Offer]:
        """Return the best of the purchases with the most points, and its value."""
        likely = nlargest(self._width, offers(wallets, bundles(view.visible, "points"), "points"))
        return max((offer.points + self._ahead * _next_points(table, view, offer), offer) for offer in likely)


def _next_points(table: EquationTable, view: TurnView, offer: Offer) -> int:
    """Return the most that the rest of a wallet can earn with the rest of the row."""
    row = list(view.visible)
    for card in offer.line.cards:
        row.remove(card)
    reach = reachable(table, offer.left, view.wallet + view.bank - offer.left, most=_NEXT_WALLETS)
    found = best_offer(chain.from_iterable(reach.levels), bundles(tuple(row), "points"), "points", 1)
    return found.points if found else 0


def _best(**keys: int) -> Strategy:
    best = _Best(**keys)
    return Strategy(best.request, best.cards)


_DEPTH = {"depth": (DEPTH, 0, DEPTH)}

STRATEGIES: Mapping[str, StrategyKind[Strategy]] = {
    "first": StrategyKind(
        lambda: _FIRST, "Asks for a pebble whenever it can, and buys the first card it can pay for: answers at once."
    ),
    "random": StrategyKind(
        _random,
        "Answers by chance, in the same way whenever it is shown the same.",
        {"seed": (0, 0, 2**63 - 1)},
    ),
    "points": StrategyKind(
        partial(_search, "points"),
        "Searches up to four exchanges for the purchase with the most points.",
        _DEPTH,
        is_quick=False,
    ),
    "size": StrategyKind(
        partial(_search, "size"),
        "Searches up to four exchanges for the purchase with the most cards.",
        _DEPTH,
        is_quick=False,
    ),
    "best": StrategyKind(
        _best,
        "Searches up to eight exchanges, and values what a purchase leaves for the next turn: beats points.",
        {"depth": (8, 0, 8), "width": (20, 1, 20), "ahead": (90, 0, 100)},
        is_quick=False,
    ),
}


def strategy(spec: str) -> Strategy:
    """Return the strategy that a text names: "points", "random:seed=7", "best:depth=6,width=10".

    Raises ValueError, with a sentence that says what is allowed, if there is no such strategy, key or value.
    """
    return make_strategy(spec, STRATEGIES, "Bazaar")


def _request(strategy: Strategy, request: RequestPebbleOrExchangesRequest) -> RequestPebbleOrExchangesResponse:
    shown = request.turn_state
    return codec.build_request(strategy.request(codec.read_table(shown.table), codec.read_view(shown)))


def _cards(strategy: Strategy, request: RequestCardsRequest) -> RequestCardsResponse:
    shown = request.turn_state
    return codec.build_purchase(strategy.cards(codec.read_table(shown.table), codec.read_view(shown)))


player = build_players(
    "bazaar",
    "Bazaar",
    METHODS.values(),
    STRATEGIES,
    {REQUEST_PEBBLE_OR_EXCHANGES: _request, REQUEST_CARDS: _cards},
)
"""Text that names a strategy -> a reference player. Raises ValueError like `strategy`."""
