"""What players have still to be told: the events of the game, and the statuses of their own acts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from fairplay.games.webset.rules.state import Status
from fairplay.webset.v1.webset_pb2 import Event


class Parcel(NamedTuple):
    """What a call to a player carries."""

    status: Status | None
    rule: str | None
    events: Sequence[Event]


class News:
    """The news of one game.

    News is delivered when the call that carried it is answered: what rode in a cancelled call comes again in the next.
    """

    def __init__(self, seat_count: int) -> None:
        self._events: list[Event] = []
        self._delivered = [0] * seat_count
        """How many of the events each seat has been told in calls that it answered."""
        self._carried = self._delivered.copy()
        """How many it has been told if it answers its last call, too."""
        self._shown = 0
        """How many of the events spectators were shown."""
        self._results: dict[int, tuple[Status, str | None]] = {}

    def add_player(self) -> None:
        """Add a player behind the others, which is told nothing of what has happened so far."""
        self._delivered.append(len(self._events))
        self._carried.append(len(self._events))

    def add(self, event: Event) -> None:
        """Add an event, which every player is to be told."""
        self._events.append(event)

    def add_result(self, seat: int, status: Status, rule: str | None) -> None:
        """Add what became of the last act of a player, which that player alone is to be told."""
        self._results[seat] = status, rule

    def take_unshown(self) -> Sequence[Event]:
        """Return the events that spectators were not shown yet; from now on they were."""
        unshown = self._events[self._shown :]
        self._shown = len(self._events)
        return unshown

    def waits_for(self, seat: int) -> bool:
        """Return whether there is anything that a player has not been told."""
        return seat in self._results or self._delivered[seat] < len(self._events)

    def load(self, seat: int) -> Parcel:
        """Return what the next call to a player is to carry."""
        self._carried[seat] = len(self._events)
        status, rule = self._results.get(seat, (None, None))
        return Parcel(status, rule, self._events[self._delivered[seat] :])

    def deliver(self, seat: int) -> None:
        """Record that a player has answered its last call."""
        self._delivered[seat] = self._carried[seat]
        self._results.pop(seat, None)
