"""What a link is, and what all links share: a call that is settled once, and the clock that settles it."""

from __future__ import annotations

import asyncio
import heapq
import itertools
import math
from collections.abc import Callable, Iterator, Mapping
from typing import Protocol, TypeAlias

from google.protobuf.duration_pb2 import Duration

from fairplay.games.steps import Failure
from fairplay.server.net.limits import limit_of
from fairplay.v1.misconduct_pb2 import CallError, CallErrorReason, Overrun

MAX_REPLY_BYTES = 1024 * 1024
MAX_MESSAGE_CHARS = limit_of("CallError.message").cut_characters
CROWDED_S = 0.02
LEAST_LIMIT_S = 0.001
"""What a call that is sent again says of its time when there is none left."""
GONE = (CallErrorReason.CALL_ERROR_REASON_DISCONNECTED, CallErrorReason.CALL_ERROR_REASON_LIMIT_EXCEEDED)
"""The reasons of failures after which a player is not there any more."""
MAX_GIVEN_BACK_S = 1.0
"""The most that is waited for replies that came while the loop was late."""
RETURN_S = 10.0
"""How long a player whose connection was lost when the server had stood still may take to come back.

Its calls wait, and are made again with their full time: it may have given up a server that did not answer its pings.
"""

BANK_KEY, TRACE_KEY = "fairplay-bank-ms", "traceparent"
"""The keys of a call's metadata: connection.proto, Call.metadata."""

Metadata: TypeAlias = Mapping[str, str]
"""Keys and values of a call's metadata."""
NO_EXTRA: Metadata = {}

Done: TypeAlias = "Callable[[bytes | Failure, float], None]"
"""Called once with the outcome of a call, the serialised reply or a failure, and the seconds that it took."""


class Link(Protocol):
    """The way to one player."""

    def call(
        self, method: str, request: bytes, limit_s: float, done: Done, bank_s: float = 0.0, extra: Metadata = NO_EXTRA
    ) -> OpenCall:
        """Call a method by its full gRPC name.

        `done` is called with the outcome, at most `limit_s` seconds later and never before this method has returned.
        `bank_s` is how much of that the player has only because it draws on its bank: the player is told so in the
        metadata of the call, with `extra` metadata, such as the span of the game.
        """

    async def close(self) -> None:
        """Release the player, and end what was started for it. Calls must be settled or cancelled before."""


async def outcome_of(link: Link, method: str, request: bytes, limit_s: float) -> bytes | Failure:
    """Make a call, and return its reply or failure. Who no longer waits for that cancels the call."""
    outcome: asyncio.Future[bytes | Failure] = asyncio.get_running_loop().create_future()

    def done(came: bytes | Failure, _: float) -> None:
        if not outcome.done():
            outcome.set_result(came)

    call = link.call(method, request, limit_s, done)
    try:
        return await outcome
    finally:
        call.cancel()


class OpenCall:
    """A call that waits for its outcome. The first outcome counts; all later ones are dropped.

    With `watched` it fails when its time is over.
    """

    __slots__ = ("_cancel", "_clock", "deadline", "done", "id", "limit_s", "sent_at")

    def __init__(
        self, clock: Clock, limit_s: float, done: Done, cancel: Callable[[OpenCall], None], *, watched: bool = True
    ) -> None:
        self.id = next(clock.ids)
        self.limit_s = limit_s
        self.done: Done | None = done
        self._cancel = cancel
        self._clock = clock
        self.sent_at = sent_at = clock.time()
        self.deadline = math.inf
        if watched:
            clock.watch(self, sent_at + limit_s)

    @property
    def elapsed_s(self) -> float:
        """Return the seconds since the call was sent."""
        return self._clock.time() - self.sent_at

    def hand_over(self, cancel: Callable[[OpenCall], None]) -> None:
        """Have another stream carry the call on: `cancel` tells its player from now on that it need not go on."""
        self._cancel = cancel

    def pause(self) -> None:
        """Let the time of the call stand still until it is sent again."""
        self.deadline = math.inf

    def restart(self) -> None:
        """Give a call whose time stands still its full time again, because it is sent again."""
        if self.deadline == math.inf and self.done is not None:
            self.sent_at = sent_at = self._clock.time()
            self._clock.watch(self, sent_at + self.limit_s)

    def settle(self, outcome: bytes | Failure) -> None:
        """Report the outcome of the call, unless it is settled already. A reply after the limit becomes an overrun."""
        done = self.done
        if done is None:
            return
        self.done = None
        clock, elapsed = self._clock, self.elapsed_s
        if elapsed > self.limit_s + clock.slack_s and isinstance(outcome, bytes) and not clock.late:
            outcome = overrun(self.limit_s, elapsed)
        done(outcome, elapsed)

    def conclude(self, outcome: bytes | Failure, elapsed_s: float) -> None:
        """Report an outcome that was judged already, unless the call is settled."""
        if (done := self.done) is not None:
            self.done = None
            done(outcome, elapsed_s)

    @property
    def left_s(self) -> float:
        """Return the seconds that are left of the call's time; the least that a player can be told, if none are."""
        return max(self.limit_s - self.elapsed_s, LEAST_LIMIT_S)

    def expire(self) -> None:
        """Fail the call because its time is over."""
        self.fail(overrun(self.limit_s, self.elapsed_s))

    def fail(self, failure: Failure) -> None:
        """Fail the call, and tell the player that it need not go on."""
        if self.done is not None:
            self._cancel(self)
            self.settle(failure)

    def cancel(self) -> None:
        """Drop the call: its outcome is not reported, and the player is told that it need not go on."""
        if self.done is not None:
            self.done = None
            self._cancel(self)


