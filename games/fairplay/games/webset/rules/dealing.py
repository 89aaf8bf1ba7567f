"""Dealing: cards come and go, and the game ends when nothing is left to play for (sections 4.3, 5 and 6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fairplay.games.webset.rules.cards import EMPTY
from fairplay.games.webset.rules.state import Phase, playing, solutions

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fairplay.games.webset.rules.state import State

DEAL = 3
"""How many cards are dealt at a time."""


def lay(state: State, most: int, slot_count: int) -> tuple[State, bool]:
    """Draw at most `most` cards into the empty slots among the first `slot_count` (the seed's `refill`, section 4.3).

    Returns False as the second value exactly if there is an empty slot and the deck gave nothing.
    """
    table, holes = list(state.table), [slot for slot in range(slot_count) if state.table[slot] == EMPTY]
    count = min(most, len(holes), len(state.deck))
    for slot, card in zip(holes, state.deck[:count], strict=False):
        table[slot] = card
    return state._replace(table=tuple(table), deck=state.deck[count:]), bool(count) or not holes


def refill(state: State, most: int) -> tuple[State, bool]:
    """Refill the base area with at most `most` cards after others were taken, as the refill rule says; see `lay`."""
    base = state.settings.table
    if state.settings.refill_rule == "to_12":
        state = _compact(state)
    return lay(state, most, base)


def _compact(state: State) -> State:
    """Move cards from beyond the base area into its holes, both in slot order."""
    base = state.settings.table
    beyond = [card for card in state.table[base:] if card != EMPTY]
    first = [beyond.pop(0) if card == EMPTY and beyond else card for card in state.table[:base]]
    rest = [EMPTY] * (len(state.table) - base - len(beyond))
    return state._replace(table=(*first, *beyond, *rest))


def without(state: State, cards: Iterable[int]) -> State:
    """Take cards from the table."""
    gone = frozenset(cards)
    return state._replace(table=tuple([EMPTY if card in gone else card for card in state.table]))


def deal_more(state: State) -> State:
    """Deal up to three more cards, anywhere on the table."""
    return end_lockouts(lay(state, DEAL, len(state.table))[0])


def can_deal(state: State) -> bool:
    """Return whether there is a card to deal, and a slot for it."""
    return bool(state.deck) and EMPTY in state.table


def end_lockouts(state: State) -> State:
    """End votes and lockouts, as the table has changed."""
    players = tuple([player._replace(locked=False) if player.locked else player for player in state.players])
    return state._replace(votes=(), players=players)


def settle(state: State) -> State:
    """Deal more cards while there is no set and the referee deals by itself, or end the game (section 6)."""
    if state.phase is Phase.OVER:
        return state
    if state.act_count >= state.settings.act_cap or not playing(state):
        return end(state)
    while state.phase is Phase.OPEN and not solutions(state):
        if not state.deck:
            return end(state)
        if state.settings.more_rule != "auto":
            break
        state = deal_more(state)
    return state


def end(state: State) -> State:
    """End the game as it stands."""
    return state._replace(phase=Phase.OVER, caller=None, displayed=0, votes=())
