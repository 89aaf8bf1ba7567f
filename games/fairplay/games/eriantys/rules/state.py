"""Settings, actions and states of Eriantys as values (eriantys.md sections 1, 3.3, 6.2 and 8)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum, auto
from typing import Final, Literal, NamedTuple, TypeAlias, TypeVar

from fairplay.games.kit.settings import choice, find_problem, flag, number, other

_T = TypeVar("_T")


# Settings

Mode: TypeAlias = Literal["basic", "expert"]
MotherNatureStart: TypeAlias = Literal["random", "chosen"]
SetupDrawOrder: TypeAlias = Literal["entrances_first", "characters_first"]
DrawModel: TypeAlias = Literal["uniform_student", "uniform_color"]
RefillWhen: TypeAlias = Literal["before_assistants", "after_assistants"]
ShortRefill: TypeAlias = Literal["skip_all", "partial", "end_now"]
TeamSeating: TypeAlias = Literal["alternating", "adjacent"]
FarmerAfterTurn: TypeAlias = Literal["keep", "revert", "influence_only"]
LateCharacter: TypeAlias = Literal["allow", "refuse"]
ZeroOwner: TypeAlias = Literal["keep", "release"]
IslandAddress: TypeAlias = Literal["tile", "group"]
DrawResult: TypeAlias = Literal["none", "tied"]
FirstPlayer: TypeAlias = Literal["random", "first_seat"]
OnDisconnect: TypeAlias = Literal["end_game", "skip_turns", "eliminate"]
InterruptedTurn: TypeAlias = Literal["finish", "leave"]

MIN_SEATS, MAX_SEATS = 2, 4
CHARACTER_COUNT = 12
CHARACTERS_IN_PLAY = 3
TILE_COUNT = 12
MAX_ATTEMPTS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The settings of section 8 that concern a game."""

    mode: Mode = choice("basic", Mode, "Whether the game has characters, coins and no-entry tiles (expert) or not.")
    characters: tuple[int, ...] = other(
        (),
        f"{CHARACTERS_IN_PLAY} different numbers of 1 to {CHARACTER_COUNT}, or none",
        "The characters of an Expert game, from left to right; none: they are drawn by chance.",
    )
    mn_start: MotherNatureStart = choice(
        "random", MotherNatureStart, "Whether Mother Nature starts on any island or on mn_island."
    )
    mn_island: int = number(0, 0, TILE_COUNT - 1, "The tile on which Mother Nature starts where that is chosen.")
    setup_draw_order: SetupDrawOrder = choice(
        "entrances_first",
        SetupDrawOrder,
        "Whether the entrances or the characters with their students are drawn first, after islands and first player.",
    )
    draw_model: DrawModel = choice(
        "uniform_student",
        DrawModel,
        "Whether each student in the bag is as likely as any other, or each colour that is left.",
    )
    refill_when: RefillWhen = choice(
        "before_assistants", RefillWhen, "Whether clouds are filled before or after the assistants are played."
    )
    short_refill: ShortRefill = choice(
        "skip_all",
        ShortRefill,
        "What follows when the bag cannot fill the clouds: nobody takes a cloud, players take what there is, or the "
        "game is over.",
    )
    bag_end_latched: bool = flag(
        True, "Whether a round that is the last because of the bag remains the last when students return to the bag."
    )
    team_seating: TeamSeating = choice(
        "alternating",
        TeamSeating,
        "Whether partners sit opposite each other (seats 0 and 2) or beside each other (seats 0 and 1).",
    )
    farmer_after_turn: FarmerAfterTurn = choice(
        "keep",
        FarmerAfterTurn,
        "Whether professors that the Farmer takes are kept, given back after the turn, or only counted as owned in it.",
    )
    herald_respects_no_entry: bool = flag(
        True, "Whether a no-entry tile stops the Herald and is used up, or is ignored and stays."
    )
    no_entry_stack: bool = flag(True, "Whether a group may hold several no-entry tiles.")
    late_character: LateCharacter = choice(
        "allow",
        LateCharacter,
        "Whether the characters that only help Mother Nature's move (4, 6, 8, 9) may be played after it.",
    )
    allow_zero_swaps: bool = flag(False, "Whether Jester and Minstrel may be played without any exchange.")
    coins_from_characters: bool = flag(True, "Whether students that a character puts into a dining room earn coins.")
    coin_seat_once: bool = flag(False, "Whether a coin seat pays once in a game only.")
    professor_recheck_on_removal: bool = flag(True, "Whether the Minstrel can lose its player a professor.")
    professor_zero_owner: ZeroOwner = choice(
        "keep",
        ZeroOwner,
        "Whether a professor of whose colour nobody has a student any more stays with its owner or is released.",
    )
    explicit_end_turn: bool = flag(False, "Whether a player has to say that its turn is over.")
    island_address: IslandAddress = choice(
        "tile",
        IslandAddress,
        "Whether actions name islands by any tile of a group, or by the group's index, which changes with merges.",
    )
    draw_result: DrawResult = choice(
        "none", DrawResult, "Whether nobody has won when the best are level in towers and professors, or all of them."
    )
    first_player: FirstPlayer = choice(
        "random", FirstPlayer, "Whether any player plans first in the first round, or the first seat."
    )
    on_disconnect: OnDisconnect = choice(
        "end_game",
        OnDisconnect,
        "What follows when a player is lost: the game is over, its turns are skipped until it returns, or it is out.",
    )
    interrupted_turn: InterruptedTurn = choice(
        "finish",
        InterruptedTurn,
        "Whether the turn of a player that is lost in it is finished in a fixed way or broken off.",
    )
    max_attempts: int = number(
        3, 1, MAX_ATTEMPTS, "How many impossible answers in a row to one question are misconduct."
    )

    @property
    def is_expert(self) -> bool:
        """Return whether characters and coins are in play."""
        return self.mode == "expert"


