"""Scripted players that a server can call: they dial in over a stream, or serve on an address."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import grpc
from google.protobuf.message import DecodeError

from fairplay.conformance.case import failure
from fairplay.conformance.games.encodings import FILLER
from fairplay.conformance.servers.scenes import NAMES, Act, Actor, Manner, span
from fairplay.games.game import Game
from fairplay.games.kit.player_service import PLAYER_METHODS
from fairplay.games.kit.wire import varint
from fairplay.games.steps import Method
from fairplay.player.handlers import PROTOCOL_REVISION
from fairplay.player.secrets import SECRET_KEY
from fairplay.server.net.errors import reason_of
from fairplay.v1.connection_pb2 import (
    Call,
    DialInRequest,
    DialInResponse,
    Failure,
    Goodbye,
    Hello,
    HostedPlayer,
    Reply,
    Welcome,
)
from fairplay.v1.connection_pb2_grpc import ConnectionServiceStub
from fairplay.v1.player_pb2 import DescribeResponse, GameService, PlayerDescription

SECRET = "secret-of-"
"""Begins the secret of each player that has one."""
PLAIN_ONLY = (("grpc.compression_enabled_algorithms_bitset", 1),)
"""Options with which gRPC reads nothing that is compressed."""
COMPRESSED = "Compression algorithm"
"""Of that its libraries speak then."""
COMPRESSIONS = (grpc.Compression.NoCompression, grpc.Compression.Gzip, grpc.Compression.Deflate)
"""How players that serve send replies, seat by seat; short ones are not compressed."""


@dataclass(slots=True)
class Received:
    """A call that a scripted player was given."""

    seat: int
    path: str
    request: bytes
    limit_s: float
    """The limit that the call names; for a player that serves, its deadline from now."""
    at_s: float
    call_id: int = 0
    metadata: Mapping[str, str] = field(default_factory=dict)
    asked: Any = None
    """The request as a message; None: it cannot be read, or no player has such a method."""
    act: Act | None = None
    answered_s: float | None = None
    """When the player answered; None: it has not."""
    again: bool = False
    """Whether it had been sent before, on a connection that was lost: its limit is what was left of it."""
    cancelled_after_s: float | None = None
    """The seconds after which the server said that the reply is no longer wanted; None: it did not."""

    @property
    def method(self) -> str:
        """Return the last part of the method's name."""
        return self.path.rpartition("/")[2]

    @property
    def is_open(self) -> bool:
        """Return whether it is neither answered nor cancelled."""
        return self.answered_s is None and self.cancelled_after_s is None


def secret_of(seat: int) -> str:
    """Return the secret of the player of a seat that serves, where it has one."""
    return f"{SECRET}{NAMES[seat]}"


def check_secrets(received: Iterable[Received]) -> None:
    """Check that each call of players that serve shows their secret."""
    for each in received:
        if not each.call_id and each.metadata.get(SECRET_KEY) != secret_of(each.seat):
            raise failure(f"{NAMES[each.seat]} was called with {each.method} without its secret.")


def description(game: Game) -> PlayerDescription:
    """Return what scripted players say about themselves."""
    services = [GameService(name=game.service, revision=PROTOCOL_REVISION)]
    return PlayerDescription(display_name="certify-server", software_version="1", services=services)


