"""Transports: the ways to reach the player under test, opened as often as cases ask for it."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Protocol

from fairplay.conformance.player.machine import is_here
from fairplay.conformance.player.names import draw_name, new_secret
from fairplay.conformance.player.objects import ObjectLink
from fairplay.conformance.player.spares import SECOND, WITHOUT, Spares, Ways, close_all
from fairplay.games.game import Game
from fairplay.games.kit.player_service import DESCRIBE
from fairplay.player.channels import NO_CREDENTIALS, Credentials
from fairplay.player.proxies import check_proxy
from fairplay.player.secrets import MAX_SECRET_CHARS
from fairplay.player.tls import TlsFiles
from fairplay.sandbox.gate import HOST, HOST_2, HOST_6
from fairplay.server.links.bot import BotLink
from fairplay.server.links.dial_in import dial_in_link
from fairplay.server.links.dial_out import dial_out_link
from fairplay.server.links.link import Clock, DeadLink, Link, disconnected, outcome_of
from fairplay.server.links.program import ProgramOptions
from fairplay.server.links.programs import USUAL, ProcessLink, Start, listening_host
from fairplay.server.links.spec import parse_link
from fairplay.server.net.errors import Refusal
from fairplay.server.net.limits import limit_of
from fairplay.v1.connection_pb2 import GoodbyeReason
from fairplay.v1.player_pb2 import DescribeRequest

if TYPE_CHECKING:
    from fairplay.server.server import Server

NO_SANDBOX = ProgramOptions()
SHARED = Path("/dev/shm")
"""Where copies of a program have a folder in common, if there is such a place: nobody else writes much there."""


class Transport(Protocol):
    """A way to reach the player."""

    kind: str
    """"grpc", "dial-in", "exec", "bot" or "object"."""
    player_name: str
    """The name that the player has in its games."""
    cheap: bool
    """Whether opening it costs next to nothing and gets a player without a past."""

    async def prepare(self) -> None:
        """Do what every opening needs. Raises OSError, with one sentence, if that is impossible on this machine."""

    async def open(self) -> Link:
        """Return a link to the player, or a DeadLink if it cannot be reached."""

    async def close(self) -> None:
        """End everything that was started for the transport itself."""


class ObjectTransport:
    """Player objects, made by a function or by the game."""

    cheap = True

    def __init__(self, kind: str, player_name: str, link: Callable[[Clock], Link]) -> None:
        self.kind = kind
        self.player_name = player_name
        self._link = link

    async def prepare(self) -> None:
        """Do nothing: an object needs nothing."""

    async def open(self) -> Link:
        """Return a link to a new object."""
        return self._link(Clock())

    async def close(self) -> None:
        """Do nothing: nothing was started."""


class GrpcTransport:
    """A player that serves on an address: each opening is a channel of its own, over TLS if there are credentials.

    Unary calls call it, as they can call every player that serves. `secret` is the player's own, which each call shows.
    """

    kind = "grpc"
    cheap = False

    def __init__(
        self,
        target: str,
        player_name: str,
        start_limit_s: float,
        credentials: Credentials | None = None,
        secret: str = "",
    ) -> None:
        self.secret = secret
        self.player_name = player_name
        self._credentials = credentials
        self._target = target
        self._start_limit_s = start_limit_s

    async def prepare(self) -> None:
        """Raise ProxyError if the way to the player leads through a proxy that is of no use."""
        await check_proxy(self._target)

    async def open(self) -> Link:
        """Return a link over a new channel to the same player."""
        limit_s = self._start_limit_s
        return await dial_out_link(Clock(), self._target, limit_s, self._credentials, secret=self.secret)

    async def close(self) -> None:
        """Do nothing: nothing was started."""


class PlayerServer:
    """The server that players dial in to, or that starts them. It does nothing else for whoever reaches it."""

    def __init__(
        self,
        listen: str,
        start_limit_s: float,
        tls: TlsFiles | None = None,
        *,
        insecure: bool = False,
        programs: ProgramOptions = NO_SANDBOX,
    ) -> None:
        self._listen = listen
        self._tls = tls
        self._insecure = insecure
        self._programs = programs
        self._server: Server | None = None
        self.start_limit_s = start_limit_s

    @property
    def has_sandbox(self) -> bool:
        """Return whether programs are started in sandboxes."""
        return self._programs.sandbox is not None

    async def server(self) -> Server:
        """Return the server, started when it is first needed. Raises AddressInUseError if it cannot listen."""
        if self._server is None:
            self._server = await self._start()
        return self._server

    async def _start(self) -> Server:
        from fairplay.server.server import Config, Server

        return await Server.start(
            Config(
                listen=self._listen,
                resume=None,
                only_connections=True,
                start_limit_s=self.start_limit_s,
                tls=self._tls,
                insecure=self._insecure,
                programs=self._programs,
            )
        )

    async def hang_up(self) -> None:
        """End every stream, as a server does that shuts down and comes back."""
        server = await self.server()
        server.hub.goodbye(GoodbyeReason.GOODBYE_REASON_SHUTTING_DOWN, "the server says goodbye and stays")

    async def stray_reply_count(self) -> int:
        """Return how many replies have come that nobody had asked for."""
        return (await self.server()).hub.stray_reply_count

    @property
    def late_reply_count(self) -> int:
        """Return how many replies have come to calls that had been cancelled."""
        return 0 if self._server is None else self._server.hub.late_reply_count

    async def close(self) -> None:
        """Stop the server."""
        if self._server is not None:
            await self._server.stop()


class DialInTransport:
    """A player that dials in under a name: all openings reach the same one."""

    kind = "dial-in"
    cheap = False

    def __init__(self, name: str, server: PlayerServer) -> None:
        self.player_name = name
        self.server = server

    async def prepare(self) -> None:
        """Start to listen. Raises AddressInUseError if that is impossible."""
        await self.server.server()

    async def open(self) -> Link:
        """Wait until the player is there, and return a link to it."""
        server = await self.server.server()
        return await dial_in_link(server.hub, server.clock, self.player_name, self.server.start_limit_s)

    async def hang_up(self) -> None:
        """End every stream, as a server does that shuts down and comes back."""
        await self.server.hang_up()

    async def close(self) -> None:
        """Say goodbye to the player and stop the server."""
        await self.server.close()


POLL_S = 0.02
REFUSED_AGAIN = 2


class ExecTransport:
    """A command: each opening is a process of its own, which may have been started ahead."""

    kind = "exec"
    cheap = False

    def __init__(self, command: str, player_name: str, server: PlayerServer) -> None:
        self._command = command
        self.player_name = player_name
        self.server = server
        self.spares = Spares(self._start, self._start_ahead)
        self.untried = [*_unusual_starts(player_name)]
        """What was not told to the program yet when it was started."""
        self.unreached: list[Start] = []
        """What was told it where it did not come up, or did not answer."""
        self.missed_starts = 0
        """How many processes did not come up that were started in the usual way."""
        self._ways: Ways | None = None
        self._folders: list[TemporaryDirectory[str]] = []

    async def prepare(self) -> None:
        """Start to listen. Raises AddressInUseError if that is impossible."""
        await self.server.server()

    async def open(self) -> Link:
        """Return a link to a process of the command."""
        return await self.spares.take()

    def begin_ways(self) -> None:
        """Start a process for each way of being reached: `open_ways` then need not wait for that."""
        if self._ways is None:
            self._folders.append(TemporaryDirectory(prefix="fairplay-copies-", dir=SHARED if SHARED.is_dir() else None))
            self._ways = Ways(self.open_copy)

    async def open_copy(self, way: str = "", told: Start = USUAL) -> Link:
        """Return a link to a new process, which is to be reached in this way if one is named, and is told the same.

        It has a folder for temporary files in common with those of the last `open_ways`.
        """
        before = (*SECOND, *WITHOUT.get(way, ()), *told.before)
        return await self._start(told._replace(before=before, temp=self._folders[-1].name))

    async def is_refused_once(self, refusal: Refusal, watched_s: float) -> bool:
        """Return whether a new process whose first hello is refused sends none again, within so many seconds."""
        hub, name = (await self.server.server()).hub, f"{self.player_name}.{secrets.token_hex(4)}"
        start, count = asyncio.create_task(self._start(Start(name=name, refusal=refusal))), 0
        watched = asyncio.create_task(asyncio.sleep(self.server.start_limit_s))
        try:
            while count < REFUSED_AGAIN and not (start.done() or watched.done()):
                await asyncio.wait({start, watched}, timeout=POLL_S)
                if hub.refused_count(name) > count == 0:
                    watched.cancel()
                    watched = asyncio.create_task(asyncio.sleep(watched_s))
                count = max(count, hub.refused_count(name))
            return count < REFUSED_AGAIN
        finally:
            watched.cancel()
            await close_all([start])

    async def _start_ahead(self) -> Link:
        """Start the command ahead of need; the first ones are told unusual things."""
        told = self.untried.pop() if self.untried else USUAL
        link = await self._start(told)
        if told == USUAL or isinstance(await outcome_of(link, *_DESCRIBE, self.server.start_limit_s), bytes):
            return link
        self.unreached.append(told)
        await link.close()
        return DeadLink(Clock(), disconnected("the player does not answer where it is told something unusual"))

    def text(self, told: Start) -> str:
        """Return what a program is told when it is started, for people."""
        connect, listen = map(str, told.ports) if self.server.has_sandbox else ("PORT", "PORT")
        said = f"FAIRPLAY_LISTEN is {listening_host(told.host)}:{listen} and FAIRPLAY_CONNECT {told.host}:{connect}"
        if told.name:
            lengths = f"{len(told.name)}, {len(told.token)} and {len(told.secret)}"
            said += f", and FAIRPLAY_NAME, FAIRPLAY_TOKEN and FAIRPLAY_SECRET have {lengths} characters"
        if told.before:
            said += f", and another copy of it runs beside it, and listens on port {int(told.before[-1], 16)}"
        return said

    async def open_ways(self) -> dict[str, Link]:
        """Return a link to a new process for each way of being reached, a DeadLink for one that is not supported.

        The processes have a folder for temporary files in common.
        """
        self.begin_ways()
        assert self._ways is not None
        ways, self._ways = self._ways, None
        return await ways.wait()

    async def _start(self, how: Start = USUAL) -> Link:
        """Start the command and return a link to its process."""
        server = await self.server.server()
        link = await server.programs.link(self.player_name, self._command, how)
        self.missed_starts += how == USUAL and isinstance(link, DeadLink)
        return link

    async def hang_up(self) -> None:
        """End every stream, as a server does that shuts down and comes back, and what was started ahead."""
        await self._end_ahead()
        await self.server.hang_up()

    async def _end_ahead(self) -> None:
        await self.spares.close()
        if self._ways is not None:
            await self._ways.close()
            self._ways = None

    async def close(self) -> None:
        """End the processes that were started ahead, and stop the server."""
        await self._end_ahead()
        await self.server.close()
        for folder in self._folders:
            folder.cleanup()


LOW_PORT, HIGH_PORT = 1_025, 65_535
NAME_CHARS, TOKEN_BYTES = limit_of("HostedPlayer.name").max_characters, limit_of("HostedPlayer.token").max_bytes
_DESCRIBE = DESCRIBE.path, DescribeRequest().SerializeToString()


def _unusual_starts(player_name: str) -> Iterator[Start]:
    """Yield what a server may tell a program: a name for its host, other addresses and ports, and the longest texts."""
    yield Start(host="localhost", ports=(HIGH_PORT, LOW_PORT))
    if is_here(HOST_2):
        yield Start(host=HOST_2, ports=(LOW_PORT, HIGH_PORT))
    name = f"{player_name}_0.Z-{secrets.token_hex(NAME_CHARS)}"[:NAME_CHARS]
    host = HOST_6 if is_here(HOST_6) else HOST
    yield Start(host=host, name=name, token=new_secret(TOKEN_BYTES), secret=new_secret(MAX_SECRET_CHARS))


def make_transport(
    game: Game,
    player: str | Callable[[], object],
    listen: str,
    start_limit_s: float,
    seed: int = 0,
    *,
    tls: TlsFiles | None = None,
    insecure: bool = False,
    credentials: Credentials = NO_CREDENTIALS,
    programs: ProgramOptions = NO_SANDBOX,
    secret: str = "",
) -> Transport:
    """Return the transport to a player: a link, or a function that returns new player objects.

    The player's name in its games is drawn with the seed, unless it dials in with one of its own. Starts nothing.
    `tls` and `insecure` are those of the server that it dials in to, `credentials` those with which one that serves is
    called, `secret` is what those calls show, and `programs` say how one that is started is run. Raises ValueError,
    with one sentence, if the link is invalid.
    """
    name = draw_name(Random(f"{seed}/name"))
    if not isinstance(player, str):
        make = player
        return ObjectTransport("object", name, lambda clock: ObjectLink(clock, make()))
    link = parse_link(player)
    if link.kind == "grpc":
        return GrpcTransport(link.value, name, start_limit_s, credentials if link.secure else None, secret)
    if link.kind == "bot":
        game.player(link.value)
        return ObjectTransport("bot", name, lambda clock: BotLink(clock, game.player(link.value)))
    server = PlayerServer(listen, start_limit_s, tls, insecure=insecure, programs=programs)
    if link.kind == "dial-in":
        return DialInTransport(link.value, server)
    return ExecTransport(link.value, name, server)


def output_of(link: Link) -> str:
    """Return the end of what the player's process has written, or "" if it was not started here."""
    return link.output if isinstance(link, ProcessLink) else ""
