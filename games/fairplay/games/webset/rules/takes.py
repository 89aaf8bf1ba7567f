"""Which cards are a set on the table, and what points are left of a price."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fairplay.games.webset.rules.cards import deck_of, is_set

if TYPE_CHECKING:
    from fairplay.games.webset.rules.cards import Cards
    from fairplay.games.webset.rules.state import State


def take_violation(state: State, cards: Cards) -> str | None:
    """Return the rule because of which cards are no set on the table, or None if they are one."""
    if len(cards) != 3:
        return "webset.take.three"
    if not all(card in deck_of(state.settings.aspects) for card in cards):
        return "webset.take.card-range"
    if len(set(cards)) < 3:
        return "webset.take.distinct"
    if not all(card in state.table for card in cards):
        return "webset.take.on-table"
    return None if is_set(*cards) else "webset.take.set"


def pay(points: int, price: int, floor: int | None) -> int:
    """Return what is left of points after a price is paid, which takes nobody below the floor."""
    left = points - price
    return left if floor is None else max(left, floor)
