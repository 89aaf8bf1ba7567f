"""Players that dialled in: who is here under which name, and the streams through which they are called."""

from __future__ import annotations

import asyncio
import re
import secrets
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass

from google.protobuf.duration_pb2 import Duration

from fairplay.player.outbox import Outbox
from fairplay.server import __version__
from fairplay.server.errors import Refusal
from fairplay.server.links.link import (
    MAX_REPLY_BYTES,
    Clock,
    DeadLink,
    Done,
    Link,
    OpenCall,
    call_error,
    disconnected,
    duration,
    too_large,
)
from fairplay.server.tokens import same
from fairplay.v1.connection_pb2 import (
    Call,
    ConnectResponse,
    Goodbye,
    GoodbyeReason,
    Hello,
    HostedPlayer,
    Reply,
    Welcome,
)
from fairplay.v1.misconduct_pb2 import CallErrorReason

NAME = re.compile(r"[A-Za-z0-9_.-]{1,64}")
MAX_TOKEN_BYTES = 256
MAX_PLAYERS_PER_STREAM = 1_000
MAX_FRAME_BYTES = 4 * 1024 * 1024
MAX_STRAY_REPLIES = 1_000
MAX_NAMES = 100_000
MAX_TIME_LIMITS = 64
MAX_LATE = 100_000

Write = Callable[[ConnectResponse], Awaitable[None]]


@dataclass(slots=True)
class _Place:
    """A name on this server, its token, and the stream that holds it now."""

    token: str
    stream: Stream | None = None
    number: int = 0


