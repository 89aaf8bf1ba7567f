"""The ways to players, as a server or a worker has them, and links from the texts that name players."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from fairplay.games.game import Game, find
from fairplay.player.channels import NO_CREDENTIALS, Credentials
from fairplay.player.handlers import describe
from fairplay.player.proxies import ProxyError, check_proxy, names_proxy
from fairplay.server.access.quotas import GameQuota, QuotaLimits
from fairplay.server.links.bot import BotLink
from fairplay.server.links.dial_in import Hub, dial_in_link
from fairplay.server.links.dial_out import dial_out_link
from fairplay.server.links.link import Clock, DeadLink, Link, disconnected
from fairplay.server.links.networks import ANYWHERE, DialNetworks, NotAllowedError
from fairplay.server.links.program import ProgramOptions
from fairplay.server.links.programs import ProcessLink, Programs
from fairplay.server.links.secrets import Secrets
from fairplay.server.links.spec import FORMS, parse_link, target_of
from fairplay.server.links.stream import Stream, Write
from fairplay.server.net.errors import Refusal
from fairplay.server.net.exhaustion import check_descriptors, waiting_for
from fairplay.server.net.listeners import PlayerListener
from fairplay.server.servicers.connection import ConnectionServicer
from fairplay.server.servicers.interceptor import FIRST_LIMIT_S, ErrorInterceptor
from fairplay.v1.connection_pb2 import Hello
from fairplay.v1.game_pb2 import Player
from fairplay.v1.player_pb2 import PlayerDescription

MAX_CONNECTIONS = 16
MAX_CALLS = 4
"""One stream is all that a player needs, and a new one after a lost connection."""

START_LIMIT_S = 10.0


class OnePlayer:
    """A hub that admits the player of one name only."""

    def __init__(self, hub: Hub, name: str) -> None:
        self._hub = hub
        self._name = name

    def admit(self, hello: Hello, write: Write, end: Callable[[], None], host: str = "", account: str = "") -> Stream:
        """Admit the player, as the hub does; it counts as a host of its own. Raises Refusal for any other name."""
        if any(player.name != self._name for player in hello.players):
            message = f"this address is for {self._name} alone: dial in with FAIRPLAY_NAME"
            raise Refusal("WRONG_TOKEN", message, allowed=self._name)
        return self._hub.admit(hello, write, end, self._name)

    def note_refusal(self, names: Iterable[str], refusal: Refusal) -> None:
        """Note a refusal as one of the player, whatever its hello names: nobody else dials in here."""
        self._hub.note_refusal([self._name], refusal)


class OnePlayerServers:
    """Makes servers for one player each."""

    def __init__(self, hub: Hub, handshake_limit_s: float = FIRST_LIMIT_S) -> None:
        self._hub = hub
        self._handshake_limit_s = handshake_limit_s

    @asynccontextmanager
    async def __call__(self, listen: str, name: str) -> AsyncIterator[str]:
        """Serve on an address, "unix:PATH" or HOST:PORT, for the player of a name, and yield the address.

        Raises OSError if the address cannot be listened on.
        """
        servicer = ConnectionServicer(OnePlayer(self._hub, name), self._handshake_limit_s)
        listener = PlayerListener(servicer, [ErrorInterceptor()], MAX_CONNECTIONS, max_calls=MAX_CALLS)
        try:
            yield await listener.start(listen)
        finally:
            await listener.stop(0.0)


@lru_cache(256)
def _describe_bot(game: str, strategy: str) -> PlayerDescription:
    """Return what a reference player says about itself: the same each time, and a tournament may have thousands."""
    return describe(find(game).player(strategy))


class Links:
    """The links for games and tournaments of this server. `programs` None: no program is started for callers.

    `secrets` are those of players that serve, which callers have given; `quota` is what their games may cost.
    """

    def __init__(
        self,
        hub: Hub,
        clock: Clock,
        *,
        programs: Programs | None = None,
        start_limit_s: float = START_LIMIT_S,
        credentials: Credentials = NO_CREDENTIALS,
        networks: DialNetworks = ANYWHERE,
        secrets: Secrets | None = None,
        quota: GameQuota | None = None,
    ) -> None:
        self.secrets = secrets or Secrets()
        self.quota = quota or GameQuota(QuotaLimits())
        self._hub = hub
        self._clock = clock
        self._programs = programs
        self._start_limit_s = start_limit_s
        self._credentials = credentials
        self._networks = networks
        self._opening: set[asyncio.Task[Link]] = set()
        self._given_up = False

    def check(self, player: Player, game: Game, field: str) -> None:
        """Check that a player's link can be used here. Raises Refusal, which names `field`, if it cannot."""
        try:
            spec = parse_link(player.link)
            if spec.kind == "bot":
                game.player(spec.value)
                self.quota.check_strategy(game, spec.value, f"{field}.link")
        except ValueError as error:
            is_bot = player.link.startswith("bot:")
            allowed = ", ".join(f"bot:{name}" for name in game.strategies) if is_bot else FORMS
            raise Refusal("INVALID_LINK", str(error), f"{field}.link", allowed=allowed) from None
        if spec.kind == "grpc":
            self._networks.check(spec.value, f"{field}.link")
        if spec.kind == "exec" and self._programs is None:
            message = "this server does not start programs for others: have the player serve or dial in, "
            raise Refusal("EXEC_NOT_ALLOWED", message + "or start the server with --allow-exec", f"{field}.link")

    def check_visitor(self, link: str, field: str) -> None:
        """Check that a link is one that strangers may give. Raises Refusal, which names `field`, if it is not.

        Visitors of pages reach this server through a program on this machine, whose own links would be trusted.
        """
        kind = parse_link(link).kind
        if kind == "exec":
            message = "visitors of the pages have no programs started: have the player serve or dial in"
            raise Refusal("EXEC_NOT_ALLOWED", message, field)
        if kind == "grpc" and not self._networks.named:
            message = "this server calls no players for visitors of the pages: have the player dial in"
            raise Refusal("ADDRESS_NOT_ALLOWED", f"{message} (see --dial-networks)", field)

    async def check_proxies(self, players: Iterable[Player]) -> None:
        """Raise Refusal if one of these players is called through a proxy that is of no use."""
        if not names_proxy():
            return  # so that no names have to be looked up
        for target in {target for player in players if (target := target_of(player.link))}:
            try:
                await check_proxy(await self._networks.resolve(target))
            except NotAllowedError:
                continue  # it is not called at all
            except ProxyError as error:
                raise Refusal("INTERNAL", str(error)) from None

    def identify(self, player: Player, game: Game) -> Player:
        """Return who a checked player is: its name, and its description where the server knows it."""
        spec = parse_link(player.link)
        description = None
        if spec.kind == "bot":
            description = _describe_bot(game.name, spec.value)
        elif spec.kind == "dial-in":
            description = self._hub.description(spec.value)
        return Player(name=player.name, description=description)

    def lost(self, link: Link) -> bool:
        """Return whether a link is of no use any more: the player was never reached, or its process has ended."""
        return isinstance(link, DeadLink) or (isinstance(link, ProcessLink) and link.ended)

    def gone(self, why: str) -> Link:
        """Return the link to a player that has left: every call fails at once."""
        return DeadLink(self._clock, disconnected(why))

    def give_up(self) -> None:
        """Wait for no player any more: the server shuts down."""
        self._given_up = True
        for opening in self._opening:
            opening.cancel()

    async def open(self, player: Player, game: Game, secret: str = "") -> Link:
        """Return the link to a checked player, whose calls show its secret if it serves and has one.

        If the player cannot be reached in time, all calls of the link fail. Raises Refusal if the machine is to blame.
        """
        opening = asyncio.ensure_future(self._open(player, game, secret))
        self._opening.add(opening)
        opening.add_done_callback(self._opening.discard)
        if self._given_up:
            opening.cancel()
        try:
            link = await opening
        except asyncio.CancelledError:
            if not self._given_up:
                raise
            return DeadLink(self._clock, disconnected("the server shuts down"))
        except Refusal:
            raise
        except Exception as error:
            if (refusal := waiting_for(error)) is not None:
                raise refusal from error
            raise
        if isinstance(link, DeadLink):
            check_descriptors()
        return link

    async def open_all(self, opening: Iterable[Awaitable[Link]], until: asyncio.Future[Any], why: str) -> list[Link]:
        """Return links that are opened side by side. Those that are not open when `until` is done fail, with `why`.

        Raises what one of them has raised, when the others are closed.
        """
        tasks = [asyncio.ensure_future(each) for each in opening]
        everybody = asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.wait((everybody, until), return_when=asyncio.FIRST_COMPLETED)
        for task in tasks if until.done() else ():
            task.cancel()
        outcomes = [self.gone(why) if isinstance(each, asyncio.CancelledError) else each for each in await everybody]
        links = [each for each in outcomes if not isinstance(each, BaseException)]
        for error in outcomes:
            if isinstance(error, BaseException):
                await asyncio.gather(*(link.close() for link in links), return_exceptions=True)
                raise error
        return links

    async def _open(self, player: Player, game: Game, secret: str) -> Link:
        spec = parse_link(player.link)
        if spec.kind == "grpc":
            credentials = self._credentials if spec.secure else None
            try:
                address = await self._networks.resolve(spec.value)
            except NotAllowedError as error:
                return DeadLink(self._clock, disconnected(str(error)))
            return await dial_out_link(self._clock, spec.value, self._start_limit_s, credentials, address, secret)
        if spec.kind == "dial-in":
            return await dial_in_link(self._hub, self._clock, spec.value, self._start_limit_s)
        if spec.kind == "bot":
            return BotLink(self._clock, game.player(spec.value), self.quota.thinking())
        assert self._programs is not None
        return await self._programs.link(player.name, spec.value)


@dataclass(frozen=True, slots=True)
class Ways:
    """What has to be known to reach players: see Config. It travels to workers as it is."""

    programs: ProgramOptions = field(default_factory=ProgramOptions)
    allow_exec: bool = False
    start_limit_s: float = START_LIMIT_S
    handshake_limit_s: float = FIRST_LIMIT_S
    credentials: Credentials = NO_CREDENTIALS
    networks: DialNetworks = ANYWHERE

    def open(
        self,
        hub: Hub,
        clock: Clock,
        secrets: Secrets | None = None,
        quota: GameQuota | None = None,
        starts_at_once: int = 0,
    ) -> tuple[Programs, Links]:
        """Return the programs that are started, to be closed at the end, and the links to all players.

        `starts_at_once` is how many programs come up at a time; 0: one a processor.
        """
        servers = OnePlayerServers(hub, self.handshake_limit_s)
        programs = Programs(hub, clock, self.programs, servers, self.start_limit_s, starts_at_once)
        links = Links(
            hub,
            clock,
            programs=programs if self.allow_exec else None,
            start_limit_s=self.start_limit_s,
            credentials=self.credentials,
            networks=self.networks,
            secrets=secrets,
            quota=quota,
        )
        return programs, links
