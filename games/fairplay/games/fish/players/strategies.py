"""Strategies of the reference players of Fish: where to place, what to move.

A strategy sees a state as a player can rebuild it from what it is asked, and its own seat there, whose turn it is.
It keeps nothing between two answers: what it answers depends on its settings and on what it sees, so a game that is
resumed goes on as it would have gone.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b
from typing import Protocol

from fairplay.games.fish import rules
from fairplay.games.fish.players.search import OutOfPositionsError, Search
from fairplay.games.fish.rules import Move, State
from fairplay.games.kit.strategies import StrategyKind, make_strategy
from fairplay.games.kit.strategies import search_depth as search_depth_among

_MOST_POSITIONS = 500_000
"""How many positions a search may look at for one answer: some seconds."""


class Strategy(Protocol):
    """The decisions of one player. Raises ValueError if there is nothing to answer: no free tile, no possible move."""

    def place(self, state: State, seat: int) -> int:
        """Return the cell for the next penguin."""

    def move(self, state: State, seat: int) -> Move:
        """Return the move to make."""


@dataclass(frozen=True, slots=True)
class First:
    """Take whatever is found first: the cheapest legal answer there is."""

    def place(self, state: State, seat: int) -> int:
        """Return the free tile nearest to the top left, row by row."""
        return _first_free(state)

    def move(self, state: State, seat: int) -> Move:
        """Return one step of the first penguin that can move, to the free neighbour nearest to the top left."""
        near, free = state.board.geometry.near, ~state.taken
        for cell in state.places[seat]:
            if open_cells := near[cell] & free:
                return Move(cell, (open_cells & -open_cells).bit_length() - 1)
        raise ValueError(f"Seat {seat} has no possible move.")


@dataclass(frozen=True, slots=True)
class Random:
    """Take any legal answer, each as likely as another; the same for the same seed, revision, seat and board."""

    seed: int = 0

    def place(self, state: State, seat: int) -> int:
        """Return any free tile."""
        free = _free_cells(state)
        return free[self._number(state, seat) % len(free)]

    def move(self, state: State, seat: int) -> Move:
        """Return any possible move."""
        moves = _moves(state, seat)
        return moves[self._number(state, seat) % len(moves)]

    def _number(self, state: State, seat: int) -> int:
        seen = (self.seed, state.revision, seat, state.board.columns, state.taken, rules.tiles(state))
        return int.from_bytes(blake2b(repr(seen).encode(), digest_size=8).digest(), "big")


@dataclass(frozen=True, slots=True)
class Greedy:
    """Take the most fish now."""

    def place(self, state: State, seat: int) -> int:
        """Return the free tile with most fish, then the one from which most cells can be reached, then the first."""
        fish = state.board.fish
        return max(_free_cells(state), key=lambda cell: (fish[cell], len(rules.reach(state, cell)), -cell))

    def move(self, state: State, seat: int) -> Move:
        """Return the move that collects most fish, then leaves the player most moves, then the first by cells."""
        moves = _moves(state, seat)
        most = max(state.board.fish[move.source] for move in moves)
        best = sorted(move for move in moves if state.board.fish[move.source] == most)
        return max(best, key=lambda move: len(rules.moves(rules.apply(state, move), seat)))


@dataclass(frozen=True, slots=True)
class Minimax:
    """Take the most fish that it can be sure of in its next `depth` turns, whatever the others do.

    A depth of 1 or 2 takes microseconds; each further one up to a hundred times the time, most with four players. It
    looks less deep where that would take too many positions.
    """

    depth: int = 1

    def place(self, state: State, seat: int) -> int:
        """Return the free tile nearest to the top left, row by row."""
        return _first_free(state)

    def move(self, state: State, seat: int) -> Move:
        """Return the move that wins most; of several the one with the smallest source row, then column, then target."""
        found = _moves(state, seat)[0]
        search = Search(seat, max(state.board.fish), _MOST_POSITIONS)
        with suppress(OutOfPositionsError):
            for depth in range(1, self.depth + 1):
                found = search.best_move(state, depth)[0]
        return found

    def plan(self, state: State, seat: int) -> tuple[int, list[Move]]:
        """Return how many fish it can be sure of in its next turns, and the moves until then, those of the others too.

        Where the others leave it equally little, the move with the smallest source and target is theirs. A player that
        can win nothing more plans nothing.
        """
        search = Search(seat, max(state.board.fish))
        sure, line, turns = search.value(state, self.depth, 0, search.unbounded), list[Move](), self.depth
        while turns and search.value(state, turns, 0, search.unbounded):
            if state.seat == seat:
                line.append(search.best_move(state, turns)[0])
                turns -= 1
            else:
                line.append(search.worst_move(state, turns))
            state = rules.apply(state, line[-1])
        return sure, line


def _first_free(state: State) -> int:
    """Return the free tile nearest to the top left: the lowest bit that is not set."""
    cell = (~state.taken & (state.taken + 1)).bit_length() - 1
    if cell >= state.board.geometry.size:
        raise ValueError("No tile is free.")
    return cell


def _free_cells(state: State) -> list[int]:
    free = [cell for cell in range(state.board.geometry.size) if not state.taken >> cell & 1]
    if not free:
        raise ValueError("No tile is free.")
    return free


def _moves(state: State, seat: int) -> list[Move]:
    moves = rules.moves(state, seat)
    if not moves:
        raise ValueError(f"Seat {seat} has no possible move.")
    return moves


_ANY_SEED = -(2**63), 2**63 - 1

STRATEGIES: Mapping[str, StrategyKind[Strategy]] = {
    "first": StrategyKind(First, "Whatever is found first: the cheapest legal answer there is."),
    "random": StrategyKind(
        Random,
        "Any legal answer, each as likely as another; the same whenever it sees the same.",
        {"seed": (0, *_ANY_SEED)},
    ),
    "greedy": StrategyKind(Greedy, "The most fish now."),
    "minimax": StrategyKind(
        Minimax,
        "The most fish that it can be sure of in its next turns, whatever the others do.",
        {"depth": (1, 1, 10)},
    ),
}


def strategy(spec: str) -> Strategy:
    """Return the strategy that `name` or `name:key=number,...` asks for, e.g. "minimax:depth=2".

    Raises ValueError, with a sentence that says what is allowed, if there is no such strategy, key or value.
    """
    return make_strategy(spec, STRATEGIES, "Fish")


def search_depth(spec: str) -> int:
    """Return how deep a strategy is asked to search; 0 if no deeper than by default. Raises ValueError likewise."""
    return search_depth_among(spec, STRATEGIES, "Fish")