class Cast:
    """The players of a scene: what they are called with, and how they answer."""

    def __init__(self, game: Game, actors: Sequence[Actor]) -> None:
        self.game = game
        self.received: list[Received] = []
        self.hung = asyncio.Event()
        """Set when a player leaves a call without an answer."""
        self.may_answer = asyncio.Event()
        """While it is not set, players that dialled in keep their answers back."""
        self.may_answer.set()
        self.paused = asyncio.Event()
        """Set when the players have kept their answers back, as `pause_at` says."""
        self.repeats = False
        """Whether a call that comes again is answered as before."""
        self._pause_at = 0
        self._actors = actors
        self._methods: dict[str, Method] = {each.path: each for each in (*PLAYER_METHODS.values(), *game.methods)}

    @property
    def paths(self) -> Sequence[str]:
        """Return the full names of all methods that the players have."""
        return list(self._methods)

    def __len__(self) -> int:
        return len(self._actors)

    def pause_at(self, count: int) -> None:
        """Keep all answers back from the call of this number on, and answer a call that comes again as before."""
        self._pause_at, self.repeats = count, True

    async def first_open(self, within_s: float) -> Received | None:
        """Return a call that is neither answered nor cancelled after some seconds; None as soon as there is none."""
        until = time.monotonic() + within_s
        while (waiting := next((each for each in self.received if each.is_open), None)) is not None:
            if time.monotonic() > until:
                break
            await asyncio.sleep(0.01)
        return waiting

    def take(
        self, seat: int, path: str, request: bytes, limit_s: float, metadata: Mapping[str, str], call_id: int = 0
    ) -> Received:
        """Note a call, and return it with what the player does."""
        received = Received(seat, path, request, limit_s, time.monotonic(), call_id, metadata)
        before = next((each for each in self.received if call_id and each.call_id == call_id), None)
        self.received.append(received)
        if before is not None and self.repeats:
            received.asked, received.act = before.asked, before.act
            return received
        received.act = self._act(received)
        if received.act.manner is Manner.HANG:
            self.hung.set()
        if len(self.received) == self._pause_at:
            self.may_answer.clear()
            self.paused.set()
        return received

    def _act(self, received: Received) -> Act:
        method = self._methods.get(received.path)
        if method is None:
            return Act(Manner.FAIL, code=12, message=f"this player has no method {received.path}")
        try:
            asked = received.asked = method.request.FromString(received.request)
        except DecodeError:
            return Act(Manner.FAIL, code=3, message="the request is unreadable")
        if method.name == "Describe":
            return Act(Manner.REPLY, DescribeResponse(description=description(self.game)).SerializeToString())
        try:
            return self._actors[received.seat].act(method, asked, getattr(asked, "game_id", ""))
        except Exception as error:  # a reference player cannot answer what no game leads to
            return Act(Manner.FAIL, code=13, message=f"no sound player can answer this: {error}")


def hello(game: Game, names: Sequence[str], token: str = "", window_s: float = 0.0, resume: bytes = b"") -> Hello:
    """Return the hello of players."""
    players = [HostedPlayer(name=name, token=token, description=description(game)) for name in names]
    return Hello(players=players, resume_token=resume, resume_window=span(window_s))


