"""The calls that are open on a stream, whoever has opened it: how they are sent, answered and cancelled."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from functools import lru_cache
from typing import TypeAlias

from google.protobuf.duration_pb2 import Duration

from fairplay.player.outbox import Outbox
from fairplay.server.links.link import MAX_REPLY_BYTES, Clock, Done, OpenCall, call_error, duration, too_large
from fairplay.server.net.errors import Refusal
from fairplay.v1.connection_pb2 import Call, Reply
from fairplay.v1.misconduct_pb2 import CallErrorReason

MAX_FRAME_BYTES = 4 * 1024 * 1024
MAX_STRAY_REPLIES = 1_000
MAX_LATE = 100_000

Send: TypeAlias = Callable[[list[Call], list[int]], Awaitable[None]]
"""Sends a frame of calls, and of the ids of calls that are cancelled."""


@lru_cache(64)
def _time_limit(limit_s: float) -> Duration:
    """Return the message of a limit; there are few different ones, unless players have a bank."""
    return duration(limit_s)


class OpenCalls:
    """The calls of a stream that wait for replies. A connection carries them, and another one may carry them on.

    `stray` is called for each reply that nobody asked for, `late` for each reply to a call that was cancelled before
    the reply came.
    """

    def __init__(self, clock: Clock, stray: Callable[[], None], late: Callable[[], None]) -> None:
        self._clock = clock
        self._stray = stray
        self._came_late = late
        self._open: dict[int, tuple[OpenCall, Call]] = {}
        self._outbox: Outbox[Call] | None = None
        self._send: Send | None = None
        self._cancelled: list[int] = []
        self._late: set[int] = set()
        self._stray_count = 0
        self.paused = False
        """Whether the time of the calls stands still until a connection carries them on."""

    def carry(self, send: Send, failed: Callable[[], None]) -> None:
        """Carry the calls on over a new connection: send those that are still open again.

        `send` sends a frame on the connection; `failed` is called when it cannot.
        """
        self.halt()
        self._send = send
        self._outbox = Outbox(self._send_frame, self._open.__len__, lambda _: failed())
        self.paused = False
        for open_call, call in self._open.values():
            open_call.restart()
            call.time_limit.CopyFrom(duration(open_call.left_s))
            self._outbox.put(call, len(call.request))
        self._outbox.nudge()

    async def _send_frame(self, calls: list[Call]) -> None:
        assert self._send is not None
        cancelled, self._cancelled = self._cancelled, []
        if cancelled:
            calls = [call for call in calls if call.id in self._open]
        await self._send(calls, cancelled)

    def halt(self) -> None:
        """Send nothing more over the connection. The calls stay open."""
        if self._outbox is not None:
            self._outbox.close()
            self._outbox = None

    def pause(self) -> None:
        """Let the time of all calls stand still until a connection carries them on."""
        self.paused = True
        for open_call, _ in self._open.values():
            open_call.pause()

    def end(self) -> list[OpenCall]:
        """Return the calls that are open, and know them no more."""
        self.halt()
        calls, self._open = self._open, {}
        return [open_call for open_call, _ in calls.values()]

    def nudge(self) -> None:
        """Send a frame soon, even an empty one."""
        if self._outbox is not None:
            self._outbox.nudge()

    def call(
        self, number: int, method: str, request: bytes, limit_s: float, done: Done, bank_s: float = 0.0
    ) -> OpenCall:
        """Send a call to the player of this number with the next frame."""
        open_call = OpenCall(self._clock, limit_s, done, self._drop)
        time_limit = _time_limit(limit_s)
        call = Call(id=open_call.id, player=number, method_name=method, request=request, time_limit=time_limit)
        if bank_s:
            call.bank_time.CopyFrom(duration(bank_s))
        self._open[open_call.id] = (open_call, call)
        if self.paused:
            open_call.pause()
        if self._outbox is not None:
            self._outbox.put(call, len(request))
        return open_call

    def _drop(self, open_call: OpenCall) -> None:
        if self._open.pop(open_call.id, None) is not None:
            self._cancelled.append(open_call.id)
            if len(self._late) < MAX_LATE:
                self._late.add(open_call.id)
            self.nudge()

    def take(self, replies: Iterable[Reply]) -> None:
        """Settle the calls that a frame of the player answers. Raises Refusal if too many replies are stray."""
        pop = self._open.pop
        for reply in replies:
            entry = pop(reply.id, None)
            if entry is None:
                self._count_unasked(reply.id)
                continue
            response = reply.response
            if response or reply.WhichOneof("outcome") != "failure":
                entry[0].settle(response if len(response) <= MAX_REPLY_BYTES else too_large(len(response)))
            else:
                failure = reply.failure
                status = CallErrorReason.CALL_ERROR_REASON_STATUS
                entry[0].settle(call_error(status, failure.message, code=failure.code))

    def _count_unasked(self, call_id: int) -> None:
        if call_id in self._late:  # an answer that was under way when the call was cancelled
            self._late.discard(call_id)
            self._came_late()
        else:
            self.count_stray()

    def count_stray(self) -> None:
        """Count a reply, or a frame, that nobody asked for. Raises Refusal if there are too many."""
        self._stray()
        self._stray_count += 1
        if self._stray_count > MAX_STRAY_REPLIES:
            raise Refusal("REPLY_FLOOD", f"more than {MAX_STRAY_REPLIES:,} replies came that nobody asked for")
