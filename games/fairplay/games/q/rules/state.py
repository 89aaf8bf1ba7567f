"""The Q game as values: its settings, rules, actions, states and what a player sees of one (q.md sections 1, 3, 10)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from itertools import chain
from typing import Final, Literal, NamedTuple, TypeAlias

from fairplay.games.kit.settings import MAX_COUNT, MAX_REVISION, choice, find_problem, number
from fairplay.games.q.rules.board import (
    FARTHEST,
    KINDS,
    OUT_OF_RANGE,
    Board,
    Coordinate,
    Placement,
    fitting,
    sides,
    tile_name,
)

# Settings

UndeliveredTiles: TypeAlias = Literal["lost", "return"]
FitRule: TypeAlias = Literal["q", "qwirkle"]
LoneSurvivor: TypeAlias = Literal["play_on", "stop"]
SetupArgument: TypeAlias = Literal["public_state", "map"]

MIN_SEATS, MAX_SEATS = 2, 4
MAX_BONUS = 10
MAX_HAND = 36
MAX_COPIES = 100


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a game."""

    hand_size: int = number(6, 1, MAX_HAND, "How many tiles each player of a fresh game is dealt.")
    copies_per_kind: int = number(30, 1, MAX_COPIES, "How many tiles there are of each of the 36 kinds.")
    q_bonus: int = number(8, 0, MAX_BONUS, "How many points each Q brings.")
    finish_bonus: int = number(4, 0, MAX_BONUS, "How many points a player gets that places all tiles it holds.")
    undelivered_tiles: UndeliveredTiles = choice(
        "lost",
        UndeliveredTiles,
        "Whether tiles drawn for a player that fails in new-tiles are lost or return.",
    )
    fit_rule: FitRule = choice(
        "q", FitRule, "Whether a tile fits its neighbours, or whole lines share a color or shape without duplicates."
    )
    lone_survivor: LoneSurvivor = choice(
        "play_on", LoneSurvivor, "Whether the last player left after eliminations goes on alone, or the game stops."
    )
    setup_argument: SetupArgument = choice(
        "public_state", SetupArgument, "What setup tells of the table; no rule of play depends on it."
    )


def settings_problem(settings: Settings) -> tuple[str, str] | None:
    """Return the first field that is wrong and one sentence that says what is allowed; None if all are right."""
    return find_problem(settings) or too_few_tiles(settings, MIN_SEATS)


def too_few_tiles(settings: Settings, seat_count: int) -> tuple[str, str] | None:
    """Return the problem of settings with too few tiles for so many seats, as `settings_problem` does."""
    dealt, existing = seat_count * settings.hand_size, KINDS * settings.copies_per_kind
    if dealt < existing:
        return None
    return "copies_per_kind", (
        f"{KINDS} kinds times {settings.copies_per_kind} copies_per_kind are {existing} tiles: "
        f"{seat_count} players with {settings.hand_size} each and one tile on the map need {dealt + 1}."
    )


# Actions


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


def remaining(state: State) -> list[int]:
    """Return the seats that are still in the game."""
    return [seat for seat in range(len(state.hands)) if seat not in state.eliminated]


# What every state fulfils, so that one from outside can be refused with the reason


def invariant(state: State) -> str | None:
    """Return one sentence that names what no game can lead to; None if there is nothing. Never raises on a State."""
    if problem := settings_problem(state.settings):
        return problem[1]
    return next(chain(_seat_problems(state), _tile_problems(state), _phase_problems(state)), None)


def _seat_problems(state: State) -> Iterator[str]:
    count = len(state.hands)
    if not MIN_SEATS <= count <= MAX_SEATS:
        yield f"Q is played by {MIN_SEATS} to {MAX_SEATS} players, not by {count}."
    if len(state.points) != count:
        yield f"There are {count} hands and {len(state.points)} scores."
    if not 0 <= state.revision <= MAX_REVISION or not 0 <= min(state.points) <= max(state.points) <= MAX_COUNT:
        yield f"The revision is 0 to {MAX_REVISION:,}, and a score 0 to {MAX_COUNT:,}."
    if len(set(state.eliminated)) < len(state.eliminated) or not set(state.eliminated) <= set(range(count)):
        yield "Each eliminated seat must be one of the game, and named once."
    if any(state.hands[seat] for seat in state.eliminated):
        yield "An eliminated player holds no tiles."


def _tile_problems(state: State) -> Iterator[str]:
    board, tiles = state.board, state.board.tiles
    used = Counter([*tiles.values(), *chain.from_iterable(state.hands), *state.pile, *state.lost])
    for tile, count in sorted(used.items()):
        if not 0 <= tile < KINDS:
            yield f"There is no tile {tile}."
        if count > state.settings.copies_per_kind:
            yield f"There are {count} {tile_name(tile)} tiles of {state.settings.copies_per_kind}."
    if board.whole_lines != (state.settings.fit_rule == "qwirkle"):
        yield "The map must have the fit rule of the settings."
    if not tiles:
        yield "At least one tile must be on the map."
    if any(abs(row) > FARTHEST or abs(column) > FARTHEST for row, column in tiles):
        yield OUT_OF_RANGE
    if not _hang_together(tiles):
        yield "All tiles on the map must hang together."
    for (row, column), tile in sorted(tiles.items()):
        if not _lies_well(board, row, column, tile):
            yield f"The {tile_name(tile)} at ({row}, {column}) matches its neighbours neither by color nor by shape."


def _hang_together(tiles: Mapping[Coordinate, int]) -> bool:
    first = next(iter(tiles))
    reached, edge = {first}, [first]
    while edge:
        near = [side for side in sides(*edge.pop()) if side in tiles and side not in reached]
        reached.update(near)
        edge.extend(near)
    return len(reached) == len(tiles)


def _lies_well(board: Board, row: int, column: int, tile: int) -> bool:
    if board.whole_lines:
        return bool(fitting(board.tiles, row, column, whole_lines=True) >> tile & 1)
    near = [board.tiles[side] for side in sides(row, column) if side in board.tiles]
    return all(tile % 6 == other % 6 or tile // 6 == other // 6 for other in near)


def _phase_problems(state: State) -> Iterator[str]:
    left = remaining(state)
    if state.mover is None:
        yield from _end_problems(state)
    else:
        if state.mover not in left:
            yield f"Seat {state.mover} is not in the game and cannot have a turn."
        if state.finisher is not None or state.top is not None:
            yield "Only a game that is over has a finisher and a best score."
        if len(left) == 1 and state.settings.lone_survivor == "stop":
            yield "The game is over once a single player is left."
    if state.delivery is not None:
        seat, tiles = state.delivery
        if seat not in left:
            yield "Tiles cannot be delivered to a player that is not in the game."
        if state.hands[seat][: len(tiles)] != tiles:
            yield "The tiles that are to be delivered must be at the front of the player's hand."


def _end_problems(state: State) -> Iterator[str]:
    for seat in remaining(state):
        if state.top is None:
            yield "A game that is over must say its best score."
        elif state.points[seat] > state.top:
            yield f"A remaining player has {state.points[seat]} points, more than the best score {state.top}."
    if state.finisher is None:
        return
    if not 0 <= state.finisher < len(state.hands) or state.hands[state.finisher]:
        yield "The player that ended the game has placed all its tiles."
