"""The open games of a tournament that wait to be begun."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Set
from typing import NamedTuple


class _Queue(NamedTuple):
    """The games of a round between the same players."""

    round_number: int
    entrants: frozenset[int]


class WaitingGames:
    """Games that wait, in their order.

    A round may have hundreds of thousands, most of them between the same few players. So those that need the same
    players stand in one queue, and only its first game is looked at.
    """

    def __init__(self) -> None:
        self._queues: dict[_Queue, deque[str]] = {}

    def add(self, game_id: str, round_number: int, entrants: Collection[int]) -> None:
        """Add a game as the last one, between these entrants."""
        self._queues.setdefault(_Queue(round_number, frozenset(entrants)), deque()).append(game_id)

    def take(self, busy: Set[int], in_order: Set[int] = frozenset()) -> str | None:
        """Take out the first game that none of these players is needed for; None if there is none.

        Players of `in_order` begin no game before an earlier one of theirs.
        """
        found = self._first(busy, in_order)
        if found is None:
            return None
        game_id = self._queues[found].popleft()
        if not self._queues[found]:
            del self._queues[found]
        return game_id

    def _first(self, busy: Set[int], in_order: Set[int]) -> _Queue | None:
        late: set[int] = set()
        for queue in self._queues:
            if queue.entrants.isdisjoint(busy) and queue.entrants.isdisjoint(late):
                return queue
            late |= queue.entrants & in_order
        return None
