"""The state of a game of Eriantys as a value, and what a seat may see of it (eriantys.md sections 1 and 3.3)."""

from __future__ import annotations

from enum import IntEnum, auto
from typing import Final, NamedTuple, TypeAlias

from fairplay.games.eriantys.rules.settings import Settings

COLORS: Final = ("green", "red", "yellow", "pink", "blue")
"""Students and professors in the order of a school board; a colour is an index into it."""
TOWER_COLORS: Final = ("black", "white", "grey")
"""A tower colour is an index into it; grey is for three players only."""

COLOR_COUNT: Final = 5
STUDENTS_PER_COLOR: Final = 26
TABLE_SEATS: Final = 10
ASSISTANTS: Final = 10
COINS: Final = 20
NO_ENTRY_TILES: Final = 4
NOBODY: Final = -1
"""In the place of a seat, a side, a colour: there is none."""

Counts: TypeAlias = tuple[int, ...]
"""Five counts of students, one for each colour."""
NONE: Final[Counts] = (0, 0, 0, 0, 0)


def assistant_steps(value: int) -> int:
    """Return how far an assistant lets Mother Nature go (section 1.2)."""
    return (value + 1) // 2


class Size(NamedTuple):
    """What depends on the number of players (section 1.3)."""

    cloud: int  # students on a full cloud, and students to move in a turn
    entrance: int
    towers: int  # of each side


_SIZES: Final = {2: Size(3, 7, 8), 3: Size(4, 9, 6), 4: Size(3, 7, 8)}


def size_of(seat_count: int) -> Size:
    """Return what depends on the number of players."""
    return _SIZES[seat_count]


class Phase(IntEnum):
    """What a state waits for (section 6.1)."""

    TOWERS = 0
    ASSISTANT = 1
    STUDENTS = 2
    MOTHER_NATURE = 3
    CLOUD = 4
    END_TURN = 5
    OVER = 6


class Reason(IntEnum):
    """Why a round is the last one, and why a game is over (section 4.5)."""

    NONE = 0
    LAST_TOWER = 1
    FEW_GROUPS = 2
    BAG_EMPTY = 3
    LAST_ASSISTANT = 4
    LAST_SIDE = 5
    """At most one side is left: the others were eliminated."""
    DISCONNECTED = 6
    """A player was lost and the settings end the game then, or every player was."""


class Standing(IntEnum):
    """Whether a seat is in the game."""

    IN = auto()
    AWAY = auto()
    """Disconnected: its turns are skipped until it returns."""
    OUT = auto()
    """Eliminated while the game went on: not ranked."""
    FAILED = auto()
    """Eliminated when the game was over: not ranked either, but nobody moves up."""


class Group(NamedTuple):
    """Islands that have grown together, or a single one."""

    tiles: tuple[int, ...]  # clockwise
    students: Counts = NONE
    tower: int = NOBODY  # the side whose towers stand here, one on each tile
    no_entry: int = 0


class Card(NamedTuple):
    """A character in play."""

    character: int
    is_used: bool  # it costs one coin more from then on, and one coin lies on it
    students: Counts
    no_entry: int


class State(NamedTuple):
    """All that the referee knows, or what a seat sees of it (`view`).

    Seats are numbered clockwise, in turn order. A side is a player, or with four players a team; `sides` says which
    seat is on which. "By seat", "by side", "by colour" name what a tuple is indexed with.
    """

    settings: Settings
    sides: tuple[int, ...]  # by seat
    phase: Phase
    active: int  # the seat to decide next; NOBODY when the game is over
    round: int  # from 1; 0 before the first planning phase
    groups: tuple[Group, ...]  # clockwise; the first one holds tile 0
    mother_nature: int  # the index of her group
    bag: Counts
    clouds: tuple[Counts, ...]
    clouds_closed: bool  # nobody takes a cloud in this round
    entrances: tuple[Counts, ...]  # by seat
    dining_rooms: tuple[Counts, ...]  # by seat
    professors: tuple[int, ...]  # by colour: the seat that owns it, or NOBODY
    hands: tuple[tuple[int, ...], ...]  # by seat: assistants, ascending; in a view 0 for each that is hidden
    assistants: tuple[int, ...]  # by seat: the assistant played last, 0 before the first
    first: int  # the seat that plans first in this round
    planned: tuple[int, ...]  # seats that have played an assistant in this round, in this order
    queue: tuple[int, ...]  # seats that come after the active one in planning, or in the action phase
    to_move: int  # students that the active seat has still to move
    tower_colors: tuple[int, ...]  # by side; NOBODY before it is chosen
    towers: tuple[int, ...]  # by side: those that are not on islands
    cards: tuple[Card, ...]  # three in Expert mode, from left to right
    coins: tuple[int, ...]  # by seat; all 0 in Basic mode
    reserve: int  # coins
    paid_seats: tuple[int, ...]  # by seat: which coin seats have paid, a bit each (5.1); for `coin_seat_once`
    played: int  # the character that the active seat has played in this turn, 0 for none
    ignored: int  # the colour that gives no influence in this turn
    borrowed: tuple[int, ...]  # by colour: to whom the Farmer gives it back after the turn
    aside: Counts  # students of eliminated players
    standings: tuple[Standing, ...]  # by seat
    last_round: Reason  # why this round is the last one
    reason: Reason  # why the game is over
    draw_state: int  # 64 hidden bits that decide the next draw
    revision: int  # grows with every change


