"""The equations of one game, and how its equations and cards are drawn (bazaar.md section 2)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from fairplay.games.bazaar.rules.pieces import (
    CARD_PEBBLES,
    GUARD,
    UNITS,
    Card,
    Exchange,
    exchange_order,
    mirrored,
    size,
    unpack,
)

if TYPE_CHECKING:
    from random import Random

    from fairplay.games.bazaar.rules.pieces import Bag


@dataclass(frozen=True, slots=True)
class Rulebook:
    """The table of equations, in the order and orientation in which it was given.

    `exchanges` is every equation in both directions, smallest exchange first (section 9).
    """

    equations: tuple[Exchange, ...]
    exchanges: tuple[Exchange, ...] = field(init=False, repr=False, compare=False)
    _known: frozenset[Exchange] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Lists both directions once, so that no turn has to."""
        both = {way for equation in self.equations for way in (equation, mirrored(equation))}
        object.__setattr__(self, "exchanges", tuple(sorted(both, key=exchange_order)))
        object.__setattr__(self, "_known", frozenset(both))

    def __contains__(self, exchange: Exchange) -> bool:
        """Whether an exchange is an equation of the table, in either direction, both sides exactly."""
        return exchange in self._known

    def usable(self, wallet: Bag, bank: Bag) -> list[Exchange]:
        """The exchanges that a wallet and a bank can carry out now, smallest first."""
        wallet |= GUARD
        bank |= GUARD
        return [way for way in self.exchanges if (wallet - way[0]) & (bank - way[1]) & GUARD == GUARD]


def equations_problem(rulebook: Rulebook, limit: int, side_min: int, side_max: int) -> str | None:
    """One sentence saying why a table breaks section 2, None if it does not."""
    equations = rulebook.equations
    if len(equations) > limit:
        return f"a table has at most {limit} equations, not {len(equations)}"
    if len(rulebook.exchanges) != 2 * len(equations):
        return "two equations of the table are the same, perhaps with their sides swapped"
    for equation in equations:
        if not all(side_min <= size(side) <= side_max for side in equation):
            return f"each side of an equation has {side_min} to {side_max} pebbles"
        if not disjoint(*equation):
            return "the two sides of an equation share no colour"
    return None


def disjoint(one: Bag, other: Bag) -> bool:
    """Whether two bags share no colour."""
    return not any(mine and theirs for mine, theirs in zip(unpack(one), unpack(other), strict=True))


def random_rulebook(rng: Random, equations: int, side_min: int, side_max: int) -> Rulebook:
    """A table of distinct equations, each redrawn until its sides share no colour and it is new.

    Never returns if there are not that many: there are 10 with sides of one pebble, 2,000 with sides of 1 to 4.
    """
    found: dict[frozenset[Bag], Exchange] = {}
    while len(found) < equations:
        left = random_bag(rng, rng.randint(side_min, side_max))
        right = random_bag(rng, rng.randint(side_min, side_max))
        if disjoint(left, right):
            found.setdefault(frozenset((left, right)), Exchange(left, right))
    return Rulebook(tuple(found.values()))


def random_bag(rng: Random, pebbles: int) -> Bag:
    """So many pebbles, each of any colour."""
    return sum(rng.choice(UNITS) for _ in range(pebbles))


def random_cards(rng: Random, count: int) -> tuple[Card, ...]:
    """So many cards, each five independent pebbles and a face half of the time; equal cards may come up."""
    return tuple(Card(random_bag(rng, CARD_PEBBLES), rng.random() < 0.5) for _ in range(count))
