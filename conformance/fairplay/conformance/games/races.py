"""Races between the player under test and reference players.

Mostly the reference players wait for it, so that each game shows how it plays; sometimes they do not, so that it is
also outrun now and then.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from random import Random
from typing import Any, NamedTuple

from fairplay.games.race import RaceState
from fairplay.games.steps import Arrival, Call, CallKind, Race

OUTRUN_EVERY = 4
"""Of the races in which several players decide, the reference players do not wait in each one with this number."""


class _Runner(NamedTuple):
    task: asyncio.Task[Any]
    began: float


class Races:
    """The calls of the races of one game. `tested` is the seat of the player under test.

    `is_eager` returns whether a call to another player is answered whatever the player under test does: at once, or in
    `head_start_s` where that has been called, too.
    """

    def __init__(
        self,
        ask: Callable[[Call], Awaitable[Any]],
        tested: int,
        rng: Random,
        is_eager: Callable[[Call], bool],
        head_start_s: float = 0.0,
    ) -> None:
        self._ask = ask
        self._head_start_s = head_start_s
        self._tested = tested
        self._is_eager = is_eager
        self._state = RaceState[Arrival](rng)
        self._runners: dict[int, _Runner] = {}
        self._last: asyncio.Task[Any] | None = None
        """The last call to the player under test."""
        self._ahead: asyncio.Task[Any] | None = None
        """The same, where others wait for it as long as it is open; None: they do not."""
        self._contests = 0
        """How many races the player under test has begun in which others were to decide, too."""

    async def run(self, race: Race) -> list[Arrival]:
        """Return the arrivals that count first, as `Race` has it."""
        clock = asyncio.get_running_loop().time
        self._start(race, clock())
        while True:
            self._collect(clock())
            due_at, now = self._state.due_at, clock()
            if due_at is not None and due_at <= now:
                return self._state.take(now)
            timeout_s = None if due_at is None else due_at - now
            if self._runners:
                tasks = [runner.task for runner in self._runners.values()]
                await asyncio.wait(tasks, timeout=timeout_s, return_when=asyncio.FIRST_COMPLETED)
            else:
                assert timeout_s is not None, "what is not open any more has an answer that will count"
                await asyncio.sleep(timeout_s)

    def _start(self, race: Race, now: float) -> None:
        """Set the open calls: cancel those that are missing in a race, and make the new ones."""
        change = self._state.start(race, now)
        for seat in change.cancel:
            self._runners.pop(seat).task.cancel()
        new = {call.seat: call for call in change.send}
        first = new.pop(self._tested, None)
        if first is not None:
            self._last = self._run(first, now)
            contest = sum(call.kind is not CallKind.NOTIFICATION for call in race.calls) > 1
            self._contests += contest
            self._ahead = self._last if not contest or self._contests % OUTRUN_EVERY else None
        for call in new.values():
            if call.kind is CallKind.NOTIFICATION:
                self._run(call, now)
            elif self._is_eager(call):
                self._run(call, now, self._last if self._head_start_s else None, self._head_start_s)
            else:
                self._run(call, now, self._ahead)

    def _run(
        self, call: Call, now: float, ahead: asyncio.Task[Any] | None = None, longest_s: float | None = None
    ) -> asyncio.Task[Any]:
        """Make a call when another one is over, or after so many seconds."""

        async def run() -> Any:
            if ahead is not None:
                await asyncio.wait([ahead], timeout=longest_s)
            return await self._ask(call)

        task = asyncio.ensure_future(run())
        self._runners[call.seat] = _Runner(task, now)
        return task

    def _collect(self, now: float) -> None:
        for seat, (task, began) in list(self._runners.items()):
            if task.done():
                del self._runners[seat]
                self._state.arrive(seat, Arrival(seat, task.result(), round(now - began, 9)), now)

    def end(self) -> None:
        """Cancel what is still open."""
        for runner in self._runners.values():
            runner.task.cancel()
        self._runners.clear()
        self._state.clear()


# --- games at the same time whose calls come in a fixed order ---

TO_THE_END = 10**9
"""The share of a game that goes on to its end once it has begun."""


class Rotation:
    """Lets games call the player in turn: each makes as many calls as its share, then it is the next one's turn."""

    def __init__(self, shares: Sequence[int]) -> None:
        self._shares = shares
        self._order = deque(range(len(shares)))
        self._may_call = [asyncio.Event() for _ in shares]
        self._begin()

    def _begin(self) -> None:
        """Let the first game in the order make its calls."""
        if self._order:
            self._left = self._shares[self._order[0]]
            self._may_call[self._order[0]].set()

    @asynccontextmanager
    async def turn(self, number: int) -> AsyncIterator[None]:
        """Wait until a game may call. The end of the `with` block counts the call."""
        await self._may_call[number].wait()
        try:
            yield
        finally:
            self._left -= 1
            if not self._left:
                self._may_call[number].clear()
                self._order.rotate(-1)
                self._begin()

    def leave(self, number: int) -> None:
        """Take a game that is over out of the rotation."""
        first = self._order[0] == number
        self._order.remove(number)
        if first:
            self._begin()


class Abreast:
    """Lets games call the player at the same moments: each calls when all the others that go on have a call due.

    One begins after another, a few moments later, with its first call behind the calls of the others.
    """

    def __init__(self, count: int, later_by: int) -> None:
        self._left = {number: number * later_by for number in range(count)}
        """Number of a game that goes on -> how many moments it waits before its first call."""
        self._due: dict[int, asyncio.Event] = {}

    @asynccontextmanager
    async def turn(self, number: int) -> AsyncIterator[None]:
        """Wait until a game may call."""
        event = self._due[number] = asyncio.Event()
        self._go_on()
        await event.wait()
        yield

    def leave(self, number: int) -> None:
        """Take a game that is over out of the others' way."""
        del self._left[number]
        self._go_on()

    def _go_on(self) -> None:
        """Let all games call that are not to wait, if each of them has a call due."""
        if self._due.keys() != self._left.keys():
            return
        soonest = min(self._left.values(), default=0)
        for number, moments in self._left.items():
            self._left[number] = max(0, moments - max(1, soonest))
            if moments <= soonest:
                self._due.pop(number).set()