class Clock:
    """The server's clock, which is that of its event loop. It settles calls whose time is over.

    One timer of the event loop serves all calls. Calls mostly come with few different limits, so that the heap is
    nearly sorted: pushing costs next to nothing, and what is settled is dropped as it comes to the top.
    """

    def __init__(self, time_s: Callable[[], float] | None = None) -> None:
        self._loop = asyncio.get_running_loop()
        self.time = time_s or self._loop.time
        self.ids: Iterator[int] = itertools.count(1)
        self.slack_s = 0.0
        self._heap: list[tuple[float, int, OpenCall]] = []
        self._timer: asyncio.TimerHandle | None = None

    @property
    def late(self) -> bool:
        """Return whether the event loop is late to its timer, and so to replies as well."""
        return self._timer is not None and self.time() - self._timer.when() > CROWDED_S

    def watch(self, call: OpenCall, deadline: float) -> None:
        """Settle the call as overrun when its deadline comes."""
        heap = self._heap
        call.deadline = deadline
        self._waiting()
        heapq.heappush(heap, (deadline, call.id, call))
        if heap[0][2] is call:
            self._set_timer(deadline)

    def _waiting(self) -> bool:
        """Drop what is settled from the top of the heap, and return whether a call is open."""
        heap = self._heap
        while heap and heap[0][2].done is None:
            heapq.heappop(heap)
        return bool(heap)

    def _set_timer(self, when: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._loop.call_at(when, self._ring)

    def _ring(self) -> None:
        # A loop that comes late to this timer has been late to replies as well, which is not the players' fault: what
        # has arrived meanwhile is read first, and counts.
        assert self._timer is not None
        late = self.time() - self._timer.when()
        if late > CROWDED_S:
            given_back_s = min(late, MAX_GIVEN_BACK_S)
            self.slack_s = late + given_back_s
            self._timer = self._loop.call_later(given_back_s, self._expire)
        else:
            self._expire()

    def _expire(self) -> None:
        heap, now = self._heap, self.time()
        self.slack_s = 0.0
        while self._waiting() and heap[0][0] <= now:
            deadline, _, call = heapq.heappop(heap)
            if call.deadline == deadline:  # otherwise its time stands still, or it was sent again and has a later one
                call.expire()
        if heap:  # also where a call that was sent meanwhile has set the timer, perhaps to a later time
            self._set_timer(heap[0][0])


def call_metadata(bank_s: float, extra: Metadata) -> dict[str, str]:
    """Return the metadata of a call, whichever way it goes."""
    bank_ms = int(bank_s * 1_000)
    return {BANK_KEY: str(bank_ms), **extra} if bank_ms else {**extra}


def overrun(limit_s: float, elapsed_s: float) -> Overrun:
    """Return the failure of a call that was not answered in time."""
    return Overrun(limit=duration(limit_s), elapsed=duration(elapsed_s))


def call_error(reason: CallErrorReason.ValueType, message: str, *, code: int = 0, output: str = "") -> CallError:
    """Return the failure of a call for another reason than time."""
    return CallError(reason=reason, message=message[:MAX_MESSAGE_CHARS], status_code=code, output=output)


def unparsable(message: str) -> CallError:
    """Return the failure of a call whose reply cannot be parsed."""
    return call_error(CallErrorReason.CALL_ERROR_REASON_UNPARSABLE, message)


def disconnected(message: str, output: str = "") -> CallError:
    """Return the failure of a call to a player that is not connected, or not any more."""
    return call_error(CallErrorReason.CALL_ERROR_REASON_DISCONNECTED, message, output=output)


def too_large(size: int, most: int = MAX_REPLY_BYTES) -> CallError:
    """Return the failure of a call whose reply is larger than the server accepts."""
    message = f"the reply has {size:,} bytes; at most {most:,} are accepted"
    return call_error(CallErrorReason.CALL_ERROR_REASON_TOO_LARGE, message)


def duration(seconds: float) -> Duration:
    """Return seconds as google.protobuf.Duration."""
    whole = int(seconds)
    return Duration(seconds=whole, nanos=int((seconds - whole) * 1e9))


class DeadLink:
    """The link to a player that is not connected: every call fails at once."""

    def __init__(self, clock: Clock, failure: CallError) -> None:
        self._clock = clock
        self._failure = failure
        self._loop = asyncio.get_running_loop()

    def call(
        self, method: str, request: bytes, limit_s: float, done: Done, bank_s: float = 0.0, extra: Metadata = NO_EXTRA
    ) -> OpenCall:
        """Fail the call as soon as the event loop turns."""
        open_call = OpenCall(self._clock, limit_s, done, lambda _: None)
        self._loop.call_soon(open_call.settle, self._failure)
        return open_call

    async def close(self) -> None:
        """Do nothing: no player is connected."""
