"""One user's visit to a lobby: it enters, attends, asks, comes back after a lost connection, and leaves."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from dataclasses import replace
from enum import Enum
from typing import Any, NamedTuple

import grpc

from fairplay.player.dialing import CHANNEL_OPTIONS
from fairplay.server.errors import reason_of
from fairplay.terminal.lobby.lobby import Line, Lobby
from fairplay.terminal.lobby.memory import Memory
from fairplay.terminal.lobby.wording import plain
from fairplay.v1 import lobby_pb2
from fairplay.v1.game_pb2 import GameSettings, TimeControl
from fairplay.v1.lobby_pb2_grpc import LobbyServiceStub

ANSWER_LIMIT_S = 10.0
FAREWELL_S = 1.0
PATIENCE_S = 60.0
FIRST_PAUSE_S = 0.25
LAST_PAUSE_S = 5.0
DIAL_IN_TRIES = 20
DIAL_IN_PAUSE_S = 0.1
PASSING = {grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED, grpc.StatusCode.CANCELLED}
PASSING |= {grpc.StatusCode.UNKNOWN, grpc.StatusCode.INTERNAL, grpc.StatusCode.RESOURCE_EXHAUSTED}


class GoneError(Exception):
    """The lobby cannot be had, or not any more; one sentence."""


class Condition(Enum):
    """How the visit stands."""

    OUTSIDE = "not entered"
    LIVE = "live"
    AWAY = "away"
    OVER = "over"


class Connection(NamedTuple):
    """How the visit stands, and a sentence where that is not well."""

    condition: Condition
    sentence: str = ""


class Session:
    """A visit to the lobby at an address. `changed` is called when there is something new to be seen.

    Requests return an empty text, or one sentence that says why they are refused.
    """

    def __init__(
        self,
        address: str,
        changed: Callable[[], None],
        *,
        memory: Memory | None = None,
        patience_s: float = PATIENCE_S,
        pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.address = address
        self.lobby = Lobby()
        self.connection = Connection(Condition.OUTSIDE)
        self.token = ""
        self.channel = grpc.aio.insecure_channel(address, options=CHANNEL_OPTIONS)
        self._stub = LobbyServiceStub(self.channel)
        self._changed = changed
        self._memory = memory or Memory(None)
        self._patience_s = patience_s
        self._pause = pause

    @property
    def over(self) -> bool:
        """Whether the visit is over."""
        return self.connection.condition is Condition.OVER

    # --- coming and going ---

    async def enter(self, name: str) -> str:
        """Enters under a name; a refusal is to be answered with another name. GoneError: there is no lobby."""
        try:
            await self._enter_as_before(name)
        except grpc.aio.AioRpcError as error:
            if error.code() in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED):
                raise GoneError(f"no lobby answers at {self.address}: {_sentence(error)}") from None
            if error.code() == grpc.StatusCode.UNIMPLEMENTED:
                raise GoneError(f"the server at {self.address} has no lobby") from None
            return _sentence(error)
        return ""

    async def _enter_as_before(self, name: str) -> None:
        """With the token that this name had here before, if there is one and it still counts."""
        self.token = self._memory.recall(self.address, name)
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
        self._memory.keep(self.token)
        self.lobby = replace(self.lobby, me=name, sequence=0)

    async def attend(self) -> None:
        """Follows what happens until the visit is over; `connection` says why. A lost connection is taken up again."""
        loop = asyncio.get_running_loop()
        pause_s, give_up = FIRST_PAUSE_S, loop.time() + self._patience_s
        while True:
            problem = await self._follow()
            if self.over:
                return
            if self.connection.condition is Condition.LIVE:
                pause_s, give_up = FIRST_PAUSE_S, loop.time() + self._patience_s
            if loop.time() + pause_s > give_up:
                self._set(Condition.OVER, f"the server at {self.address} has gone away: {problem}")
                return
            self._set(Condition.AWAY, f"the connection is lost ({problem}); trying again in {pause_s:g} s")
            await self._pause(pause_s)
            pause_s = min(2 * pause_s, LAST_PAUSE_S)

    async def _follow(self) -> str:
        """Follows one stream to its end; returns what ended it."""
        request = lobby_pb2.AttendRequest(token=self.token, after_sequence=self.lobby.sequence)
        stream = self._stub.Attend(request)
        try:
            async for event in stream:
                self.connection = Connection(Condition.LIVE)
                self.lobby = self.lobby.after(event)
                self._changed()
        except grpc.aio.AioRpcError as error:
            return await self._broken(error)
        finally:
            stream.cancel()
        return "the server has ended the stream"

    async def _broken(self, error: grpc.aio.AioRpcError) -> str:
        if error.code() == grpc.StatusCode.UNAUTHENTICATED:
            return await self._come_back()
        if error.code() == grpc.StatusCode.ABORTED:
            self._set(Condition.OVER, "this visit goes on elsewhere: another client has come with its token")
        elif error.code() not in PASSING:
            self._set(Condition.OVER, _sentence(error))
        return _sentence(error)

    async def _come_back(self) -> str:
        """The server does not know this user any more, as after a restart: it enters again under its name."""
        try:
            await self._enter(self.lobby.me)
        except grpc.aio.AioRpcError as error:
            if error.code() not in PASSING:
                self._set(Condition.OVER, f"the lobby does not let {plain(self.lobby.me)} in again: {_sentence(error)}")
            return _sentence(error)
        self.connection = Connection(Condition.LIVE)
        return "the lobby had lost you, and you have entered again"

    def _set(self, condition: Condition, sentence: str) -> None:
        self.connection = Connection(condition, sentence)
        self._changed()

    async def leave(self) -> None:
        """Leaves the lobby, if the server still listens, and ends the connection."""
        if self.token and not self.over:
            self.connection = Connection(Condition.OVER)
            with contextlib.suppress(grpc.RpcError):
                await self._stub.Leave(lobby_pb2.LeaveRequest(token=self.token), timeout=FAREWELL_S)
        self._memory.close()
        await self.channel.close()

    # --- requests ---

    async def create(
        self, name: str, game: str, settings: GameSettings | None = None, time_control: TimeControl | None = None
    ) -> str:
        """Makes a table and goes there."""
        request = lobby_pb2.CreateTableRequest(
            token=self.token, name=name, game=game, settings=settings, time_control=time_control
        )
        return await self._ask(self._stub.CreateTable, request)

    async def watch(self, table: str) -> str:
        """Goes to a table."""
        return await self._ask(self._stub.WatchTable, lobby_pb2.WatchTableRequest(token=self.token, table=table))

    async def join(self, table: str, link: str = "") -> str:
        """Takes a seat; without a link for the player that has dialled in from here, which may take a moment."""
        request = lobby_pb2.JoinTableRequest(token=self.token, table=table, link=link)
        for _ in range(DIAL_IN_TRIES):
            try:
                await self._stub.JoinTable(request, timeout=ANSWER_LIMIT_S)
            except grpc.aio.AioRpcError as error:
                if link or reason_of(error) != "NOT_DIALLED_IN":
                    return _sentence(error)
                await self._pause(DIAL_IN_PAUSE_S)
            else:
                return ""
        return f"your player has not reached {self.address} yet: try again"

    async def leave_table(self) -> str:
        """Leaves the table, and its game."""
        return await self._ask(self._stub.LeaveTable, lobby_pb2.LeaveTableRequest(token=self.token))

    async def delete(self, table: str) -> str:
        """Deletes a table."""
        return await self._ask(self._stub.DeleteTable, lobby_pb2.DeleteTableRequest(token=self.token, table=table))

    async def start(self) -> str:
        """Starts the game of the table."""
        return await self._ask(self._stub.StartTable, lobby_pb2.StartTableRequest(token=self.token))

    async def say(self, text: str) -> str:
        """Says something to everyone at the table."""
        return await self._ask(self._stub.Say, lobby_pb2.SayRequest(token=self.token, text=text))

    async def _ask(self, method: Callable[..., Awaitable[Any]], request: object) -> str:
        try:
            await method(request, timeout=ANSWER_LIMIT_S)
        except grpc.aio.AioRpcError as error:
            return _sentence(error)
        return ""

    def note(self, text: str) -> None:
        """Adds what this client itself has to say to the talk at the table."""
        self.lobby = self.lobby.saying(Line("", plain(text)))
        self._changed()


def _sentence(error: grpc.aio.AioRpcError) -> str:
    if error.code() == grpc.StatusCode.DEADLINE_EXCEEDED:
        return "the server does not answer"
    if error.code() == grpc.StatusCode.UNAVAILABLE and not reason_of(error):
        return "the server cannot be reached"
    return plain(error.details() or error.code().name)
