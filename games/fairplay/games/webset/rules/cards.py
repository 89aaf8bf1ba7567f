"""The 81 cards and what makes a set of three (webset.md section 1).

A card is its number from 0 to 80; written with four digits to the base 3 it is number, colour, symbol and shading. The
small deck are the cards 0 to 26, whose number is always one.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from itertools import combinations
from typing import TypeAlias

CARDS = 81
EMPTY = 81
"""The number in a slot of the table without a card."""
COUNTS = ("one", "two", "three")
COLORS = ("red", "green", "purple")
SYMBOLS = ("oval", "squiggle", "diamond")
SHADINGS = ("solid", "open", "striped")

Cards: TypeAlias = tuple[int, ...]
Triple: TypeAlias = tuple[int, int, int]


def digits(card: int) -> tuple[int, int, int, int]:
    """Return number, colour, symbol and shading of a card, each 0 to 2."""
    return card // 27, card // 9 % 3, card // 3 % 3, card % 3


def card_of(number: int, color: int, symbol: int, shading: int) -> int:
    """Return the card with these four digits."""
    return 27 * number + 9 * color + 3 * symbol + shading


_THIRD = tuple(
    tuple(
        card_of(*[(6 - left - right) % 3 for left, right in zip(digits(one), digits(other), strict=True)])
        for other in range(CARDS)
    )
    for one in range(CARDS)
)


def third(one: int, other: int) -> int:
    """Return the card that makes a set of two different ones: in each aspect the digit (6 - a - b) mod 3."""
    return _THIRD[one][other]


def is_set(one: int, two: int, three: int) -> bool:
    """Return whether three cards are a set. The same card three times is no set."""
    return one != two and _THIRD[one][two] == three


def differing(triple: Iterable[int]) -> tuple[int, ...]:
    """Return the aspects, 0 to 3, in which three cards are not all alike."""
    return tuple([aspect for aspect, values in enumerate(zip(*map(digits, triple), strict=True)) if len({*values}) > 1])


def misfits(triple: Iterable[int]) -> tuple[int, ...]:
    """Return the aspects, 0 to 3, in which two of three cards are alike and one is not: none if they are a set."""
    values = enumerate(zip(*map(digits, triple), strict=True))
    return tuple([aspect for aspect, each in values if len({*each}) == 2])


@lru_cache(maxsize=4096)
def sets_among(cards: Cards) -> tuple[Triple, ...]:
    """Return all sets among different cards: each sorted, in sorted order."""
    held, found = frozenset(cards), []
    for one, two in combinations(sorted(cards), 2):
        three = _THIRD[one][two]
        if three > two and three in held:
            found.append((one, two, three))
    return tuple(found)


def deck_of(aspects: int) -> range:
    """Return the cards of a game: all 81, or the 27 of the small deck."""
    return range(3**aspects)


def format_card(card: int) -> str:
    """Return a card as the rules write it, e.g. "0121"."""
    return "".join(map(str, digits(card)))


def parse_card(text: str) -> int:
    """Return the card that is written so. Raises ValueError if the text names no card."""
    if len(text) != 4 or not set(text) <= set("012"):
        raise ValueError(f"A card is four digits from 0 to 2, not {text!r}.")
    return int(text, 3)


def card_name(card: int) -> str:
    """Return a card in words, e.g. "two green open ovals"."""
    number, color, symbol, shading = digits(card)
    return f"{COUNTS[number]} {COLORS[color]} {SHADINGS[shading]} {SYMBOLS[symbol]}{'s' if number else ''}"
