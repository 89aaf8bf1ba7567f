"""The stream of players that dialled in: their open calls, and the gRPC connection that carries them."""

from __future__ import annotations

import asyncio
import logging
import re
import secrets
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
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
    NO_EXTRA,
    RETURN_S,
    Clock,
    Done,
    Metadata,
    OpenCall,
    call_error,
    call_metadata,
    disconnected,
    duration,
    too_large,
    unparsable,
)
from fairplay.server.net.errors import Refusal
from fairplay.server.net.limits import limit_of
from fairplay.server.net.peers import TokenBucket
from fairplay.v1.connection_pb2 import Call, DialInResponse, Goodbye, GoodbyeReason, Reply, Welcome
from fairplay.v1.misconduct_pb2 import CallError, CallErrorReason
from fairplay.v1.player_pb2 import GameService

log = logging.getLogger("fairplay.links")

MAX_FRAME_BYTES = 4 * 1024 * 1024
MAX_STRAY_REPLIES = 1_000
"""So many replies that nobody asked for are endured at once, and so many in STRAY_S seconds for long."""
FLOODED = f"more than {MAX_STRAY_REPLIES:,} replies came that nobody asked for"
STRAY_S = 60.0
MAX_LATE = 100_000
LOSS_S = 0.02
"""How long a connection that is to be lost still carries what has been sent."""
FAREWELL_S = 5.0
"""How long a connection that was replaced may take to read that it was."""
MAX_METADATA = limit_of("Reply.metadata").max_items
METADATA_KEY = re.compile(r"(?!grpc-)[a-z0-9_.-]{1,64}(?<!-bin)")
METADATA_VALUE = re.compile(r"[ -~]*")
MAX_VALUE_CHARS = 256
ERROR_CODE = limit_of("Failure.code")
Send: TypeAlias = Callable[[list[Call], list[int]], Awaitable[None]]
"""Sends a frame of calls, and of the ids of calls that are cancelled."""
MAX_PLAYERS_PER_STREAM = limit_of("Hello.players").max_items
Write = Callable[[DialInResponse], Awaitable[None]]
Change: TypeAlias = Callable[[DialInResponse], Iterable[DialInResponse]]
"""Returns the frames that are sent for a frame."""


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

    `stray` is called for each reply that nobody asked for, `late` for the first reply to a call that was cancelled
    before the reply came, and for the second one to a call that was sent twice: such replies are nobody's fault.
    """

    def __init__(self, clock: Clock, stray: Callable[[], None], late: Callable[[], None]) -> None:
        self._clock = clock
        self._stray = stray
        self._came_late = late
        self._open: dict[int, tuple[OpenCall, Call]] = {}
        self._outbox: Outbox[Call] | None = None
        self._send: Send | None = None
        self._cancelled: list[int] = []
        self._late: dict[int, None] = {}
        self._again: set[int] = set()
        self.paused = False
        """Whether the time of the calls stands still until a connection carries them on."""

    def carry(self, send: Send, failed: Callable[[], None]) -> None:
        """Carry the calls on over a new connection: send those that are still open again.

        `send` sends a frame on the connection; `failed` is called when it cannot.
        """
        self.halt()
        self._send = send
        self._outbox = Outbox(self._send_frame, self._open.__len__, lambda _: failed())
        self._strays = TokenBucket(MAX_STRAY_REPLIES / STRAY_S, MAX_STRAY_REPLIES, self._clock.time())
        self.paused = False
        self._again.update(self._open)
        for open_call, call in self._open.values():
            open_call.restart()
            call.time_limit.CopyFrom(duration(open_call.left_s))
            self._outbox.put(call, len(call.request))
        self._outbox.nudge()

    async def _send_frame(self, calls: list[Call]) -> None:
        assert self._send is not None
        cancelled, self._cancelled = self._cancelled, []
        # What was cancelled, given up, or answered before it was sent again is sent no more.
        await self._send([call for call in calls if call.id in self._open], cancelled)

    @property
    def ids(self) -> Iterable[int]:
        """Return the ids of the calls that are open."""
        return self._open

    def give_up(self, number: int) -> list[tuple[OpenCall, Call]]:
        """Forget the open calls of the player of this number, and return them."""
        given = [entry for entry in self._open.values() if entry[1].player == number]
        for _, call in given:
            del self._open[call.id]
            self._again.discard(call.id)
        return given

    def take_over(self, number: int, given: Iterable[tuple[OpenCall, Call]]) -> None:
        """Have calls that another stream gave up sent to the player of this number, when the next connection comes."""
        for open_call, call in given:
            open_call.hand_over(self._drop)
            call.player = number
            self._open[call.id] = (open_call, call)

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
        self,
        number: int,
        method: str,
        request: bytes,
        limit_s: float,
        done: Done,
        bank_s: float = 0.0,
        extra: Metadata = NO_EXTRA,
    ) -> OpenCall:
        """Send a call to the player of this number with the next frame."""
        open_call = OpenCall(self._clock, limit_s, done, self._drop)
        time_limit = _time_limit(limit_s)
        call = Call(id=open_call.id, player=number, method_name=method, request=request, time_limit=time_limit)
        if bank_s or extra:
            call.metadata.update(call_metadata(bank_s, extra))
        self._open[open_call.id] = (open_call, call)
        if self.paused:
            open_call.pause()
        if self._outbox is not None:
            self._outbox.put(call, len(request))
        return open_call

    def _drop(self, open_call: OpenCall) -> None:
        if self._open.pop(open_call.id, None) is not None:
            self._cancelled.append(open_call.id)
            self._again.discard(open_call.id)
            self._expect_late(open_call.id)
            self.nudge()

    def _expect_late(self, call_id: int) -> None:
        if len(self._late) >= MAX_LATE:
            del self._late[next(iter(self._late))]
        self._late[call_id] = None

    def take(self, replies: Iterable[Reply]) -> None:
        """Settle the calls that a frame of the player answers. Raises Refusal if too many replies are stray."""
        pop, again = self._open.pop, self._again
        for reply in replies:
            entry = pop(reply.id, None)
            if entry is None:
                self._count_unasked(reply.id)
                continue
            if again and reply.id in again:
                again.discard(reply.id)
                self._expect_late(reply.id)
            response = reply.response
            if reply.metadata and (problem := _metadata_problem(reply.metadata)):
                entry[0].settle(unparsable(problem))
            elif response or reply.WhichOneof("outcome") == "response":
                entry[0].settle(response if len(response) <= MAX_REPLY_BYTES else too_large(len(response)))
            else:
                entry[0].settle(_failure(reply))

    def _count_unasked(self, call_id: int) -> None:
        if call_id in self._late:
            del self._late[call_id]
            self._came_late()
        else:
            self._stray()
            self.allow_stray()

    def allow_stray(self) -> None:
        """Allow a reply that nobody asked for, or a frame without one. Raises Refusal if there are too many."""
        if self._strays.take(self._clock.time()):
            raise Refusal("REPLY_FLOOD", FLOODED, limit=MAX_STRAY_REPLIES)


def _metadata_problem(metadata: Mapping[str, str]) -> str:
    """Return what is wrong with the metadata of a reply; empty if nothing is."""
    if len(metadata) > MAX_METADATA:
        return f"the metadata of the reply has {len(metadata):,} entries: at most {MAX_METADATA} are allowed"
    for key, value in metadata.items():
        if not METADATA_KEY.fullmatch(key):
            return f"the metadata of the reply has a key that is not allowed: {key[:64]!r}"
        if len(value) > MAX_VALUE_CHARS:
            length = f"{len(value):,} characters: Reply.metadata allows at most {MAX_VALUE_CHARS}"
            return f"the metadata of the reply has a value for {key} of {length}"
        if not METADATA_VALUE.fullmatch(value):
            return f"the metadata of the reply has a value for {key} that is not allowed: {value[:64]!r}"
    return ""


def _failure(reply: Reply) -> CallError:
    """Return the failure that a reply without a response stands for."""
    if not reply.HasField("failure"):
        return unparsable("the reply has neither a response nor a failure")
    code, message = reply.failure.code, reply.failure.message
    if not ERROR_CODE.minimum <= code <= ERROR_CODE.maximum:
        return unparsable(f"the reply is a failure with the code {code}, which is none of gRPC's, 1 to 16: {message}")
    return call_error(CallErrorReason.CALL_ERROR_REASON_STATUS, message, code=code)


class Stream:
    """The players of one hello, but for those that another stream has taken over, and their open calls.

    A connection carries the stream. When the connection is lost while `plays` says of a player that it plays, the calls
    stay open for as long as the hello asked for, and another connection may carry the stream on. If the server had just
    stood still, they stay open for RETURN_S at least: the player may have given the server up. `closed` is called when
    the stream is over; `stray` and `late` are those of its calls; `change` says what is sent for a frame.
    """

    def __init__(
        self,
        clock: Clock,
        names: Sequence[str],
        plays: Callable[[str], bool],
        closed: Callable[[Stream], None],
        stray: Callable[[], None],
        late: Callable[[], None],
        change: Change = lambda frame: (frame,),
        first_number: int = 0,
    ) -> None:
        self.numbers = {name: number for number, name in enumerate(names, first_number)}
        """The number of each player, by which calls name it on every connection."""
        self.resume_token = secrets.token_bytes(16)
        self.calls = OpenCalls(clock, stray, late)
        self._plays = plays
        self._closed = closed
        self._change = change
        self._loop = asyncio.get_running_loop()
        self._welcome: Welcome | None = None
        self._goodbye: Goodbye | None = None
        self._parted = False
        """Whether the goodbye has been sent, after which nothing is."""
        self._write: Write | None = None
        self._end: Callable[[], None] = _nothing
        self._breaks: bool | None = None
        """Whether the loss of the connection is to be seen as an error; None: it is not to be lost."""
        self._problem = ""
        self._resume_s: float
        self._window: asyncio.TimerHandle | None = None
        self._farewells: set[asyncio.Task[None]] = set()

    def attach(
        self, names: Sequence[str], write: Write, end: Callable[[], None], resume_s: float, *, resumed: bool = False
    ) -> None:
        """Carry the stream on over a new connection: welcome it, and send the calls that are still open again.

        `names` are those of the players in the order of the hello. `write` sends a frame on the connection; `end` ends
        the connection. One that carried the stream is told goodbye.
        """
        self.calls.halt()
        if self._write is not None:
            farewell = asyncio.create_task(_farewell(self._write, self._end))
            self._farewells.add(farewell)  # the event loop itself holds tasks only weakly
            farewell.add_done_callback(self._farewells.discard)
        if self._window is not None:
            self._window.cancel()
        self._resume_s, self._goodbye, self._parted = resume_s, None, False
        self._write, self._end, self._breaks = write, end, None
        self._welcome = Welcome(
            players=[self.numbers[name] for name in names],
            resume_token=self.resume_token,
            max_frame_bytes=MAX_FRAME_BYTES,
            max_reply_bytes=MAX_REPLY_BYTES,
            max_player_count=MAX_PLAYERS_PER_STREAM,
            server_version=__version__,
            services=called_services(),
            resumed=resumed,
            open_calls=self.calls.ids,
        )
        self.calls.carry(self._send, end)

    async def _send(self, calls: list[Call], cancelled: list[int]) -> None:
        assert self._write is not None
        if self._parted:
            return
        if self._welcome is not None:  # in a frame of its own, which is simplest for those who read it
            welcome, self._welcome = self._welcome, None
            for frame in self._change(DialInResponse(welcome=welcome)):
                await self._write(frame)
        goodbye = self._goodbye  # that of now: one that is said while this frame is written goes in the next
        self._parted = goodbye is not None
        if calls or cancelled or goodbye is not None:
            for frame in self._change(DialInResponse(calls=calls, cancelled=cancelled, goodbye=goodbye)):
                await self._write(frame)
        if goodbye is not None:
            self._end()

    def detach(self, write: Write, *, left: bool = False, problem: str = "") -> None:
        """Handle the end of a connection: keep the open calls for the resume window of the hello, or fail them.

        They fail where the program has `left`, or the server has said goodbye to its players. `problem`: why the server
        has ended the connection, if it has.
        """
        if self._write is not write:
            return
        self._problem = problem
        self.calls.halt()
        self._write, self._end = None, _nothing
        wait_s = self._resume_s
        if stood_lately():
            self.calls.pause()
            wait_s = max(wait_s, RETURN_S)
        if not left and not self.dismissed and wait_s > 0 and any(map(self._plays, self.numbers)):
            self._window = self._loop.call_later(wait_s, self._close)
        else:
            self._close()

    def lose(self, after_s: float, breaks: bool) -> None:
        """Lose the connection as networks do: what comes on it is lost, and it ends soon. The calls stay open.

        `breaks`: the player sees an error, and not the end of a stream that is in order.
        """
        self._breaks = breaks
        self._loop.call_later(after_s, self._end)

    def carried_by(self, write: Write) -> bool:
        """Return whether the connection with this `write` carries the stream: no later one does, and it is not lost."""
        return self._write is write and self._breaks is None

    def broken(self, write: Write) -> bool:
        """Return whether the connection with this `write` is to end with an error."""
        return self._write is write and self._breaks is True

    @property
    def dismissed(self) -> bool:
        """Return whether the server has said goodbye to the players, not only to a connection that was replaced."""
        return self._goodbye is not None and self._goodbye.reason != GoodbyeReason.GOODBYE_REASON_REPLACED

    def give_up(self, name: str) -> list[tuple[OpenCall, Call]]:
        """Give a player up to another stream, with its open calls, which are returned.

        The others stay for the resume window, since the connection ends.
        """
        given = self.calls.give_up(self.numbers.pop(name))
        if self._write is None and not self.numbers:
            self._close()
        elif self._write is not None and self._goodbye is None:
            self.goodbye(GoodbyeReason.GOODBYE_REASON_REPLACED, f"{name} has dialled in again")
        return given

    def _close(self) -> None:
        if self._window is not None:
            self._window.cancel()
        self._closed(self)
        ended = "the connection of the player ended during the call"
        for open_call in self.calls.end():
            open_call.settle(disconnected(f"{ended}: {self._problem}" if self._problem else ended))

    def goodbye(self, reason: GoodbyeReason.ValueType, message: str) -> None:
        """End the connection after the frames that are due have been sent. A stream that is lost is over at once."""
        self._goodbye = Goodbye(reason=reason, message=message)
        if self._write is None:
            self._close()
        else:
            self.calls.nudge()


async def _farewell(write: Write, end: Callable[[], None]) -> None:
    """Say goodbye on a connection whose stream another one carries on, and end it, whether it reads or not."""
    message = "the stream goes on over another connection"
    goodbye = Goodbye(reason=GoodbyeReason.GOODBYE_REASON_REPLACED, message=message)
    try:
        async with asyncio.timeout(FAREWELL_S):
            await write(DialInResponse(goodbye=goodbye))
    except Exception as error:
        log.debug("a connection that was replaced could not be told: %s", error)
    finally:
        end()


def _nothing() -> None:
    """Stand for the end of a connection where there is none."""
