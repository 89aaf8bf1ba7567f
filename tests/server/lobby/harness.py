"""What the tests of the lobby share: guests of a real server, each with what it has been told of the lobby."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import grpc
import pytest

from fairplay.server.lobby.users import LobbyLimits
from fairplay.server.net.errors import reason_of
from fairplay.server.server import Config, Server
from fairplay.v1 import lobby_pb2 as pb
from fairplay.v1.connection_pb2 import Call, Reply
from fairplay.v1.lobby_pb2_grpc import LobbyServiceStub
from fairplay.v1.table_pb2 import Table, TableStatus, User
from tests.server.harness import ByHand, sound

PATIENT = LobbyLimits(requests_per_second=10_000, burst=10_000, enter_burst=10_000)
"""For tests of other things than floods."""

OPEN, RUNNING, OVER = (
    TableStatus.TABLE_STATUS_OPEN,
    TableStatus.TABLE_STATUS_RUNNING,
    TableStatus.TABLE_STATUS_OVER,
)
LIMIT_S = 60.0
SMALL_WINDOW = (("grpc.http2.bdp_probe", 0), ("grpc.http2.lookahead_bytes", 1024))
"""For a channel on which little is under way that is not read."""


class Mirror:
    """The lobby as a client knows it: the whole, with every event applied."""

    def __init__(self) -> None:
        self.users: dict[str, User] = {}
        self.tables: dict[str, Table] = {}
        self.sequence = 0

    def take(self, event: pb.LobbyEvent) -> None:
        assert event.sequence > self.sequence
        self.sequence = event.sequence
        match event.WhichOneof("event"):
            case "lobby":
                self.users = {user.name: user for user in event.lobby.users}
                self.tables = {table.name: table for table in event.lobby.tables}
            case "user":
                self.users[event.user.name] = event.user
            case "user_gone":
                self.users.pop(event.user_gone.name, None)
            case "table":
                self.tables[event.table.name] = event.table
            case "table_deleted":
                self.tables.pop(event.table_deleted, None)

    def table(self, name: str) -> Table:
        """Return the table, or an empty one if it is unknown."""
        return self.tables.get(name) or Table()

    def user(self, name: str) -> User:
        """Return the user, or an empty one if it is unknown."""
        return self.users.get(name) or User()

    def seats(self, table: str) -> list[str]:
        return [seat.name for seat in self.table(table).seats]

    def watchers(self, table: str) -> list[str]:
        return list(self.table(table).watchers)


class Guest:
    """A user of the lobby, on a connection of its own."""

    def __init__(
        self, server: Server, name: str = "", token: str = "", options: Sequence[tuple[str, int]] = ()
    ) -> None:
        own = ("grpc.use_local_subchannel_pool", 1)
        self.channel = grpc.aio.insecure_channel(server.address, options=[own, *options])
        self.stub: Any = LobbyServiceStub(self.channel)
        self.name = name
        self.token = token
        self.mirror = Mirror()
        self.events: list[pb.LobbyEvent] = []
        self.unread: deque[pb.LobbyEvent] = deque()
        self.stream: Any = None

    async def enter(self) -> Guest:
        reply = await self.stub.Enter(pb.EnterRequest(name=self.name, token=self.token))
        self.token = reply.token
        return self

    async def ask(self, method: str, **fields: Any) -> Any:
        """Call a method with the guest's token."""
        request = getattr(pb, f"{method}Request")(token=self.token, **fields)
        async with asyncio.timeout(LIMIT_S):
            return await getattr(self.stub, method)(request)

    async def refused(self, method: str, **fields: Any) -> tuple[str, str]:
        """Call a method that is refused, and return the status and the reason."""
        return await refusal(self.ask(method, **fields))

    # --- the stream ---

    def attend(self, after: int = 0) -> Guest:
        request = pb.AttendRequest(token=self.token, after_sequence=after)
        self.stream = self.stub.Attend(request)
        return self

    async def event(self) -> pb.LobbyEvent:
        """Return the next event."""
        async with asyncio.timeout(LIMIT_S):
            while not self.unread:
                response = await self.stream.read()
                if response is grpc.aio.EOF:
                    raise AssertionError(await self.stream.code(), await self.stream.details())
                self.unread.extend(response.events)
        event = self.unread.popleft()
        self.mirror.take(event)
        self.events.append(event)
        return event

    async def until(self, reported: Callable[[pb.LobbyEvent], bool]) -> pb.LobbyEvent:
        """Return the next event for which the condition holds."""
        while not reported(event := await self.event()):
            pass
        return event

    async def sees(self, is_so: Callable[[Mirror], bool]) -> None:
        """Wait until the condition holds for what the guest knows."""
        while not is_so(self.mirror):
            await self.event()

    async def ended(self) -> tuple[str, str]:
        """Return how the stream ends: status and reason."""
        async with asyncio.timeout(LIMIT_S):
            try:
                while await self.stream.read() is not grpc.aio.EOF:
                    pass
            except grpc.aio.AioRpcError as error:
                return error.code().name, reason_of(error)
        return (await self.stream.code()).name, ""

    async def close(self) -> None:
        if self.stream is not None:
            self.stream.cancel()
        await self.channel.close()


async def refusal(call: Any) -> tuple[str, str]:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await call
    return caught.value.code().name, reason_of(caught.value)


@asynccontextmanager
async def lobby(limits: LobbyLimits = PATIENT, **config: Any) -> AsyncIterator[Server]:
    """Start a server, which the test may stop itself."""
    server = await Server.start(Config(lobby=limits, **config))
    try:
        yield server
    finally:
        await server.stop()


@asynccontextmanager
async def guests(server: Server, *names: str, attend: bool = True) -> AsyncIterator[list[Guest]]:
    """Let guests enter and attend."""
    made = [Guest(server, name) for name in names]
    try:
        for guest in made:
            await guest.enter()
            if attend:
                guest.attend()
                await guest.event()
        yield made
    finally:
        for guest in made:
            await guest.close()


@asynccontextmanager
async def mute(server: Server, *dialling: Guest) -> AsyncIterator[list[ByHand]]:
    """Let players of guests dial in that answer nothing."""
    async with AsyncExitStack() as stack:
        made = [await stack.enter_async_context(ByHand(server, guest.name, token=guest.token)) for guest in dialling]
        for player in made:
            await player.say_hello()
        yield made


class Waiting:
    """Answers calls as a reference player does, but keeps those of one method back until it is let go."""

    def __init__(self, method: str, game: str = "fish") -> None:
        self._method = method
        self._sound = sound(game=game)
        self.kept: list[Call] = []
        self.asked = asyncio.Event()
        self.free = False

    def __call__(self, call: Call) -> list[Reply]:
        if call.method_name.endswith(f"/{self._method}") and not self.free:
            self.kept.append(call)
            self.asked.set()
            return []
        return [self._sound(call)]

    async def until_asked(self) -> None:
        """Wait until a call is kept."""
        async with asyncio.timeout(LIMIT_S):
            await self.asked.wait()

    def hold(self, method: str) -> list[Reply]:
        """Answer the kept calls now, and keep those of another method back from now on."""
        kept, self.kept, self._method = self.kept, [], method
        self.asked.clear()
        return [self._sound(call) for call in kept]

    def let_go(self) -> list[Reply]:
        """Answer the kept calls now, and all later ones at once."""
        self.free = True
        return [self._sound(call) for call in self.kept]