def turn(state: State) -> int | None:
    """Return the seat to decide next; None: the game is over."""
    return None if state.phase is Phase.OVER else state.active


def view(state: State, seat: int) -> State:
    """Return what a seat sees: the others' hands are zeros, the draw state is gone; the rest lies open.

    What is in the bag follows from what lies open (`unseen`). A seat that has still to choose its tower colour sees
    itself as the one to decide.
    """
    hands = tuple([hand if at == seat else (0,) * len(hand) for at, hand in enumerate(state.hands)])
    active = seat if state.phase is Phase.TOWERS and seat in choosers(state) else state.active
    return state._replace(hands=hands, active=active, draw_state=0)


def public_view(state: State) -> State:
    """Return what everybody may see: as `view`, with all hands hidden."""
    return state._replace(hands=tuple([(0,) * len(hand) for hand in state.hands]), draw_state=0)


def choosers(state: State) -> tuple[int, ...]:
    """Return the seats that have still to choose a tower colour: of a team its first member in the game."""
    found: dict[int, int] = {}
    for seat, side in enumerate(state.sides):
        if state.tower_colors[side] == NOBODY and state.standings[seat] is Standing.IN:
            found.setdefault(side, seat)
    return tuple(sorted(found.values()))


def holder(state: State, side: int) -> int:
    """Return the seat on whose board a side's towers stand: of a team the first one (section 1.3)."""
    return state.sides.index(side)


def members(state: State, side: int) -> tuple[int, ...]:
    """Return the seats of a side."""
    return tuple(seat for seat, other in enumerate(state.sides) if other == side)


def unseen(state: State) -> Counts:
    """Return the students in the bag, by what lies open: 26 of each colour less those elsewhere."""
    open_ = [*state.clouds, *state.entrances, *state.dining_rooms, state.aside]
    open_ += [group.students for group in state.groups] + [card.students for card in state.cards]
    return tuple([STUDENTS_PER_COLOR - sum(column) for column in zip(*open_, strict=True)])


def with_at(values: tuple[int, ...], at: int, value: int) -> tuple[int, ...]:
    """Return the tuple with one value replaced."""
    return (*values[:at], value, *values[at + 1 :])


def with_counts(values: tuple[Counts, ...], at: int, value: Counts) -> tuple[Counts, ...]:
    """Return the tuple of counts with one of them replaced."""
    return (*values[:at], value, *values[at + 1 :])


def plus(counts: Counts, color: int, change: int = 1) -> Counts:
    """Return the counts with one colour changed."""
    return (*counts[:color], counts[color] + change, *counts[color + 1 :])


def added(left: Counts, right: Counts) -> Counts:
    """Return the sum of two counts."""
    a, b, c, d, e = left
    f, g, h, i, j = right
    return (a + f, b + g, c + h, d + i, e + j)


def taken(left: Counts, right: Counts) -> Counts:
    """Return the difference of two counts."""
    a, b, c, d, e = left
    f, g, h, i, j = right
    return (a - f, b - g, c - h, d - i, e - j)


def counted(colors: tuple[int, ...]) -> Counts:
    """Return how often each colour occurs."""
    return tuple([colors.count(color) for color in range(COLOR_COUNT)])
