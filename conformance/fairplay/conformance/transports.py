"""The ways to a tested player: what stands in a spec, opened as often as cases ask for it."""

from __future__ import annotations

import itertools
import secrets
from collections.abc import Callable
from typing import Protocol

from fairplay.games.game import Game
from fairplay.server.links.bot import BotLink
from fairplay.server.links.dial_in import dial_in_link
from fairplay.server.links.dial_out import dial_out_link
from fairplay.server.links.link import Clock, DeadLink, Link, disconnected
from fairplay.server.links.opening import Spec
from fairplay.server.links.process import ProcessLink, process_link
from fairplay.server.server import Config, Server
from fairplay.v1.connection_pb2 import GoodbyeReason

SERVING, DIALLING = "serving", "dialling in"
WITHOUT = {
    SERVING: "env -u FAIRPLAY_CONNECT -u FAIRPLAY_NAME -u FAIRPLAY_TOKEN",
    DIALLING: "env -u FAIRPLAY_LISTEN",
}
"""Runs a command without what it would need to be reached the other way."""


class Transport(Protocol):
    """A way to the player."""

    kind: str
    """How it is reached: "grpc", "dial-in", "exec", "bot" or "object"."""
    renews: bool
    """Whether each opening gets a player without a past."""
    cheap: bool
    """Whether opening it costs next to nothing."""

    async def open(self, way: str = "") -> Link:
        """A link to the player; a DeadLink if it cannot be reached. `way`: only serving, or only dialling in."""

    async def close(self) -> None:
        """Lets go of all that was started for the transport itself."""


class ObjectTransport:
    """Player objects, made by a factory or by the game."""

    renews = cheap = True

    def __init__(self, kind: str, link: Callable[[Clock], Link]) -> None:
        self.kind = kind
        self._link = link
        self._clock: Clock | None = None

    async def open(self, way: str = "") -> Link:
        """A link to a new object."""
        self._clock = self._clock or Clock()
        return self._link(self._clock)

    async def close(self) -> None:
        """Nothing was started."""


class GrpcTransport:
    """A player that serves on an address: each opening is a channel of its own."""

    kind = "grpc"
    renews = cheap = False

    def __init__(self, target: str, start_limit_s: float) -> None:
        self._target = target
        self._start_limit_s = start_limit_s
        self._clock: Clock | None = None

    async def open(self, way: str = "") -> Link:
        """A new channel to the same player."""
        self._clock = self._clock or Clock()
        return await dial_out_link(self._clock, self._target, self._start_limit_s)

    async def close(self) -> None:
        """Nothing was started."""


class PlayerServer:
    """What players that dial in and players that are started share: a server that they can reach."""

    def __init__(self, listen: str, start_limit_s: float) -> None:
        self._config = Config(listen=listen, allow_exec=True, resume=False, start_limit_s=start_limit_s)
        self._server: Server | None = None
        self.start_limit_s = start_limit_s

    async def server(self) -> Server:
        """The server, started when it is first needed. AddressInUseError: it cannot listen."""
        if self._server is None:
            self._server = await Server.start(self._config)
        return self._server

    async def hang_up(self) -> None:
        """Ends every stream, as a server does that shuts down and comes back."""
        server = await self.server()
        server.hub.goodbye(GoodbyeReason.GOODBYE_REASON_SHUTTING_DOWN, "the server says goodbye and stays")

    async def stray_reply_count(self) -> int:
        """How many replies came so far that nobody had asked for."""
        return (await self.server()).hub.stray_reply_count

    async def close(self) -> None:
        """Stops the server."""
        if self._server is not None:
            await self._server.stop()


class DialInTransport:
    """A player that dials in under a name: there is one of it, whoever opens the transport."""

    kind = "dial-in"
    renews = cheap = False

    def __init__(self, name: str, server: PlayerServer) -> None:
        self._name = name
        self.server = server

    async def open(self, way: str = "") -> Link:
        """Waits until the player is here."""
        server = await self.server.server()
        return await dial_in_link(server.hub, server.clock, self._name, self.server.start_limit_s)

    async def close(self) -> None:
        """Says goodbye to the player."""
        await self.server.close()


class ExecTransport:
    """A command: each opening is a process of its own."""

    kind = "exec"
    renews = True
    cheap = False

    def __init__(self, command: str, server: PlayerServer) -> None:
        self._command = command
        self.server = server
        self._numbers = itertools.count(1)
        self._mark = secrets.token_hex(4)
        self.name = ""
        """The name of the process that was started last, which its environment bears."""

    async def open(self, way: str = "") -> Link:
        """Starts the command."""
        server = await self.server.server()
        self.name = f"tested-{self._mark}-{next(self._numbers)}"
        command = f"{WITHOUT[way]} {self._command}" if way else self._command
        try:
            return await process_link(
                server.hub, server.clock, self.name, command, server.address, self.server.start_limit_s
            )
        except (OSError, ValueError) as error:
            return DeadLink(server.clock, disconnected(f"the command cannot be started: {error}"))

    async def close(self) -> None:
        """Stops the server."""
        await self.server.close()


def transport(game: Game, spec: Spec, listen: str, start_limit_s: float) -> Transport:
    """The way that a spec says. ValueError: a bot of a strategy that is not there."""
    if spec.kind == "grpc":
        return GrpcTransport(spec.value, start_limit_s)
    if spec.kind == "bot":
        game.player(spec.value)
        return ObjectTransport("bot", lambda clock: BotLink(clock, game.player(spec.value)))
    server = PlayerServer(listen, start_limit_s)
    return DialInTransport(spec.value, server) if spec.kind == "dial-in" else ExecTransport(spec.value, server)


def output_of(link: Link) -> str:
    """The end of what the player's process has written, where it was started here."""
    return link.output if isinstance(link, ProcessLink) else ""
