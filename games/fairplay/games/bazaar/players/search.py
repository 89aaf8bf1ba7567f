"""The search of the strategies `points` and `size`: what exchanges make of a wallet, and what it can buy (section 9).

Bank and wallet together do not change in a turn, so of all lists of exchanges that lead to one wallet only the
shortest, then smallest, is kept. Which cards a wallet can pay for depends on their pebbles alone, and only the last of
them can leave fewer than three pebbles: so a wallet is compared with bundles of cards, not with every order of them.
Buying more is never worse, so the best purchases are maximal without being told to be.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import Literal, NamedTuple, TypeAlias

from fairplay.games.bazaar.rules import EquationTable, Exchanges, Purchase, TurnView
from fairplay.games.bazaar.rules.pieces import POINTS, Bag, Exchange, bag_order, card_order, holds, size

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
