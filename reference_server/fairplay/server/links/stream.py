"""The stream of players that dialled in: their open calls, and the gRPC connection that carries them."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Iterable, Sequence
from functools import cache, lru_cache
from typing import TypeAlias

from google.protobuf.duration_pb2 import Duration

from fairplay.games.game import find, registered
from fairplay.games.kit.player_service import PLAYER_SERVICE
from fairplay.player.handlers import PROTOCOL_REVISION
from fairplay.player.outbox import Outbox
from fairplay.player.standstill import stood_lately
from fairplay.server import __version__
from fairplay.server.links.link import (
    MAX_REPLY_BYTES,
    RETURN_S,
    Clock,
    Done,
    OpenCall,
    call_error,
    disconnected,
    duration,
    too_large,
)
from fairplay.server.net.errors import Refusal
from fairplay.v1.connection_pb2 import Call, DialInResponse, Goodbye, GoodbyeReason, Reply, Welcome
from fairplay.v1.misconduct_pb2 import CallErrorReason
from fairplay.v1.player_pb2 import GameService

MAX_FRAME_BYTES = 4 * 1024 * 1024
MAX_STRAY_REPLIES = 1_000
MAX_LATE = 100_000
Send: TypeAlias = Callable[[list[Call], list[int]], Awaitable[None]]
"""Sends a frame of calls, and of the ids of calls that are cancelled."""
MAX_PLAYERS_PER_STREAM = 1_000
Write = Callable[[DialInResponse], Awaitable[None]]


@cache
def called_services() -> tuple[GameService, ...]:
    """Return the services with the latest revision that is known. The first call loads all games, which takes time."""
    names = (PLAYER_SERVICE, *(find(name).service for name in registered()))
    return tuple(GameService(name=name, revision=PROTOCOL_REVISION) for name in names)


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
            message = f"more than {MAX_STRAY_REPLIES:,} replies came that nobody asked for"
            raise Refusal("REPLY_FLOOD", message, limit=MAX_STRAY_REPLIES)


class Stream:
    """The players of one hello and their open calls.

    A connection carries the stream. When the connection is lost while `plays` says that a player plays, the calls stay
    open for as long as the hello asked for, and another connection may carry the stream on. If the server had just
    stood still, they stay open for RETURN_S at least: the player may have given the server up. `closed` is called when
    the stream is over; `stray` and `late` are those of its calls.
    """

    def __init__(
        self,
        clock: Clock,
        names: Sequence[str],
        plays: Callable[[], bool],
        closed: Callable[[Stream], None],
        stray: Callable[[], None],
        late: Callable[[], None],
    ) -> None:
        self.names = names
        self.resume_token = secrets.token_bytes(16)
        self.calls = OpenCalls(clock, stray, late)
        self._plays = plays
        self._closed = closed
        self._loop = asyncio.get_running_loop()
        self._welcome: Welcome | None = None
        self._goodbye: Goodbye | None = None
        self._write: Write | None = None
        self._end: Callable[[], None] = _nothing
        self._resume_s: float
        self._window: asyncio.TimerHandle | None = None

    def attach(self, write: Write, end: Callable[[], None], resume_s: float) -> None:
        """Carry the stream on over a new connection: welcome it, and send the calls that are still open again.

        `write` sends a frame on the connection; `end` ends the connection.
        """
        self._end()
        if self._window is not None:
            self._window.cancel()
        self._resume_s = resume_s
        self._write, self._end = write, end
        self._welcome = Welcome(
            players=range(len(self.names)),
            resume_token=self.resume_token,
            max_frame_bytes=MAX_FRAME_BYTES,
            max_reply_bytes=MAX_REPLY_BYTES,
            max_player_count=MAX_PLAYERS_PER_STREAM,
            server_version=__version__,
            services=called_services(),
        )
        self.calls.carry(self._send, end)

    async def _send(self, calls: list[Call], cancelled: list[int]) -> None:
        assert self._write is not None
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
        self.calls.halt()
        self._write, self._end = None, _nothing
        wait_s = self._resume_s
        if stood_lately():
            self.calls.pause()
            wait_s = max(wait_s, RETURN_S)
        if self._goodbye is None and wait_s > 0 and self._plays():
            self._window = self._loop.call_later(wait_s, self._close)
        else:
            self._close()

    @property
    def may_return(self) -> bool:
        """Return whether the server has stood still, so that its players may come back on a new connection."""
        return self.calls.paused or stood_lately()

    def _close(self) -> None:
        self._closed(self)
        for open_call in self.calls.end():
            open_call.settle(disconnected("the connection of the player ended during the call"))

    def goodbye(self, reason: GoodbyeReason.ValueType, message: str) -> None:
        """End the connection after the frames that are due have been sent."""
        self._goodbye = Goodbye(reason=reason, message=message)
        self.calls.nudge()


def _nothing() -> None:
    """Stand for the end of a connection where there is none."""
