"""The equations of one game (bazaar.md section 2)."""

from __future__ import annotations

from dataclasses import dataclass, field

from fairplay.games.bazaar.rules.pieces import GUARD, Bag, Exchange, exchange_order, mirrored, size, unpack


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
    return not any(mine and theirs for mine, theirs in zip(unpack(one), unpack(other), strict=True))
