"""Players that the server starts: a command that serves or dials in, and the link to it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import shlex
import shutil
import socket
import tempfile
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeAlias

from fairplay.games.steps import Failure
from fairplay.player.channels import (
    CA_VARIABLE,
    CERTIFICATE_VARIABLE,
    KEY_VARIABLE,
    PLAIN,
    TOKEN_VARIABLE,
    open_channel,
)
from fairplay.player.proxies import without_proxies_here
from fairplay.player.secrets import SECRET_VARIABLE
from fairplay.player.serving import AddressInUseError
from fairplay.player.standstill import stood_lately
from fairplay.sandbox.bubblewrap import sandbox_environment
from fairplay.sandbox.gate import CONNECT_PORT, HOST, LISTEN_PORT
from fairplay.sandbox.limits import Walls
from fairplay.sandbox.paths import Visibility, view
from fairplay.server.links.dial_in import DialInLink, Hub
from fairplay.server.links.dial_out import CHANNEL_OPTIONS, DialOutLink
from fairplay.server.links.link import NO_EXTRA, Clock, DeadLink, Done, Link, Metadata, OpenCall, disconnected
from fairplay.server.links.program import Program, ProgramOptions, Room, Turn
from fairplay.server.net.errors import Refusal
from fairplay.server.net.exhaustion import waiting_for
from fairplay.v1.connection_pb2 import GoodbyeReason
from fairplay.v1.misconduct_pb2 import CallError, CallErrorReason
from fairplay.v1.player_pb2 import PlayerDescription

KNOWN_LIMIT_S = 1.0
"""How long a call whose connection is lost waits for the end of the process, which says more."""
EXCESS_LIMIT_S = 0.2
"""How long a call that failed otherwise waits for the guard, which may be about to end the process over a limit.

Only the first such call of a process waits: who raises exceptions in every turn is not slowed down by that.
"""
KNOWN_SHARE = 0.5
"""The share of the call's remaining time that it waits at most: it must not become an overrun."""

Release: TypeAlias = "Callable[[], Awaitable[None]]"

PORTS = range(15_000, 32_000)
"""Ports that started players may serve on: above the well-known ones, below the ephemeral ones."""
PORT_ATTEMPTS = 100
MAX_FOLDER_BYTES = 64
LEFT_OUT = "[{} is not shown to this program: it is outside of its folder, or a link leads there]\n"
CLUSTER_PREFIX = "RAY_"
"""How the variables of Ray begin, its token among them."""
AUTHORITY = ("grpc.default_authority", "localhost")
"""The authority in the calls over a Unix socket: some servers refuse its path, which gRPC would take."""
ServeOne: TypeAlias = Callable[[str, str], AbstractAsyncContextManager[str]]
"""Serves ConnectionService on an address for the player of one name, and yields the address that was had."""


class Start(NamedTuple):
    """How a program is started otherwise than as any: whoever tries players asks for it."""

    before: Sequence[str] = ()
    """Words of a command that runs the player's own; they are no words of the player's."""
    temp: str = ""
    """The folder that it has for temporary files in a sandbox, with others; empty: one of its own."""
    host: str = HOST
    """The host in the address where it finds the server, and in that where it may serve: one of this machine."""
    ports: tuple[int, int] = (CONNECT_PORT, LISTEN_PORT)
    """The ports in these addresses in a sandbox; outside of one they are others each time."""
    name: str = ""
    """The name for its hello, which no other program has; empty: a new one."""
    token: str = ""
    """The token for its hello; empty: a new one."""
    secret: str = ""
    """What calls show it if it serves; empty: a new one."""
    refusal: Refusal | None = None
    """What its hellos are refused with; None: with nothing."""


USUAL = Start()


def listening_host(host: str) -> str:
    """Return the host where a program may serve that finds its server at `host`: the same, if that is in 127.0.0.0/8.

    A name may stand for several addresses, and a sandbox leads to those of IPv4 only.
    """
    return host if host.startswith("127.") else HOST


