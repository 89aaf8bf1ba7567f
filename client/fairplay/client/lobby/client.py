"""The client of the lobby: it enters, attends, sends requests, comes back after a lost connection, and leaves."""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import Awaitable, Callable
from dataclasses import replace
from enum import Enum
from typing import Any, NamedTuple

import grpc

from fairplay.client.lobby.mirror import Line, LobbyMirror
from fairplay.client.lobby.tokens import TokenStore
from fairplay.client.wording import describe_error, plain
from fairplay.player.channels import NO_CREDENTIALS, Credentials, open_channel, split_address
from fairplay.player.dialing import CHANNEL_OPTIONS, PATIENCE_S
from fairplay.player.proxies import ProxyError, check_proxy
from fairplay.server.game.plans import seconds
from fairplay.server.net.errors import reason_of
from fairplay.v1 import lobby_pb2
from fairplay.v1.game_pb2 import GameSettings, TimeControl
from fairplay.v1.lobby_pb2_grpc import LobbyServiceStub

ANSWER_LIMIT_S = 10.0
FAREWELL_S = 1.0
LANE, LANE_COUNT = "fairplay.lane", 32
"""An option that gRPC does not know: channels in which it differs have connections of their own."""
FIRST_PAUSE_S = 0.25
LAST_PAUSE_S = 5.0
DIAL_IN_TRIES = 20
DIAL_IN_PAUSE_S = 0.1
PASSING = {grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED, grpc.StatusCode.CANCELLED}
PASSING |= {grpc.StatusCode.UNKNOWN, grpc.StatusCode.INTERNAL, grpc.StatusCode.RESOURCE_EXHAUSTED}


class LobbyGoneError(Exception):
    """Raised, with one sentence, if there is no lobby at the address."""


class ConnectionState(Enum):
    """The state of a connection."""

    OUTSIDE = "not entered"
    LIVE = "live"
    AWAY = "away"
    OVER = "over"


class Connection(NamedTuple):
    """The state of the connection, and a sentence if something is wrong."""

    state: ConnectionState
    sentence: str = ""


