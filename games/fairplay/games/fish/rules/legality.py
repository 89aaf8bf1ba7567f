"""What a player may do: legal actions, and the rule that a wrong one breaks (fish.md sections 3 and 4)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress

from fairplay.games.fish.rules.geometry import Action, Move, Place, open_moves, outside
from fairplay.games.fish.rules.state import State


def legal(state: State) -> Sequence[Action]:
    """Return all that the seat whose turn it is may do, in order of cells, or of penguins and directions.

    Once the game is over there is nothing.
    """
    if state.over:
        return ()
    if len(state.places[state.seat]) < state.penguins:
        chart = state.board.geometry
        return tuple(compress(chart.placements, outside(state.taken, chart.size)))
    return moves(state, state.seat)


def moves(state: State, seat: int) -> list[Move]:
    """Return all moves open to a seat as if it were its turn.

    They come penguin by penguin, each along N and S, NE and SW, SE and NW.
    """
    taken = state.taken
    chart = state.board.geometry
    found: list[Move] = []
    for cell in state.places[seat]:
        for line, known, axis in chart.lines[cell]:
            try:
                found += known[taken & line]
            except KeyError:
                found += chart.learn(cell, axis, taken & line)
    return found


def reach(state: State, cell: int) -> tuple[int, ...]:
    """Return the cells that a penguin on a cell could move to, in the order N, NE, SE, S, SW, NW, nearest first."""
    return tuple(move.target for ray in state.board.geometry.rays[cell] for move in open_moves(ray, state.taken))


def violation(state: State, action: Action | None) -> str | None:
    """Return the id of the rule that an action of the seat to act breaks, or None. The action None is a skip."""
    if state.over:
        return "fish.action.game-over"
    if len(state.places[state.seat]) < state.penguins:
        return _place_violation(state, action)
    return _move_violation(state, action)


def _place_violation(state: State, action: Action | None) -> str | None:
    if action is None:
        return "fish.place.required"
    if not isinstance(action, Place):
        return "fish.place.before-moving"
    if not 0 <= action.cell < state.board.geometry.size:
        return "fish.place.on-board"
    if not state.taken >> action.cell & 1:
        return None
    return "fish.place.free" if any(action.cell in own for own in state.places) else "fish.place.tile"


def _move_violation(state: State, action: Action | None) -> str | None:
    if action is None:
        return "fish.move.mandatory"
    if not isinstance(action, Move):
        return "fish.place.before-moving"
    source, target = action
    size = state.board.geometry.size
    if not (0 <= source < size and 0 <= target < size):
        return "fish.move.on-board"
    if source not in state.places[state.seat]:
        return "fish.move.own-penguin"
    return "fish.move.not-stay" if source == target else _path_violation(state, action)


def _path_violation(state: State, move: Move) -> str | None:
    if state.taken >> move.target & 1 and not any(move.target in own for own in state.places):
        return "fish.move.tile"
    for ray in state.board.geometry.rays[move.source]:
        if move in ray:
            return None if move in open_moves(ray, state.taken) else "fish.move.clear-path"
    return "fish.move.straight-line"
