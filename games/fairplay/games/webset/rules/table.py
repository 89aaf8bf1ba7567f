"""What the dealer does: cards come and go, and whether there is anything left to play for (sections 4.3, 5 and 6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fairplay.games.webset.rules.cards import EMPTY
from fairplay.games.webset.rules.state import Phase, on_table, playing, solutions

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fairplay.games.webset.rules.state import State

DEAL = 3
"""How many cards are dealt at a time."""


def laid(state: State, most: int, slot_count: int) -> tuple[State, bool]:
    """The seed's `refill`: cards are drawn into the first empty slots of so many, at most `most` cards.

    False exactly when there is an empty slot and the deck gave nothing (section 4.3).
    """
    table, holes = list(state.table), [slot for slot in range(slot_count) if state.table[slot] == EMPTY]
    count = min(most, len(holes), len(state.deck))
    for slot, card in zip(holes, state.deck[:count], strict=False):
        table[slot] = card
    return state._replace(table=tuple(table), deck=state.deck[count:]), bool(count) or not holes


def refilled(state: State, most: int) -> tuple[State, bool]:
    """After cards were taken away: up to `most` others, as the refill rule says; the same truth as `laid`."""
    base = state.settings.table
    if state.settings.refill_rule == "to_12":
        state = _compacted(state)
        most = min(most, max(0, base - len(on_table(state))))
    return laid(state, most, base)


def _compacted(state: State) -> State:
    """Cards from beyond the base area move into its holes, both in slot order."""
    base = state.settings.table
    beyond = [card for card in state.table[base:] if card != EMPTY]
    first = [beyond.pop(0) if card == EMPTY and beyond else card for card in state.table[:base]]
    rest = [EMPTY] * (len(state.table) - base - len(beyond))
    return state._replace(table=(*first, *beyond, *rest))


def without(state: State, cards: Iterable[int]) -> State:
    """The table without these cards."""
    gone = frozenset(cards)
    return state._replace(table=tuple([EMPTY if card in gone else card for card in state.table]))


def dealt_more(state: State) -> State:
    """Up to three cards more, anywhere on the table."""
    return changed(laid(state, DEAL, len(state.table))[0])


def can_deal(state: State) -> bool:
    """Whether there is a card to lay, and a slot for it."""
    return bool(state.deck) and EMPTY in state.table


def changed(state: State) -> State:
    """What a change of the table means for votes and lockouts: they are over."""
    players = tuple([player._replace(locked=False) if player.locked else player for player in state.players])
    return state._replace(votes=(), players=players)


def settled(state: State) -> State:
    """What the dealer does when an act is done: deals where there is no set, or ends the game (section 6)."""
    if state.phase is Phase.OVER:
        return state
    if state.act_count >= state.settings.act_cap or not playing(state):
        return ended(state)
    while state.phase is Phase.OPEN and not solutions(state):
        if not state.deck:
            return ended(state)
        if state.settings.more_rule != "auto":
            break
        state = dealt_more(state)
    return state


def ended(state: State) -> State:
    """The game is over as it stands."""
    return state._replace(phase=Phase.OVER, caller=None, displayed=0, votes=())
