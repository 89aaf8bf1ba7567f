"""The player under test, whatever it does: called over the server's own links, from the code of cases."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import TypeAlias

import psutil
from google.protobuf.message import DecodeError

from fairplay.conformance import case_ids
from fairplay.conformance.case import NotTested
from fairplay.conformance.evidence import Evidence
from fairplay.conformance.player.breaker import Breaker, Budget, is_disconnection
from fairplay.conformance.player.farewells import Farewells
from fairplay.conformance.player.loop import LoopThread
from fairplay.conformance.player.machine import Scheduled, scheduled
from fairplay.conformance.player.transports import ExecTransport, Transport, output_of
from fairplay.games.kit.player_service import DESCRIBE
from fairplay.games.steps import Failure, Method
from fairplay.server.links.dial_in import DialInLink
from fairplay.server.links.dial_out import DialOutLink
from fairplay.server.links.link import NO_EXTRA, DeadLink, Link, Metadata, OpenCall, duration
from fairplay.server.links.programs import USUAL, ProcessLink, Start
from fairplay.server.links.stream import LOSS_S
from fairplay.v1.misconduct_pb2 import CallError, Overrun
from fairplay.v1.player_pb2 import DescribeRequest, DescribeResponse, PlayerDescription

WAITING_FACTOR, LOOK_SHARE = 60.0, 0.5
"""Where only the player's own time counts, an answer may take so many times its limit, waiting included. It is looked
at after each such share of the limit, so that who hangs costs little more than that.
"""
USUAL_EVERY = 3
"""On one of so many connections all games are in the usual guise."""
Answered: TypeAlias = tuple[bytes | Failure, float]
"""The reply or failure of a call, and the seconds that it took."""


def parse_description(outcome: bytes | Failure | None) -> PlayerDescription | None:
    """Return the description in a reply to Describe, or None if it is not readable."""
    try:
        return DescribeResponse.FromString(outcome).description if isinstance(outcome, bytes) else None
    except DecodeError:
        return None


class Connection:
    """An open link to the player."""

    def __init__(self, link: Link, breaker: Breaker, budget: Budget, player_name: str) -> None:
        self._link = link
        self.breaker = breaker
        self.budget = budget
        self.player_name = player_name
        """The name that the player has in its games."""
        self._open: set[OpenCall] = set()
        self._breaks = False
        """Whether the last loss of its connection came as an error."""
        self.call_count = 0
        self.described = 0
        """How many of these calls were made before there were cases."""
        self.repeatable = True
        """Whether new connections reach the player in the same way."""
        self.lost = isinstance(link, DeadLink)
        """Whether the player was not reached, or is gone."""
        self.excuses_late = True
        """Whether what comes too late on a busy machine is asked again; False where it is compared otherwise."""
        self.is_usual = False
        """Whether no game that is played on it is in an unusual guise."""
        self.plays = False
        """Whether the last game on it was left in the middle."""
        self.counts_own_time = False
        """Whether the time that player and suite wait for a processor is not counted as time of the player."""

    async def ask(
        self, method: Method, request: bytes, limit_s: float, bank_s: float = 0.0, extra: Metadata = NO_EXTRA
    ) -> Answered:
        """Call a method; return its reply or failure, and the seconds.

        `bank_s` of the limit are the player's bank, and `extra` is metadata of the call besides.

        Raises LeftOut if the method is not called any more, because the player hangs in it; NotTested if such calls end
        the player, if no method is called any more, and if the time for all calls together is over.
        """
        self.budget.check()
        refusal = self.breaker.check(method.path)
        future: asyncio.Future[Answered] = asyncio.get_running_loop().create_future()

        def done(outcome: bytes | Failure, elapsed_s: float) -> None:
            if not future.done():
                future.set_result((outcome, elapsed_s))

        self.call_count += 1
        began_s = time.monotonic()
        patience_s = WAITING_FACTOR * limit_s if self.counts_own_time else limit_s
        call = self._link.call(method.path, request, patience_s, done, bank_s, extra)
        self._open.add(call)
        try:
            outcome, elapsed_s = await (self._own(future, limit_s) if self.counts_own_time else future)
        finally:
            call.cancel()
            self._open.discard(call)
        if not self.lost:  # of the calls that are open when the player ends, the first one is recorded
            self.breaker.record(method, request, limit_s, outcome, began_s, self.output)
        self.lost = is_disconnection(outcome)
        if refusal is not None and (self.lost or isinstance(outcome, Overrun)):
            self.lost = True  # whatever hangs here is not to be handed on
            raise refusal
        return outcome, elapsed_s

    async def _own(self, answered: asyncio.Future[Answered], limit_s: float) -> Answered:
        """Return the answer to a call that was just made, or an overrun if the player's own time is above its limit.

        That is what passes but for the waits, and what one of its threads runs at least: threads wait side by side.
        """
        own, suite = self._scheduled(), scheduled([os.getpid()])
        began_s, own_s = time.monotonic(), 0.0
        while not answered.done() and own_s <= 2 * limit_s:  # a wait is counted only once it is over
            await asyncio.wait({answered}, timeout=LOOK_SHARE * limit_s)
            ran_s, waited_s = _since(own, self._scheduled())
            _, suite_s = _since(suite, scheduled([os.getpid()]))
            own_s = max(ran_s, time.monotonic() - began_s - waited_s - suite_s)
        if own_s <= limit_s:
            return answered.result()
        elapsed_s = time.monotonic() - began_s
        return Overrun(limit=duration(limit_s), elapsed=duration(elapsed_s)), elapsed_s

    def _scheduled(self) -> Mapping[str, Scheduled]:
        """Return how long the threads of the player have run and waited so far, if it was started here."""
        found = list[int]()
        if self.process is not None:
            with suppress(psutil.Error):  # it has ended
                found = [each.pid for each in psutil.Process(self.process.guard_id).children(recursive=True)]
        return scheduled(found)

    @property
    def output(self) -> str:
        """Return the end of what the player's process has written."""
        return output_of(self._link)

    @property
    def process(self) -> ProcessLink | None:
        """Return the link to the player's process, or None if the player was not started here."""
        return self._link if isinstance(self._link, ProcessLink) else None

    @property
    def served(self) -> DialOutLink | None:
        """Return the link to where the player serves; None if it does not, or has dialled in."""
        link = self._link.serving if isinstance(self._link, ProcessLink) else self._link
        return link if isinstance(link, DialOutLink) else None

    @property
    def hello(self) -> PlayerDescription | None:
        """Return what the player said about itself when it dialled in, or None if it did not."""
        return self._link.description if isinstance(self._link, DialInLink | ProcessLink) else None

    @property
    def return_count(self) -> int:
        """Return how often a player that was started here has dialled in again though nothing here hung up on it."""
        return self._link.return_count if isinstance(self._link, ProcessLink) else 0

    @property
    def refused_count(self) -> int:
        """Return how many connections of a player that dials in have ended for a fault of its own."""
        return self._link.refused_count if isinstance(self._link, DialInLink | ProcessLink) else 0

    @property
    def refusal(self) -> str:
        """Return why the last of these connections has ended; empty if there was none."""
        refusal = self._link.refusal if isinstance(self._link, DialInLink | ProcessLink) else None
        return refusal.message if refusal is not None else ""

    def lose(self, after_s: float = LOSS_S) -> None:
        """Lose the connection of a player that has dialled in, as a network does that fails: open calls stay open.

        The first and every other loss comes as an error, the others as proxies have it that end what they carry.
        """
        if isinstance(self._link, DialInLink | ProcessLink):
            self._breaks = not self._breaks
            self._link.lose(after_s, self._breaks)

    def cancel(self) -> None:
        """Cancel all calls."""
        for call in list(self._open):
            call.cancel()

    async def close(self) -> None:
        """Cancel all calls and close the link."""
        self.cancel()
        await self._link.close()


