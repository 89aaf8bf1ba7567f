"""The reference players of Fish: where to place, what to move.

A strategy sees a state as a player can rebuild it from what it is asked, and its own seat there, whose turn it is.
It keeps nothing between two answers: what it answers depends on its settings and on what it sees, so a game that is
resumed goes on as it would have gone.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b
from typing import Protocol

from fairplay.fish.v1.fish_player_pb2 import SetupRequest, SetupResponse, TakeTurnRequest, TakeTurnResponse
from fairplay.games.fish import rules
from fairplay.games.fish.protocol import METHODS, SETUP, TAKE_TURN, build_action, read_view
from fairplay.games.fish.rules import State
from fairplay.games.fish.rules.board import Move, Place
from fairplay.games.kit.players import build_players
from fairplay.games.kit.strategies import StrategyKind, make_strategy

_MEMO_LIMIT = 500_000
"""How many positions are remembered within one answer."""
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


class OutOfPositionsError(Exception):
    """Raised where a search has looked at all positions that it may look at."""


class Search:
    """A look ahead: the others leave `seat` as little as they can, `seat` takes what it can.

    Alpha-beta: a value that `value` and `worth` return is exact if it lies between `low` and `high`; at or below `low`
    it is not less than the exact one, at or above `high` not more. Only what is still to be won counts, so positions
    are worth the same however they came about.
    """

    def __init__(self, seat: int, most_fish: int, most_positions: float = math.inf) -> None:
        self.positions_left = most_positions
        """How many positions `value` may still look at: then it raises OutOfPositionsError."""
        self.seat = seat
        self.most_fish = most_fish
        self.unbounded = 1_000_000
        self.memo: dict[tuple[object, ...], tuple[int, int]] = {}

    def best_move(self, state: State, turns: int) -> tuple[Move, int]:
        """Return the move of `seat`, whose turn it is, that wins most in so many turns, and what it wins.

        Of several it is the one with the smallest source row, then column, then target. There must be a move.
        """
        moves = sorted(rules.moves(state, self.seat))
        best, most = moves[0], 0
        for move in moves:
            worth = self.worth(state, move, turns, most, self.unbounded)
            if worth > most:
                best, most = move, worth
        return best, most

    def worst_move(self, state: State, turns: int) -> Move:
        """Return the move of another seat, whose turn it is, that leaves `seat` least; of several the smallest."""
        moves = sorted(rules.moves(state, state.seat))
        return min(moves, key=lambda move: self.value(rules.apply(state, move), turns, -1, self.unbounded))

    def worth(self, state: State, move: Move, turns: int, low: int, high: int) -> int:
        """Return what a move of `seat` wins now and in its `turns - 1` turns thereafter."""
        fish = state.board.fish[move.source]
        if turns == 1:
            return fish
        return fish + self.value(rules.apply(state, move), turns - 1, low - fish, high - fish)

    def value(self, state: State, turns: int, low: int, high: int) -> int:
        """Return what `seat` can win in so many turns more. Raises OutOfPositionsError if that takes too many."""
        self.positions_left -= 1
        if self.positions_left < 0:
            raise OutOfPositionsError
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
        """Return the least and the most that can be won, as seen without looking ahead.

        A cell once taken stays so, and each move takes one more: a penguin with more free neighbours than there are
        seats to move before `seat` can still move when it is the turn of `seat`; a penguin without any never will.
        """
        near, fish = state.board.geometry.near, state.board.fish
        others = (self.seat - state.seat) % len(state.places)
        least = most = 0
        for cell in state.places[self.seat]:
            freedom = (near[cell] & ~state.taken).bit_count()
            least = max(least, fish[cell] if freedom > others else 0)
            most = max(most, fish[cell] if freedom else 0)
        return least, most + (turns - 1) * self.most_fish if most else 0


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


_MOST_CELLS = 30_000
"""How many cells the looks ahead of `Best` may see in all for one answer: less than 100 ms on a usual machine."""
_NEARNESS = 0.8
"""What a tile is worth to who reaches it a step later than another one."""
_DECIDED = 100.0
"""What it is worth to have won, whatever by."""


@dataclass(frozen=True, slots=True)
class Best:
    """Hold the most ground: look ahead as far as there is time, and value the tiles that each player is nearest to."""

    def place(self, state: State, seat: int) -> int:
        """Return the free tile from which the penguins hold most ground; on large boards one of those with most fish.

        Of several it is the first, row by row.
        """
        board, free = state.board, ~state.taken
        fish, near = board.fish, board.geometry.near

        def richness(cell: int) -> int:
            return fish[cell] + sum(fish[other] for other in _cells(near[cell] & free))

        richest = sorted(_free_cells(state), key=lambda cell: (-richness(cell), cell))
        tried = richest[: max(1, _MOST_CELLS // len(fish))]
        return max(tried, key=lambda cell: (_lead(rules.apply(state, Place(cell)), seat), -cell))

    def move(self, state: State, seat: int) -> Move:
        """Return the move after which `seat` leads by most, if the others leave it as little as they can."""
        fish = state.board.fish
        moves = sorted(_moves(state, seat), key=lambda move: (-fish[move.source], move))
        found, ground = moves[0], _Ground(seat, _MOST_CELLS // len(fish))
        with suppress(OutOfPositionsError):
            for depth in range(sum(map(bool, fish))):  # no game has more moves than tiles
                most = -math.inf
                for move in sorted(moves, key=lambda move: move != found):  # the best so far first
                    worth = ground.value(rules.apply(state, move), depth, most, math.inf)
                    if worth > most:
                        most, found = worth, move
        return found


class _Ground:
    """A look ahead in which the others leave `seat` the least lead: alpha-beta, over so many positions."""

    def __init__(self, seat: int, positions: int) -> None:
        self._seat = seat
        self._positions_left = positions

    def value(self, state: State, turns: int, low: float, high: float) -> float:
        """Return the lead of `seat` after so many moves more. Raises OutOfPositionsError if that takes too many."""
        if state.over or not turns:
            self._positions_left -= 1
            if self._positions_left < 0:
                raise OutOfPositionsError
            return _lead(state, self._seat)
        own, fish = state.seat == self._seat, state.board.fish
        for move in sorted(rules.moves(state, state.seat), key=lambda move: -fish[move.source]):
            worth = self.value(rules.apply(state, move), turns - 1, low, high)
            low, high = (max(low, worth), high) if own else (low, min(high, worth))
            if low >= high:
                break
        return low if own else high


def _lead(state: State, seat: int) -> float:
    """Return by how many fish `seat` leads the best of the others, with the ground that each of them holds."""
    if state.over:
        worth = [float(score) for score in rules.scores(state)]
    else:
        worth = [score + ground for score, ground in zip(rules.scores(state), _grounds(state), strict=True)]
    lead = worth[seat] - max((value for other, value in enumerate(worth) if other != seat), default=0.0)
    return lead + math.copysign(_DECIDED, lead) if state.over and lead else lead


def _grounds(state: State) -> list[float]:
    """Return what the ground of each seat is worth, in fish: the tiles that its penguins can leave, and those near by.

    Each free tile belongs to the seats that are the fewest steps away from it, and is worth less with every step.
    """
    fish, near = state.board.fish, state.board.geometry.near
    free = ~state.taken & ((1 << state.board.geometry.size) - 1)
    grounds = [float(sum(fish[cell] for cell in own if near[cell] & free)) for own in state.places]
    edges: list[list[int]] = list(map(list, state.places))
    nearness = _NEARNESS
    while any(edges):
        reached = []
        for edge in edges:
            around = 0
            for cell in edge:
                around |= near[cell]
            reached.append(around & free)
        for seat, cells in enumerate(reached):
            edges[seat] = [*_cells(cells)]
            for cell in edges[seat]:
                sharers = sum(other >> cell & 1 for other in reached)
                grounds[seat] += nearness * fish[cell] / sharers
            free &= ~cells
        nearness *= _NEARNESS
    return grounds


def _cells(cells: int) -> Iterator[int]:
    """Yield the cells of a set, row by row."""
    while cells:
        lowest = cells & -cells
        yield lowest.bit_length() - 1
        cells ^= lowest


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


STRATEGIES: Mapping[str, StrategyKind[Strategy]] = {
    "first": StrategyKind(First, "Whatever is found first: the cheapest legal answer there is."),
    "random": StrategyKind(
        Random,
        "Any legal answer, each as likely as another; the same whenever it sees the same.",
        {"seed": (0, -(2**63), 2**63 - 1)},
    ),
    "greedy": StrategyKind(Greedy, "The most fish now."),
    "minimax": StrategyKind(
        Minimax,
        "As the course has it: places row by row, then takes the most fish that it can be sure of in its next turns.",
        {"depth": (1, 1, 10)},
        is_quick=False,
    ),
    "best": StrategyKind(
        Best,
        "The most ground, as far as it can look ahead within a tenth of a second: beats all the others.",
        is_quick=False,
    ),
}


def strategy(spec: str) -> Strategy:
    """Return the strategy that `name` or `name:key=number,...` asks for, e.g. "minimax:depth=2".

    Raises ValueError, with a sentence that says what is allowed, if there is no such strategy, key or value.
    """
    return make_strategy(spec, STRATEGIES, "Fish")


def _set_up(strategy: Strategy, request: SetupRequest) -> SetupResponse:
    return SetupResponse(place=strategy.place(read_view(request.state), 0))


def _take_turn(strategy: Strategy, request: TakeTurnRequest) -> TakeTurnResponse:
    return TakeTurnResponse(action=build_action(strategy.move(read_view(request.state), 0)))


player = build_players("fish", "Fish", METHODS.values(), STRATEGIES, {SETUP: _set_up, TAKE_TURN: _take_turn})
