"""Brains of the reference players of fish: where to place, what to move.

A strategy sees a state as a player can rebuild it from what it is asked, and its own seat there, whose turn it is.
It keeps nothing between two answers: what it answers depends on its settings and on what it sees, so a game that is
resumed goes on as it would have gone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from inspect import signature
from typing import Protocol

from fairplay.games.fish import rules
from fairplay.games.fish.rules import Move, State


class Strategy(Protocol):
    """Answers for one player. ValueError where there is nothing to answer: no free tile, no possible move."""

    def place(self, state: State, seat: int) -> int:
        """The cell for the next penguin."""

    def move(self, state: State, seat: int) -> Move:
        """The move to make."""


@dataclass(frozen=True, slots=True)
class First:
    """Whatever is found first: the cheapest legal answer there is."""

    def place(self, state: State, seat: int) -> int:
        """The free tile nearest to the top left, row by row."""
        return _first_free(state)

    def move(self, state: State, seat: int) -> Move:
        """One step of the first penguin that can move, to the free neighbour nearest to the top left."""
        near, free = state.board.geometry.near, ~state.taken
        for cell in state.places[seat]:
            if open_cells := near[cell] & free:
                return Move(cell, (open_cells & -open_cells).bit_length() - 1)
        raise ValueError(f"Seat {seat} has no possible move.")


@dataclass(frozen=True, slots=True)
class Random:
    """Any legal answer, each as likely as another; the same for the same seed, revision, seat and board."""

    seed: int = 0

    def place(self, state: State, seat: int) -> int:
        """Any free tile."""
        free = _free_cells(state)
        return free[self._number(state, seat) % len(free)]

    def move(self, state: State, seat: int) -> Move:
        """Any possible move."""
        moves = _moves(state, seat)
        return moves[self._number(state, seat) % len(moves)]

    def _number(self, state: State, seat: int) -> int:
        seen = (self.seed, state.revision, seat, state.board.columns, state.taken, rules.tiles(state))
        return int.from_bytes(blake2b(repr(seen).encode(), digest_size=8).digest(), "big")


@dataclass(frozen=True, slots=True)
class Greedy:
    """The most fish now."""

    def place(self, state: State, seat: int) -> int:
        """The free tile with most fish, then the one from which most cells can be reached, then the first."""
        fish = state.board.fish
        return max(_free_cells(state), key=lambda cell: (fish[cell], len(rules.reach(state, cell)), -cell))

    def move(self, state: State, seat: int) -> Move:
        """The move that collects most fish, then leaves the player most possible moves, then the first by cells."""
        moves = _moves(state, seat)
        most = max(state.board.fish[move.source] for move in moves)
        best = sorted(move for move in moves if state.board.fish[move.source] == most)
        return max(best, key=lambda move: len(rules.moves(rules.apply(state, move), seat)))


@dataclass(frozen=True, slots=True)
class Minimax:
    """The house strategy: the most fish that it can be sure of in its next `depth` turns, whatever the others do.

    A depth of 1 or 2 takes microseconds; each further one up to a hundred times the time, most with four players.
    """

    depth: int = 1

    def __post_init__(self) -> None:
        """Refuses a depth that would never end."""
        if not 1 <= self.depth <= 10:
            raise ValueError(f"minimax looks 1 to 10 turns ahead, not {self.depth}.")

    def place(self, state: State, seat: int) -> int:
        """The free tile nearest to the top left, row by row."""
        return _first_free(state)

    def move(self, state: State, seat: int) -> Move:
        """The move that is worth most; of several the one with the smallest source row, then column, then target."""
        search = _Search(seat, max(state.board.fish))
        moves = sorted(_moves(state, seat))
        best, most = moves[0], 0
        for move in moves:
            worth = search.worth(state, move, self.depth, most, search.unbounded)
            if worth > most:
                best, most = move, worth
        return best


_MEMO_LIMIT = 500_000  # positions remembered within one answer


class _Search:
    """One look ahead: the others leave `seat` as little as they can, `seat` takes what it can.

    Alpha-beta: a value that `value` and `worth` return is exact where it lies between `low` and `high`; at or below
    `low` it is not less than the exact one, at or above `high` not more. Only what is still to be won counts,
    so positions are worth the same however they came about.
    """

    def __init__(self, seat: int, most_fish: int) -> None:
        self.seat = seat
        self.most_fish = most_fish
        self.unbounded = 1_000_000
        self.memo: dict[tuple[object, ...], tuple[int, int]] = {}

    def worth(self, state: State, move: Move, turns: int, low: int, high: int) -> int:
        """What one's own move wins now and in the `turns - 1` turns thereafter."""
        fish = state.board.fish[move.source]
        if turns == 1:
            return fish
        return fish + self.value(rules.apply(state, move), turns - 1, low - fish, high - fish)

    def value(self, state: State, turns: int, low: int, high: int) -> int:
        """What can be won in so many turns more."""
        key = (state.taken, state.places, state.seat, turns)
        least, most = self.memo.get(key) or self._bounds(state, turns)
        if least == most or least >= high:
            return least
        if most <= low:
            return most
        own = state.seat == self.seat
        found = (self._best if own else self._worst)(state, turns, max(low, least), min(high, most))
        if len(self.memo) < _MEMO_LIMIT:
            self.memo[key] = (least if found <= low else found, most if found >= high else found)
        return found

    def _best(self, state: State, turns: int, low: int, high: int) -> int:
        fish = state.board.fish
        best = 0
        for move in sorted(rules.moves(state, self.seat), key=lambda move: -fish[move.source]):
            best = max(best, self.worth(state, move, turns, max(low, best), high))
            if best >= high:
                break
        return best

    def _worst(self, state: State, turns: int, low: int, high: int) -> int:
        worst = self.unbounded
        for move in rules.moves(state, state.seat):
            worst = min(worst, self.value(rules.apply(state, move), turns, low, min(high, worst)))
            if worst <= low:
                break
        return worst

    def _bounds(self, state: State, turns: int) -> tuple[int, int]:
        """Least and most that can be won, as seen without looking ahead.

        A cell once taken stays so, and each move takes one more: a penguin with more free neighbours than seats come
        before one's own can still move when it is one's turn; a penguin without any never will.
        """
        near, fish = state.board.geometry.near, state.board.fish
        others = (self.seat - state.seat) % len(state.places)
        least = most = 0
        for cell in state.places[self.seat]:
            freedom = (near[cell] & ~state.taken).bit_count()
            least = max(least, fish[cell] if freedom > others else 0)
            most = max(most, fish[cell] if freedom else 0)
        return least, most + (turns - 1) * self.most_fish if most else 0


def _first_free(state: State) -> int:
    """The lowest bit that is not set."""
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


STRATEGIES: Mapping[str, Callable[..., Strategy]] = {
    "first": First,
    "random": Random,
    "greedy": Greedy,
    "minimax": Minimax,
}


def strategy(spec: str) -> Strategy:
    """The strategy that `name` or `name:key=number,...` asks for, e.g. "minimax:depth=2".

    ValueError, naming what is allowed, where there is no such strategy or setting.
    """
    name, _, settings = spec.partition(":")
    if name not in STRATEGIES:
        raise ValueError(f"There is no strategy {name!r}: known are {', '.join(STRATEGIES)}.")
    allowed = list(signature(STRATEGIES[name]).parameters)
    return STRATEGIES[name](**dict(_setting(name, part, allowed) for part in settings.split(",") if settings))


def _setting(name: str, part: str, allowed: list[str]) -> tuple[str, int]:
    key, _, number = part.partition("=")
    if key not in allowed:
        raise ValueError(f"{name} has no setting {key!r}: it has {', '.join(allowed) or 'none'}.")
    try:
        return key, int(number)
    except ValueError:
        raise ValueError(f"{name}'s {key} must be a whole number, not {number!r}.") from None
