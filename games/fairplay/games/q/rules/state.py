"""The Q game as values: actions, states and what a player sees of one (q.md sections 1 and 3)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from random import Random
from typing import Final, NamedTuple, TypeAlias

from fairplay.games.q.rules.board import KINDS, Board, Coordinate, Placement
from fairplay.games.q.rules.settings import MAX_SEATS, MIN_SEATS, Settings, settings_problem, too_few_tiles


class Word(Enum):
    """A turn that places nothing."""

    PASS = "pass"
    REPLACE = "replace"


PASS: Final = Word.PASS
REPLACE: Final = Word.REPLACE


class Extension(NamedTuple):
    """A turn that places tiles, in this order."""

    placements: tuple[Placement, ...]


Action: TypeAlias = Word | Extension


# States


class Delivery(NamedTuple):
    """Tiles just drawn, of which their player has not been told yet (new-tiles). They may be none."""

    seat: int
    tiles: tuple[int, ...]


class State(NamedTuple):
    """All that the referee knows. Seats are numbered in turn order; the eliminated keep their number.

    Hands and points are by seat. The tiles of a delivery are in the player's hand already, at its front.
    """

    settings: Settings
    board: Board
    pile: tuple[int, ...]  # front first
    hands: tuple[tuple[int, ...], ...]
    points: tuple[int, ...]
    eliminated: tuple[int, ...] = ()  # in order of elimination
    mover: int | None = 0  # the seat to decide next; None: the game is over
    placed: bool = False  # somebody placed tiles in the current round
    delivery: Delivery | None = None
    finisher: int | None = None  # the seat whose last tile ended the game
    top: int | None = None  # the best score in the game when it ended; None while it goes on
    lost: tuple[int, ...] = ()  # tiles that were drawn for players that failed to take them
    revision: int = 0  # grows by one with every change


class View(NamedTuple):
    """A state as a player sees it (section 1)."""

    board: Board
    hand: tuple[int, ...]
    score: int
    others: tuple[int, ...]  # scores of the other remaining players, in turn order after this one
    pile_left: int
    revision: int


def initial(settings: Settings, seat_count: int, rng: Random) -> State:
    """Return a fresh game: shuffled tiles, a hand for each seat, one tile at (0, 0), the rest in the pile (section 1).

    Raises ValueError if the settings do not allow a game of so many seats.
    """
    if not MIN_SEATS <= seat_count <= MAX_SEATS:
        raise ValueError(f"Q is played by {MIN_SEATS} to {MAX_SEATS} players, not by {seat_count}.")
    if problem := settings_problem(settings) or too_few_tiles(settings, seat_count):
        raise ValueError(problem[1])
    tiles = [kind for kind in range(KINDS) for _ in range(settings.copies_per_kind)]
    rng.shuffle(tiles)
    size, dealt = settings.hand_size, seat_count * settings.hand_size
    hands = tuple(tuple(tiles[start : start + size]) for start in range(0, dealt, size))
    board = Board({(0, 0): tiles[dealt]}, settings.fit_rule == "qwirkle")
    return State(settings, board, tuple(tiles[dealt + 1 :]), hands, (0,) * seat_count)


def resumed(
    settings: Settings,
    tiles: Mapping[Coordinate, int],
    hands: Iterable[Sequence[int]],
    points: Iterable[int],
    pile: Sequence[int],
) -> State:
    """Return a game at the beginning of a round, with seat 0 to move. Whether there can be one, `invariant` says."""
    board = Board(tiles, settings.fit_rule == "qwirkle")
    return State(settings, board, tuple(pile), tuple(tuple(hand) for hand in hands), tuple(points))


def turn(state: State) -> int | None:
    """Return the seat to decide next; None if the game is over. An open delivery does not change it."""
    return state.mover


def scores(state: State) -> tuple[int, ...]:
    """Return the points by seat, those of the eliminated too."""
    return state.points


def view(state: State, seat: int) -> View:
    """Return what the player of a seat sees."""
    count = len(state.hands)
    later = [(seat + step) % count for step in range(1, count)]
    others = tuple(state.points[other] for other in later if other not in state.eliminated)
    return View(state.board, state.hands[seat], state.points[seat], others, len(state.pile), state.revision)


def remaining(state: State) -> list[int]:
    """Return the seats that are still in the game."""
    return [seat for seat in range(len(state.hands)) if seat not in state.eliminated]
