"""Pebbles, cards, exchanges and tables of equations as values, their texts and orders (bazaar.md 1, 2, 5, 9).

A bag of pebbles is one packed `int`: twelve bits for each colour, the alphabetically smallest initial highest. Adding
and removing pebbles is then `+` and `-`, and asking whether a bag holds another one takes a single subtraction.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

Bag: TypeAlias = int

COLOURS = ("red", "white", "blue", "green", "yellow")
INITIALS = "rwbgy"
EMPTY: Bag = 0
MAX_COUNT = 400
"""The most pebbles of one colour that a bag may hold."""

_BITS = 12
_FIELD = (1 << _BITS) - 1
_SHIFTS = tuple("ywrgb".index(initial) * _BITS for initial in INITIALS)
_FIELDS = tuple(_FIELD << shift for shift in _SHIFTS)
_ALL = sum(_FIELDS)
UNITS: tuple[Bag, ...] = tuple(1 << shift for shift in _SHIFTS)
"""One pebble of each colour, in canonical order."""
GUARD = sum(1 << (shift + _BITS - 1) for shift in _SHIFTS)
"""The bits that no bag uses and a subtraction borrows: see `holds`."""


def pack(counts: Iterable[int]) -> Bag:
    """Return the bag with five counts, in the order of `COLOURS`. Raises ValueError unless each is 0..`MAX_COUNT`."""
    counts = tuple(counts)
    if len(counts) != len(COLOURS) or not all(0 <= count <= MAX_COUNT for count in counts):
        raise ValueError(f"a bag is five counts, each 0..{MAX_COUNT}, not {counts}")
    return sum(count << shift for count, shift in zip(counts, _SHIFTS, strict=True))


def unpack(bag: Bag) -> tuple[int, ...]:
    """Return how many pebbles of each colour a bag holds, in the order of `COLOURS`."""
    return tuple(bag >> shift & _FIELD for shift in _SHIFTS)


def parse_bag(text: str) -> Bag:
    """Return the bag written as initials in any order: "rrb" is two red and one blue, "" is empty.

    Raises ValueError if there is any other letter, or too many of one.
    """
    if not set(text) <= set(INITIALS):
        raise ValueError(f"pebbles are written with the letters {INITIALS}, not {text!r}")
    return pack(map(text.count, INITIALS))


def bag_text(bag: Bag) -> str:
    """Return the initials of a bag's pebbles in canonical order, which `parse_bag` reads."""
    return "".join(initial * count for initial, count in zip(INITIALS, unpack(bag), strict=True))


def bag_words(bag: Bag) -> str:
    """Return a bag as people say it, e.g. "2 red, 1 blue"."""
    return ", ".join(f"{count} {colour}" for colour, count in zip(COLOURS, unpack(bag), strict=True) if count)


def is_bag(value: int) -> bool:
    """Return whether a number is a bag: five counts of 0..`MAX_COUNT` and nothing else."""
    return 0 <= value <= _ALL and all(count <= MAX_COUNT for count in unpack(value))


def size(bag: Bag) -> int:
    """Return how many pebbles a bag holds: the sum of its digits of twelve bits, which the remainder by 4095 is."""
    return bag % _FIELD


def holds(bag: Bag, part: Bag) -> bool:
    """Return whether `part` is a sub-multiset of `bag`: no colour has to borrow its guard bit."""
    return (bag | GUARD) - part & GUARD == GUARD


def bag_order(bag: Bag) -> int:
    """Return a key that sorts bags by number of pebbles, then as words of sorted initials (b < g < r < w < y).

    Of two words of one length, the smaller has more of the first letter in which they differ: it is the larger packed
    number.
    """
    return (bag % _FIELD << _BITS * len(COLOURS)) - bag


class Card(NamedTuple):
    """A card: five pebbles and perhaps a happy face. Two equal cards are interchangeable."""

    pebbles: Bag
    face: bool


CARD_PEBBLES = 5
POINTS = ((5, 8), (3, 5), (2, 3), (1, 2))
"""The score of a card: by pebbles left (0, 1, 2, 3 or more), then plain and with a face."""


