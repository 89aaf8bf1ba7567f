"""Features of decisions in Bazaar: on both sides of the borders of its rules."""

from __future__ import annotations

from itertools import combinations
from typing import Any, NamedTuple

from fairplay.games.bazaar.protocol import codec
from fairplay.games.bazaar.rules.pieces import UNITS, EquationTable, holds, size, unpack
from fairplay.games.bazaar.rules.state import TurnView
from fairplay.games.conformance import Features


class Seen(NamedTuple):
    """What a request shows."""

    view: TurnView
    table: EquationTable

    @property
    def usable(self) -> int:
        """Return how many exchanges can be made now."""
        return len(self.table.usable(self.view.wallet, self.view.bank))

    @property
    def missing(self) -> list[int]:
        """Return how many pebbles the wallet lacks for each visible card."""
        wallet = unpack(self.view.wallet)
        return [
            sum(max(0, wanted - had) for wanted, had in zip(unpack(card.pebbles), wallet, strict=True))
            for card in self.view.visible
        ]


def read(request: Any) -> Seen:
    """Return what a request shows."""
    return Seen(codec.read_view(request.turn_state), codec.read_table(request.turn_state.table))


def bank_blocks(seen: Seen) -> bool:
    """Return whether the wallet could pay for an exchange that the bank cannot."""
    view = seen.view
    return any(holds(view.wallet, way.left) and not holds(view.bank, way.right) for way in seen.table.exchanges)


def nearly_pays(seen: Seen) -> bool:
    """Return whether the wallet lacks one pebble for a card, and the bank has such a one."""
    short = [card for card, lack in zip(seen.view.visible, seen.missing, strict=True) if lack == 1]
    units = [unit for unit in UNITS if holds(seen.view.bank, unit)]
    return any(holds(seen.view.wallet + unit, card.pebbles) for card in short for unit in units)


def bank_blocks_a_card(seen: Seen) -> bool:
    """Return whether a card could be paid for after an exchange for which the bank alone lacks pebbles."""
    view, ways = seen.view, seen.table.exchanges
    blocked = [way for way in ways if holds(view.wallet, way.left) and not holds(view.bank, way.right)]
    return any(holds(view.wallet - way.left + way.right, card.pebbles) for way in blocked for card in view.visible)


def bank_suffices_once(seen: Seen) -> bool:
    """Return whether the wallet could pay for an exchange twice, and the bank for one time alone."""
    view, ways = seen.view, seen.table.usable(seen.view.wallet, seen.view.bank)
    return any(holds(view.wallet, 2 * way.left) and not holds(view.bank, 2 * way.right) for way in ways)


def pays_three(seen: Seen) -> bool:
    """Return whether the wallet can pay for three of the visible cards together."""
    return any(
        holds(seen.view.wallet, sum(card.pebbles for card in cards)) for cards in combinations(seen.view.visible, 3)
    )


def pays_two_not_both(seen: Seen) -> bool:
    """Return whether the wallet can pay for each of two cards, but not for both."""
    payable = [unpack(card.pebbles) for card, lack in zip(seen.view.visible, seen.missing, strict=True) if not lack]
    wallet = unpack(seen.view.wallet)
    return any(
        any(one + other > had for one, other, had in zip(payable[first], payable[second], wallet, strict=True))
        for second in range(len(payable))
        for first in range(second)
    )


FEATURES = Features(
    read,
    {
        "nothing-usable: No equation can be used.": lambda seen: seen.usable == 0,
        "one-usable: One equation can be used, in one direction.": lambda seen: seen.usable == 1,
        "all-usable: Each of several equations can be used in both directions.": lambda seen: (
            seen.usable == len(seen.table.exchanges) > 2
        ),
        "bank-blocks: The wallet could pay for an exchange for which the bank lacks pebbles.": bank_blocks,
        "bank-blocks-a-card: A card could be paid for after an exchange for which the bank lacks pebbles.": (
            bank_blocks_a_card
        ),
        "bank-suffices-once: The wallet could pay for an exchange twice, and the bank once.": bank_suffices_once,
        "pays-three: The wallet can pay for three cards together.": pays_three,
        "pays-none: The wallet can pay for no visible card.": lambda seen: bool(seen.missing) and min(seen.missing) > 0,
        "one-short: The wallet lacks one pebble for a card.": lambda seen: 1 in seen.missing,
        "pays-one: The wallet can pay for one card alone.": lambda seen: seen.missing.count(0) == 1,
        "pays-several: The wallet can pay for each of two cards or more.": lambda seen: seen.missing.count(0) > 1,
        "pays-two-not-both: The wallet can pay for each of two cards, but not for both.": pays_two_not_both,
        "empty-wallet: The wallet is empty.": lambda seen: not seen.view.wallet,
        "rich: The wallet holds 25 pebbles or more.": lambda seen: size(seen.view.wallet) >= 25,
        "rich-in-one: The wallet holds 10 pebbles or more of one colour.": lambda seen: (
            max(unpack(seen.view.wallet)) >= 10
        ),
        "one-color: The wallet holds several pebbles, of one colour.": lambda seen: (
            max(unpack(seen.view.wallet)) == size(seen.view.wallet) > 1
        ),
        "last-pebble: One pebble is left in the bank.": lambda seen: size(seen.view.bank) == 1,
        "equal-cards: Two visible cards are equal.": lambda seen: len(set(seen.view.visible)) < len(seen.view.visible),
        "owns-what-is-visible: The player has bought a card that is visible once more.": lambda seen: bool(
            set(seen.view.visible) & set(seen.view.cards)
        ),
        "owns-many: The player has bought five cards or more.": lambda seen: len(seen.view.cards) >= 5,
        "alone: No rival is left.": lambda seen: not seen.view.scores,
        "bank-empty: The bank is empty.": lambda seen: not seen.view.bank,
        "bank-one-color: The bank holds several pebbles, of one colour.": lambda seen: (
            max(unpack(seen.view.bank)) == size(seen.view.bank) > 1
        ),
        "one-card: One card is visible.": lambda seen: len(seen.view.visible) == 1,
        "no-card: No card is visible.": lambda seen: not seen.view.visible,
        "nearly-pays: The wallet lacks one pebble for a card, and the bank has such a one.": nearly_pays,
        "level: The player has as many points as the best of the others.": lambda seen: (
            seen.view.score == max(seen.view.scores, default=-1)
        ),
    },
)