def _since(before: Mapping[str, Scheduled], now: Mapping[str, Scheduled]) -> Scheduled:
    """Return how long one of these threads has run at most meanwhile, and how long all of them have waited."""
    pairs = [(before.get(thread, Scheduled(0.0, 0.0)), each) for thread, each in now.items()]
    ran_s = max((each.ran_s - was.ran_s for was, each in pairs), default=0.0)
    return Scheduled(ran_s, sum(each.waited_s - was.waited_s for was, each in pairs))


class PlayerUnderTest:
    """The player under test. Cases share one connection, and get fresh ones where they ask for it."""

    def __init__(
        self, loop: LoopThread, transport: Transport, limit_s: float, budget: Budget, farewells: Farewells
    ) -> None:
        self.loop = loop
        self.farewells = farewells
        self.transport = transport
        self.breaker = Breaker()
        self.budget = budget
        self.described: bytes | Failure = b""
        """The reply to the first call, Describe, or its failure."""
        self.unreachable = ""
        """Why the player cannot be reached; empty if it can."""
        self.last_output = ""
        """What the player had written that cannot be reached."""
        self.reach_count = 0
        """How often the player was reached over a new connection."""
        self._limit_s = limit_s
        self._shared: Connection | None = None
        self._begun = False
        self._handed_on: Connection | None = None
        self._has_used_handed_on = False

    @property
    def description(self) -> PlayerDescription:
        """Return what the player says about itself; empty if it says nothing readable."""
        return parse_description(self.described) or PlayerDescription()

    @property
    def can_be_new(self) -> bool:
        """Return whether each new connection gets a player without a past."""
        return self.transport.cheap or isinstance(self.transport, ExecTransport)

    def begin(self) -> None:
        """Reach the player for the first time, and call Describe. Later calls do nothing."""
        if self._begun:
            return
        self._begun = True
        connection = self.loop.run(self._open())
        if connection.lost:
            self.unreachable = self.excuse(connection)
            return
        self.reach_count += 1
        self._shared = connection
        request = DescribeRequest().SerializeToString()
        self.described, _ = self.loop.run(connection.ask(DESCRIBE, request, self._limit_s))
        connection.described = connection.call_count

    def _check_reachable(self) -> None:
        """Raise NotTested if the player could not be reached, or not again."""
        if not self.unreachable:
            return
        evidence = Evidence(f"The player cannot be reached: {self.unreachable}")
        if self.reach_count:
            raise NotTested("the player was there, but could not be reached again", evidence, case_ids.REACHED_AGAIN)
        raise NotTested("the player cannot be reached", evidence, case_ids.REACHABLE)

    def excuse(self, connection: Connection) -> str:
        """Return why a connection could not be made, as its calls say it."""
        outcome, _ = self.loop.run(connection.ask(DESCRIBE, b"", self._limit_s))
        assert isinstance(outcome, CallError), "a dead link fails every call at once"
        self.last_output = outcome.output
        return outcome.message or "it is not there"

    async def _open(self, breaker: Breaker | None = None) -> Connection:
        return self._connection(await self.transport.open(), breaker or self.breaker)

    def _connection(self, link: Link, breaker: Breaker) -> Connection:
        return Connection(link, breaker, self.budget, self.transport.player_name)

    def connection(self) -> Connection:
        """Return the connection that cases share. Raises NotTested if the player cannot be reached."""
        self.budget.check()
        self.begin()
        self._check_reachable()
        if self._shared is not None and self._shared.lost:
            self.renew()
        if self._shared is None:
            self._shared = self.open()
        return self._shared

    def renew(self) -> None:
        """Close the shared connection: the next case that asks for it gets a new one."""
        if self._shared is not None:
            self.loop.run(self._shared.close())
            self._shared = None

    def open(self, breaker: Breaker | None = None) -> Connection:
        """Return a new connection. Raises NotTested if the player cannot be reached."""
        self.budget.check()
        self.begin()
        self._check_reachable()
        connection = self.loop.run(self._open(breaker))
        if connection.lost and self.transport.kind == "exec":
            # What has come up before may miss its limit once on a busy machine, and all later cases need a process.
            connection = self.loop.run(self._open(breaker))
        if connection.lost:
            self.unreachable = self.excuse(connection)
            self._check_reachable()
        self.reach_count += 1
        connection.is_usual = self.reach_count % USUAL_EVERY == 0
        return connection

    def comes_up(self) -> bool:
        """Return whether the player can be reached over a new connection."""
        connection = self.loop.run(self._open())
        self.loop.run(connection.close())
        return not connection.lost

    async def open_beside(self) -> Connection:
        """Return a new connection while others are in use. It is lost if the player cannot be reached."""
        return await self._open(Breaker())

    def begin_ways(self) -> None:
        """Begin what `open_ways` would have to wait for."""

        async def begin() -> None:
            if isinstance(self.transport, ExecTransport):
                self.transport.begin_ways()

        self.begin()
        if not self.unreachable:
            self.loop.run(begin())

    def open_ways(self) -> dict[str, Connection]:
        """Open connections to new processes, each in one way; those in ways that are not supported are lost.

        The transport must be one that starts the player. Raises NotTested if the player cannot be reached.
        """
        self.connection()
        assert isinstance(self.transport, ExecTransport)
        links = self.loop.run(self.transport.open_ways())
        return {way: self._copy(link) for way, link in links.items()}

    def open_copies(self, number: int, told: Start = USUAL) -> list[Connection]:
        """Open connections to so many new processes that start at once, and are told the same.

        They have a folder in common with the last ones of `open_ways`.
        """
        transport = self.transport
        assert isinstance(transport, ExecTransport)

        async def start() -> list[Link]:
            return await asyncio.gather(*(transport.open_copy(told=told) for _ in range(number)))

        return list(map(self._copy, self.loop.run(start())))

    def open_second(self, served: Connection) -> Connection:
        """Open another connection to a process that was started here and serves."""

        async def beside(link: DialOutLink) -> Link:
            return link.beside()

        assert served.served is not None
        return self._copy(self.loop.run(beside(served.served)))

    def _copy(self, link: Link) -> Connection:
        connection = self._connection(link, self.breaker)
        connection.repeatable = False
        return connection

    @contextmanager
    def fresh(self, breaker: Breaker | None = None) -> Iterator[Connection]:
        """Yield a new connection: to a new process or object, where the transport starts the player.

        A player of which a method is not called any more gets no new process where one is there that another case has
        handed on: nearly all cases stumble over it at once. One that fails on that is tried again: see `try_again`.
        """
        if breaker is None and self.breaker.has_given_up:
            with self.separate() as connection:
                yield connection
            return
        with self._handing_on(self.open(breaker)) as connection:
            yield connection

    @contextmanager
    def separate(self) -> Iterator[Connection]:
        """Yield a connection on which no other game is played: a new one, or one that another case has handed on.

        Starting a process takes long. A case may share one with others if it fails for no sound player that has
        played before, and if it is tried again without it when it does fail: see `try_again`.
        """
        used, self._handed_on = self._handed_on, None
        if used is not None and used.lost:
            self.loop.run(used.close())
            used = None
        self._has_used_handed_on = self._has_used_handed_on or used is not None
        with self._handing_on(used or self.open()) as connection:
            yield connection

    @contextmanager
    def _handing_on(self, connection: Connection) -> Iterator[Connection]:
        """Yield a connection, and hand it on; close it if the player failed on it."""
        try:
            yield connection
        except BaseException as error:
            if not (isinstance(error, NotTested) and error.given_up):
                self.loop.run(connection.close())
                raise
            self._hand_on(connection)
            raise
        self._hand_on(connection)

    def _hand_on(self, connection: Connection) -> None:
        """Keep a connection for the next case that takes one with a past, if a new one costs much; or close it."""
        wanted = isinstance(self.transport, ExecTransport) and connection.breaker is self.breaker
        if wanted and self._handed_on is None and not connection.lost:
            self._handed_on = connection
        else:
            self.part_with(connection)

    def part_with(self, connection: Connection) -> None:
        """Let go of a connection that no case needs, without waiting for what its process is asked still."""

        async def part() -> None:
            process = None if connection.lost else connection.process
            plays = connection.plays
            if process is None or not process.connected or not self.farewells.has_room(plays=plays):
                await connection.close()
            else:
                connection.cancel()
                self.farewells.take(process, connection.close, plays=plays)

        self.loop.run(part())

    @property
    def may_try_again(self) -> bool:
        """Return whether the case has used a connection with a past: if it is not met, it is tried again without."""
        return self._has_used_handed_on

    def try_again(self, *, settled: bool) -> bool:
        """Return whether a case is to be tried again: it is not settled, and has used a connection with a past.

        The connection is closed then: the second attempt gets a new one.
        """
        used, self._has_used_handed_on = self._has_used_handed_on, False
        if settled or not used:
            return False
        if self._handed_on is not None:
            self.loop.run(self._handed_on.close())
            self._handed_on = None
        return True

    @contextmanager
    def quiet(self) -> Iterator[None]:
        """Start no processes ahead of need while the `with` block runs: the player gets all of the machine."""
        spares = self.transport.spares if isinstance(self.transport, ExecTransport) else None
        if spares is None:
            yield
            return
        self.loop.run(spares.pause())
        try:
            yield
        finally:
            spares.resume()

    def close(self) -> None:
        """Let go of the player and of all that was started for it."""
        self.renew()
        if self._handed_on is not None:
            self.loop.run(self._handed_on.close())
        self.loop.run(self.farewells.close())
        self.loop.run(self.transport.close())