class Stream:
    """A connection of players that dial in. `ended` is set when it is over; `status` and `reason` say how.

    `seats` are those of the players, in the order of the hello; empty: those of all. `deadline_s` None: it lasts.
    """

    def __init__(
        self, channel: grpc.aio.Channel, cast: Cast, seats: Sequence[int] = (), deadline_s: float | None = None
    ) -> None:
        self.cast = cast
        self.hosted = seats or range(len(cast))
        self.welcome: Welcome | None = None
        self.goodbye: Goodbye | None = None
        self.status: grpc.StatusCode | None = None
        self.reason = ""
        self.ended = asyncio.Event()
        self.called = asyncio.Event()
        self.largest_frame_bytes = 0
        self._called_s = time.monotonic()
        self.calls: list[Received] = []
        self.overlapping: list[tuple[Received, Received]] = []
        """The calls that came while another one of the same game to the same player was open, each with that one."""
        self._welcomed = asyncio.Event()
        self._rpc: Any = ConnectionServiceStub(channel).DialIn(timeout=deadline_s)
        self._writing = asyncio.Lock()
        self._tasks: set[asyncio.Task[None]] = set()
        self._open: dict[int, Received] = {}
        self._waiting: dict[int, tuple[Received, str]] = {}
        """The calls that are neither answered nor cancelled, each with its game or tournament."""
        self._seats: dict[int, int] = {}

    @property
    def idle_s(self) -> float:
        """Return for how long nobody has been called; 0 while a call waits for its answer."""
        return 0.0 if self._waiting else time.monotonic() - self._called_s

    async def open(self, said: Hello) -> bool:
        """Say hello, and return whether the server welcomed the players."""
        await self.write(DialInRequest(hello=said))
        self.start()
        waits = [asyncio.ensure_future(event.wait()) for event in (self._welcomed, self.ended)]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()
        return self.welcome is not None

    def start(self) -> None:
        """Read what the server sends."""
        self._keep(self._read())

    async def write(self, frame: DialInRequest) -> None:
        """Send a frame; one that comes after the end of the stream is dropped."""
        for reply in frame.replies:
            self._waiting.pop(reply.id, None)
        with contextlib.suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError):
            async with self._writing:  # one frame at a time, as gRPC wants it
                await self._rpc.write(frame)

    async def leave(self) -> None:
        """Close this side of the connection: nothing more will be said."""
        await self._rpc.done_writing()

    async def close(self) -> None:
        """End the connection from this side."""
        self._rpc.cancel()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self.ended.set()

    def _keep(self, work: Any) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _read(self) -> None:
        try:
            while (frame := await self._rpc.read()) is not grpc.aio.EOF:
                self._take(frame)
            self.status = await self._rpc.code()
        except grpc.aio.AioRpcError as error:
            self.status, self.reason = error.code(), reason_of(error)
            if COMPRESSED in (error.details() or ""):
                self.reason = "what it sends is compressed, which it must not be"
        finally:
            self.ended.set()

    def _take(self, frame: DialInResponse) -> None:
        self.largest_frame_bytes = max(self.largest_frame_bytes, frame.ByteSize())
        if frame.HasField("welcome"):
            self.welcome = frame.welcome
            self._seats = dict(zip(frame.welcome.players, self.hosted, strict=False))
            self._welcomed.set()
        for call_id in frame.cancelled:
            self._waiting.pop(call_id, None)
            if (known := self._open.get(call_id)) is not None:
                known.cancelled_after_s = time.monotonic() - known.at_s
        for call in frame.calls:
            self._call(call)
        if frame.HasField("goodbye"):
            self.goodbye = frame.goodbye

    def _call(self, call: Call) -> None:
        limit_s = call.time_limit.ToNanoseconds() / 1e9
        seat = self._seats.get(call.player, -1)
        received = self.cast.take(max(seat, 0), call.method_name, call.request, limit_s, dict(call.metadata), call.id)
        received.again = self.welcome is not None and call.id in self.welcome.open_calls
        self.calls.append(received)
        game_id = getattr(received.asked, "game_id", "") or getattr(received.asked, "tournament_id", "")
        waiting = [each for each, other in self._waiting.values() if each.seat == seat and other == game_id]
        self.overlapping += [(received, each) for each in waiting]
        self._open[call.id] = received
        self._waiting[call.id] = (received, game_id)
        self._called_s = received.at_s
        self.called.set()
        self._keep(self._answer(received, received.act or Act(Manner.HANG)))

    async def _answer(self, received: Received, act: Act) -> None:
        call_id = received.call_id
        await self.cast.may_answer.wait()
        if act.gate is not None:
            await act.gate.wait()
        if act.wait_s:
            await asyncio.sleep(act.wait_s)
        if act.manner is not Manner.HANG:
            received.answered_s = time.monotonic()
        match act.manner:
            case Manner.REPLY:
                assert self.welcome is not None
                await self.reply(call_id, _filled(act, self.welcome.max_reply_bytes), act.metadata)
                if act.again is not None:
                    await self.reply(call_id, act.again)
            case Manner.FAIL:
                failed = Failure(code=act.code, message=act.message)
                await self.write(DialInRequest(replies=[Reply(id=call_id, failure=failed, metadata=act.metadata)]))
            case Manner.VANISH:
                self._waiting.pop(call_id, None)
                self._rpc.cancel()

    async def was_cancelled(self, within_s: float, count: int = 1) -> bool:
        """Return whether the server cancels a call, or so many, within some seconds."""
        until = time.monotonic() + within_s
        while sum(each.cancelled_after_s is not None for each in self._open.values()) < count:
            if time.monotonic() > until:
                return False
            await asyncio.sleep(0.01)
        return True

    async def reply(self, call_id: int, data: bytes, metadata: Mapping[str, str] | None = None) -> None:
        """Answer a call."""
        await self.write(DialInRequest(replies=[Reply(id=call_id, response=data, metadata=metadata)]))


