"""Programs that dial as the clients of a course do, and the connections on which they have signed up.

Each process has a port of its own: otherwise nobody could tell which connection is whose.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import os
import shlex
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from fairplay.bridge.stream import ClosedError, Connection, NotJsonError
from fairplay.games.kit.course import read_name
from fairplay.games.kit.processors import processors
from fairplay.sandbox.limits import NO_LIMITS
from fairplay.server.links.program import Program

HOST = "127.0.0.1"
NAME_LIMIT_S = 10.0
"""How long a program that has connected may take to send its name."""
END_S = 1.0
"""How long a program may go on whose connections are all closed, and how long one that closed them is waited for."""
SHOWN_OUTPUT = 2_000
MOST_SPARES = 8
MOST_STARTS = 8
SLOWED = 1.5
"""Programs slow each other down that take so many times as long to come up as the quickest one."""
LASTED_S = 5.0
"""A program that closes a connection which nobody has used, so long after it signed up, is started again."""


class ProgramError(Exception):
    """A program did not sign up as it must; one sentence says how, perhaps with its last output."""


class Source(Protocol):
    """Where a player gets connections."""

    @property
    def is_ready(self) -> bool:
        """Return whether one is there that nobody has used yet."""

    @property
    def is_coming(self) -> bool:
        """Return whether another one is on its way."""

    async def take(self) -> SignedUp:
        """Return a connection that nobody has used yet. Raises ProgramError if none will come."""


@dataclass(eq=False)
class SignedUp:
    """A connection of a program that has sent its name."""

    name: str
    connection: Connection
    run: Run | None = None
    """The process that it belongs to; None: that is somebody else's."""

    async def explain_close(self) -> str:
        """Return a sentence that says why the connection is closed, once that is known."""
        if self.run is None:
            return "The program closed its connection."
        return await self.run.explain("closed its connection")


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How programs are started. `connections` is how many one start of the command brings, `spares` how many wait."""

    command: Sequence[str]
    connections: int = 1
    spares: int = 1
    stdin: Path | None = None
    """The file that is a program's standard input."""
    name_pattern: str = ".*"
    newline: bool = True
    grows: bool = True
    """Whether more connections are kept once somebody had to wait for one."""


class Run:
    """One process of a command, its port and its connections."""

    def __init__(self, program: Program, listening: Sequence[asyncio.Server]) -> None:
        self._program = program
        self._listening = listening

    async def explain(self, what: str, more: str = "") -> str:
        """Return a sentence that says what the program did, or how it ended if it has, with its last output.

        `more`: another sentence, before the output.
        """
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(END_S):
                await self._program.ended.wait()
        ended = self._program.exit_code
        done = what if ended is None else f"ended with exit code {ended}"
        output = self._program.output.strip()[-SHOWN_OUTPUT:]
        return " ".join(filter(None, (f"The program {done}.", more, f"It wrote: {output}" if output else "")))

    @property
    def ended(self) -> asyncio.Event:
        """Return what is set when the program has ended."""
        return self._program.ended

    def stop_listening(self) -> None:
        """Let no connection in any more."""
        for server in self._listening:
            server.close()

    async def end(self) -> None:
        """End the program and everything that it started."""
        self.stop_listening()
        await self._program.end()


