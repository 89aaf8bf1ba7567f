"""Eriantys between rules and messages: settings, states as they are shown, and states from outside.

Numbers that stand for nobody, no colour or nothing are 0 in messages where 0 is free, else -1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate, pairwise
from random import Random
from typing import Any, NamedTuple

from fairplay.eriantys.v1 import eriantys_pb2, eriantys_settings_pb2
from fairplay.eriantys.v1.eriantys_player_pb2 import AskTowerColorRequest
from fairplay.games.eriantys import rules
from fairplay.games.eriantys.protocol.answers import put_last_action
from fairplay.games.eriantys.rules.characters import PIECES, character_cost
from fairplay.games.eriantys.rules.invariants import invariant
from fairplay.games.eriantys.rules.state import (
    ASSISTANTS,
    COLORS,
    MAX_SEATS,
    MIN_SEATS,
    NOBODY,
    STUDENTS_PER_COLOR,
    TILE_COUNT,
    Action,
    Card,
    Counts,
    Group,
    Phase,
    Reason,
    Settings,
    Standing,
    State,
    settings_problem,
    unseen,
)
from fairplay.games.kit import messages

_NO_COLORS = (NOBODY,) * len(COLORS)
_COLORS_IN_ALL = len(COLORS)
_MOST_REVISION = 1 << 53  # room for a game to go on within what the field holds


# Settings


@messages.remember_settings
def read_settings(message: eriantys_settings_pb2.Settings) -> Settings:
    """Return the settings of a message. Raises ValueError, with one sentence, if a value is not allowed."""
    chosen = tuple(message.characters)
    return messages.read_settings(message, Settings, settings_problem, characters=chosen)


@messages.remember_settings
def _read_known_settings(message: eriantys_settings_pb2.Settings) -> Settings:
    return read_settings(messages.without_unknown_choices(message))


def build_settings(settings: Settings) -> eriantys_settings_pb2.Settings:
    """Return the message of settings, every field set."""
    return messages.fill(eriantys_settings_pb2.Settings(characters=settings.characters), settings)


def build_short_settings(settings: Settings) -> eriantys_settings_pb2.Settings:
    """Return the message of settings without those that have their defaults."""
    message, defaults = build_settings(settings), build_settings(Settings())
    for field, value in defaults.ListFields():
        if getattr(message, field.name) == value:
            message.ClearField(field.name)  # type: ignore[arg-type]  # the name of a field
    return message


# States as they are shown

STANDINGS = {
    Standing.IN: eriantys_pb2.STANDING_PLAYING,
    Standing.AWAY: eriantys_pb2.STANDING_AWAY,
    Standing.OUT: eriantys_pb2.STANDING_ELIMINATED,
    Standing.FAILED: eriantys_pb2.STANDING_FAILED,
}


def reason_number(reason: Reason) -> eriantys_pb2.Reason.ValueType:
    """Return the number of a reason in messages."""
    return int(reason)  # type: ignore[return-value]  # a value of the enum


class LastAction(NamedTuple):
    """An answer that was accepted, and the seat whose it was."""

    seat: int
    action: Action


class Shown(NamedTuple):
    """A state as it is shown, and the answer that led to it, if one did."""

    state: State
    last: LastAction | None = None


def build_public(state: State, last: LastAction | None = None) -> eriantys_pb2.State:
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
    _put_numbers(message, state)
    for place, name, values in _LISTS:
        if before is None or state[place] is not before[place]:
            getattr(message, name)[:] = values(state)
    if state.reason:
        message.end_reason = reason_number(state.reason)
        message.winner_seats[:] = rules.winners(state)


def _put_numbers(message: eriantys_pb2.State, state: State) -> None:
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
    message.first_tile = state.groups[0].tiles[0]
    message.mother_nature_group = state.mother_nature
    message.bag_count = sum(state.bag)
    message.clouds_closed = state.clouds_closed
    message.last_round_reason = reason_number(state.last_round)
    if state.cards:
        message.reserve_count = state.reserve
        message.played_character = state.played
        message.ignored_color = state.ignored + 1  # type: ignore[assignment]


def _flat(places: Iterable[Counts]) -> list[int]:
    return [count for counts in places for count in counts]


def _group_towers(state: State) -> list[int]:
    colors = [*state.tower_colors, NOBODY]  # NOBODY is -1: the last one
    return [colors[group.tower] + 1 for group in state.groups]


_LISTS: Sequence[tuple[int, str, Callable[[State], Sequence[int]]]] = [
    (State._fields.index(field), name, values)
    for field, name, values in (
        ("sides", "sides", lambda state: state.sides),
        ("tower_colors", "tower_colors", lambda state: [color + 1 for color in state.tower_colors]),
        ("towers", "towers_left", lambda state: state.towers),
        ("standings", "standings", lambda state: [STANDINGS[standing] for standing in state.standings]),
        ("groups", "group_sizes", lambda state: [len(group.tiles) for group in state.groups]),
        ("groups", "group_students", lambda state: _flat(group.students for group in state.groups)),
        ("groups", "group_towers", _group_towers),
        ("groups", "group_no_entry_counts", lambda state: [group.no_entry for group in state.groups]),
        ("clouds", "cloud_students", lambda state: _flat(state.clouds)),
        ("entrances", "entrance_students", lambda state: _flat(state.entrances)),
        ("dining_rooms", "dining_students", lambda state: _flat(state.dining_rooms)),
        ("professors", "professors", lambda state: state.professors),
        ("aside", "aside_students", lambda state: state.aside if any(state.aside) else ()),
        ("hands", "hand_sizes", lambda state: [len(hand) for hand in state.hands]),
        ("assistants", "assistants", lambda state: state.assistants),
        ("planned", "planned_seats", lambda state: state.planned),
        ("queue", "next_seats", lambda state: state.queue),
        ("cards", "characters", lambda state: [card.character for card in state.cards]),
        ("cards", "character_costs", lambda state: [character_cost(card) for card in state.cards]),
        ("cards", "character_students", lambda state: _flat(card.students for card in state.cards)),
        ("cards", "character_no_entry_counts", lambda state: [card.no_entry for card in state.cards]),
        ("coins", "coins", lambda state: state.coins if state.cards else ()),
        ("paid_seats", "paid_coin_seats", lambda state: state.paid_seats if any(state.paid_seats) else ()),
        ("borrowed", "borrowed_professors", lambda state: state.borrowed if state.borrowed != _NO_COLORS else ()),
    )
]
"""The place of a field of the state, the list in a message that shows it, and the values of that list."""


def build_state(state: State, last: LastAction | None = None) -> eriantys_pb2.State:
    """Return all of a state, hidden things included."""
    message = build_public(state, last)
    message.bag_students.extend(state.bag)
    message.hands.extend([value for hand in state.hands for value in hand])
    message.draw_state = state.draw_state.to_bytes(8, "big")
    return message


# States that players are given

_STANDING_OF = {eriantys_pb2.STANDING_UNSPECIFIED: Standing.IN, **{n: one for one, n in STANDINGS.items()}}
_PHASE_OF = {int(phase) + 1: phase for phase in Phase}
_REASON_OF = {int(reason): reason for reason in Reason}


def read_view(request: Any) -> State:
    """Return what a question shows its player, as `view_of`, with the player as the one to decide.

    Raises ValueError, IndexError or KeyError if it makes no view.
    """
    message, seat = request.state, request.seat
    _check_sizes(message)
    hand = () if isinstance(request, AskTowerColorRequest) else tuple(request.hand)
    if hand and max(hand) > ASSISTANTS:
        raise ValueError(f"hand has the assistant {max(hand)}: assistants are 1 to {ASSISTANTS}.")
    hands = [(0,) * size for size in message.hand_sizes]
    hands[seat] = hand or tuple(range(1, len(hands[seat]) + 1))  # without one all assistants are there, or none
    settings = _read_known_settings(request.settings)
    state = _read(message, settings, tuple(hands))
    return state._replace(bag=unseen(state), active=seat)


_MOST = {
    "sides": (MAX_SEATS, MAX_SEATS),
    "towers_left": (MAX_SEATS, TILE_COUNT),
    "group_sizes": (TILE_COUNT, TILE_COUNT),
    "group_students": (TILE_COUNT * _COLORS_IN_ALL, STUDENTS_PER_COLOR),
    "cloud_students": (MAX_SEATS * _COLORS_IN_ALL, STUDENTS_PER_COLOR),
    "entrance_students": (MAX_SEATS * _COLORS_IN_ALL, STUDENTS_PER_COLOR),
    "dining_students": (MAX_SEATS * _COLORS_IN_ALL, STUDENTS_PER_COLOR),
    "hand_sizes": (MAX_SEATS, ASSISTANTS),
    "assistants": (MAX_SEATS, ASSISTANTS),
    "planned_seats": (MAX_SEATS, MAX_SEATS),
    "next_seats": (MAX_SEATS, MAX_SEATS),
    "characters": (len(PIECES), len(PIECES)),
    "character_students": (len(PIECES) * _COLORS_IN_ALL, STUDENTS_PER_COLOR),
}
"""The most items of lists that things are made of, and the most that each of them can be."""


def _check_sizes(message: eriantys_pb2.State) -> None:
    """Raise ValueError if a state is larger than any game has: a small message can say how much to build."""
    for name, (most_items, most) in _MOST.items():
        numbers = getattr(message, name)[:]
        if len(numbers) > most_items:
            raise ValueError(f"{name} has {len(numbers)} entries: at most {most_items} are possible.")
        if numbers and max(numbers) > most:
            raise ValueError(f"{name} has the value {max(numbers)}: at most {most} is possible.")


def _read(message: eriantys_pb2.State, settings: Settings, hands: tuple[tuple[int, ...], ...]) -> State:
    """Return the state of a message, with these hands, an empty bag and no draw state."""
    colors = [color - 1 for color in message.tower_colors[:]]
    seat_count = len(hands)
    return State(
        settings=settings,
        sides=tuple(message.sides[:]),
        phase=_PHASE_OF[message.phase],
        active=message.active_seat if message.HasField("active_seat") else NOBODY,
        round=message.round,
        groups=_groups(message, colors),
        mother_nature=message.mother_nature_group,
        bag=(),
        clouds=_five_each(message.cloud_students),
        clouds_closed=message.clouds_closed,
        entrances=_five_each(message.entrance_students),
        dining_rooms=_five_each(message.dining_students),
        professors=tuple(message.professors[:]),
        hands=hands,
        assistants=tuple(message.assistants[:]),
        first=message.first_seat,
        planned=tuple(message.planned_seats[:]),
        queue=tuple(message.next_seats[:]),
        to_move=message.students_to_move,
        tower_colors=tuple(colors),
        towers=tuple(message.towers_left[:]),
        cards=_cards(message) if message.characters else (),
        coins=tuple(message.coins[:]) or (0,) * seat_count,
        reserve=message.reserve_count,
        paid_seats=tuple(message.paid_coin_seats[:]) or (0,) * seat_count,
        played=message.played_character,
        ignored=message.ignored_color - 1,
        borrowed=tuple(message.borrowed_professors[:]) or _NO_COLORS,
        aside=tuple(message.aside_students[:]) or (0,) * _COLORS_IN_ALL,
        standings=tuple([_STANDING_OF[standing] for standing in message.standings[:]]),
        last_round=_REASON_OF[message.last_round_reason],
        reason=_REASON_OF[message.end_reason],
        draw_state=0,
        revision=message.revision,
    )


def _five_each(counts: Sequence[int]) -> tuple[Counts, ...]:
    """Return counts that lie in one list as one tuple for each place."""
    flat = tuple(counts[:])
    return tuple([flat[at : at + _COLORS_IN_ALL] for at in range(0, len(flat), _COLORS_IN_ALL)])


def _groups(message: eriantys_pb2.State, colors: Sequence[int]) -> tuple[Group, ...]:
    sides = {color + 1: side for side, color in enumerate(colors) if color != NOBODY}
    towers = [sides.get(color, NOBODY) for color in message.group_towers[:]]
    tiles = _tiles(message.first_tile, tuple(message.group_sizes[:]))
    parts = zip(tiles, _five_each(message.group_students), towers, message.group_no_entry_counts[:], strict=True)
    return tuple([Group(*part) for part in parts])


@lru_cache(maxsize=10_000)
def _tiles(first: int, sizes: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """Return the tiles of groups of these sizes, the first of which begins with the tile `first`."""
    ends = accumulate(sizes, initial=first)
    return tuple(
        [tuple([tile % 12 for tile in range(end, end + size)]) for end, size in zip(ends, sizes, strict=False)]
    )


def _cards(message: eriantys_pb2.State) -> tuple[Card, ...]:
    held = _five_each(message.character_students)
    used = [
        cost > PIECES[number].cost for number, cost in zip(message.characters, message.character_costs, strict=True)
    ]
    parts = zip(message.characters, used, held, message.character_no_entry_counts, strict=True)
    return tuple([Card(*part) for part in parts])


# Full states from outside: a game goes on from them, or they are refused with the reason


def resume(message: eriantys_pb2.State, settings: Settings, rng: Random) -> State:
    """Return the state that a game goes on from. Raises ValueError, with one sentence, if no game can lead to it."""
    checks = (_check_lengths, _check_enums, _check_numbers, _check_seats, _check_hidden)
    if wrong := next((problem for check in checks for problem in check(message)), None):
        raise ValueError(wrong)
    ends = [*accumulate(message.hand_sizes, initial=0)]
    hands = tuple([tuple(message.hands[start:end]) for start, end in pairwise(ends)])
    state = _read(message, settings, hands)._replace(
        bag=tuple(message.bag_students), draw_state=messages.read_draw_state(message.draw_state, rng)
    )
    if problem := invariant(state):
        raise ValueError(problem)
    return state


def _check_lengths(message: eriantys_pb2.State) -> Iterator[str]:
    """Check that lists that belong together have the lengths that go together."""
    seats, groups, cards = len(message.sides), len(message.group_sizes), len(message.characters)
    if not MIN_SEATS <= seats <= MAX_SEATS:
        yield f"sides lists {seats} seats: {MIN_SEATS} to {MAX_SEATS} players play Eriantys."
    lengths: dict[str, Sequence[int]] = {
        "standings": (seats,),
        "group_students": (_COLORS_IN_ALL * groups,),
        "group_towers": (groups,),
        "group_no_entry_counts": (groups,),
        "cloud_students": (_COLORS_IN_ALL * seats,),
        "entrance_students": (_COLORS_IN_ALL * seats,),
        "dining_students": (_COLORS_IN_ALL * seats,),
        "professors": (_COLORS_IN_ALL,),
        "aside_students": (0, _COLORS_IN_ALL),
        "hand_sizes": (seats,),
        "assistants": (seats,),
        "character_costs": (cards,),
        "character_students": (_COLORS_IN_ALL * cards,),
        "character_no_entry_counts": (cards,),
        "coins": (seats,) if cards else (0, seats),
        "borrowed_professors": (0, _COLORS_IN_ALL),
        "paid_coin_seats": (0, seats),
        "bag_students": (_COLORS_IN_ALL,),
    }
    for name, allowed in lengths.items():
        if (count := len(getattr(message, name))) not in allowed:
            yield f"{name} has {count} entries: it must have {' or '.join(map(str, allowed))} here."


def _check_enums(message: eriantys_pb2.State) -> Iterator[str]:
    if not message.phase:
        yield "phase is not set: a state to start from must say what it waits for."
    kinds = {
        "phase": (eriantys_pb2.Phase, [message.phase]),
        "tower_colors": (eriantys_pb2.TowerColor, message.tower_colors),
        "group_towers": (eriantys_pb2.TowerColor, message.group_towers),
        "standings": (eriantys_pb2.Standing, message.standings),
        "ignored_color": (eriantys_pb2.Color, [message.ignored_color]),
        "last_round_reason": (eriantys_pb2.Reason, [message.last_round_reason]),
        "end_reason": (eriantys_pb2.Reason, [message.end_reason]),
    }
    for name, (kind, numbers) in kinds.items():
        for number in numbers:
            if number not in kind.DESCRIPTOR.values_by_number:
                yield f"{name} has the unknown value {number}."
    if strange := set(message.group_towers) - {0, *message.tower_colors}:
        yield f"group_towers has the colour {eriantys_pb2.TowerColor.Name(min(strange))}, which no side has."


def _check_numbers(message: eriantys_pb2.State) -> Iterator[str]:
    if message.revision > _MOST_REVISION:
        yield f"revision is {message.revision}: a game goes on from one of at most {_MOST_REVISION}."
    if message.first_tile >= TILE_COUNT or sum(message.group_sizes) != TILE_COUNT or not all(message.group_sizes):
        yield "first_tile must be 0 to 11, and the group_sizes must be at least 1 and have the sum 12."
    for number, cost in zip(message.characters, message.character_costs, strict=True):
        if number not in PIECES:
            yield f"There is no character {number}: characters are numbered from 1 to {len(PIECES)}."
        if cost - PIECES[number].cost not in (0, 1):
            yield f"The character {number} cannot cost {cost}: it costs {PIECES[number].cost}, or one coin more."


def _check_seats(message: eriantys_pb2.State) -> Iterator[str]:
    seats = range(len(message.sides))
    over = message.phase == eriantys_pb2.PHASE_OVER
    if over == message.HasField("active_seat"):
        yield "active_seat must name the seat to decide, and must not be set once the game is over."
    named = {
        "active_seat": [message.active_seat],
        "first_seat": [message.first_seat],
        "planned_seats": message.planned_seats,
        "next_seats": message.next_seats,
        "professors": [seat for seat in message.professors if seat != NOBODY],
        "borrowed_professors": [seat for seat in message.borrowed_professors if seat != NOBODY],
    }
    for name, numbers in named.items():
        if any(seat not in seats for seat in numbers):
            yield f"{name} must name seats of the game, which are 0 to {seats[-1]}."


def _check_hidden(message: eriantys_pb2.State) -> Iterator[str]:
    """Check that all is there that others may not see."""
    if sum(message.bag_students) != message.bag_count:
        yield f"bag_count is {message.bag_count}, but bag_students are {sum(message.bag_students)}."
    if sum(message.hand_sizes) != len(message.hands):
        yield f"hands lists {len(message.hands)} assistants, but hand_sizes are {sum(message.hand_sizes)} together."