def _filled(act: Act, most_bytes: int) -> bytes:
    """Return a reply, with an unknown field that makes it so many bytes larger than the server accepts as is wanted."""
    if act.beyond is None:
        return act.data
    left = most_bytes + act.beyond - len(act.data) - len(FILLER)
    size = next(left - digits for digits in range(1, 6) if len(varint(left - digits)) == digits)
    return act.data + FILLER + varint(size) + b"x" * size


class Served:
    """Players that serve, each on a port of its own. Libraries may compress what they send: those of some seats do.

    Those of the others read nothing that is compressed. A reply may have `most_bytes`.
    """

    def __init__(self, cast: Cast, host: str, most_bytes: int = 0) -> None:
        self._cast = cast
        self._host = host
        self._most_bytes = most_bytes
        self._servers: list[grpc.aio.Server] = []

    async def open(self) -> list[str]:
        """Serve, and return the link of each player."""
        return [await self.serve(seat) for seat in range(len(self._cast))]

    async def serve(self, seat: int) -> str:
        """Let the player of one seat serve, and return its link."""
        compression = COMPRESSIONS[seat % len(COMPRESSIONS)]
        options = [("grpc.so_reuseport", 0), *(PLAIN_ONLY if compression is grpc.Compression.NoCompression else ())]
        server = grpc.aio.server(options=options, compression=compression)
        server.add_generic_rpc_handlers([_Handler(self._cast, seat, self._most_bytes)])
        port = server.add_insecure_port(f"{self._host}:0")
        await server.start()
        self._servers.append(server)
        return f"grpc://{self._host}:{port}"

    async def close(self) -> None:
        """Serve no longer."""
        await asyncio.shield(asyncio.gather(*(server.stop(None) for server in self._servers)))  # grpcio goes on anyway


class _Handler(grpc.GenericRpcHandler):  # type: ignore[misc]  # grpcio has no types for it
    """Serves every method of a player from bytes to bytes."""

    def __init__(self, cast: Cast, seat: int, most_bytes: int) -> None:
        self._cast = cast
        self._seat = seat
        self._most_bytes = most_bytes

    def service(self, handler_call_details: Any) -> grpc.RpcMethodHandler | None:
        """Return the handler of a method, or None if players have no such method."""
        path = handler_call_details.method
        if path not in self._cast.paths:
            return None

        async def answer(request: bytes, context: Any) -> bytes:
            said = {key: value for key, value in context.invocation_metadata() or () if isinstance(value, str)}
            received = self._cast.take(self._seat, path, request, context.time_remaining() or 0.0, said)
            act = received.act or Act(Manner.HANG)
            try:
                if act.manner is Manner.HANG:
                    await asyncio.Event().wait()
                await self._cast.may_answer.wait()
                await asyncio.sleep(act.wait_s)
            except asyncio.CancelledError:
                received.cancelled_after_s = time.monotonic() - received.at_s
                raise
            received.answered_s = time.monotonic()
            if act.manner is Manner.FAIL:
                codes = {code.value[0]: code for code in grpc.StatusCode}
                await context.abort(codes.get(act.code, grpc.StatusCode.UNKNOWN), act.message)
            return _filled(act, self._most_bytes)

        return grpc.unary_unary_rpc_method_handler(answer)
