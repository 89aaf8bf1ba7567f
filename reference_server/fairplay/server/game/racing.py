"""The calls and timers of races: the rules of a race are in `fairplay.games.race`."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from random import Random
from typing import NamedTuple

from fairplay.games.race import RaceState
from fairplay.games.steps import Arrival, Call, Failure, Joined, Race
from fairplay.games.transcript import Asked, Transcript, recorded_s
from fairplay.server.links.link import OpenCall
from fairplay.v1.game_pb2 import Player


class Answered(NamedTuple):
    """An answered or failed call of a race that does not count yet."""

    asked: Asked
    outcome: bytes | Failure
    elapsed_s: float


class Joining(NamedTuple):
    """A player that joins, which does not count yet."""

    player: Player
    elapsed_s: float


class Racing:
    """The races of one game.

    `send` makes a call and reports its outcome; `count` takes the arrivals that count, once they are recorded. `lot`
    orders what arrives at the same instant: in one frame, in one turn of the event loop, or while answers were held.
    """

    def __init__(
        self,
        send: Callable[[Asked, Callable[[bytes | Failure, float], None]], OpenCall],
        transcript: Transcript,
        count: Callable[[list[Arrival]], None],
        lot: Random,
    ) -> None:
        self._send = send
        self._transcript = transcript
        self._count = count
        self._loop = asyncio.get_running_loop()
        self._state = RaceState[Answered | Joining](lot)
        self._open: dict[int, OpenCall] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._paused = False

    def run(self, race: Race) -> None:
        """Set the open calls: send the new ones of a race, cancel those that are missing in it."""
        self._paused = False
        change = self._state.start(race, self._loop.time())
        for seat in change.cancel:
            self._open.pop(seat).cancel()
        for call in change.send:
            self._ask(call)
        self._set_timer()

    def join(self, seat: int, player: Player) -> None:
        """Let a player join at the next seat of the race. If another race is run before that counts, it must again."""
        now = self._loop.time()
        self._state.arrive(seat, Joining(player, now - self._state.began), now)
        self._set_timer()

    def pause(self) -> None:
        """Let no answer count until the next race is run."""
        self._paused = True

    def clear(self) -> None:
        """Cancel the open calls and forget the answers of the race."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if not self._state.is_idle:
            while self._open:
                self._open.popitem()[1].cancel()
            self._state.clear()

    def _ask(self, call: Call) -> None:
        asked = self._transcript.ask(call)

        def done(outcome: bytes | Failure, elapsed_s: float) -> None:
            del self._open[call.seat]
            self._state.arrive(call.seat, Answered(asked, outcome, elapsed_s), self._loop.time())
            self._set_timer()

        self._open[call.seat] = self._send(asked, done)

    def _set_timer(self) -> None:
        # Answers that are due at once wait for the next turn of the loop, too: the rest of the frame arrives with them.
        due_at = self._state.due_at
        if due_at is None:
            return
        if self._timer is None or self._timer.when() > due_at:
            if self._timer is not None:
                self._timer.cancel()
            self._timer = self._loop.call_at(due_at, self._ring)

    def _ring(self) -> None:
        self._timer = None
        if self._paused:
            return
        due_at, now = self._state.due_at, self._loop.time()
        if due_at is not None and due_at <= now:
            self._count(self._record(self._state.take(now)))
        else:
            self._set_timer()

    def _record(self, ready: Sequence[Answered | Joining]) -> list[Arrival]:
        arrivals = []
        for number, each in enumerate(ready, 1):
            more_follow = number < len(ready)
            if isinstance(each, Joining):
                seat = self._transcript.record_join(each.player, each.elapsed_s, more_follow=more_follow)
                arrivals.append(Arrival(seat, Joined(), recorded_s(each.elapsed_s)))
            else:
                asked, outcome, elapsed_s = each
                answer = self._transcript.record_outcome(asked, outcome, elapsed_s, more_follow=more_follow)
                arrivals.append(Arrival(asked.call.seat, answer, recorded_s(elapsed_s)))
        return arrivals
