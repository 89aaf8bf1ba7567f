"""What a player of Fish can be sure to win, whatever the others do."""

from __future__ import annotations

import math

from fairplay.games.fish import rules
from fairplay.games.fish.rules import Move, State

_MEMO_LIMIT = 500_000  # positions remembered within one answer


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
