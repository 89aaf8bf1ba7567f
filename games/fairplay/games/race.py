"""The rules of races as a state machine without I/O: which calls are open, and when which answer counts.

The referee and the conformance suite drive the same machine. They make and cancel the calls, and pass the time in.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Generic, NamedTuple, TypeVar

from fairplay.games.steps import Call, Race

Answer = TypeVar("Answer")


class RaceChange(NamedTuple):
    """What the driver has to do when a race replaces the one before it: cancel first, then send."""

    cancel: Sequence[int]
    """The seats whose open calls are not in the new race."""
    send: Sequence[Call]
    """The calls that are new, in the order of the race."""


class RaceState(Generic[Answer]):
    """The races of one game, one after the other. All times are seconds of one clock that never goes back.

    `lot` draws the order of answers that count at the same time.
    """

    def __init__(self, lot: Random) -> None:
        self._lot = lot
        self._race = Race(())
        self._calls: dict[int, Call] = {}
        self._waiting: dict[int, tuple[float, Answer]] = {}
        self._began = 0.0

    @property
    def began(self) -> float:
        """Return when the race was set."""
        return self._began

    @property
    def is_idle(self) -> bool:
        """Return whether no call is open and no answer waits to count."""
        return not self._calls

    @property
    def due_at(self) -> float | None:
        """Return when the next answers count, or None if none has arrived. A race without calls is due at once."""
        if not self._race.calls:
            return self._began
        return min((counts_at for counts_at, _ in self._waiting.values()), default=None)

    def start(self, race: Race, now: float) -> RaceChange:
        """Replace the race and return what changes. A call that was in the previous race stays open."""
        if self._race.next_seat is not None:  # who could not join in that race joins in this one
            self._waiting.pop(self._race.next_seat, None)
        before, wanted = self._calls, {call.seat: call for call in race.calls}
        gone = [seat for seat, call in before.items() if wanted.get(seat) is not call]
        cancel = [seat for seat in gone if self._waiting.pop(seat, None) is None]
        self._race = race
        self._calls = wanted
        self._began = now
        return RaceChange(cancel, [call for call in race.calls if before.get(call.seat) is not call])

    def arrive(self, seat: int, answer: Answer, now: float) -> None:
        """Take the answer to an open call: it counts after the hold of the race and the handicap of the seat.

        Or take a player that joins, at the race's next seat.
        """
        held_s = max(0.0, self._began + self._race.hold_s - now)
        self._waiting[seat] = (now + held_s + self._race.handicap_s.get(seat, 0.0), answer)

    def take(self, now: float) -> list[Answer]:
        """Remove and return the answers that count by now, in an order drawn by lot."""
        ready = [seat for seat, (counts_at, _) in self._waiting.items() if counts_at <= now]
        self._lot.shuffle(ready)
        for seat in ready:
            self.settle(seat)
        return [self._waiting.pop(seat)[1] for seat in ready]

    def settle(self, seat: int) -> None:
        """Take note that the answer to a call counts. A seat that was not called has joined."""
        self._calls.pop(seat, None)

    def clear(self) -> None:
        """Forget the race and all answers to it."""
        self._race = Race(())
        self._calls.clear()
        self._waiting.clear()