class Pool:
    """The programs of a command: so many connections are kept that nobody uses yet, and one is there when it is asked
    for, unless more are asked for at a time."""

    def __init__(self, settings: Settings, environment: Mapping[str, str]) -> None:
        self._settings = settings
        self._environment = environment
        self._spares = settings.spares
        """How many connections are kept for the next games."""
        self._free = deque[SignedUp]()
        self._waiting = deque[asyncio.Future[SignedUp]]()
        self._starts: dict[asyncio.Task[None], int] = {}
        """What runs a process each, and how many connections it is to bring yet."""
        self._at_once = self._most_at_once = max(MOST_STARTS, processors())
        """How many programs may come up at a time: as many as do not slow each other down."""
        self._quickest_s = math.inf
        """How long the program took to come up that took the least."""
        self._changed = asyncio.Event()
        self._problem = ""
        """Why a program did not sign up, if one did not."""

    async def fill(self) -> str:
        """Start programs, and return the least of the names that they sent once the spare connections are there.

        It is the same at each start, however the connections of a program race. Raises ProgramError if a program does
        not sign up.
        """
        self._refill()
        while len(self._free) < self._settings.spares:
            self._changed.clear()
            await self._changed.wait()
            if self._problem:
                raise ProgramError(self._problem)
        return min(each.name for each in self._free)

    async def take(self) -> SignedUp:
        """Return a connection that nobody has used yet; one more is made ready in its place.

        Raises ProgramError if a program that should bring one does not sign up.
        """
        while self._free:
            found = self._free.popleft()
            if not found.connection.is_closed:
                self._refill()
                return found
            found.connection.close()
        if self._settings.grows:
            self._spares = min(2 * self._spares, max(MOST_SPARES, self._spares))
        coming: asyncio.Future[SignedUp] = asyncio.get_running_loop().create_future()
        self._waiting.append(coming)
        self._refill()
        try:
            return await coming
        except asyncio.CancelledError:
            if coming.done() and not coming.cancelled() and coming.exception() is None:
                self._offer(coming.result())
            raise
        finally:
            if coming in self._waiting:
                self._waiting.remove(coming)

    @property
    def is_ready(self) -> bool:
        """Return whether a connection is there that nobody has used yet."""
        return any(not each.connection.is_closed for each in self._free)

    @property
    def is_coming(self) -> bool:
        """Return whether a program comes up that is to bring a connection."""
        return any(self._starts.values())

    def _refill(self) -> None:
        """Start as many programs as are needed for those that wait and for the spares."""
        wanted = self._spares + len(self._waiting) - len(self._free) - sum(self._starts.values())
        coming_up = sum(1 for count in self._starts.values() if count)
        while wanted > 0 and coming_up < self._at_once:
            task = asyncio.create_task(self._run())
            self._starts[task] = self._settings.connections
            task.add_done_callback(lambda done: self._starts.pop(done, None))
            coming_up += 1
            wanted -= self._settings.connections

    def _offer(self, signed_up: SignedUp) -> None:
        while self._waiting:
            coming = self._waiting.popleft()
            if not coming.done():
                coming.set_result(signed_up)
                return
        self._free.append(signed_up)
        self._changed.set()

    def _fail(self, problem: str) -> None:
        """Tell all that wait for a connection that none comes."""
        self._problem = problem
        self._changed.set()
        while self._waiting:
            coming = self._waiting.popleft()
            if not coming.done():
                coming.set_exception(ProgramError(problem))

    async def _run(self) -> None:
        """Start a process, take its connections, and end it once they are closed."""
        task = asyncio.current_task()
        assert task is not None
        try:
            run, arrivals = await self._start()
        except (OSError, ValueError) as error:
            self._starts[task] = 0
            self._fail(f"The command cannot be started: {error}.")
            return
        connections, began_s = list[Connection](), asyncio.get_running_loop().time()
        try:
            for _ in range(self._settings.connections):
                connections.append(await self._arrival(run, arrivals))
                if len(connections) == 1:
                    self._pace(asyncio.get_running_loop().time() - began_s)
                self._offer(await self._sign_up(run, connections[-1]))
                self._starts[task] -= 1
                self._refill()
            run.stop_listening()
            began_s = asyncio.get_running_loop().time()
            await asyncio.gather(*(connection.closed.wait() for connection in connections))
            if asyncio.get_running_loop().time() - began_s > LASTED_S:
                self._refill()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(END_S):
                    await run.ended.wait()
        except ProgramError as error:
            self._starts[task] = 0
            self._fail(str(error))
        finally:
            for connection in connections:
                connection.close()
            await run.end()

    def _pace(self, took_s: float) -> None:
        """Let fewer programs come up at a time where they slow each other down, and more where they only pause."""
        self._quickest_s = min(took_s, self._quickest_s)
        if took_s > SLOWED * self._quickest_s:
            self._at_once = max(processors(), self._at_once // 2)
        else:
            self._at_once = min(self._at_once + 1, self._most_at_once)

    async def _start(self) -> tuple[Run, asyncio.Queue[Connection]]:
        arrivals = asyncio.Queue[Connection]()

        def arrive() -> Connection:
            connection = Connection(newline=self._settings.newline)
            arrivals.put_nowait(connection)
            return connection

        port, listening = await listen(arrive)
        command = [word.replace("{port}", str(port)).replace("{host}", HOST) for word in self._settings.command]
        stdin = -1
        try:
            if self._settings.stdin is not None:
                stdin = os.open(self._settings.stdin, os.O_RDONLY)
            program = Program.start(command, self._environment, NO_LIMITS, stdin=stdin)
        except BaseException:
            for server in listening:
                server.close()
            raise
        finally:
            if stdin >= 0:
                os.close(stdin)
        return Run(program, listening), arrivals

    async def _arrival(self, run: Run, arrivals: asyncio.Queue[Connection]) -> Connection:
        """Return the next connection of a process. Raises ProgramError if it ends before."""
        arrives, ends = asyncio.create_task(arrivals.get()), asyncio.create_task(run.ended.wait())
        try:
            await asyncio.wait({arrives, ends}, return_when=asyncio.FIRST_COMPLETED)
            if arrives.done():
                return arrives.result()
        finally:
            arrives.cancel()
            ends.cancel()
        command = shlex.join(self._settings.command)
        raise ProgramError(await run.explain("ended", f"It had not signed up: {command}."))

    async def _sign_up(self, run: Run, connection: Connection) -> SignedUp:
        try:
            name = await receive_name(connection, self._settings.name_pattern)
        except ClosedError:
            raise ProgramError(await run.explain("closed its connection", "It had sent no name.")) from None
        return SignedUp(name, connection, run)

    async def close(self) -> None:
        """End all programs."""
        for task in self._starts:
            task.cancel()
        await asyncio.gather(*self._starts, return_exceptions=True)


async def listen(
    arrive: Callable[[], Connection], port: int = 0, host: str = HOST
) -> tuple[int, Sequence[asyncio.Server]]:
    """Listen on an address, by default on any free port of this machine; return the port and what listens.

    Programs that dial "localhost" may mean IPv6.
    """
    loop, listening = asyncio.get_running_loop(), list[asyncio.Server]()
    try:
        listening.append(await loop.create_server(arrive, host, port, start_serving=False))
        port = listening[0].sockets[0].getsockname()[1]
        if host == HOST:
            with contextlib.suppress(OSError):  # the port is taken there, or there is no IPv6
                listening.append(await loop.create_server(arrive, "::1", port, start_serving=False))
        for server in listening:
            await server.start_serving()
    except BaseException:
        for server in listening:
            server.close()
        raise
    return port, listening


async def receive_name(connection: Connection, pattern: str, limit_s: float = NAME_LIMIT_S) -> str:
    """Return the name with which a program signs up.

    Raises ProgramError if it sends something else or nothing in time, ClosedError if it closes the connection.
    """
    try:
        async with asyncio.timeout(limit_s):
            return read_name(await connection.receive(number_waits=False), pattern)
    except TimeoutError:
        came = f", but {connection.rest}" if connection.rest else ""
        raise ProgramError(f"The program connected and sent no name within {limit_s:g} s{came}.") from None
    except NotJsonError as error:
        raise ProgramError(f"The program sent as its name {error}.") from None
    except ValueError as error:
        raise ProgramError(f"The program signed up wrongly: {error}.") from None