def points(left: int, face: bool) -> int:
    """Return the score of a card whose purchase leaves so many pebbles in the wallet (section 5)."""
    return POINTS[min(left, 3)][face]


def card_order(card: Card) -> tuple[bool, int]:
    """Return a key that sorts cards: those without a face first, then by their pebbles as bags (section 9)."""
    return card.face, bag_order(card.pebbles)


def parse_card(text: str) -> Card:
    """Return the card written "rrbgy", or "rrbgy*" with a face. Raises ValueError unless it shows five pebbles."""
    pebbles = parse_bag(text.removesuffix("*"))
    if size(pebbles) != CARD_PEBBLES:
        raise ValueError(f"a card shows {CARD_PEBBLES} pebbles: {text!r}")
    return Card(pebbles, text.endswith("*"))


def card_text(card: Card) -> str:
    """Return the text of a card, which `parse_card` reads."""
    return bag_text(card.pebbles) + "*" * card.face


class Exchange(NamedTuple):
    """A directed exchange: the player gives `left` and gets `right`. An equation is held as either of its exchanges."""

    left: Bag
    right: Bag


def mirrored(exchange: Exchange) -> Exchange:
    """Return the exchange that uses the same equation the other way round."""
    return Exchange(exchange.right, exchange.left)


def exchange_order(exchange: Exchange) -> tuple[int, int]:
    """Return a key that sorts exchanges: by their left sides as bags, then by their right sides."""
    return bag_order(exchange.left), bag_order(exchange.right)


def parse_exchange(text: str) -> Exchange:
    """Return the exchange written "r->bbbb", or the equation "r=bbbb". Raises ValueError if it is neither."""
    left, arrow, right = text.replace("->", "=").partition("=")
    if not arrow:
        raise ValueError(f"an exchange is written r->bbbb: {text!r}")
    return Exchange(parse_bag(left), parse_bag(right))


def exchange_text(exchange: Exchange) -> str:
    """Return the text of an exchange, which `parse_exchange` reads."""
    return f"{bag_text(exchange.left)}->{bag_text(exchange.right)}"


@dataclass(frozen=True, slots=True)
class EquationTable:
    """The equations of a game, in the order and orientation in which they were given."""

    equations: tuple[Exchange, ...]
    exchanges: tuple[Exchange, ...] = field(init=False, repr=False, compare=False)
    """Every equation in both directions, smallest exchange first (section 9)."""
    _known: frozenset[Exchange] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """List both directions once, so that no turn has to."""
        both = {way for equation in self.equations for way in (equation, mirrored(equation))}
        object.__setattr__(self, "exchanges", tuple(sorted(both, key=exchange_order)))
        object.__setattr__(self, "_known", frozenset(both))

    def __contains__(self, exchange: Exchange) -> bool:
        """Return whether an exchange is an equation of the table, in either direction, both sides exactly."""
        return exchange in self._known

    def usable(self, wallet: Bag, bank: Bag) -> list[Exchange]:
        """Return the exchanges that a wallet and a bank can carry out now, smallest first."""
        wallet |= GUARD
        bank |= GUARD
        return [way for way in self.exchanges if (wallet - way[0]) & (bank - way[1]) & GUARD == GUARD]


def equations_problem(table: EquationTable, limit: int, side_min: int, side_max: int) -> str | None:
    """Return one sentence that says why a table breaks section 2, or None if it does not."""
    equations = table.equations
    if len(equations) > limit:
        return f"A table has at most {limit} equations, not {len(equations)}."
    if len(table.exchanges) != 2 * len(equations):
        return "Two equations of the table are the same, perhaps with their sides swapped."
    for equation in equations:
        if not all(side_min <= size(side) <= side_max for side in equation):
            return f"Each side of an equation has {side_min} to {side_max} pebbles."
        if not disjoint(*equation):
            return "The two sides of an equation share no colour."
    return None


def disjoint(one: Bag, other: Bag) -> bool:
    """Return whether two bags share no colour."""
    return not any(one & field and other & field for field in _FIELDS)
