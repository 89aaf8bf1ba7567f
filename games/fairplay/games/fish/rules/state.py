"""States of Fish, and whose turn it is in them (fish.md section 4)."""

from __future__ import annotations

from collections.abc import Sequence
from operator import mul
from typing import NamedTuple

from fairplay.games.fish.rules.board import Board
from fairplay.games.fish.rules.geometry import outside
from fairplay.games.fish.rules.settings import MAX_SEATS, LoneSurvivor

COLORS = ("red", "white", "brown", "black")  # of seats 0, 1, 2, 3 (section 1)

# for each number of seats and each seat: all seats in turn order, beginning with that one
ROUNDS = tuple(
    tuple(tuple((first + step) % count for step in range(count)) for first in range(count))
    for count in range(MAX_SEATS + 1)
)


class State(NamedTuple):
    """All there is to know about a game of Fish; nothing of it is hidden from anybody.

    Eliminated seats stay in all lists by seat: without penguins, with the score they had.
    """

    board: Board
    taken: int  # the set of cells that are holes or carry a penguin
    scores: tuple[int, ...]  # by seat: fish collected
    places: tuple[tuple[int, ...], ...]  # by seat: cells of its penguins, in order of placement
    alive: tuple[bool, ...]  # by seat: not eliminated
    penguins: int  # how many each player places
    seat: int  # whose turn it is; in a game that is over, from whom on it would continue
    over: bool
    lone_survivor: LoneSurvivor
    revision: int  # 0 at first, one more with every change


def turn(state: State) -> int | None:
    """Return the seat to place or to move next; None once the game is over."""
    return None if state.over else state.seat


def placing(state: State) -> bool:
    """Return whether the seat whose turn it is has to place a penguin rather than to move one."""
    return not state.over and len(state.places[state.seat]) < state.penguins


def with_turn(state: State, first: int) -> State:
    """Return the state with the turn given to the first seat, from `first` on, that has to place or can move."""
    if state.lone_survivor == "stop" and state.alive.count(True) == 1 < len(state.alive):
        return state._replace(seat=first, over=True)
    for seat in ROUNDS[len(state.places)][first]:
        if state.alive[seat] and len(state.places[seat]) < state.penguins:
            return state._replace(seat=seat, over=False)
    mover = find_mover(state.board.geometry.near, state.taken, state.places, first)
    return state._replace(seat=first if mover is None else mover, over=mover is None)


def find_mover(near: Sequence[int], taken: int, places: Sequence[Sequence[int]], first: int) -> int | None:
    """Return the first seat, from `first` on, that can move a penguin; None if all are stuck."""
    free = ~taken
    for seat in ROUNDS[len(places)][first]:
        for cell in places[seat]:
            if near[cell] & free:
                return seat
    return None


def holes(state: State) -> int:
    """Return the set of cells without a tile."""
    found = state.taken
    for own in state.places:
        for cell in own:
            found ^= 1 << cell
    return found


def tiles(state: State) -> tuple[int, ...]:
    """Return the fish on each tile as they are now, row by row, under penguins too; 0 for a hole."""
    return tuple(map(mul, state.board.fish, outside(holes(state), state.board.geometry.size)))
