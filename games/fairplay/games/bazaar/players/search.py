"""What a wallet can become and what it can buy: the search of the house strategies (bazaar.md section 9).

Bank and wallet together do not change in a turn, so of all the lists of exchanges that lead to one wallet only
the shortest, then smallest, has to be kept. Which cards a wallet can pay for depends on their pebbles alone, and
only the last of them can leave fewer than three pebbles: so a wallet is measured against bundles of cards, not
against every order of them. Buying all one can is never worse, so nothing has to be said about maximal sequences.
"""

from __future__ import annotations

import sys
from itertools import combinations
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from fairplay.games.bazaar.rules.pieces import POINTS, Bag, Exchange, bag_order, card_order, holds, size

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from fairplay.games.bazaar.rules import Exchanges, Purchase, Rulebook, View

Metric: TypeAlias = Literal["points", "size"]
DEPTH = 4
"""How many exchanges the house strategies put into one request at most."""

_ROOMY = POINTS[-1]
_LAST = tuple((plain - _ROOMY[0], face - _ROOMY[1]) for plain, face in POINTS)
"""What the last card scores above the others: by pebbles left (0, 1, 2, 3 or more), plain and with a face."""


class Plan(NamedTuple):
    """The two answers of one turn."""

    exchanges: Exchanges
    purchase: Purchase


class Reach(NamedTuple):
    """The wallets that exchanges lead to: `levels[n]` are those that take n, smallest list of exchanges first."""

    levels: tuple[tuple[Bag, ...], ...]
    steps: dict[Bag, tuple[Bag, Exchange]]
    """The last step to each wallet but the first: from which other one, and by which exchange."""

    def exchanges_to(self, wallet: Bag) -> Exchanges:
        """The shortest, then smallest, list of exchanges that leads to a wallet."""
        path: list[Exchange] = []
        while wallet in self.steps:
            wallet, exchange = self.steps[wallet]
            path.append(exchange)
        return tuple(reversed(path))


def reachable(rulebook: Rulebook, wallet: Bag, bank: Bag, depth: int = DEPTH, *, most: int = sys.maxsize) -> Reach:
    """Every wallet that at most `depth` legal exchanges lead to, or the first of them once there are `most`.

    Lists of exchanges are tried from the smallest to the largest, so the first to lead to a wallet is the one.
    """
    levels: list[tuple[Bag, ...]] = [(wallet,)]
    steps: dict[Bag, tuple[Bag, Exchange]] = {}
    while len(levels) <= depth and len(steps) < most:
        levels.append(tuple(_next_level(rulebook, levels, wallet + bank, steps, most)))
    return Reach(tuple(levels), steps)


def _next_level(
    rulebook: Rulebook, levels: list[tuple[Bag, ...]], total: Bag, steps: dict[Bag, tuple[Bag, Exchange]], most: int
) -> Iterator[Bag]:
    """The wallets one exchange further; notes the step to each."""
    start = levels[0][0]
    for before in levels[-1]:
        for exchange in rulebook.usable(before, total - before):
            after = before - exchange.left + exchange.right
            if after not in steps and after != start:
                steps[after] = before, exchange
                yield after
        if len(steps) >= most:
            return


class _Line(NamedTuple):
    """Cards in an order. A larger rank is a smaller card sequence (section 9), of two with the same length."""

    rank: tuple[tuple[bool, int], ...]
    cards: Purchase


class Bundle(NamedTuple):
    """Cards that may be bought together."""

    pebbles: Bag
    limit: int
    """More than this it can never be worth, by the metric it is made for."""
    worth: int
    """The points of its cards when all leave three pebbles or more."""
    line: _Line
    """The smallest sequence. It ends with a face if there is one, so no other sequence scores more."""


class Offer(NamedTuple):
    """Something to buy. The greater of two offers is the better one (section 9, (a) to (d))."""

    value: int
    points: int
    left_count: int
    left: Bag
    """The wallet afterwards: of two with as many pebbles, the greater number is the smaller word."""
    line: _Line


def bundles(visible: Purchase, metric: Metric) -> list[Bundle]:
    """Every different choice of visible cards, the most promising first."""
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
    """Everything that the wallets can buy. `choices` are the bundles of the visible cards for this metric."""
    for wallet in wallets:
        for bundle in choices:
            if holds(wallet, bundle.pebbles):
                yield _offer(wallet - bundle.pebbles, bundle, metric)


def best_offer(wallets: Iterable[Bag], choices: Sequence[Bundle], metric: Metric, floor: int) -> Offer | None:
    """The best of `offers`, None if the value of none reaches the floor."""
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
    """The wallet that an offer is for."""
    return offer.left + sum(card.pebbles for card in offer.line.cards)


def best_purchase(wallet: Bag, visible: Purchase, metric: Metric) -> Purchase:
    """What a house strategy buys with a wallet."""
    offer = best_offer([wallet], bundles(visible, metric), metric, 0)
    return offer.line.cards if offer else ()


def best_plan(rulebook: Rulebook, view: View, metric: Metric, depth: int = DEPTH) -> Plan:
    """The exchanges and the purchase that a house strategy prefers to all others.

    After the metric fewer exchanges count most, so a longer list has to reach a higher value. Then the purchase
    counts; and lists of one length that leave and buy the same lead to the same wallet, so the smallest is taken.
    """
    reach = reachable(rulebook, view.wallet, view.bank, depth)
    choices = bundles(view.visible, metric)
    plan, floor = Plan((), ()), 0
    for level in reach.levels:
        if offer := best_offer(level, choices, metric, floor):
            floor = offer.value + 1
            plan = Plan(reach.exchanges_to(payer(offer)), offer.line.cards)
    return plan
