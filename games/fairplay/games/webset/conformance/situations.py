"""Situations in which some players of Webset make mistakes, told from what a request shows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from fairplay.games.webset.protocol import codec
from fairplay.games.webset.rules.cards import CARDS, EMPTY, differing
from fairplay.games.webset.rules.settings import settings_of
from fairplay.games.webset.rules.state import State, solutions
from fairplay.webset.v1 import webset_pb2
from fairplay.webset.v1.webset_pb2 import EVENT_KIND_BAD_SET, EVENT_KIND_CALL_EXPIRED, EVENT_KIND_GOT_SET
from fairplay.webset.v1.webset_player_pb2 import (
    ACTION_CALL_SET,
    ACTION_MORE_CARDS,
    ACTION_SHOW_SOLUTIONS,
    ActRequest,
    PickCardsRequest,
)

Room: TypeAlias = Callable[[Any], bool]
"""Request -> whether it leaves room for a mistake."""
Question: TypeAlias = ActRequest | PickCardsRequest
USUAL_SLOTS = 21
MANY_IDLE = 5
"""Of the ten times after which a game ends."""


def visible_state(state: webset_pb2.State) -> State:
    """Return what a player is shown. The number of aspects is not part of that, but follows from that of the cards."""
    lying = sum(slot != EMPTY for slot in state.slots)
    won = sum(len(player.cards) for player in state.players)
    small = lying + won + state.deck_left + len(state.discarded) < CARDS
    return codec.visible_state(state, settings_of(aspects=3 if small else 4, table=9, max_table=27))


def unlisted(action: int) -> Room:
    """Return the situation in which an action may not be tried."""
    return lambda request: action not in request.actions


def showing(request: ActRequest) -> bool:
    """Return whether solutions are shown."""
    return request.state.phase == webset_pb2.PHASE_SHOWING


def locked(request: ActRequest) -> bool:
    """Return whether the player is locked out."""
    return request.state.players[request.seat].locked


def asked_for_more(request: ActRequest) -> bool:
    """Return whether the player has asked for more cards."""
    return request.state.players[request.seat].voted


def others_locked(request: ActRequest) -> bool:
    """Return whether all others are locked out."""
    return all(player.locked for seat, player in enumerate(request.state.players) if seat != request.seat)


def others_got_set(request: ActRequest) -> bool:
    """Return whether the player is told that somebody else has taken a set."""
    return any(event.kind == EVENT_KIND_GOT_SET and event.seat != request.seat for event in request.events)


def others_were_wrong(request: ActRequest) -> bool:
    """Return whether the player is told that somebody else has picked wrong cards."""
    return any(event.kind == EVENT_KIND_BAD_SET and event.seat != request.seat for event in request.events)


def others_were_late(request: ActRequest) -> bool:
    """Return whether the player is told that a call of somebody else has expired."""
    return any(event.kind == EVENT_KIND_CALL_EXPIRED and event.seat != request.seat for event in request.events)


def with_status(status: int) -> Room:
    """Return the situation in which the player is told this outcome of its own act."""
    return lambda request: request.status == status


def wide(request: PickCardsRequest) -> bool:
    """Return whether there are more slots than usual settings have."""
    return len(request.state.slots) > USUAL_SLOTS


def one_by_one(request: PickCardsRequest) -> bool:
    """Return whether cards may be picked one by one."""
    return request.one_by_one


def idle(request: Question) -> bool:
    """Return whether all players have done nothing on this table before."""
    return request.idle_count > 0


def long_idle(request: Question) -> bool:
    """Return whether all players have done nothing on this table many times."""
    return request.idle_count > MANY_IDLE


def deck_empty(request: Question) -> bool:
    """Return whether the deck is empty."""
    return not request.state.deck_left


def without_set(request: Question) -> bool:
    """Return whether there is no set on the table."""
    return not solutions(visible_state(request.state))


def may_call_without_set(request: ActRequest) -> bool:
    """Return whether the player may call although there is no set."""
    return ACTION_CALL_SET in request.actions and without_set(request)


def may_ask_for_more_with_set(request: ActRequest) -> bool:
    """Return whether the player may ask for more cards although there is a set."""
    return ACTION_MORE_CARDS in request.actions and not without_set(request)


def may_show_without_set(request: ActRequest) -> bool:
    """Return whether the player may have solutions shown although there are none."""
    return ACTION_SHOW_SOLUTIONS in request.actions and without_set(request)


def last_of_eight(request: Question) -> bool:
    """Return whether the player has the last of eight seats."""
    return request.seat == 7


def below_zero(request: Question) -> bool:
    """Return whether nobody has any points, and all have less."""
    return all(player.points < 0 for player in request.state.players)


def late(request: Question) -> bool:
    """Return whether the game has gone on for long: the numbers are large."""
    return request.state.act_count >= 9_000


def in_round(request: PickCardsRequest) -> bool:
    """Return whether all players are asked at once, and may pass."""
    return request.may_skip


def in_round_without_set(request: PickCardsRequest) -> bool:
    """Return whether the player may pass and there is no set."""
    return request.may_skip and without_set(request)


def in_puzzle(request: PickCardsRequest) -> bool:
    """Return whether all sets on the table may be named."""
    return request.all_sets


def in_call(request: PickCardsRequest) -> bool:
    """Return whether the player has called."""
    return not request.may_skip


def sets_differ_in_all(request: PickCardsRequest) -> bool:
    """Return whether all sets on the table differ in all four aspects."""
    return all(len(differing(triple)) == 4 for triple in solutions(visible_state(request.state)))


def table_full(request: ActRequest) -> bool:
    """Return whether there is a card in each slot, of which there are 21 or more."""
    return len(request.state.slots) >= USUAL_SLOTS and EMPTY not in request.state.slots


def dealt_by_referee(request: ActRequest) -> bool:
    """Return whether the player may not ask for more cards although there is room, and has not asked before."""
    room = request.state.phase == webset_pb2.PHASE_OPEN and not deck_empty(request) and not table_full(request)
    return room and ACTION_MORE_CARDS not in request.actions and not asked_for_more(request)


def small_deck_in_a_crowd(request: PickCardsRequest) -> bool:
    """Return whether four players or more play with 27 cards."""
    return len(request.state.players) > 3 and small_deck(request)


def round_in_a_crowd(request: PickCardsRequest) -> bool:
    """Return whether four players or more play in rounds."""
    return len(request.state.players) > 3 and request.may_skip


def small_deck(request: PickCardsRequest) -> bool:
    """Return whether the game has 27 cards."""
    return visible_state(request.state).settings.aspects == 3
