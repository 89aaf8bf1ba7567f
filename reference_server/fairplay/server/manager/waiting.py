"""The open games of a tournament that wait to be begun."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Set
from typing import NamedTuple


class _Queue(NamedTuple):
    """The games of a round whose players must be free are the same."""

    round_number: int
    alone: frozenset[int]


class WaitingGames:
    """Games that wait, in their order.

    A round may have hundreds of thousands, most of them between the same few players. So those that need the same
    players stand in one queue, and only its first game is looked at.
    """

    def __init__(self) -> None:
        self._queues: dict[_Queue, deque[str]] = {}

    def add(self, game_id: str, round_number: int, alone: Collection[int]) -> None:
        """Add a game as the last one. `alone` are those of its players who can be in no other game meanwhile."""
        self._queues.setdefault(_Queue(round_number, frozenset(alone)), deque()).append(game_id)

    def take(self, busy: Set[int]) -> str | None:
        """Take out the first game that none of these players is needed for; None if there is none."""
        found = next((queue for queue in self._queues if queue.alone.isdisjoint(busy)), None)
        if found is None:
            return None
        game_id = self._queues[found].popleft()
        if not self._queues[found]:
            del self._queues[found]
        return game_id