class ProcessLink:
    """The link to a started player: calls go the way that the player chose, and fail when its process ends."""

    def __init__(self, clock: Clock, hub: Hub, name: str, program: Program, inner: Link, release: Release) -> None:
        self._clock = clock
        self._hub = hub
        self._name = name
        self._program = program
        self._release = release
        self._inner = inner
        self._has_survived = False
        """Whether the process has outlived a call that failed otherwise than by a lost connection."""
        self._open: dict[OpenCall, OpenCall] = {}  # each call, and the one of the inner link that carries it
        self._tasks = {asyncio.create_task(self._watch())}

    @property
    def guard_id(self) -> int:
        """Return the id of the process from which all processes of the player descend."""
        return self._program.guard_id

    @property
    def output_bytes(self) -> int:
        """Return how much the player has written to its standard output and error, kept or not."""
        return self._program.output_bytes

    @property
    def description(self) -> PlayerDescription | None:
        """Return what the player said about itself when it dialled in; None if it serves."""
        return self._inner.description if isinstance(self._inner, DialInLink) else None

    @property
    def serving(self) -> DialOutLink | None:
        """Return the link to where the player serves; None if it has dialled in."""
        return self._inner if isinstance(self._inner, DialOutLink) else None

    @property
    def connected(self) -> bool:
        """Return whether the player has dialled in, and its stream lasts."""
        return self._hub.here(self._name)

    @property
    def hello_count(self) -> int:
        """Return how often the player has dialled in."""
        return self._hub.hello_count(self._name)

    @property
    def return_count(self) -> int:
        """Return how often the player has dialled in again although nothing here ended its connection."""
        return self._hub.return_count(self._name)

    @property
    def ended(self) -> bool:
        """Return whether the player's process has ended."""
        return self._program.ended.is_set()

    def dismiss(self, reason: GoodbyeReason.ValueType, message: str) -> None:
        """Say goodbye to a player that has dialled in, and leave its process alone."""
        self._hub.dismiss(self._name, reason, message)

    def turn_away(self, refusal: Refusal) -> None:
        """Say to a player that has dialled in that the server shuts down, and refuse its hellos from now on."""
        self._hub.turn_away(self._name, refusal)

    def let_in(self) -> None:
        """Refuse the hellos of a player no more that was turned away."""
        self._hub.let_in(self._name)

    @property
    def refused_count(self) -> int:
        """Return how many connections of the player have ended for a fault of its own."""
        return self._hub.refused_count(self._name)

    @property
    def refusal(self) -> Refusal | None:
        """Return why the last of these connections has ended; None if there was none."""
        return self._hub.refusal(self._name)

    def lose(self, after_s: float, breaks: bool) -> None:
        """Lose the connection of a player that has dialled in, as a network does that fails."""
        self._hub.lose(self._name, after_s, breaks)

    @property
    def output(self) -> str:
        """Return the end of what the player has written to its standard output and error."""
        return self._program.output

    def call(
        self, method: str, request: bytes, limit_s: float, done: Done, bank_s: float = 0.0, extra: Metadata = NO_EXTRA
    ) -> OpenCall:
        """Call the player; a failure carries the end of its output."""
        if self.ended:
            return DeadLink(self._clock, self._ending).call(method, request, limit_s, done)

        def settled(outcome: bytes | Failure, elapsed_s: float) -> None:
            if isinstance(outcome, CallError):
                self._fail(open_call, outcome, elapsed_s)
            else:
                if isinstance(outcome, bytes):
                    self._program.allow_output()
                self._open.pop(open_call, None)
                open_call.conclude(outcome, elapsed_s)

        open_call = OpenCall(self._clock, limit_s, done, self._drop, watched=False)  # as the inner call is watched
        self._open[open_call] = self._inner.call(method, request, limit_s, settled, bank_s, extra)
        return open_call

    def _drop(self, open_call: OpenCall) -> None:
        if (inner := self._open.pop(open_call, None)) is not None:
            inner.cancel()

    def _fail(self, open_call: OpenCall, failure: CallError, elapsed_s: float) -> None:
        task = asyncio.create_task(self._fail_when_known(open_call, failure, elapsed_s))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _fail_when_known(self, open_call: OpenCall, failure: CallError, elapsed_s: float) -> None:
        """Fail a call with how the process ended, if it ends now."""
        # The connection of a process that ends is lost first, and one that fills its disk is refused first; that says
        # nothing to its author.
        lost = failure.reason == CallErrorReason.CALL_ERROR_REASON_DISCONNECTED
        left_s = open_call.limit_s - elapsed_s
        if lost or not self._has_survived:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(min(KNOWN_LIMIT_S if lost else EXCESS_LIMIT_S, KNOWN_SHARE * left_s)):
                    await self._program.ended.wait()
        self._has_survived = self._has_survived or not lost
        is_over = self.ended or (lost and self._hub.ending(self._name) is not None)
        self._settle(open_call, self._ending if is_over else failure, elapsed_s)

    @property
    def _ending(self) -> CallError:
        """Return how the process ended, or why the server had ended its stream, which comes first."""
        if (refusal := self._hub.ending(self._name)) is None:
            return self._program.failure
        message = f"the stream of the player was ended for a fault of its own: {refusal.message}"
        return disconnected(message, self._program.output)

    def _settle(self, open_call: OpenCall, failure: CallError, elapsed_s: float) -> None:
        """Fail a call after the time that the player took, without the wait for what the guard says."""
        self._open.pop(open_call, None)
        failure.output = self._program.output
        open_call.conclude(failure, elapsed_s)

    async def _watch(self) -> None:
        await self._program.ended.wait()
        for open_call, inner in list(self._open.items()):
            inner.cancel()
            self._settle(open_call, self._ending, open_call.elapsed_s)

    async def close(self) -> None:
        """End the process and everything that it started."""
        await self._inner.close()
        self._hub.forget(self._name)
        await self._release()


