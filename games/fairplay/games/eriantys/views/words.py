"""Eriantys: what both kinds of picture say of each player, and of the course of a game."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

from fairplay.eriantys.v1 import eriantys_pb2
from fairplay.games.eriantys.rules.characters import NAMES
from fairplay.games.frontends import Choice
from fairplay.games.kit.lettering import seat_name

COLORS = 5
INITIALS = "GRYPB"
"""Of the colours of students."""
NAME_LIMIT = 20
"""Cells of a terminal; longer names are cut."""

_GONE = {
    eriantys_pb2.STANDING_AWAY: "away",
    eriantys_pb2.STANDING_ELIMINATED: "eliminated",
    eriantys_pb2.STANDING_FAILED: "failed at the end",
}
_DUE = {
    eriantys_pb2.PHASE_TOWERS: "to choose towers",
    eriantys_pb2.PHASE_ASSISTANT: "to play an assistant",
    eriantys_pb2.PHASE_MOTHER_NATURE: "to move Mother Nature",
    eriantys_pb2.PHASE_CLOUD: "to take a cloud",
    eriantys_pb2.PHASE_END_TURN: "to end its turn",
}
_REASONS = {
    eriantys_pb2.REASON_LAST_TOWER: "the last tower is placed",
    eriantys_pb2.REASON_FEW_GROUPS: "few islands are left",
    eriantys_pb2.REASON_BAG_EMPTY: "the bag is empty",
    eriantys_pb2.REASON_LAST_ASSISTANT: "the assistants are played",
    eriantys_pb2.REASON_LAST_SIDE: "one side is left",
    eriantys_pb2.REASON_DISCONNECTED: "a player was lost",
}

EFFECTS = {
    1: "Move one student of this card to any island.",
    2: "In this turn you get a professor also where you only have as many students as its owner.",
    3: "Choose an island: it is decided now whose it is, as if Mother Nature stopped there.",
    4: "Mother Nature may go up to two islands further.",
    5: "Put a no-entry tile on an island: the next time that Mother Nature stops there, nothing is decided.",
    6: "In this turn towers do not count as influence.",
    7: "Exchange up to three students of this card for as many of your entrance.",
    8: "In this turn you have two more influence.",
    9: "Choose a colour: in this turn its students do not count as influence.",
    10: "Exchange up to two students of your entrance for as many of your dining room.",
    11: "Move one student of this card into your dining room.",
    12: "Choose a colour: everybody puts three of its students from the dining room back into the bag, or all it has.",
}
"""What the characters do, by their numbers."""


class Seat(NamedTuple):
    """A player: `status` is empty or what there is to say of it; `hand` is empty where it is hidden."""

    name: str
    status: str
    turn: bool
    won: bool
    tower: int  # a value of TowerColor
    towers: int  # on its own board: of a team on that of the first
    entrance: Sequence[int]
    dining: Sequence[int]
    professors: Sequence[bool]
    assistant: int
    hand_size: int
    hand: Sequence[int]
    coins: int | None


class Group(NamedTuple):
    """Islands that have grown together."""

    tiles: Sequence[int]
    students: Sequence[int]
    tower: int  # a value of TowerColor
    no_entry: int
    mother_nature: bool


class Own(NamedTuple):
    """What a person sees of its own beside the board."""

    seat: int | None = None
    """None for spectators."""
    hand: Sequence[int] = ()
    """The assistants."""
    words: Sequence[Choice] = ()
    """What can be chosen or is chosen and is no piece of the game."""


NOTHING_OWN = Own()
DINING_ROOM = "dining-room"
"""The id of the own dining room in pictures."""


def count_words(counts: Sequence[int]) -> str:
    """Return students in words, e.g. "2 green, 1 blue"."""
    held = zip(counts, _COLORS[1:], strict=False)
    return ", ".join(f"{count} {color}" for count, color in held if count) or "no students"


def group_words(group: Group) -> str:
    """Return a group of islands in words."""
    tiles = ", ".join(map(str, group.tiles))
    parts = [
        f"{'island' if len(group.tiles) == 1 else 'islands'} {tiles}: {count_words(group.students)}",
        *([f"{_word(_TOWERS, group.tower)} tower"] if group.tower else []),
        *(["Mother Nature"] if group.mother_nature else []),
        *([f"no-entry tiles: {group.no_entry}"] if group.no_entry else []),
    ]
    return ", ".join(parts)


def seats(state: eriantys_pb2.State, players: Sequence[str]) -> list[Seat]:
    """Return all players by seat."""
    entrances, rooms = fives(state.entrance_students), fives(state.dining_students)
    hands = _hands(state)
    return [
        Seat(
            name=seat_name(seat, players, NAME_LIMIT),
            status=_status(state, seat),
            turn=_is_due(state, seat),
            won=seat in state.winner_seats,
            tower=state.tower_colors[side],
            towers=state.towers_left[side] if list(state.sides).index(side) == seat else 0,
            entrance=entrances[seat],
            dining=rooms[seat],
            professors=[owner == seat for owner in state.professors],
            assistant=state.assistants[seat],
            hand_size=state.hand_sizes[seat],
            hand=hands[seat],
            coins=state.coins[seat] if state.coins else None,
        )
        for seat, side in enumerate(state.sides)
    ]


def _is_due(state: eriantys_pb2.State, seat: int) -> bool:
    return state.HasField("active_seat") and state.active_seat == seat


def _status(state: eriantys_pb2.State, seat: int) -> str:
    if gone := _GONE.get(state.standings[seat]):
        return gone
    if seat in state.winner_seats:
        return "winner"
    if not _is_due(state, seat):
        return ""
    if state.phase == eriantys_pb2.PHASE_STUDENTS:
        return f"to move students: {state.students_to_move}"
    return _DUE.get(state.phase, "")


def _hands(state: eriantys_pb2.State) -> list[Sequence[int]]:
    if not state.hands:
        return [()] * len(state.sides)
    ends = list(accumulate(state.hand_sizes, initial=0))
    return [state.hands[end : end + size] for end, size in zip(ends, state.hand_sizes, strict=False)]


def groups(state: eriantys_pb2.State) -> list[Group]:
    """Return all groups of islands, clockwise."""
    starts = accumulate(state.group_sizes, initial=state.first_tile)
    return [
        Group(
            tiles=[tile % 12 for tile in range(start, start + size)],
            students=students,
            tower=state.group_towers[place],
            no_entry=state.group_no_entry_counts[place],
            mother_nature=state.mother_nature_group == place,
        )
        for place, (start, size, students) in enumerate(
            zip(starts, state.group_sizes, fives(state.group_students), strict=False)
        )
    ]


def course(state: eriantys_pb2.State) -> str:
    """Return the round, and why it or the game is the last."""
    if state.end_reason:
        return f"over: {_REASONS.get(state.end_reason, 'no reason')}"
    if not state.round:
        return "set-up"
    return f"round {state.round}{', the last' if state.last_round_reason else ''}"


_COLORS = ("", "green", "red", "yellow", "pink", "blue")
_TOWERS = ("", "black", "white", "grey")


def last_action(state: eriantys_pb2.State, players: Sequence[str]) -> str:
    """Return who did what last, in words; empty if no answer led to the state."""
    if not state.HasField("last_action"):
        return ""
    done = state.last_action
    match done.WhichOneof("choice"):
        case "tower_color":
            what = f"chose {_word(_TOWERS, done.tower_color)} towers"
        case "assistant":
            what = f"played assistant {done.assistant}"
        case "action":
            what = _describe(done.action)
        case _:
            return ""
    return f"{seat_name(done.seat, players, NAME_LIMIT)} {what}"


def _describe(action: eriantys_pb2.Action) -> str:
    match action.WhichOneof("choice"):
        case "to_dining_room":
            return f"moved a {_word(_COLORS, action.to_dining_room.color)} student to its dining room"
        case "to_island":
            to = action.to_island
            return f"moved a {_word(_COLORS, to.color)} student to island {to.island}"
        case "move_mother_nature":
            return f"moved Mother Nature by {action.move_mother_nature.steps}"
        case "take_cloud":
            return f"took cloud {action.take_cloud.cloud}"
        case "play_character":
            number = action.play_character.character
            return f"played character {number}{f', the {NAMES[number]}' if number in NAMES else ''}"
    return "ended its turn"


def _word(words: Sequence[str], number: int) -> str:
    return words[number] if 0 <= number < len(words) else ""


def fives(counts: Sequence[int]) -> list[Sequence[int]]:
    """Return counts that lie in one list as five for each place."""
    return [counts[at : at + COLORS] for at in range(0, len(counts), COLORS)]
