"""Players that dialled in: who is connected under which name, and the links to them."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from fairplay.server.errors import Refusal
from fairplay.server.links.identity import cut
from fairplay.server.links.link import Clock, DeadLink, Done, Link, OpenCall, disconnected
from fairplay.server.links.stream import MAX_PLAYERS_PER_STREAM, Stream, Write
from fairplay.server.tokens import same
from fairplay.v1.connection_pb2 import GoodbyeReason, Hello, HostedPlayer
from fairplay.v1.player_pb2 import PlayerDescription

NAME = re.compile(r"[A-Za-z0-9_.-]{1,64}")
MAX_TOKEN_BYTES = 256
MAX_NAMES = 100_000


@dataclass(slots=True)
class _Registration:
    """A name on this server: its token, the stream that has it now, the player's number there and its description."""

    token: str
    stream: Stream | None = None
    number: int = 0
    description: PlayerDescription | None = None


class Hub:
    """All names under which players dialled in, or are expected to."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._names: dict[str, _Registration] = {}
        self._claims: dict[str, str] = {}
        self._streams: dict[bytes, Stream] = {}
        self._arrival = asyncio.Event()
        self.stray_reply_count = 0
        self.late_reply_count = 0
        """How many replies have come to calls that had been cancelled."""

    def expect(self, name: str, token: str) -> None:
        """Keep a name for the player that dials in with this token."""
        self._names[name] = _Registration(token)

    def forget(self, name: str) -> None:
        """Free a name that was expected, and end the stream of its player."""
        known = self._names.pop(name, None)
        if known is not None and known.stream is not None:
            known.stream.goodbye(GoodbyeReason.GOODBYE_REASON_FINISHED, "this player is no longer needed")

    def claim(self, name: str, token: str) -> None:
        """Reserve a name for players with this token; they get it even while another player is connected with it."""
        self._claims[name] = token

    def release(self, name: str) -> None:
        """End a claim. A player that is connected with the name keeps it."""
        self._claims.pop(name, None)

    def holds(self, name: str, token: str) -> bool:
        """Return whether a player has dialled in with this name and token."""
        known = self._names.get(name)
        return known is not None and same(known.token, token)

    def guards(self, name: str) -> bool:
        """Return whether a player has dialled in with this name and a token, or is expected with one."""
        known = self._names.get(name)
        return known is not None and known.token != ""

    def here(self, name: str) -> bool:
        """Return whether a player of this name can be called now."""
        known = self._names.get(name)
        return known is not None and known.stream is not None

    def description(self, name: str) -> PlayerDescription | None:
        """Return what the player of this name said about itself; None if it never dialled in."""
        known = self._names.get(name)
        return known.description if known is not None else None

    async def arrived(self, name: str) -> None:
        """Wait until a player of this name is connected."""
        while not self.here(name):
            await self._arrival.wait()

    def admit(self, hello: Hello, write: Write, end: Callable[[], None]) -> Stream:
        """Give all names of a hello to one stream, and return the stream.

        `write` sends a frame on the connection of the hello; `end` ends the connection. Raises Refusal, which says
        which name cannot be had, and gives none of the names.
        """
        _check(hello.players)
        names = [player.name for player in hello.players]
        stream = self._streams.get(hello.resume_token)
        if stream is not None and stream.names != names:
            stream = None
        for player in hello.players:
            self._check_free(player, stream)
        if stream is None:
            stream = Stream(self._clock, names, self._closed, self._count_stray, self._count_late)
        self._streams[stream.resume_token] = stream
        for number, player in enumerate(hello.players):
            self._register(stream, number, player)
        window = hello.resume_window
        stream.attach(write, end, window.seconds + window.nanos / 1e9)
        self._arrival.set()
        self._arrival = asyncio.Event()
        return stream

    def _check_free(self, player: HostedPlayer, resumed: Stream | None) -> None:
        """Check that a player may have its name.

        A name without a token belongs to its stream, one with a token to whoever has the token or the claim.
        """
        known = self._names.get(player.name)
        if known is None and player.name not in self._claims:
            return
        if (resumed is not None and known is not None and known.stream is resumed) or self._claimed_by(player):
            return
        if not player.token or not self.holds(player.name, player.token):
            message = f"the name {player.name} is taken on this server: choose another one"
            raise Refusal("NAME_TAKEN", f"{message}, or give the token with which it was claimed")

    def _claimed_by(self, player: HostedPlayer) -> bool:
        claim = self._claims.get(player.name)
        return claim is not None and same(claim, player.token)

    def _register(self, stream: Stream, number: int, player: HostedPlayer) -> None:
        known = self._names.setdefault(player.name, _Registration(player.token))
        if self._claimed_by(player):
            known.token = player.token
        if known.stream is not None and known.stream is not stream:
            known.stream.goodbye(GoodbyeReason.GOODBYE_REASON_REPLACED, f"{player.name} has dialled in again")
        known.stream, known.number, known.description = stream, number, cut(player.description)

    def _closed(self, stream: Stream) -> None:
        """Free the names of a stream that is over."""
        self._streams.pop(stream.resume_token, None)
        for name in stream.names:
            known = self._names.get(name)
            if known is not None and known.stream is stream:
                known.stream = None
                del self._names[name]
                if known.token:
                    self._names[name] = known  # as the one that has been away for the shortest time
        self._forget_names()

    def _forget_names(self) -> None:
        """Keep names for their tokens while there is room: forget those that have been away longest."""
        excess = len(self._names) - MAX_NAMES
        if excess > 0:
            for name in [name for name, known in self._names.items() if known.stream is None][:excess]:
                del self._names[name]

    def _count_stray(self) -> None:
        self.stray_reply_count += 1

    def _count_late(self) -> None:
        self.late_reply_count += 1

    def dismiss(self, name: str, reason: GoodbyeReason.ValueType, message: str) -> None:
        """End the stream of the player of this name, if there is one. The name stays with its token."""
        known = self._names.get(name)
        if known is not None and known.stream is not None:
            known.stream.goodbye(reason, message)

    def goodbye(self, reason: GoodbyeReason.ValueType, message: str) -> None:
        """End all streams."""
        for stream in list(self._streams.values()):
            stream.goodbye(reason, message)

    def call(self, name: str, method: str, request: bytes, limit_s: float, done: Done, bank_s: float = 0.0) -> OpenCall:
        """Call the player that is connected with this name now; the call fails if there is none."""
        known = self._names.get(name)
        if known is None or known.stream is None:
            return DeadLink(self._clock, disconnected("the player is not connected")).call(
                method, request, limit_s, done
            )
        return known.stream.call(known.number, method, request, limit_s, done, bank_s)


def _check(players: Iterable[HostedPlayer]) -> None:
    names = [player.name for player in players]
    if not names:
        raise Refusal("MALFORMED_HELLO", "a hello must name at least one player")
    if len(names) > MAX_PLAYERS_PER_STREAM:
        raise Refusal("TOO_MANY_PLAYERS", f"a stream may host at most {MAX_PLAYERS_PER_STREAM:,} players")
    if len(set(names)) < len(names):
        raise Refusal("MALFORMED_HELLO", "a hello must not name a player twice")
    for player in players:
        if not NAME.fullmatch(player.name):
            raise Refusal("NAME_INVALID", "a name must be 1 to 64 letters, digits, '-', '_' or '.'")
        if len(player.token.encode()) > MAX_TOKEN_BYTES:
            raise Refusal("MALFORMED_HELLO", f"a token may have at most {MAX_TOKEN_BYTES} bytes")


class DialInLink:
    """The link to a player that dials in under a name."""

    def __init__(self, hub: Hub, name: str) -> None:
        self._hub = hub
        self._name = name

    @property
    def description(self) -> PlayerDescription | None:
        """What the player said about itself when it dialled in last; None if its name is free."""
        return self._hub.description(self._name)

    def call(self, method: str, request: bytes, limit_s: float, done: Done, bank_s: float = 0.0) -> OpenCall:
        """Call the player through the stream that has its name now."""
        return self._hub.call(self._name, method, request, limit_s, done, bank_s)

    async def close(self) -> None:
        """Do nothing: the player stays connected, for other games."""


async def dial_in_link(hub: Hub, clock: Clock, name: str, start_limit_s: float) -> Link:
    """Wait for the player of this name to dial in, and return the link to it."""
    try:
        async with asyncio.timeout(start_limit_s):
            await hub.arrived(name)
    except TimeoutError:
        return DeadLink(clock, disconnected(f"{name} did not dial in within {start_limit_s:g} s"))
    return DialInLink(hub, name)