class Hub:
    """All names under which players dialled in, or are expected to."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._places: dict[str, _Place] = {}
        self._claims: dict[str, str] = {}
        self._streams: dict[bytes, Stream] = {}
        self._arrival = asyncio.Event()
        self.stray_reply_count = 0

    def expect(self, name: str, token: str) -> None:
        """Keeps a name for whoever comes with this token."""
        self._places[name] = _Place(token)

    def forget(self, name: str) -> None:
        """Says goodbye to a name that was expected."""
        place = self._places.pop(name, None)
        if place is not None and place.stream is not None:
            place.stream.goodbye(GoodbyeReason.GOODBYE_REASON_FINISHED, "this player is no longer needed")

    def claim(self, name: str, token: str) -> None:
        """From now on a name that is not here can be had with this token only; with it, also one that is here."""
        self._claims[name] = token

    def release(self, name: str) -> None:
        """Ends a claim. Whoever has dialled in with the name keeps it."""
        self._claims.pop(name, None)

    def holds(self, name: str, token: str) -> bool:
        """Whether this name has dialled in with this token."""
        place = self._places.get(name)
        return place is not None and same(place.token, token)

    def guards(self, name: str) -> bool:
        """Whether this name has dialled in with a token, or is expected with one."""
        place = self._places.get(name)
        return place is not None and place.token != ""

    def here(self, name: str) -> bool:
        """Whether a player of this name can be called now."""
        place = self._places.get(name)
        return place is not None and place.stream is not None

    async def arrived(self, name: str) -> None:
        """Waits until a player of this name is here."""
        while not self.here(name):
            await self._arrival.wait()

    def admit(self, hello: Hello, write: Write, end: Callable[[], None]) -> Stream:
        """Gives the names of a hello to a new stream, all or none. Refusal: says which name cannot be had.

        `write` sends a frame on the stream; `end` ends it, when another stream takes its place.
        """
        _check(hello.players)
        names = [player.name for player in hello.players]
        stream = self._streams.get(hello.resume_token)
        if stream is not None and stream.names != names:
            stream = None
        for player in hello.players:
            self._check_free(player, stream)
        if stream is None:
            stream = Stream(self, self._clock, names)
        self._streams[stream.resume_token] = stream
        for number, player in enumerate(hello.players):
            self._seat(stream, number, player)
        window = hello.resume_window
        stream.attach(write, end, window.seconds + window.nanos / 1e9)
        self._arrival.set()
        self._arrival = asyncio.Event()
        return stream

    def _check_free(self, player: HostedPlayer, resumed: Stream | None) -> None:
        """A name without a token belongs to its stream; one with a token to whoever has it, or its claim."""
        place = self._places.get(player.name)
        if place is None and player.name not in self._claims:
            return
        if (resumed is not None and place is not None and place.stream is resumed) or self._claimed_by(player):
            return
        if not player.token or not self.holds(player.name, player.token):
            message = f"the name {player.name} is taken on this server: choose another one"
            raise Refusal("NAME_TAKEN", f"{message}, or give the token with which it was claimed")

    def _claimed_by(self, player: HostedPlayer) -> bool:
        claim = self._claims.get(player.name)
        return claim is not None and same(claim, player.token)

    def _seat(self, stream: Stream, number: int, player: HostedPlayer) -> None:
        place = self._places.setdefault(player.name, _Place(player.token))
        if self._claimed_by(player):
            place.token = player.token
        if place.stream is not None and place.stream is not stream:
            place.stream.goodbye(GoodbyeReason.GOODBYE_REASON_REPLACED, f"{player.name} has dialled in again")
        place.stream, place.number = stream, number

    def dismiss(self, stream: Stream) -> None:
        """Frees the names of a stream that is over."""
        self._streams.pop(stream.resume_token, None)
        for name in stream.names:
            place = self._places.get(name)
            if place is not None and place.stream is stream:
                place.stream = None
                del self._places[name]
                if place.token:
                    self._places[name] = place  # as the one that has been away for the shortest time
        self._forget_names()

    def _forget_names(self) -> None:
        """A name is kept for its token while there is room: those that have been away longest go first."""
        away = len(self._places) - MAX_NAMES
        if away > 0:
            for name in [name for name, place in self._places.items() if place.stream is None][:away]:
                del self._places[name]

    def goodbye(self, reason: GoodbyeReason.ValueType, message: str) -> None:
        """Says goodbye to everyone."""
        for stream in list(self._streams.values()):
            stream.goodbye(reason, message)

    def call(self, name: str, method: str, request: bytes, limit_s: float, done: Done) -> OpenCall:
        """Calls the player that holds this name now."""
        place = self._places.get(name)
        if place is None or place.stream is None:
            return DeadLink(self._clock, disconnected("the player is not connected")).call(
                method, request, limit_s, done
            )
        return place.stream.call(place.number, method, request, limit_s, done)


class Stream:
    """The players of one hello: their open calls, and the stream that carries them, if it is not lost just now."""

    def __init__(self, hub: Hub, clock: Clock, names: list[str]) -> None:
        self.names = names
        self.resume_token = secrets.token_bytes(16)
        self._hub = hub
        self._clock = clock
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
        self._late: set[int] = set()
        self._stray_count = 0

    # --- the stream ---

    def attach(self, write: Write, end: Callable[[], None], resume_s: float) -> None:
        """A stream carries this stream from now on: it is welcomed, and calls that are still open are sent again."""
        self._end()
        if self._outbox is not None:
            self._outbox.close()
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
        )
        for _, call in self._open.values():
            self._outbox.put(call, len(call.request))
        self._outbox.nudge()

    async def _send(self, calls: list[Call]) -> None:
        assert self._write is not None
        cancelled, self._cancelled = self._cancelled, []
        if cancelled:
            calls = [call for call in calls if call.id in self._open]
        if self._welcome is not None:  # in a frame of its own, which is simplest for those who read it
            welcome, self._welcome = self._welcome, None
            await self._write(ConnectResponse(welcome=welcome))
        if calls or cancelled or self._goodbye is not None:
            await self._write(ConnectResponse(calls=calls, cancelled=cancelled, goodbye=self._goodbye))
        if self._goodbye is not None:
            self._end()

    def detach(self, write: Write) -> None:
        """The stream is lost or over. Its open calls wait for another one if the player asked for that."""
        if self._write is not write:
            return
        if self._outbox is not None:
            self._outbox.close()
        self._write, self._outbox, self._end = None, None, _nothing
        if self._goodbye is None and self._resume_s > 0:
            self._loop.call_later(self._resume_s, self._give_up)
        else:
            self._give_up()

    def _give_up(self) -> None:
        if self._write is not None:
            return
        self._hub.dismiss(self)
        calls, self._open = self._open, {}
        for open_call, _ in calls.values():
            open_call.settle(disconnected("the connection of the player ended during the call"))

    def goodbye(self, reason: GoodbyeReason.ValueType, message: str) -> None:
        """Ends the stream, after what is due has been sent."""
        self._goodbye = Goodbye(reason=reason, message=message)
        self._nudge()

    # --- calls and replies ---

    def call(self, number: int, method: str, request: bytes, limit_s: float, done: Done) -> OpenCall:
        """Sends a call with the next frame."""
        open_call = OpenCall(self._clock, limit_s, done, self._drop)
        time_limit = self._time_limits.get(limit_s) or self._time_limit(limit_s)
        call = Call(id=open_call.id, player=number, method=method, request=request, time_limit=time_limit)
        self._open[open_call.id] = (open_call, call)
        if self._outbox is not None:
            self._outbox.put(call, len(request))
        return open_call

    def _time_limit(self, limit_s: float) -> Duration:
        """The message of a limit; there are few different ones, unless players have a bank."""
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
        """Settles the calls that a frame of the player answers. Refusal: too many replies that nobody asked for."""
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
            return
        self._hub.stray_reply_count += 1
        self._stray_count += 1
        if self._stray_count > MAX_STRAY_REPLIES:
            raise Refusal("REPLY_FLOOD", f"more than {MAX_STRAY_REPLIES:,} replies came that nobody asked for")


def _nothing() -> None:
    """There is no stream to end."""


def _check(players: Iterable[HostedPlayer]) -> None:
    names = [player.name for player in players]
    if not names:
        raise Refusal("MALFORMED_HELLO", "a hello must name at least one player")
    if len(names) > MAX_PLAYERS_PER_STREAM:
        raise Refusal("TOO_MANY_PLAYERS", f"a stream may host at most {MAX_PLAYERS_PER_STREAM:,} players")
    if len(set(names)) < len(names):
        raise Refusal("MALFORMED_HELLO", "a hello must not name a player twice")
    for player in players:
        if not NAME.fullmatch(player.name):
            raise Refusal("NAME_INVALID", "a name must be 1 to 64 letters, digits, '-', '_' or '.'")
        if len(player.token.encode()) > MAX_TOKEN_BYTES:
            raise Refusal("MALFORMED_HELLO", f"a token may have at most {MAX_TOKEN_BYTES} bytes")


class DialInLink:
    """The link to a player that dials in under a name."""

    def __init__(self, hub: Hub, name: str) -> None:
        self._hub = hub
        self._name = name

    def call(self, method: str, request: bytes, limit_s: float, done: Done) -> OpenCall:
        """Calls through the stream that holds the name now."""
        return self._hub.call(self._name, method, request, limit_s, done)

    async def close(self) -> None:
        """The player stays connected: it may be wanted again."""


async def dial_in_link(hub: Hub, clock: Clock, name: str, start_limit_s: float) -> Link:
    """The link to the player of this name; waits for it to dial in."""
    try:
        async with asyncio.timeout(start_limit_s):
            await hub.arrived(name)
    except TimeoutError:
        return DeadLink(clock, disconnected(f"{name} did not dial in within {start_limit_s:g} s"))
    return DialInLink(hub, name)
