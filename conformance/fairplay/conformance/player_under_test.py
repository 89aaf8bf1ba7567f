"""The tested player, whatever it does: asked through the server's own links, from the code of cases."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from google.protobuf.message import DecodeError

from fairplay.conformance.case import NotTested
from fairplay.conformance.event_loop import Loop
from fairplay.conformance.transports import Transport, output_of
from fairplay.games.steps import Failure, Method
from fairplay.player.handlers import PLAYER_METHODS
from fairplay.server.links.link import DeadLink, Link, OpenCall
from fairplay.v1.misconduct_pb2 import CallError, CallErrorReason, Overrun
from fairplay.v1.player_pb2 import DescribeRequest, DescribeResponse, PlayerDescription

IN_METHOD = 3
IN_ALL = 6
DESCRIBE = PLAYER_METHODS["Describe"]


class Breaker:
    """Spares everybody the time of a player that hangs: what it has stopped answering is not asked again."""

    def __init__(self) -> None:
        self._in_method: dict[str, int] = {}
        self._in_all = 0

    def check(self, path: str) -> None:
        """NotTested: the method, or the player, has not answered too often."""
        if self._in_method.get(path, 0) >= IN_METHOD:
            name = path.rpartition("/")[2]
            raise NotTested(f"{name} did not answer in time {IN_METHOD} times in a row: it is not asked any more")
        if self._in_all >= IN_ALL:
            raise NotTested(f"the player did not answer {IN_ALL} calls in a row: it is not asked any more")

    def note(self, path: str, overran: bool) -> None:
        """What became of a call."""
        self._in_method[path] = self._in_method.get(path, 0) + 1 if overran else 0
        self._in_all = self._in_all + 1 if overran else 0


class Connection:
    """One opened way to the player."""

    def __init__(self, link: Link, breaker: Breaker) -> None:
        self._link = link
        self._breaker = breaker
        self._open: set[OpenCall] = set()
        self.call_count = 0
        self.lost = isinstance(link, DeadLink)
        """Whether the player was not reached, or not any more."""

    async def ask(self, method: Method, request: bytes, limit_s: float) -> tuple[bytes | Failure, float]:
        """What became of a call, and the seconds that it took. NotTested: it is one that always hangs."""
        self._breaker.check(method.path)
        future: asyncio.Future[tuple[bytes | Failure, float]] = asyncio.get_running_loop().create_future()

        def done(outcome: bytes | Failure, elapsed_s: float) -> None:
            if not future.done():
                future.set_result((outcome, elapsed_s))

        self.call_count += 1
        call = self._link.call(method.path, request, limit_s, done)
        self._open.add(call)
        try:
            outcome, elapsed_s = await future
        finally:
            call.cancel()
            self._open.discard(call)
        self._breaker.note(method.path, isinstance(outcome, Overrun))
        self.lost = disconnection(outcome)
        return outcome, elapsed_s

    @property
    def output(self) -> str:
        """The end of what the player's process has written."""
        return output_of(self._link)

    async def close(self) -> None:
        """Lets go of the player."""
        for call in list(self._open):
            call.cancel()
        await self._link.close()


def disconnection(outcome: bytes | Failure) -> bool:
    """Whether a call failed because the player was not there, or not any more."""
    return isinstance(outcome, CallError) and outcome.reason == CallErrorReason.CALL_ERROR_REASON_DISCONNECTED


class PlayerUnderTest:
    """The tested player. Cases share one connection, and get fresh ones where they ask for it."""

    def __init__(self, loop: Loop, transport: Transport, limit_s: float) -> None:
        self.loop = loop
        self.transport = transport
        self.breaker = Breaker()
        self.described: bytes | Failure = b""
        """What came of the first call, Describe."""
        self.unreachable = ""
        """Why nobody can reach the player; one sentence."""
        self._limit_s = limit_s
        self._shared: Connection | None = None
        self._begun = False

    @property
    def description(self) -> PlayerDescription:
        """What the player says about itself; empty where it does not."""
        if isinstance(self.described, bytes):
            try:
                return DescribeResponse.FromString(self.described).description
            except DecodeError:
                return PlayerDescription()
        return PlayerDescription()

    def begin(self) -> None:
        """Reaches the player for the first time, and asks who it is."""
        if self._begun:
            return
        self._begun = True
        connection = self.loop.run(self._opened(""))
        if connection.lost:
            self.unreachable = self._excuse(connection)
            return
        self._shared = connection
        request = DescribeRequest().SerializeToString()
        self.described, _ = self.loop.run(connection.ask(DESCRIBE, request, self._limit_s))

    def _excuse(self, connection: Connection) -> str:
        """Why a connection could not be made, as its calls say it."""
        outcome, _ = self.loop.run(connection.ask(DESCRIBE, b"", self._limit_s))
        self.loop.run(connection.close())
        return outcome.message if isinstance(outcome, CallError) and outcome.message else "it is not there"

    async def _opened(self, way: str, breaker: Breaker | None = None) -> Connection:
        return Connection(await self.transport.open(way), breaker or self.breaker)

    def connection(self) -> Connection:
        """The one that cases share. NotTested: the player cannot be reached."""
        self.begin()
        if self.unreachable:
            raise NotTested("the player cannot be reached: see contract.reachable")
        if self._shared is not None and self._shared.lost:
            self.renew()
        if self._shared is None:
            self._shared = self.open()
        return self._shared

    def renew(self) -> None:
        """The next to ask for the shared connection gets a new one."""
        if self._shared is not None:
            self.loop.run(self._shared.close())
            self._shared = None

    def open(self, way: str = "", breaker: Breaker | None = None) -> Connection:
        """A new connection. NotTested: the player cannot be reached."""
        self.begin()
        if self.unreachable:
            raise NotTested("the player cannot be reached: see contract.reachable")
        connection = self.loop.run(self._opened(way, breaker))
        if connection.lost and not way:
            self.unreachable = self._excuse(connection)
            raise NotTested(f"the player was there, but could not be reached again: {self.unreachable}")
        return connection

    def open_ways(self, ways: Sequence[str]) -> dict[str, Connection]:
        """Connections that offer the player one way each, opened at the same time; those it does not take are lost."""

        async def all_of_them() -> list[Connection]:
            return await asyncio.gather(*map(self._opened, ways))

        self.connection()
        return dict(zip(ways, self.loop.run(all_of_them()), strict=True))

    @contextmanager
    def fresh(self, way: str = "", breaker: Breaker | None = None) -> Iterator[Connection]:
        """A connection of one's own: to a new process or object, where the player is one."""
        connection = self.open(way, breaker)
        try:
            yield connection
        finally:
            self.loop.run(connection.close())

    def close(self) -> None:
        """Lets go of the player and of all that was started for it."""
        self.renew()
        self.loop.run(self.transport.close())
