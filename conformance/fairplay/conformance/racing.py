"""Races between the tested player and reference players.

These let it go first, so that each game shows how it plays; but not always, so that it is outrun now and then, too.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from random import Random
from typing import Any, NamedTuple

from fairplay.games.steps import Arrival, Call, CallKind, Race

OUTRUN_EVERY = 4
"""In each race with this number the others do not wait, of those in which several players are to decide."""


class _Runner(NamedTuple):
    call: Call
    task: asyncio.Task[Any]
    began: float


class Races:
    """The calls that are open in the races of one game, from one race to the next."""

    def __init__(self, ask: Callable[[Call], Awaitable[Any]], tested: int, rng: Random) -> None:
        self._ask = ask
        self._tested = tested
        self._rng = rng
        self._open: dict[int, _Runner] = {}
        self._come: dict[int, tuple[float, Arrival]] = {}
        """Seat -> when it arrived, and with what, until it counts."""
        self._contests = 0
        """How many races the tested player has begun in which others were to decide, too."""
        self._wait = True
        """Whether the others wait for it in the last of its races."""

    async def run(self, race: Race) -> list[Arrival]:
        """The first that arrive, as `games.game.Race` has it."""
        clock = asyncio.get_running_loop().time
        began = clock()
        self._change(race, began)
        while True:
            self._collect(clock())
            due = self._due(race, began)
            wait_s = min(due.values(), default=clock() + 3_600) - clock()
            if due and wait_s <= 0:
                return self._first(due)
            waiting = [runner.task for seat, runner in self._open.items() if seat not in self._come]
            if waiting:
                await asyncio.wait(waiting, timeout=max(0.0, wait_s), return_when=asyncio.FIRST_COMPLETED)
            else:
                await asyncio.sleep(max(0.0, wait_s))

    def _change(self, race: Race, now: float) -> None:
        """Exactly the calls of this race are open."""
        wanted = {call.seat: call for call in race.calls}
        for seat, runner in list(self._open.items()):
            if wanted.get(seat) is not runner.call:
                self._drop(seat)
        first = wanted.get(self._tested)
        if first is not None and self._tested not in self._open:
            self._start(first, now, None)
            contest = sum(call.kind is not CallKind.NOTIFICATION for call in race.calls) > 1
            self._contests += contest
            self._wait = not contest or self._contests % OUTRUN_EVERY > 0
        ahead = self._open.get(self._tested) if self._wait else None
        for call in race.calls:
            if call.seat not in self._open:
                told = call.kind is CallKind.NOTIFICATION
                self._start(call, now, None if told or ahead is None else ahead.task)

    def _start(self, call: Call, now: float, ahead: asyncio.Task[Any] | None) -> None:
        async def run() -> Any:
            if ahead is not None:
                await asyncio.wait([ahead])
            return await self._ask(call)

        self._open[call.seat] = _Runner(call, asyncio.ensure_future(run()), now)

    def _drop(self, seat: int) -> None:
        runner = self._open.pop(seat)
        self._come.pop(seat, None)
        runner.task.cancel()

    def _collect(self, now: float) -> None:
        for seat, runner in self._open.items():
            if seat not in self._come and runner.task.done():
                self._come[seat] = (now, Arrival(seat, runner.task.result(), round(now - runner.began, 9)))

    def _due(self, race: Race, began: float) -> dict[int, float]:
        """Seat -> when its arrival counts."""
        return {
            seat: max(when, began + race.hold_s) + race.handicap_s.get(seat, 0.0)
            for seat, (when, _) in self._come.items()
        }

    def _first(self, due: dict[int, float]) -> list[Arrival]:
        """Those that count first, out of the race now; who came in the same moment is in an order drawn by lot."""
        first = min(due.values())
        seats = [seat for seat, when in due.items() if when == first]
        self._rng.shuffle(seats)
        arrivals = [self._come.pop(seat)[1] for seat in seats]
        for seat in seats:
            del self._open[seat]
        return arrivals

    def end(self) -> None:
        """Cancels what is still open."""
        for seat in list(self._open):
            self._drop(seat)
