"""The stream of players that dialled in: their open calls, and the gRPC connection that carries them."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Sequence

from fairplay.player.standstill import stood_lately
from fairplay.server import __version__
from fairplay.server.links.link import MAX_REPLY_BYTES, RETURN_S, Clock, disconnected
from fairplay.server.links.open_calls import MAX_FRAME_BYTES, OpenCalls
from fairplay.server.links.services import called_services
from fairplay.v1.connection_pb2 import Call, DialInResponse, Goodbye, GoodbyeReason, Welcome

MAX_PLAYERS_PER_STREAM = 1_000

Write = Callable[[DialInResponse], Awaitable[None]]


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