class _Place(NamedTuple):
    """Where a program runs, and how it and the server find each other."""

    connect: str
    """Where the program finds the server."""
    listen: str
    """Where the program may serve."""
    target: str
    """Where the server finds a program that serves."""
    environment: Mapping[str, str]
    walls: Walls | None
    notes: str = ""
    """What the author of the program has to know about the place."""


class Programs:
    """The started players of a server. At most `at_once` of them come up at a time; 0: one a processor."""

    def __init__(
        self,
        hub: Hub,
        clock: Clock,
        options: ProgramOptions,
        serve_one: ServeOne,
        start_limit_s: float,
        at_once: int = 0,
    ) -> None:
        self._hub = hub
        self._clock = clock
        self._options = options
        self._serve_one = serve_one
        self._room = Room(start_limit_s, at_once)
        self._running: set[AsyncExitStack] = set()

    async def close(self) -> None:
        """End all players whose links nobody has closed."""
        await asyncio.gather(*map(self._release, list(self._running)))

    async def _release(self, resources: AsyncExitStack) -> None:
        self._running.discard(resources)
        await resources.aclose()

    async def link(self, player: str, command: str, how: Start = USUAL) -> Link:
        """Start the command of a player, wait until it serves or has dialled in, and return the link to it.

        If that takes too long, or the command cannot be started, all calls of the link fail. A player that did not come
        up while the server stood still is started once more: it may have given up. Raises Refusal if the machine is to
        blame.
        """
        link = await self._link(player, command, how)
        return await self._link(player, command, how) if isinstance(link, DeadLink) and stood_lately() else link

    async def _link(self, player: str, command: str, how: Start) -> Link:
        async with AsyncExitStack() as stack:
            try:
                words = shlex.split(command)
                async with self._room.turn() as turn:
                    name = how.name or f"{player[:50]}.{secrets.token_hex(4)}"
                    return await self._start(stack, name, words, how, turn)
            except (OSError, ValueError) as error:
                if (refusal := waiting_for(error)) is not None:
                    raise refusal from error
                return DeadLink(self._clock, disconnected(f"the command cannot be started: {error}"))

    async def _start(self, stack: AsyncExitStack, name: str, words: Sequence[str], how: Start, turn: Turn) -> Link:
        """Start a program under a name of its own. What has to be released in the end is left to the stack, or link."""
        token, secret = how.token or secrets.token_hex(16), how.secret or secrets.token_hex(16)
        place = await (self._in_sandbox if self._options.sandbox else self._in_the_open)(stack, name, words, how)
        environment = {
            **place.environment,
            "FAIRPLAY_LISTEN": place.listen,
            "FAIRPLAY_CONNECT": place.connect,
            "FAIRPLAY_NAME": name,
            TOKEN_VARIABLE: token,
            SECRET_VARIABLE: secret,
        }
        self._hub.expect(name, token, how.refusal)
        stack.callback(self._hub.forget, name)
        command = [*how.before, *words]
        program = Program.start(command, environment, self._options.limits, place.walls, place.notes)
        stack.push_async_callback(program.end)
        inner = await self._first_way(name, place.target, secret, program, turn)
        if inner is not None:
            resources = stack.pop_all()
            self._running.add(resources)
            return ProcessLink(self._clock, self._hub, name, program, inner, partial(self._release, resources))
        if program.ended.is_set():
            return DeadLink(self._clock, program.failure)
        message = f"the player neither served nor dialled in within {self._room.limit_s:g} s"
        if (refusal := self._hub.refusal(name)) is not None:
            message += f", and was refused: {refusal.message}"
        return DeadLink(self._clock, disconnected(message, program.output))

    async def _in_the_open(self, stack: AsyncExitStack, name: str, words: Sequence[str], how: Start) -> _Place:
        connect = await stack.enter_async_context(self._serve_one(f"{how.host}:0", name))
        listen = _free_address(listening_host(how.host))
        return _Place(connect, listen, listen, _inherited(), None)

    async def _in_sandbox(self, stack: AsyncExitStack, name: str, words: Sequence[str], how: Start) -> _Place:
        options = self._options
        assert options.sandbox is not None
        folder = Path(tempfile.mkdtemp(prefix=f"fairplay-program-{os.getpid()}-", dir=_short_folder()))
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        server, player = folder / "server", folder / "player"
        await stack.enter_async_context(self._serve_one(f"unix:{server}", name))
        search = os.environ.get("PATH", os.defpath)
        visibility = Visibility(Path.cwd(), search, Path.home(), options.hidden, options.folders, options.confined)
        seen = await asyncio.to_thread(view, visibility, words)
        command = await asyncio.to_thread(options.sandbox.command, visibility, seen.paths, options.limits, how.temp)
        notes = "".join(map(LEFT_OUT.format, seen.left_out))
        host, (connect_port, listen_port) = listening_host(how.host), how.ports
        walls = Walls(command, str(server), str(player), host, listen_port)
        environment = sandbox_environment(os.environ)
        connect = f"{how.host}:{connect_port}"
        return _Place(connect, f"{host}:{listen_port}", f"unix:{player}", environment, walls, notes)

    async def _first_way(self, name: str, target: str, secret: str, program: Program, turn: Turn) -> Link | None:
        """Return a link for what a player does first: dial in or serve; None if it does neither in time, or ends."""
        options = [*CHANNEL_OPTIONS, AUTHORITY] if target.startswith("unix:") else CHANNEL_OPTIONS
        connect = partial(open_channel, f"{PLAIN}{target}", options=options)
        channel = connect()
        dials_in = asyncio.create_task(self._hub.arrived(name))
        serves = asyncio.create_task(channel.channel_ready())
        ends = asyncio.create_task(program.ended.wait())
        ways = (dials_in, serves, ends)
        served = False
        try:
            await turn.wait(ways, program.guard_id)
            if dials_in.done():
                return DialInLink(self._hub, name)
            served = serves.done()
            return DialOutLink(self._clock, channel, secret, connect, target) if served else None
        finally:
            for way in ways:
                way.cancel()
            await asyncio.gather(*ways, return_exceptions=True)
            if not served:
                await channel.close()


def _inherited() -> dict[str, str]:
    """Return the environment of this process, without what lets it call servers or a cluster: players need none."""
    own = (CA_VARIABLE, CERTIFICATE_VARIABLE, KEY_VARIABLE, TOKEN_VARIABLE)
    rest = (name for name in os.environ if name not in own and not name.startswith(CLUSTER_PREFIX))
    return without_proxies_here({name: os.environ[name] for name in rest})


def _short_folder() -> str:
    """Return a folder for temporary files whose path leaves room in that of a Unix socket, which has to be short."""
    usual = tempfile.gettempdir()
    return usual if len(usual.encode()) < MAX_FOLDER_BYTES else "/tmp"


def _free_address(host: str) -> str:
    """Return an address with this host that nobody listens on.

    Its port is below those that systems give to servers and clients that ask for any: none of them can take it before
    the player does, and be called in its place.
    """
    for _ in range(PORT_ATTEMPTS):
        port = PORTS.start + secrets.randbelow(len(PORTS))
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind((host, port))
            return f"{host}:{port}"
    raise AddressInUseError(f"no port from {PORTS.start} to {PORTS.stop - 1} is free")