def settings_problem(settings: Settings) -> tuple[str, str] | None:
    """Return the first setting that is not allowed, and a sentence that says what is; None if all are."""
    return find_problem(settings) or _characters_problem(settings.characters)


def _characters_problem(chosen: tuple[int, ...]) -> tuple[str, str] | None:
    known = all(1 <= character <= CHARACTER_COUNT for character in chosen)
    if not chosen or (known and len(chosen) == len(set(chosen)) == CHARACTERS_IN_PLAY):
        return None
    return "characters", (
        f"characters are {', '.join(map(str, chosen))}: they must be {CHARACTERS_IN_PLAY} different ones "
        f"of 1 to {CHARACTER_COUNT}, or none to have them drawn."
    )


# Actions


@dataclass(frozen=True, slots=True)
class ChooseTowers:
    """Set-up: the tower colour of the player's side, an index into TOWER_COLORS."""

    color: int


@dataclass(frozen=True, slots=True)
class PlayAssistant:
    """Planning: an assistant of the hand, 1 to 10."""

    value: int


@dataclass(frozen=True, slots=True)
class ToDiningRoom:
    """Moves a student of this colour from the entrance to its table."""

    color: int


@dataclass(frozen=True, slots=True)
class ToIsland:
    """Moves a student of this colour from the entrance to an island, named as the settings say."""

    color: int
    island: int


@dataclass(frozen=True, slots=True)
class MoveMotherNature:
    """Moves Mother Nature clockwise by so many groups."""

    steps: int


@dataclass(frozen=True, slots=True)
class TakeCloud:
    """Takes all students of a cloud (0 to number of players - 1) into the entrance."""

    cloud: int


@dataclass(frozen=True, slots=True)
class PlayCharacter:
    """Pays for a character (1 to 12) and uses it at once, with what it needs to know and nothing more (section 5.3).

    `color` for 1, 9, 11 and 12; `island` for 1, 3 and 5; `swaps` are pairs for 7 (card colour, entrance colour) and
    10 (entrance colour, dining-room colour), exchanged at the same time, so that their order means nothing.
    """

    character: int
    color: int | None = None
    island: int | None = None
    swaps: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class EndTurn:
    """Ends the turn, where the settings want that said."""


Action: TypeAlias = (
    ChooseTowers | PlayAssistant | ToDiningRoom | ToIsland | MoveMotherNature | TakeCloud | PlayCharacter | EndTurn
)


# States

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
    """All that the referee knows, or what a seat sees of it (`view_of`).

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


def view_of(state: State, seat: int) -> State:
    """Return what a seat sees: the others' hands are zeros, the draw state is gone; the rest lies open.

    What is in the bag follows from what lies open (`unseen`). A seat that has still to choose its tower colour sees
    itself as the one to decide.
    """
    hands = tuple([hand if at == seat else (0,) * len(hand) for at, hand in enumerate(state.hands)])
    active = seat if state.phase is Phase.TOWERS and seat in choosers(state) else state.active
    return state._replace(hands=hands, active=active, draw_state=0)


def choosers(state: State) -> tuple[int, ...]:
    """Return the seats that have still to choose a tower colour: of a team its first member in the game."""
    found: dict[int, int] = {}
    for seat, side in enumerate(state.sides):
        if state.tower_colors[side] == NOBODY and state.standings[seat] is Standing.IN:
            found.setdefault(side, seat)
    return tuple(sorted(found.values()))


def free_tower_colors(state: State) -> list[int]:
    """Return the tower colours of this game that no side has."""
    count = len(state.tower_colors)
    return [color for color in range(count) if color not in state.tower_colors]


def sides_of(settings: Settings, seat_count: int) -> tuple[int, ...]:
    """Return by seat its side."""
    if seat_count < MAX_SEATS:
        return tuple(range(seat_count))
    return (0, 1, 0, 1) if settings.team_seating == "alternating" else (0, 0, 1, 1)


def members(state: State, side: int) -> tuple[int, ...]:
    """Return the seats of a side."""
    return tuple(seat for seat, other in enumerate(state.sides) if other == side)


def unseen(state: State) -> Counts:
    """Return the students in the bag, by what lies open: 26 of each colour less those elsewhere."""
    open_ = [*state.clouds, *state.entrances, *state.dining_rooms, state.aside]
    open_ += [group.students for group in state.groups] + [card.students for card in state.cards]
    return tuple([STUDENTS_PER_COLOR - sum(column) for column in zip(*open_, strict=True)])


def with_at(values: tuple[_T, ...], at: int, value: _T) -> tuple[_T, ...]:
    """Return the tuple with one value replaced."""
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
