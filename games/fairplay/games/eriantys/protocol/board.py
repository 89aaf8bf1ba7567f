"""The board of Eriantys: what everybody may see of a state, as a message that is shown after every change."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from fairplay.eriantys.v1 import eriantys_pb2
from fairplay.games.eriantys import rules
from fairplay.games.eriantys.protocol.answers import put_last_action
from fairplay.games.eriantys.rules import NOBODY, State

_NO_COLORS = (NOBODY,) * len(rules.COLORS)


# Numbers in messages

STANDINGS = {
    rules.Standing.IN: eriantys_pb2.STANDING_PLAYING,
    rules.Standing.AWAY: eriantys_pb2.STANDING_AWAY,
    rules.Standing.OUT: eriantys_pb2.STANDING_ELIMINATED,
    rules.Standing.FAILED: eriantys_pb2.STANDING_FAILED,
}


def reason_number(reason: rules.Reason) -> eriantys_pb2.Reason.ValueType:
    """Return the number of a reason in messages."""
    return int(reason)  # type: ignore[return-value]  # a value of the enum


# Boards


class LastAction(NamedTuple):
    """An answer that was accepted, and the seat whose it was."""

    seat: int
    action: rules.Action


class Shown(NamedTuple):
    """A state as it is shown, and the answer that led to it, if one did."""

    state: State
    last: LastAction | None = None


def public_message(state: State, last: LastAction | None = None) -> eriantys_pb2.State:
    """Return what everybody may see of a state: no hands, of the bag its size only, no draw state."""
    message = eriantys_pb2.State()
    put_public(message, state, None)
    if last is not None:
        put_last_action(message.last_action, *last)
    return message


def put_public(message: eriantys_pb2.State, state: State, before: State | None) -> None:
    """Make a message show what everybody may see of a state.

    The message may be a part of another. `before` is what it shows already; None: it is empty. Only what has
    changed is written: most of a board stays as it is when one student moves.
    """
    _put_course(message, state)
    for place, put in _PARTS:
        if before is None or state[place] is not before[place]:
            put(message, state)
    if state.cards:
        _put_turn(message, state)
    if state.reason:
        message.end_reason = reason_number(state.reason)
        message.winner_seats[:] = rules.winners(state)


def _put_course(message: eriantys_pb2.State, state: State) -> None:
    """Write what is one number; much of it changes all the time."""
    message.revision = state.revision
    message.phase = state.phase + 1  # type: ignore[assignment]  # a value of the enum
    if state.active == NOBODY:
        message.ClearField("active_seat")
    else:
        message.active_seat = state.active
    message.round = state.round
    message.first_seat = state.first
    message.students_to_move = state.to_move
    message.mother_nature_group = state.mother_nature
    message.clouds_closed = state.clouds_closed
    message.last_round_reason = int(state.last_round)  # type: ignore[assignment]


def _put_turn(message: eriantys_pb2.State, state: State) -> None:
    """Write what is one number in Expert mode only."""
    message.reserve_count = state.reserve
    message.played_character = state.played
    message.ignored_color = state.ignored + 1  # type: ignore[assignment]


def _put_groups(message: eriantys_pb2.State, state: State) -> None:
    groups, colors = state.groups, [*state.tower_colors, NOBODY]  # NOBODY is -1: the last one
    message.first_tile = groups[0].tiles[0]
    message.group_sizes[:] = [len(group.tiles) for group in groups]
    message.group_students[:] = [count for group in groups for count in group.students]
    message.group_towers[:] = [colors[group.tower] + 1 for group in groups]  # type: ignore[misc]
    message.group_no_entry_counts[:] = [group.no_entry for group in groups]


def _put_characters(message: eriantys_pb2.State, state: State) -> None:
    message.characters[:] = [card.character for card in state.cards]
    message.character_costs[:] = [rules.character_cost(card) for card in state.cards]
    message.character_students[:] = [count for card in state.cards for count in card.students]
    message.character_no_entry_counts[:] = [card.no_entry for card in state.cards]


def _put_sides(message: eriantys_pb2.State, state: State) -> None:
    message.sides[:] = state.sides


def _put_tower_colors(message: eriantys_pb2.State, state: State) -> None:
    message.tower_colors[:] = [color + 1 for color in state.tower_colors]  # type: ignore[misc]


def _put_towers(message: eriantys_pb2.State, state: State) -> None:
    message.towers_left[:] = state.towers


def _put_standings(message: eriantys_pb2.State, state: State) -> None:
    message.standings[:] = [STANDINGS[standing] for standing in state.standings]


def _put_bag(message: eriantys_pb2.State, state: State) -> None:
    message.bag_count = sum(state.bag)


def _put_clouds(message: eriantys_pb2.State, state: State) -> None:
    message.cloud_students[:] = [count for cloud in state.clouds for count in cloud]


def _put_entrances(message: eriantys_pb2.State, state: State) -> None:
    message.entrance_students[:] = [count for entrance in state.entrances for count in entrance]


def _put_dining_rooms(message: eriantys_pb2.State, state: State) -> None:
    message.dining_students[:] = [count for room in state.dining_rooms for count in room]


def _put_professors(message: eriantys_pb2.State, state: State) -> None:
    message.professors[:] = state.professors


def _put_aside(message: eriantys_pb2.State, state: State) -> None:
    message.aside_students[:] = state.aside if any(state.aside) else ()


def _put_hands(message: eriantys_pb2.State, state: State) -> None:
    message.hand_sizes[:] = [len(hand) for hand in state.hands]


def _put_assistants(message: eriantys_pb2.State, state: State) -> None:
    message.assistants[:] = state.assistants


def _put_planned(message: eriantys_pb2.State, state: State) -> None:
    message.planned_seats[:] = state.planned


def _put_queue(message: eriantys_pb2.State, state: State) -> None:
    message.next_seats[:] = state.queue


def _put_coins(message: eriantys_pb2.State, state: State) -> None:
    message.coins[:] = state.coins if state.cards else ()


def _put_paid_seats(message: eriantys_pb2.State, state: State) -> None:
    message.paid_coin_seats[:] = state.paid_seats if any(state.paid_seats) else ()


def _put_borrowed(message: eriantys_pb2.State, state: State) -> None:
    message.borrowed_professors[:] = state.borrowed if state.borrowed != _NO_COLORS else ()


_PARTS: Sequence[tuple[int, Callable[[eriantys_pb2.State, State], None]]] = [
    (State._fields.index(name), put)
    for name, put in {
        "sides": _put_sides,
        "tower_colors": _put_tower_colors,
        "towers": _put_towers,
        "standings": _put_standings,
        "groups": _put_groups,
        "bag": _put_bag,
        "clouds": _put_clouds,
        "entrances": _put_entrances,
        "dining_rooms": _put_dining_rooms,
        "professors": _put_professors,
        "aside": _put_aside,
        "hands": _put_hands,
        "assistants": _put_assistants,
        "planned": _put_planned,
        "queue": _put_queue,
        "cards": _put_characters,
        "coins": _put_coins,
        "paid_seats": _put_paid_seats,
        "borrowed": _put_borrowed,
    }.items()
]
"""What writes the part of a message that shows a field of the state, by the place of that field."""
