"""Links to players in this process that stand for started ones: tests see which were opened, and which are closed."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from fairplay.conformance.budget import Budget
from fairplay.conformance.context import Context
from fairplay.conformance.loop_thread import LoopThread
from fairplay.conformance.objects import ObjectLink
from fairplay.conformance.player_under_test import PlayerUnderTest
from fairplay.conformance.spares import Spares
from fairplay.conformance.transports import ExecTransport, ObjectTransport, PlayerServer, Transport
from fairplay.conformance.trial import CallLimits
from fairplay.games.game import Game, find
from fairplay.server.links.link import Clock, DeadLink, Done, Link, OpenCall, disconnected
from fairplay.server.links.process import ProcessLink
from tests.conformance.harness import AMPLE_S

NAME = "Vikoda"


class Opened:
    """Opens links to new players, or dead ones, and keeps them in their order."""

    def __init__(self, make: Callable[[], object], dead: Callable[[int], str | None] = lambda _: None) -> None:
        """`dead` returns why the link with a number, from 1, is dead; None: it is not."""
        self.links: list[WatchedLink] = []
        self._make = make
        self._dead = dead
        self._clock: Clock | None = None

    @property
    def open_count(self) -> int:
        """Return how many links are open."""
        return sum(not link.closed for link in self.links)

    def open(self, clock: Clock) -> Link:
        """Return a new link."""
        reason = self._dead(len(self.links) + 1)
        link = WatchedLink(ObjectLink(clock, self._make()) if reason is None else DeadLink(clock, disconnected(reason)))
        self.links.append(link)
        return link if reason is None else DeadLink(clock, disconnected(reason))

    async def start(self) -> Link:
        """Return a new link, as to a process that is started."""
        self._clock = self._clock or Clock()
        return self.open(self._clock)

    def as_served(self) -> Transport:
        """Return a transport that opens these links: to a player that is there for ever, as one that serves."""
        transport = ObjectTransport("grpc", NAME, self.open)
        transport.cheap = False
        return transport

    def as_objects(self) -> Transport:
        """Return a transport that opens these links: to new objects."""
        return ObjectTransport("object", NAME, self.open)

    def as_started(self) -> ExecTransport:
        """Return a transport that opens these links: to processes that are started."""
        transport = ExecTransport("me", NAME, PlayerServer("127.0.0.1:0", 1.0))
        transport.spares = Spares(self.start)
        return transport


class WatchedLink:
    """A link that says whether it was closed."""

    def __init__(self, link: Link) -> None:
        self.closed = False
        self._link = link

    def call(self, method: str, request: bytes, limit_s: float, done: Done, bank_s: float = 0.0) -> OpenCall:
        return self._link.call(method, request, limit_s, done, bank_s)

    async def close(self) -> None:
        assert not self.closed
        self.closed = True
        await self._link.close()


class StartedLink(ProcessLink):
    """The link to a process that nobody has called, which ends when a test says so."""

    def __init__(self, guard_id: int | None = None) -> None:
        self.closed = False
        self.has_ended = False
        self._guard_id = os.getpid() if guard_id is None else guard_id

    @property
    def guard_id(self) -> int:
        return self._guard_id

    @property
    def ended(self) -> bool:
        return self.has_ended

    async def close(self) -> None:
        self.closed = True


@contextmanager
def under_test(
    transport: Transport, budget: Budget | None = None, limit_s: float = AMPLE_S
) -> Iterator[PlayerUnderTest]:
    """Yield the player under test that a transport reaches."""
    loop = LoopThread()
    tested = PlayerUnderTest(loop, transport, limit_s, budget or Budget(600.0))
    try:
        yield tested
    finally:
        tested.close()
        loop.close()


@contextmanager
def context_of(transport: Transport, game: Game | None = None, **more: Any) -> Iterator[Context]:
    """Yield the context of cases about a player of Fish, or of another game."""
    limits = CallLimits(AMPLE_S, AMPLE_S, AMPLE_S)
    with under_test(transport) as tested:
        yield Context(game or find("fish"), tested, 1, limits, 1, **more)
