"""Players that are asked for the first answer: calls that stay open over many steps, and the order of their answers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from random import Random
from typing import NamedTuple

from fairplay.games.steps import Arrival, Call, Failure, Race
from fairplay.server.links.link import OpenCall
from fairplay.server.transcript import Asked, Transcript, recorded_s


class Answered(NamedTuple):
    """A call of the race was answered or failed, but does not count yet."""

    asked: Asked
    outcome: bytes | Failure
    elapsed_s: float
    counts_at: float  # in the time of the event loop


class Racing:
    """The races of one game.

    `send` makes a call and tells its outcome; `count` is told the arrivals that count, once they are recorded. `lot`
    orders what came in one moment: in one frame, in one turn of the event loop, or while answers were held.
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
        self._lot = lot
        self._loop = asyncio.get_running_loop()
        self._race = Race(())
        self._open: dict[int, tuple[Call, OpenCall]] = {}
        self._answered: dict[int, Answered] = {}
        self._held_until = 0.0
        self._paused = False
        self._timers: set[asyncio.TimerHandle] = set()

    def run(self, race: Race) -> None:
        """Opens the calls of the race that are not open, and cancels those that are no longer in it."""
        self._race = race
        self._paused = False
        now = self._loop.time()
        self._held_until = now + race.hold_s
        due = {call.seat: call for call in race.calls}
        for seat, (call, open_call) in list(self._open.items()):
            if due.get(seat) is not call:
                del self._open[seat]
                open_call.cancel()
        self._answered = {
            seat: answered for seat, answered in self._answered.items() if due.get(seat) is answered.asked.call
        }
        for call in race.calls:
            if call.seat not in self._open and call.seat not in self._answered:
                self._ask(call)
        for answered in self._answered.values():
            self._look_again(max(0.0, answered.counts_at - now))
        if not race.calls:
            self._look_again(0.0)

    def pause(self) -> None:
        """Nothing counts until the next race is run."""
        self._paused = True

    def clear(self) -> None:
        """The race is over: what is open is cancelled."""
        if self._open or self._answered or self._timers:
            for _, open_call in self._open.values():
                open_call.cancel()
            self._open.clear()
            self._answered.clear()
            for timer in self._timers:
                timer.cancel()
            self._timers.clear()

    def _ask(self, call: Call) -> None:
        asked = self._transcript.ask(call)

        def done(outcome: bytes | Failure, elapsed_s: float) -> None:
            del self._open[call.seat]
            now = self._loop.time()
            wait_s = max(0.0, self._held_until - now) + self._race.handicap_s.get(call.seat, 0.0)
            self._answered[call.seat] = Answered(asked, outcome, elapsed_s, now + wait_s)
            self._look_again(wait_s)

        self._open[call.seat] = (call, self._send(asked, done))

    def _look_again(self, after_s: float) -> None:
        """Also without a wait after the turn of the loop: the rest of the frame is one moment with its beginning."""

        def ring() -> None:
            self._timers.discard(timer)
            self._take()

        timer = self._loop.call_later(after_s, ring)
        self._timers.add(timer)

    def _take(self) -> None:
        if self._paused:
            return
        now = self._loop.time()
        ready = [answered for answered in self._answered.values() if answered.counts_at <= now]
        if not ready and self._race.calls:
            return
        self._lot.shuffle(ready)
        for answered in ready:
            del self._answered[answered.asked.call.seat]
        self._count(self._recorded(ready))

    def _recorded(self, ready: Sequence[Answered]) -> list[Arrival]:
        arrivals = []
        for number, (asked, outcome, elapsed_s, _) in enumerate(ready, 1):
            answer = self._transcript.record_outcome(asked, outcome, elapsed_s, more_follow=number < len(ready))
            arrivals.append(Arrival(asked.call.seat, answer, recorded_s(elapsed_s)))
        return arrivals
