"""Eriantys between rules and messages: settings, full states, and what players are given.

Numbers that stand for nobody, no colour or nothing are 0 in messages where 0 is free, else -1.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate

from fairplay.eriantys.v1 import eriantys_pb2, eriantys_settings_pb2
from fairplay.games.eriantys import rules
from fairplay.games.eriantys.protocol.board import STANDINGS, LastAction, public_message
from fairplay.games.eriantys.rules import NOBODY, Card, Counts, Group, State
from fairplay.games.kit.messages import fill, read_settings, remember_settings

_NO_COLORS = (NOBODY,) * len(rules.COLORS)
_COLORS_IN_ALL = len(rules.COLORS)


# Settings


@remember_settings
def settings(message: eriantys_settings_pb2.Settings) -> rules.Settings:
    """Return the settings of a message. Raises ValueError, with one sentence, if a value is not allowed."""
    chosen = tuple(message.characters)
    return read_settings(message, rules.Settings, rules.settings_problem, characters=chosen)


def settings_message(settings: rules.Settings) -> eriantys_settings_pb2.Settings:
    """Return the message of settings, every field set."""
    return fill(eriantys_settings_pb2.Settings(characters=settings.characters), settings)


def short_settings_message(settings: rules.Settings) -> eriantys_settings_pb2.Settings:
    """Return the message of settings without those that have their defaults."""
    message, defaults = settings_message(settings), settings_message(rules.Settings())
    for field, value in defaults.ListFields():
        if getattr(message, field.name) == value:
            message.ClearField(field.name)  # type: ignore[arg-type]  # the name of a field
    return message


def given_settings(message: eriantys_settings_pb2.Settings) -> rules.Settings:
    """Return as `settings` those of a question: the same ones come in every question of a game."""
    return _settings(message.SerializeToString())


@lru_cache(maxsize=1_000)
def _settings(data: bytes) -> rules.Settings:
    return settings(eriantys_settings_pb2.Settings.FromString(data))


# States

_STANDING_OF = {eriantys_pb2.STANDING_UNSPECIFIED: rules.Standing.IN, **{n: one for one, n in STANDINGS.items()}}
_PHASE_OF = {int(phase) + 1: phase for phase in rules.Phase}
_REASON_OF = {int(reason): reason for reason in rules.Reason}


def state_message(state: State, last: LastAction | None = None) -> eriantys_pb2.State:
    """Return all of a state, hidden things included."""
    message = public_message(state, last)
    message.bag_students.extend(state.bag)
    message.hands.extend([value for hand in state.hands for value in hand])
    message.draw_state = state.draw_state.to_bytes(8, "big")
    return message


def view(
    message: eriantys_pb2.State, settings: eriantys_settings_pb2.Settings, seat: int, hand: Sequence[int]
) -> State:
    """Return what a player is given, as `rules.view`. Raises ValueError, IndexError or KeyError if it makes no view."""
    check_sizes(message)
    if hand and max(hand) > rules.ASSISTANTS:
        raise ValueError(f"hand has the assistant {max(hand)}: assistants are 1 to {rules.ASSISTANTS}.")
    hands = [(0,) * size for size in message.hand_sizes]
    hands[seat] = tuple(hand) or tuple(range(1, len(hands[seat]) + 1))  # without one all assistants are there, or none
    state = read(message, given_settings(settings), tuple(hands))
    if message.phase == eriantys_pb2.PHASE_TOWERS:
        state = state._replace(active=seat)
    return state._replace(bag=_unseen(message))


_MOST = {
    "sides": (rules.MAX_SEATS, rules.MAX_SEATS),
    "towers_left": (rules.MAX_SEATS, rules.TILE_COUNT),
    "group_sizes": (rules.TILE_COUNT, rules.TILE_COUNT),
    "group_students": (rules.TILE_COUNT * _COLORS_IN_ALL, rules.STUDENTS_PER_COLOR),
    "cloud_students": (rules.MAX_SEATS * _COLORS_IN_ALL, rules.STUDENTS_PER_COLOR),
    "entrance_students": (rules.MAX_SEATS * _COLORS_IN_ALL, rules.STUDENTS_PER_COLOR),
    "dining_students": (rules.MAX_SEATS * _COLORS_IN_ALL, rules.STUDENTS_PER_COLOR),
    "hand_sizes": (rules.MAX_SEATS, rules.ASSISTANTS),
    "assistants": (rules.MAX_SEATS, rules.ASSISTANTS),
    "planned_seats": (rules.MAX_SEATS, rules.MAX_SEATS),
    "next_seats": (rules.MAX_SEATS, rules.MAX_SEATS),
    "characters": (len(rules.PIECES), len(rules.PIECES)),
    "character_students": (len(rules.PIECES) * _COLORS_IN_ALL, rules.STUDENTS_PER_COLOR),
}
"""The most items of lists that things are made of, and the most that each of them can be."""


def check_sizes(message: eriantys_pb2.State) -> None:
    """Raise ValueError if a state is larger than any game has: a small message can say how much to build."""
    for name, (most_items, most) in _MOST.items():
        numbers = getattr(message, name)
        if len(numbers) > most_items:
            raise ValueError(f"{name} has {len(numbers)} entries: at most {most_items} are possible.")
        if numbers and max(numbers) > most:
            raise ValueError(f"{name} has the value {max(numbers)}: at most {most} is possible.")


def _unseen(message: eriantys_pb2.State) -> Counts:
    """Return what is in the bag, as `rules.unseen`: the students that are nowhere else."""
    open_ = message.group_students[:] + message.cloud_students[:] + message.entrance_students[:]
    open_ += message.dining_students[:] + message.character_students[:] + message.aside_students[:]
    return tuple([rules.STUDENTS_PER_COLOR - sum(open_[color::_COLORS_IN_ALL]) for color in range(_COLORS_IN_ALL)])


def read(message: eriantys_pb2.State, settings: rules.Settings, hands: tuple[tuple[int, ...], ...]) -> State:
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
        cost > rules.PIECES[number].cost
        for number, cost in zip(message.characters, message.character_costs, strict=True)
    ]
    parts = zip(message.characters, used, held, message.character_no_entry_counts, strict=True)
    return tuple([Card(*part) for part in parts])
