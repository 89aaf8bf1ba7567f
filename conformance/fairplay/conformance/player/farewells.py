"""Whether a started player that has dialled in sends its hello again: asked of processes that nobody needs any more.

The server says that it shuts down, and refuses the next hello. A status says whether the player may come back, together
with what the details hold: why, and when to try again. Or it says goodbye for good while the player is in a game.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine, Iterator, Sequence
from functools import partial
from itertools import product
from random import Random
from typing import Any, NamedTuple, TypeAlias

import grpc
from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message
from google.rpc import error_details_pb2, status_pb2

from fairplay.conformance.player.machine import is_busy
from fairplay.player.dialing import FINAL
from fairplay.server.links.programs import ProcessLink
from fairplay.server.links.stream import LOSS_S
from fairplay.server.net.errors import DOMAIN, STATUS, Refusal, rich_status
from fairplay.server.net.limits import METHODS
from fairplay.v1.connection_pb2 import GoodbyeReason

COMES_BACK_S, REFUSED_S = 10.0, 5.0
"""So long a player may take to dial in again, and so long it is watched that was refused for good."""
END_LIMIT_S, BUSY_END_LIMIT_S = 10.0, 30.0
"""So long a process may take to end after the goodbye FINISHED; the second number is for a machine that is busy."""
PASSING_S = 20.0
"""So long a player is asked whether it comes back after what passes; one that waits long in between is asked less."""
POLL_S = 0.05
AT_ONCE = 2
"""So many processes are watched at the same time: some players need much memory."""
EXHAUSTED = grpc.StatusCode.RESOURCE_EXHAUSTED
REASONS = {STATUS[reason]: reason for reason in METHODS["fairplay.v1.ConnectionService.DialIn"].reasons}
"""A reason for each status that servers have reasons for when they refuse a hello."""
FOR_GOOD = (GoodbyeReason.GOODBYE_REASON_REPLACED, GoodbyeReason.GOODBYE_REASON_FINISHED)
"""Goodbyes after which no player dials in again."""
Close: TypeAlias = Callable[[], Coroutine[Any, Any, None]]
"""Lets go of a process."""


class Ending(NamedTuple):
    """What the hello of a player is refused with."""

    status: grpc.StatusCode
    has_reason: bool = False
    """Whether a google.rpc.ErrorInfo is in the details."""
    has_delay: bool = False
    """Whether a google.rpc.RetryInfo is in the details."""

    @property
    def is_final(self) -> bool:
        """Return whether the player must not send the same hello again."""
        return self.status in FINAL or (self.status is EXHAUSTED and self.has_reason and not self.has_delay)

    def __str__(self) -> str:
        reason, delay = "a" if self.has_reason else "no", "a" if self.has_delay else "no"
        return f"{self.status.name}, {reason} google.rpc.ErrorInfo and {delay} google.rpc.RetryInfo"


class Ended(Refusal):
    """The end of a stream with a status and any details: servers, proxies and libraries send all of them."""

    def __init__(self, ending: Ending) -> None:
        super().__init__(REASONS.get(ending.status, "INTERNAL"), f"this hello is refused with {ending.status.name}")
        self._ending = ending

    @property
    def code(self) -> grpc.StatusCode:
        """Return the gRPC status code."""
        return self._ending.status

    def status(self) -> status_pb2.Status:
        """Return the error in google.rpc's rich form, with the details that it is to have."""
        details: list[Message] = []
        if self._ending.has_reason:
            details.append(error_details_pb2.ErrorInfo(reason=self.reason, domain=DOMAIN))
        if self._ending.has_delay:
            details.append(error_details_pb2.RetryInfo(retry_delay=Duration(nanos=100_000_000)))
        return rich_status(self.code, self.message, details)


class Farewell(NamedTuple):
    """What a player did when its hello was refused."""

    ending: Ending
    came_back: bool
    """Whether it sent its hello again."""
    output: str


def _draw(rng: Random, final: bool) -> Iterator[Ending]:
    """Yield endings that are final, or pass: all of RESOURCE_EXHAUSTED, whose details matter; one of other statuses."""
    others = [status for status in grpc.StatusCode if status not in (EXHAUSTED, grpc.StatusCode.OK)]
    for status in (EXHAUSTED, *rng.sample(others, len(others))):
        details = [*product((True, False) if status in REASONS else (False,), (True, False))]
        endings = [Ending(status, *each) for each in (details if status is EXHAUSTED else [rng.choice(details)])]
        yield from (each for each in endings if each.is_final is final)