class LobbyClient:
    """A user of the lobby at an address. `on_change` is called when `lobby` or `connection` has changed.

    `tokens` are those with which it comes back after the process was ended; `grace_s` is how long the lobby waits for
    that. Requests return one sentence that says why they are refused, or an empty text.
    """

    def __init__(
        self,
        address: str,
        on_change: Callable[[], None],
        *,
        tokens: TokenStore | None = None,
        credentials: Credentials = NO_CREDENTIALS,
        patience_s: float = PATIENCE_S,
        pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.address = address
        self.lobby = LobbyMirror()
        self.connection = Connection(ConnectionState.OUTSIDE)
        self.token = ""
        self.credentials = credentials
        # The users of one process spread over some connections: each takes fewer streams than there may be users.
        lane = (LANE, random.randrange(LANE_COUNT))
        self.channel = open_channel(address, credentials, [*CHANNEL_OPTIONS, lane])
        self._stub = LobbyServiceStub(self.channel)
        self._on_change = on_change
        self.tokens = tokens or TokenStore(None)
        self.grace_s = 0.0
        self._patience_s = patience_s
        self._pause = pause

    @property
    def over(self) -> bool:
        """Return whether the connection has ended for good."""
        return self.connection.state is ConnectionState.OVER

    # --- coming and going ---

    async def check(self) -> None:
        """Raise LobbyGoneError if there is no lobby at the address."""
        try:
            await check_proxy(split_address(self.address, self.credentials)[0])
        except ProxyError as error:
            raise LobbyGoneError(str(error)) from None
        try:
            await self._stub.ListTables(lobby_pb2.ListTablesRequest(), timeout=ANSWER_LIMIT_S)
        except grpc.aio.AioRpcError as error:  # at the least, a lobby says that it does not know this caller
            self._check_there(error)

    def _check_there(self, error: grpc.aio.AioRpcError) -> None:
        if error.code() in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED):
            raise LobbyGoneError(f"no lobby answers at {self.address}: {describe_error(error)}") from None
        if error.code() == grpc.StatusCode.UNIMPLEMENTED:
            raise LobbyGoneError(f"the server at {self.address} has no lobby") from None

    async def enter(self, name: str) -> str:
        """Enter under a name; if it is refused, ask for another one. Raises LobbyGoneError if there is no lobby."""
        try:
            await self._enter_as_before(name)
        except grpc.aio.AioRpcError as error:
            self._check_there(error)
            return describe_error(error)
        return ""

    async def _enter_as_before(self, name: str) -> None:
        """Enter with the token that this name had here before, if there is one and it is still valid."""
        self.token = self.tokens.open(self.address, name)
        try:
            await self._enter(name)
        except grpc.aio.AioRpcError as error:
            if not self.token or error.code() is not grpc.StatusCode.PERMISSION_DENIED:
                raise
            self.token = ""
            await self._enter(name)

    async def _enter(self, name: str) -> None:
        request = lobby_pb2.EnterRequest(name=name, token=self.token)
        response = await self._stub.Enter(request, timeout=ANSWER_LIMIT_S)
        self.token = response.token
        self.tokens.keep(self.token)
        self.grace_s = seconds(response.grace_period)
        self.lobby = replace(self.lobby, me=response.name or name, sequence=0)

    async def rename(self, name: str) -> str:
        """Go on under another name."""
        before = self.lobby.me
        try:
            response = await self._stub.Rename(
                lobby_pb2.RenameRequest(token=self.token, name=name), timeout=ANSWER_LIMIT_S
            )
        except grpc.aio.AioRpcError as error:
            return describe_error(error)
        self.tokens.open(self.address, response.name)
        self.tokens.keep(self.token)
        self.lobby = self.lobby.renamed(before, response.name)
        self._on_change()
        return ""

    async def attend(self) -> None:
        """Follow the lobby until the connection is over, and take up a lost one; `connection` says why it ended."""
        loop = asyncio.get_running_loop()
        pause_s, give_up = FIRST_PAUSE_S, loop.time() + self._patience_s
        while True:
            problem = await self._follow()
            if self.over:
                return
            if self.connection.state is ConnectionState.LIVE:
                pause_s, give_up = FIRST_PAUSE_S, loop.time() + self._patience_s
            if loop.time() + pause_s > give_up:
                self._set(ConnectionState.OVER, f"the server at {self.address} has gone away: {problem}")
                return
            self._set(ConnectionState.AWAY, f"the connection is lost ({problem}); trying again in {pause_s:g} s")
            await self._pause(pause_s)
            pause_s = min(2 * pause_s, LAST_PAUSE_S)

    async def _follow(self) -> str:
        """Follow one stream to its end, and return what ended it."""
        request = lobby_pb2.AttendRequest(token=self.token, after_sequence=self.lobby.sequence)
        stream = self._stub.Attend(request)
        try:
            async for response in stream:
                self.connection = Connection(ConnectionState.LIVE)
                for event in response.events:
                    self.lobby = self.lobby.after(event)
                self._on_change()
        except grpc.aio.AioRpcError as error:
            return await self._handle_error(error)
        finally:
            stream.cancel()
        return "the server has ended the stream"

    async def _handle_error(self, error: grpc.aio.AioRpcError) -> str:
        if error.code() == grpc.StatusCode.UNAUTHENTICATED:
            return await self._come_back()
        if error.code() == grpc.StatusCode.ABORTED:
            self._set(ConnectionState.OVER, "this user goes on elsewhere: another client has come with its token")
        elif error.code() not in PASSING:
            self._set(ConnectionState.OVER, describe_error(error))
        return describe_error(error)

    async def _come_back(self) -> str:
        """Enter again under the same name: the server has forgotten this user, as after a restart."""
        try:
            await self._enter(self.lobby.me)
        except grpc.aio.AioRpcError as error:
            if error.code() not in PASSING:
                me, why = plain(self.lobby.me), describe_error(error)
                self._set(ConnectionState.OVER, f"the lobby does not let {me} in again: {why}")
            return describe_error(error)
        self.connection = Connection(ConnectionState.LIVE)
        return "the lobby had lost you, and you have entered again"

    def _set(self, state: ConnectionState, sentence: str) -> None:
        self.connection = Connection(state, sentence)
        self._on_change()

    async def leave(self) -> None:
        """Leave the lobby, if the server still listens, and end the connection."""
        if self.token and not self.over:
            self.connection = Connection(ConnectionState.OVER)
            with contextlib.suppress(grpc.RpcError):
                await self._stub.Leave(lobby_pb2.LeaveRequest(token=self.token), timeout=FAREWELL_S)
        await self.close()

    async def close(self) -> None:
        """End the connection without leaving: who comes back within the grace period has its table and seat again."""
        self.connection = Connection(ConnectionState.OVER)
        self.tokens.close()
        await self.channel.close()

    # --- requests ---

    async def create(
        self,
        name: str,
        game: str,
        settings: GameSettings | None = None,
        time_control: TimeControl | None = None,
        seat_count: int = 0,
    ) -> str:
        """Make a table and go there. With a number of seats the game starts by itself when all are taken."""
        request = lobby_pb2.CreateTableRequest(
            token=self.token,
            name=name,
            game=game,
            settings=settings,
            time_control=time_control,
            seat_count=seat_count,
        )
        return await self._ask(self._stub.CreateTable, request)

    async def watch(self, table: str) -> str:
        """Go to a table."""
        return await self._ask(self._stub.WatchTable, lobby_pb2.WatchTableRequest(token=self.token, table=table))

    async def join(self, table: str, link: str = "") -> str:
        """Take a seat, without a link for the player that dials in from here, which may take a moment."""
        request = lobby_pb2.JoinTableRequest(token=self.token, table=table, link=link)
        for _ in range(DIAL_IN_TRIES):
            try:
                await self._stub.JoinTable(request, timeout=ANSWER_LIMIT_S)
            except grpc.aio.AioRpcError as error:
                if link or reason_of(error) != "NOT_DIALLED_IN":
                    return describe_error(error)
                await self._pause(DIAL_IN_PAUSE_S)
            else:
                return ""
        return f"your player has not reached {self.address} yet: try again"

    async def leave_table(self) -> str:
        """Leave the table, and its game."""
        return await self._ask(self._stub.LeaveTable, lobby_pb2.LeaveTableRequest(token=self.token))

    async def delete(self, table: str) -> str:
        """Delete a table."""
        return await self._ask(self._stub.DeleteTable, lobby_pb2.DeleteTableRequest(token=self.token, table=table))

    async def set_bots(self, count: int, link: str) -> str:
        """Have so many bots at the table, as far as seats are free. An empty link is the first strategy of the game."""
        return await self._ask(self._stub.SetBots, lobby_pb2.SetBotsRequest(token=self.token, count=count, link=link))

    async def set_ready(self, ready: bool) -> str:
        """Say whether the user is ready for the next game."""
        return await self._ask(self._stub.SetReady, lobby_pb2.SetReadyRequest(token=self.token, ready=ready))

    async def start(self) -> str:
        """Start the game of the table."""
        return await self._ask(self._stub.StartTable, lobby_pb2.StartTableRequest(token=self.token))

    async def say(self, text: str) -> str:
        """Say something to everyone at the table."""
        return await self._ask(self._stub.Say, lobby_pb2.SayRequest(token=self.token, text=text))

    async def _ask(self, method: Callable[..., Awaitable[Any]], request: object) -> str:
        try:
            await method(request, timeout=ANSWER_LIMIT_S)
        except grpc.aio.AioRpcError as error:
            return describe_error(error)
        return ""

    def note(self, text: str) -> None:
        """Add a line of this client's own to the talk at the table."""
        self.lobby = self.lobby.with_lines(Line("", plain(text)))
        self._on_change()
