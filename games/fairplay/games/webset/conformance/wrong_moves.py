"""What players of Webset get wrong: situations in which they slip, and the cards that they pick then."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import combinations, permutations
from typing import Any, TypeAlias

from fairplay.games.webset import rules
from fairplay.games.webset.protocol import codec
from fairplay.games.webset.rules import State
from fairplay.games.webset.rules.cards import EMPTY, Cards, deck_of, differing, misfits
from fairplay.webset.v1 import webset_pb2
from fairplay.webset.v1.webset_player_pb2 import (
    ACTION_CALL_SET,
    ACTION_MORE_CARDS,
    ACTION_SHOW_SOLUTIONS,
    EVENT_KIND_GOT_SET,
    ActRequest,
    PickCardsRequest,
)

Room: TypeAlias = Callable[[Any], bool]
Wrong: TypeAlias = Callable[[State, Cards], Iterable[Cards]]
"""(what is seen, the cards that would be picked) -> cards to pick in their place."""


def seen(state: webset_pb2.State) -> State:
    """What a player is shown. With how many aspects is not part of that, but follows from the number of cards."""
    lying = sum(slot != EMPTY for slot in state.slots)
    won = sum(len(player.cards) for player in state.players)
    small = lying + won + state.deck_count + len(state.discarded) < rules.CARDS
    return codec.visible_state(state, rules.settings_of(aspects=3 if small else 4, table=9, max_table=27))


# Special situations


def off(action: int) -> Room:
    """This may not be tried."""
    return lambda request: action not in request.actions


def showing(request: ActRequest) -> bool:
    """Solutions are shown."""
    return request.state.phase == webset_pb2.PHASE_SHOWING


def locked(request: ActRequest) -> bool:
    """The player is locked out."""
    return request.state.players[request.seat].locked


def asked_for_more(request: ActRequest) -> bool:
    """The player has asked for more cards."""
    return request.state.players[request.seat].voted


def others_are_locked(request: ActRequest) -> bool:
    """All others are locked out."""
    return all(player.locked for seat, player in enumerate(request.state.players) if seat != request.seat)


def others_got_set(request: ActRequest) -> bool:
    """Somebody else has taken a set since the player was told the last time."""
    return any(event.kind == EVENT_KIND_GOT_SET and event.seat != request.seat for event in request.events)


def deck_is_empty(request: ActRequest | PickCardsRequest) -> bool:
    """There is no card in the deck."""
    return not request.state.deck_count


def no_set(request: ActRequest | PickCardsRequest) -> bool:
    """There is no set on the table."""
    return not rules.solutions(seen(request.state))


def has_set(request: ActRequest | PickCardsRequest) -> bool:
    """There is one."""
    return not no_set(request)


def call_of_no_set(request: ActRequest) -> bool:
    """The player may call, but there is no set."""
    return ACTION_CALL_SET in request.actions and no_set(request)


def more_of_sets(request: ActRequest) -> bool:
    """More cards may be asked for, but there is a set."""
    return ACTION_MORE_CARDS in request.actions and has_set(request)


def show_of_no_set(request: ActRequest) -> bool:
    """The solutions may be shown, but there are none."""
    return ACTION_SHOW_SOLUTIONS in request.actions and no_set(request)


def last_of_eight(request: ActRequest | PickCardsRequest) -> bool:
    """There are seven others, and the player is the last one."""
    return request.seat == 7


def late(request: ActRequest | PickCardsRequest) -> bool:
    """The numbers are large, and points below zero."""
    return request.state.act_count >= 9_000


def in_round(request: PickCardsRequest) -> bool:
    """Everybody is asked, and may pass."""
    return request.may_skip


def round_of_no_set(request: PickCardsRequest) -> bool:
    """The same without a set on the table."""
    return request.may_skip and no_set(request)


def in_call(request: PickCardsRequest) -> bool:
    """The player has called."""
    return not request.may_skip


def only_all_different(request: PickCardsRequest) -> bool:
    """All sets on the table differ in all four aspects."""
    return all(len(differing(triple)) == 4 for triple in rules.solutions(seen(request.state)))


def full_table(request: ActRequest) -> bool:
    """There are 21 cards on the table."""
    return len(request.state.slots) == 21 and EMPTY not in request.state.slots


def dealt_by_referee(request: ActRequest) -> bool:
    """Nobody asks for more cards: they cannot be had, though there is room, and the player has not asked before."""
    room = request.state.phase == webset_pb2.PHASE_OPEN and request.state.deck_count and not full_table(request)
    return bool(room) and ACTION_MORE_CARDS not in request.actions and not asked_for_more(request)


def small_deck(request: PickCardsRequest) -> bool:
    """There are 27 cards."""
    return seen(request.state).settings.aspects == 3


# Wrong cards


def any_three(state: State, picked: Cards) -> Iterator[Cards]:
    """Cards of the table, the first ones first."""
    return combinations(rules.on_table(state), 3)


def misjudged(aspect: int) -> Wrong:
    """Cards that would be a set if it were not for one aspect."""
    return lambda state, picked: (triple for triple in any_three(state, picked) if misfits(triple) == (aspect,))


def absent_third(state: State, picked: Cards) -> Iterator[Cards]:
    """Two cards of the table with the one that makes a set of them."""
    return ((one, other, rules.third(one, other)) for one, other in combinations(rules.on_table(state), 2))


def places(state: State, picked: Cards) -> Iterable[Cards]:
    """The numbers of the slots of a set."""
    return [tuple([state.table.index(card) for card in picked])] if set(picked) <= set(state.table) else []


def from_one(state: State, picked: Cards) -> Iterable[Cards]:
    """Numbers that are too great by one."""
    return [tuple([card + 1 for card in picked])]


def taken_by_anyone(state: State, picked: Cards) -> Iterable[Cards]:
    """A set that somebody has taken."""
    return [player.cards[-3:] for player in state.players if player.cards]


def twice(state: State, picked: Cards) -> Iterable[Cards]:
    """Two cards, one of them twice."""
    return [(one, one, other) for one, other in permutations(rules.on_table(state), 2)]


def thrice(state: State, picked: Cards) -> Iterable[Cards]:
    """One card, whose values are all alike."""
    return [(card,) * 3 for card in rules.on_table(state)]


def with_hole(state: State, picked: Cards) -> Iterable[Cards]:
    """What stands in an empty slot between others, although there are cards to fill it."""
    slots = [slot for slot, card in enumerate(state.table) if card != EMPTY]
    return [(*picked[:2], EMPTY)] if state.deck and EMPTY in state.table[: max(slots)] else []


def of_full_deck(state: State, picked: Cards) -> Iterable[Cards]:
    """Cards with another number of symbols than the small deck has."""
    small = len(deck_of(state.settings.aspects))
    return [tuple([card + small for card in picked]), tuple([card + 2 * small for card in picked])]


def all_sets(state: State, picked: Cards) -> Iterable[Cards]:
    """The cards of all sets, where there are more than one."""
    found = rules.solutions(state)
    return [tuple([card for triple in found for card in triple])] if len(found) > 1 else []


def with_one_more(state: State, picked: Cards) -> Iterable[Cards]:
    """A set and another card."""
    return [(*picked, card) for card in rules.on_table(state) if card not in picked]
