"""The stream of players that dialled in: their open calls, and the gRPC connection that carries them."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Iterable, Sequence

from google.protobuf.duration_pb2 import Duration

from fairplay.player.outbox import Outbox
from fairplay.server import __version__
from fairplay.server.errors import Refusal
from fairplay.server.links.link import (
    MAX_REPLY_BYTES,
    Clock,
    Done,
    OpenCall,
    call_error,
    disconnected,
    duration,
    too_large,
)
from fairplay.server.links.services import called_services
from fairplay.v1.connection_pb2 import Call, DialInResponse, Goodbye, GoodbyeReason, Reply, Welcome
from fairplay.v1.misconduct_pb2 import CallErrorReason

MAX_PLAYERS_PER_STREAM = 1_000
MAX_FRAME_BYTES = 4 * 1024 * 1024
MAX_STRAY_REPLIES = 1_000
MAX_TIME_LIMITS = 64
MAX_LATE = 100_000
LEAST_LIMIT_S = 0.001
"""What a call that is sent again says of its time when there is none left."""

Write = Callable[[DialInResponse], Awaitable[None]]


class Stream:
    """The players of one hello and their open calls.

    A connection carries the stream. When the connection is lost, the calls stay open for as long as the hello asked
    for, and another connection may carry the stream on. `closed` is called when the stream is over, `stray` for each
    reply that nobody asked for, `late` for each reply to a call that was cancelled before the reply came.
    """

    def __init__(
        self,
        clock: Clock,
        names: Sequence[str],
        closed: Callable[[Stream], None],
        stray: Callable[[], None],
        late: Callable[[], None],
    ) -> None:
        self.names = names
        self.resume_token = secrets.token_bytes(16)
        self._clock = clock
        self._closed = closed
        self._stray = stray
        self._came_late = late
        self._loop = asyncio.get_running_loop()
        self._open: dict[int, tuple[OpenCall, Call]] = {}
        self._outbox: Outbox[Call] | None = None
        self._time_limits: dict[float, Duration] = {}
        self._cancelled: list[int] = []
        self._welcome: Welcome | None = None
        self._goodbye: Goodbye | None = None
        self._write: Write | None = None
        self._end: Callable[[], None] = _nothing
        self._resume_s = 0.0
        self._window: asyncio.TimerHandle | None = None
        self._late: set[int] = set()
        self._stray_count = 0

    # --- the connection ---

    def attach(self, write: Write, end: Callable[[], None], resume_s: float) -> None:
        """Carry the stream on over a new connection: welcome it, and send the calls that are still open again.

        `write` sends a frame on the connection; `end` ends the connection.
        """
        self._end()
        if self._outbox is not None:
            self._outbox.close()
        if self._window is not None:
            self._window.cancel()
            self._window = None
        self._resume_s = resume_s
        self._write, self._end = write, end
        self._outbox = Outbox(self._send, self._open.__len__, lambda _: end())
        self._welcome = Welcome(
            players=range(len(self.names)),
            resume_token=self.resume_token,
            max_frame_bytes=MAX_FRAME_BYTES,
            max_reply_bytes=MAX_REPLY_BYTES,
            max_player_count=MAX_PLAYERS_PER_STREAM,
            server_version=__version__,
            services=called_services(),
        )
        for open_call, call in self._open.values():
            call.time_limit.CopyFrom(duration(max(open_call.limit_s - open_call.elapsed_s, LEAST_LIMIT_S)))
            self._outbox.put(call, len(call.request))
        self._outbox.nudge()

    async def _send(self, calls: list[Call]) -> None:
        assert self._write is not None
        cancelled, self._cancelled = self._cancelled, []
        if cancelled:
            calls = [call for call in calls if call.id in self._open]
        if self._welcome is not None:  # in a frame of its own, which is simplest for those who read it
            welcome, self._welcome = self._welcome, None
            await self._write(DialInResponse(welcome=welcome))
        if calls or cancelled or self._goodbye is not None:
            await self._write(DialInResponse(calls=calls, cancelled=cancelled, goodbye=self._goodbye))
        if self._goodbye is not None:
            self._end()

    def detach(self, write: Write) -> None:
        """Handle the end of a connection: keep the open calls for the resume window of the hello, or fail them."""
        if self._write is not write:
            return
        if self._outbox is not None:
            self._outbox.close()
        self._write, self._outbox, self._end = None, None, _nothing
        if self._goodbye is None and self._resume_s > 0:
            self._window = self._loop.call_later(self._resume_s, self._close)
        else:
            self._close()

    def _close(self) -> None:
        self._closed(self)
        calls, self._open = self._open, {}
        for open_call, _ in calls.values():
            open_call.settle(disconnected("the connection of the player ended during the call"))

    def goodbye(self, reason: GoodbyeReason.ValueType, message: str) -> None:
        """End the connection after the frames that are due have been sent."""
        self._goodbye = Goodbye(reason=reason, message=message)
        self._nudge()

    # --- calls and replies ---

    def call(
        self, number: int, method: str, request: bytes, limit_s: float, done: Done, bank_s: float = 0.0
    ) -> OpenCall:
        """Send a call to the player of this number with the next frame."""
        open_call = OpenCall(self._clock, limit_s, done, self._drop)
        time_limit = self._time_limits.get(limit_s) or self._time_limit(limit_s)
        call = Call(id=open_call.id, player=number, method_name=method, request=request, time_limit=time_limit)
        if bank_s:
            call.bank_time.CopyFrom(duration(bank_s))
        self._open[open_call.id] = (open_call, call)
        if self._outbox is not None:
            self._outbox.put(call, len(request))
        return open_call

    def _time_limit(self, limit_s: float) -> Duration:
        """Return the message of a limit; there are few different ones, unless players have a bank."""
        if len(self._time_limits) >= MAX_TIME_LIMITS:
            self._time_limits.clear()
        return self._time_limits.setdefault(limit_s, duration(limit_s))

    def _drop(self, open_call: OpenCall) -> None:
        if self._open.pop(open_call.id, None) is not None:
            self._cancelled.append(open_call.id)
            if len(self._late) < MAX_LATE:
                self._late.add(open_call.id)
            self._nudge()

    def _nudge(self) -> None:
        if self._outbox is not None:
            self._outbox.nudge()

    def take(self, replies: Iterable[Reply]) -> None:
        """Settle the calls that a frame of the player answers. Raises Refusal if too many replies are stray."""
        pop = self._open.pop
        for reply in replies:
            entry = pop(reply.id, None)
            if entry is None:
                self._count_stray(reply.id)
                continue
            response = reply.response
            if response or reply.WhichOneof("outcome") != "failure":
                entry[0].settle(response if len(response) <= MAX_REPLY_BYTES else too_large(len(response)))
            else:
                failure = reply.failure
                status = CallErrorReason.CALL_ERROR_REASON_STATUS
                entry[0].settle(call_error(status, failure.message, code=failure.code))

    def _count_stray(self, call_id: int) -> None:
        if call_id in self._late:  # an answer that was under way when the call was cancelled
            self._late.discard(call_id)
            self._came_late()
            return
        self._stray()
        self._stray_count += 1
        if self._stray_count > MAX_STRAY_REPLIES:
            raise Refusal("REPLY_FLOOD", f"more than {MAX_STRAY_REPLIES:,} replies came that nobody asked for")


def _nothing() -> None:
    """Stand for the end of a connection where there is none."""