class Farewells:
    """Refuses the hellos of players that are not needed any more, each with an ending that no other one had."""

    def __init__(self, rng: Random) -> None:
        self._final = [*_draw(rng, final=True)]
        self._first = rng.choice(self._final)
        self._passing = [*_draw(rng, final=False)]
        self._open = set[asyncio.Task[None]]()
        self.final: list[Farewell] = []
        """What players did that were refused for good."""
        self.passing: list[Farewell] = []
        """What one did that might come back."""
        self._for_good = [*FOR_GOOD]
        self.returned = dict[GoodbyeReason.ValueType, str]()
        """What players had written that dialled in again after these goodbyes in the middle of a game."""
        self.stayed: str | None = None
        """What a player had written that did not end after such a goodbye FINISHED."""

    @property
    def wants_a_game(self) -> bool:
        """Return whether another process is wanted that is in the middle of a game."""
        return bool(self._for_good)

    @property
    def is_over(self) -> bool:
        """Return whether no other process is wanted."""
        return not self._final

    def choose_first(self) -> Ending:
        """Return an ending for the first hello of a process: one that no other process has had, if there is one."""
        return self._final.pop() if self._final else self._first

    def has_room(self, *, plays: bool) -> bool:
        """Return whether another process is wanted now, which is in the middle of a game or not."""
        return len(self._open) < AT_ONCE and (not self.is_over or (plays and self.wants_a_game))

    def take(self, process: ProcessLink, close: Close, *, plays: bool) -> None:
        """Refuse the hellos of a process that has dialled in, and `close` it, without waiting for that.

        One that is in the middle of a game (`plays`) is told goodbye for good instead, while such are wanted.
        """
        if plays and self.wants_a_game:
            task = asyncio.create_task(self._dismiss(process, close, self._for_good.pop(0)))
        else:
            passing, self._passing = self._passing, []
            task = asyncio.create_task(self._part(process, close, passing, self._final.pop(0)))
        self._open.add(task)
        task.add_done_callback(self._open.discard)

    async def wait(self, most: int = 0) -> None:
        """Wait until at most so many processes are being watched."""
        while len(self._open) > most:
            await asyncio.wait(self._open, return_when=asyncio.FIRST_COMPLETED)

    async def close(self) -> None:
        """Close the processes that are being watched."""
        for task in self._open:
            task.cancel()
        await self.wait()

    async def _dismiss(self, process: ProcessLink, close: Close, reason: GoodbyeReason.ValueType) -> None:
        """Say goodbye for good to a player that came back before, watch what it does, and close its process.

        It did so when the server had shut down, and when its stream was lost.
        """
        restart = partial(process.dismiss, GoodbyeReason.GOODBYE_REASON_SHUTTING_DOWN, "this server is started anew")
        try:
            for leave in (restart, partial(process.lose, LOSS_S, breaks=True)):
                if not await returns(process, leave, COMES_BACK_S):
                    return
            must_end = reason == GoodbyeReason.GOODBYE_REASON_FINISHED
            if await dismiss(process, reason, END_LIMIT_S if must_end else REFUSED_S):
                self.returned[reason] = process.output
            elif must_end and not process.ended:
                self.stayed = process.output
        finally:
            await close()

    async def _part(self, process: ProcessLink, close: Close, passing: Sequence[Ending], final: Ending) -> None:
        """Refuse the hellos of a player, and close its process when it was seen what it does."""
        give_up = time.monotonic() + PASSING_S
        try:
            for ending in passing:
                if time.monotonic() > give_up or not await _is_refused(process, ending):
                    break
                process.let_in()
                if not await process_shows(process, lambda: process.connected, COMES_BACK_S):
                    self.passing.append(Farewell(ending, came_back=False, output=process.output))
                    self._final.insert(0, final)
                    return
                self.passing.append(Farewell(ending, came_back=True, output=process.output))
            if await _is_refused(process, final):
                count = process.refused_count
                came_back = await process_shows(process, lambda: process.refused_count > count, REFUSED_S)
                self.final.append(Farewell(final, came_back, process.output))
            else:
                self._final.clear()  # who does not come back to a server that shuts down is never refused
        finally:
            await close()


async def _is_refused(process: ProcessLink, ending: Ending) -> bool:
    """Hang up on a player, refuse its next hello, and return whether there was one in time."""
    count = process.refused_count
    process.turn_away(Ended(ending))
    return await process_shows(process, lambda: process.refused_count > count, COMES_BACK_S)


async def dismiss(process: ProcessLink, reason: GoodbyeReason.ValueType, limit_s: float) -> bool:
    """Say goodbye to a player for good, and return whether it dials in again, as `returns` does."""
    return await returns(process, partial(process.dismiss, reason, "this player is no longer needed here"), limit_s)


async def returns(process: ProcessLink, leave: Callable[[], None], limit_s: float) -> bool:
    """Have the stream of a player end, and return whether it dials in again in time and before its process has ended.

    END_LIMIT_S are more on a machine that is busy.
    """
    count = process.hello_count
    leave()
    returned = await process_shows(process, lambda: process.hello_count > count, limit_s)
    if limit_s == END_LIMIT_S and not (returned or process.ended) and is_busy():
        returned = await process_shows(process, lambda: process.hello_count > count, BUSY_END_LIMIT_S - limit_s)
    return returned


async def process_shows(process: ProcessLink, is_so: Callable[[], bool], limit_s: float) -> bool:
    """Wait until something is so, or the process has ended, or the time is over; return whether it is so."""
    for _ in range(round(limit_s / POLL_S)):
        if is_so() or process.ended:
            break
        await asyncio.sleep(POLL_S)
    return is_so()
