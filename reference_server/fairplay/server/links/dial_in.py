"""Players that dialled in: who is connected under which name, and the links to them."""

from __future__ import annotations

import asyncio
import hmac
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from fairplay.player.standstill import stood_lately
from fairplay.server.links.link import NO_EXTRA, Clock, DeadLink, Done, Link, Metadata, OpenCall, disconnected
from fairplay.server.links.spec import NAME, NAME_ALLOWED
from fairplay.server.links.stream import Change, Stream, Write
from fairplay.server.net.errors import Refusal
from fairplay.server.net.limits import limit_of
from fairplay.server.net.text import visible
from fairplay.v1.connection_pb2 import DialInResponse, GoodbyeReason, Hello, HostedPlayer
from fairplay.v1.player_pb2 import PlayerDescription

MAX_TEXT_CHARS = limit_of("PlayerDescription.display_name").max_characters
MAX_SERVICES = limit_of("PlayerDescription.services").max_items
MAX_SERVICE_CHARS = limit_of("GameService.name").max_characters

MAX_NAMES = 100_000
MAX_HOST_NAMES = 10_000
MAX_RESUME_S = limit_of("Hello.resume_window").clamp_seconds
"""The longest resume window: a stream that is lost keeps its names for so long."""


def cut(description: PlayerDescription) -> PlayerDescription:
    """Return what is kept of a description: player.proto says how long its texts may be."""
    kept = PlayerDescription(
        display_name=visible(description.display_name[:MAX_TEXT_CHARS])[:MAX_TEXT_CHARS],
        software_version=visible(description.software_version[:MAX_TEXT_CHARS])[:MAX_TEXT_CHARS],
    )
    for service in description.services[:MAX_SERVICES]:
        kept.services.add(name=visible(service.name[:MAX_SERVICE_CHARS])[:MAX_SERVICE_CHARS], revision=service.revision)
    return kept


class KeptNames:
    """The names of players that are away, each kept for the token of its player.

    A name that is pinned plays or is to play: it is never forgotten. Of the others one host has at most MAX_HOST_NAMES,
    and all have at most MAX_NAMES; those that have been away longest are forgotten first.
    """

    def __init__(self) -> None:
        self._pins: Counter[str] = Counter()
        self._hosts: dict[str, str] = {}
        self._by_host: defaultdict[str, dict[str, None]] = defaultdict(dict)

    def pin(self, name: str) -> None:
        """Keep a name for as long as it is pinned, whether its player is here or away."""
        self._pins[name] += 1
        self.discard(name)

    def pinned(self, name: str) -> bool:
        """Return whether a name plays or is to play."""
        return name in self._pins

    def unpin(self, name: str) -> bool:
        """Take one pin off, and return whether none is left."""
        self._pins[name] -= 1
        if self._pins[name] > 0:
            return False
        del self._pins[name]
        return True

    def add(self, name: str, host: str) -> list[str]:
        """Keep the name of a player of this host that is away now, and return the names that are forgotten for it."""
        if name in self._pins:
            return []
        self.discard(name)
        self._hosts[name] = host
        own = self._by_host[host]
        own[name] = None
        forgotten = []
        if len(own) > MAX_HOST_NAMES:
            forgotten.append(next(iter(own)))
        elif len(self._hosts) > MAX_NAMES:
            forgotten.append(next(iter(self._hosts)))
        for each in forgotten:
            self.discard(each)
        return forgotten

    def discard(self, name: str) -> None:
        """Drop a name whose player is back, or that is free again."""
        host = self._hosts.pop(name, None)
        if host is not None:
            own = self._by_host[host]
            del own[name]
            if not own:
                del self._by_host[host]


@dataclass(slots=True)
class _Registration:
    """A name on this server: its token, the stream that has it now and the description of its player.

    `resume_token`: that of the stream that had the name, where nothing else tells its player when it comes back.
    """

    token: str
    stream: Stream | None = None
    description: PlayerDescription | None = None
    host: str = ""
    account: str = ""
    resume_token: bytes = b""
    hello_count: int = 0
    awaited: bool = True
    """Whether the player is to dial in: it has not yet, or this server has ended its connection since."""
    return_count: int = 0
    refused_count: int = 0
    refusal: Refusal | None = None
    """The last one."""
    refused_at: int = 0
    """How often the player had dialled in by then."""
    turned_away: Refusal | None = None
    """What its hellos are refused with, whoever sends them; None: with nothing."""


def same(one: str, other: str) -> bool:
    """Return whether two tokens are the same, in a time that does not tell where they differ."""
    return hmac.compare_digest(one.encode(), other.encode())


class Hub:
    """All names under which players dialled in, or are expected to."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._names: dict[str, _Registration] = {}
        self._claims: dict[str, str] = {}
        self._streams: dict[bytes, Stream] = {}
        self._away = KeptNames()
        self._arrival = asyncio.Event()
        self.stray_reply_count = 0
        self.late_reply_count = 0
        """How many replies have come to calls that had been cancelled, or second ones to calls that were sent twice."""
        self.change: Change = lambda frame: (frame,)
        """What is sent for each frame: whoever tries players sends frames that this server does not send."""
        self.first_number = 0
        """The number of the first player of new streams: whoever tries players numbers them otherwise."""

    def expect(self, name: str, token: str, refusal: Refusal | None = None) -> None:
        """Keep a name for the player that dials in with this token. `refusal`: what its hellos are refused with."""
        self._names[name] = _Registration(token, turned_away=refusal)

    def forget(self, name: str) -> None:
        """Free a name that was expected, and end the stream of its player."""
        known = self._names.pop(name, None)
        self._away.discard(name)
        if known is not None and known.stream is not None:
            known.stream.goodbye(GoodbyeReason.GOODBYE_REASON_FINISHED, "this player is no longer needed")

    def claim(self, name: str, token: str) -> None:
        """Reserve a name for players with this token; they get it even while another player is connected with it."""
        self._claims[name] = token

    def release(self, name: str) -> None:
        """End a claim. A player that is connected with the name keeps it."""
        self._claims.pop(name, None)

    def pin(self, name: str) -> None:
        """Keep a name that plays, or is to play, for its token, however many others come."""
        self._away.pin(name)

    def unpin(self, name: str) -> None:
        """Take back one `pin` of a name."""
        known = self._names.get(name)
        if self._away.unpin(name) and known is not None and known.stream is None:
            self._leave(name, known)

    def holds(self, name: str, token: str) -> bool:
        """Return whether a player has dialled in with this name and token."""
        known = self._names.get(name)
        return known is not None and same(known.token, token)

    def belongs(self, name: str, account: str) -> bool:
        """Return whether a player of an account has dialled in with this name."""
        known = self._names.get(name)
        return account != "" and known is not None and known.account == account

    def guards(self, name: str) -> bool:
        """Return whether a player has dialled in with this name and a token, or is expected with one."""
        known = self._names.get(name)
        return known is not None and known.token != ""

    def kept(self, name: str) -> bool:
        """Return whether a name stays its player's when the player goes: it has a token, or an account."""
        known = self._names.get(name)
        return known is not None and (known.token != "" or known.account != "")

    def alone(self, name: str) -> bool:
        """Return whether the player of a name is the only one of its program."""
        known = self._names.get(name)
        return known is not None and known.stream is not None and known.stream.numbers.keys() == {name}

    def pinned(self, name: str) -> bool:
        """Return whether a name plays or is to play."""
        return self._away.pinned(name)

    def here(self, name: str) -> bool:
        """Return whether a player of this name can be called now."""
        known = self._names.get(name)
        return known is not None and known.stream is not None

    def hello_count(self, name: str) -> int:
        """Return how often a player has dialled in with this name since it is known."""
        known = self._names.get(name)
        return known.hello_count if known is not None else 0

    def return_count(self, name: str) -> int:
        """Return how often a player has dialled in again with this name although nothing here ended its connection."""
        known = self._names.get(name)
        return known.return_count if known is not None else 0

    @property
    def connected_count(self) -> int:
        """Return how many names have a player that can be called now."""
        return sum(known.stream is not None for known in self._names.values())

    def description(self, name: str) -> PlayerDescription | None:
        """Return what the player of this name said about itself; None if it never dialled in."""
        known = self._names.get(name)
        return known.description if known is not None else None

    async def arrived(self, name: str) -> None:
        """Wait until a player of this name is connected."""
        while not self.here(name):
            await self._arrival.wait()

    def admit(self, hello: Hello, write: Write, end: Callable[[], None], host: str = "", account: str = "") -> Stream:
        """Give all names of a hello to one stream, and return the stream.

        `write` sends a frame on the connection of the hello, which comes from `host`; `end` ends it. The names belong
        to `account`, where the server knows accounts: its players get them, whatever their tokens. Raises Refusal,
        which says which name cannot be had, and gives none of the names.
        """
        self.check(hello, account)
        window_s = hello.resume_window.seconds + hello.resume_window.nanos / 1e9
        names = [player.name for player in hello.players]
        stream = self._streams.get(hello.resume_token)
        resumed = stream is not None and not stream.dismissed and stream.numbers.keys() == set(names)
        if stream is None or not resumed:
            counts = self._count_stray, self._count_late
            changes = self._frames, self.first_number
            stream = Stream(self._clock, names, self._away.pinned, self._closed, *counts, *changes)
            self._streams[stream.resume_token] = stream
        for player in hello.players:
            self._register(stream, player, host, account)
        stream.attach(names, write, end, min(window_s, MAX_RESUME_S), resumed=resumed)
        self._arrival.set()
        self._arrival = asyncio.Event()
        return stream

    def check(self, hello: Hello, account: str = "") -> None:
        """Check that the players of a hello may have their names. Raises Refusal, which says which cannot be had."""
        check_players(hello.players)
        stream = self._streams.get(hello.resume_token)
        for player in hello.players:
            self._check_free(player, stream, hello.resume_token, account)

    def _check_free(self, player: HostedPlayer, resumed: Stream | None, resume_token: bytes, account: str) -> None:
        """Check that a player may have its name.

        A name without a token belongs to its stream, and while it plays to whoever has the resume token of that; one
        with a token to whoever has the token or the claim.
        """
        known = self._names.get(player.name)
        if known is not None and known.turned_away is not None:
            raise known.turned_away
        if known is None and (account or player.name not in self._claims):
            return
        if self.belongs(player.name, account):
            return
        if (resumed is not None and known is not None and known.stream is resumed) or self._claimed_by(player):
            return
        if known is not None and known.resume_token and hmac.compare_digest(known.resume_token, resume_token):
            return
        if not player.token or not self.holds(player.name, player.token):
            message = f"the name {player.name} is taken on this server: choose another one"
            message += ", or give the token with which it was claimed"
            raise Refusal("NAME_TAKEN", message, given=player.name)

    def _claimed_by(self, player: HostedPlayer) -> bool:
        claim = self._claims.get(player.name)
        return claim is not None and same(claim, player.token)

    def _register(self, stream: Stream, player: HostedPlayer, host: str, account: str) -> None:
        """Give a name to a stream, with the calls that are open for its player."""
        known = self._names.setdefault(player.name, _Registration(player.token))
        if self._claimed_by(player):
            known.token = player.token
        if known.stream is not None and known.stream is not stream:
            stream.calls.take_over(stream.numbers[player.name], known.stream.give_up(player.name))
        known.stream, known.description = stream, cut(player.description)
        known.hello_count += 1
        known.return_count += not (known.awaited or stood_lately())
        known.awaited = False
        known.host, known.account, known.resume_token = host, account, b""
        self._away.discard(player.name)

    def _closed(self, stream: Stream) -> None:
        """Free the names of a stream that is over."""
        self._streams.pop(stream.resume_token, None)
        for name in stream.numbers:
            known = self._names.get(name)
            if known is not None and known.stream is stream:
                known.stream = None
                known.resume_token = b"" if known.token else stream.resume_token
                self._leave(name, known)

    def _leave(self, name: str, known: _Registration) -> None:
        """Keep the name of a player that is away for its token; without one only for as long as it plays."""
        if known.token:
            for forgotten in self._away.add(name, known.host):
                del self._names[forgotten]
        elif not self._away.pinned(name):
            del self._names[name]

    def _frames(self, frame: DialInResponse) -> Iterable[DialInResponse]:
        return self.change(frame)

    def _count_stray(self) -> None:
        self.stray_reply_count += 1

    def _count_late(self) -> None:
        self.late_reply_count += 1

    def dismiss(self, name: str, reason: GoodbyeReason.ValueType, message: str) -> None:
        """End the stream of the player of this name, if there is one. The name stays with its token."""
        known = self._names.get(name)
        if known is not None and known.stream is not None:
            known.awaited = True
            known.stream.goodbye(reason, message)

    def lose(self, name: str, after_s: float, breaks: bool) -> None:
        """Lose the connection of the player of this name, if there is one, as a network does that fails.

        `breaks`: it comes as an error, and not as proxies have it that end what they carry.
        """
        known = self._names.get(name)
        if known is not None and known.stream is not None:
            known.awaited = True
            known.stream.lose(after_s, breaks)

    def turn_away(self, name: str, refusal: Refusal) -> None:
        """Tell the player of a name with a token that the server shuts down, and refuse its hellos from now on."""
        known = self._names.get(name)
        if known is not None and known.stream is not None:
            known.turned_away = refusal
            self.dismiss(name, GoodbyeReason.GOODBYE_REASON_SHUTTING_DOWN, "the server says goodbye and stays")

    def let_in(self, name: str) -> None:
        """Refuse the hellos of a player no more that was turned away."""
        known = self._names.get(name)
        if known is not None:
            known.turned_away = None

    def note_refusal(self, names: Iterable[str], refusal: Refusal) -> None:
        """Note that a connection whose hello names these players has ended for a fault of its caller."""
        for known in filter(None, map(self._names.get, names)):
            known.refused_count += 1
            known.refusal, known.refused_at = refusal, known.hello_count

    def refused_count(self, name: str) -> int:
        """Return how many connections whose hello named a player have ended for a fault of the caller."""
        known = self._names.get(name)
        return known.refused_count if known is not None else 0

    def refusal(self, name: str) -> Refusal | None:
        """Return why the last of these connections has ended; None if there was none."""
        known = self._names.get(name)
        return known.refusal if known is not None else None

    def ending(self, name: str) -> Refusal | None:
        """Return why the connection of a player has ended; None if that was no fault of its own or it is back."""
        known = self._names.get(name)
        return known.refusal if known is not None and known.refused_at == known.hello_count else None

    def goodbye(self, reason: GoodbyeReason.ValueType, message: str) -> None:
        """End all streams."""
        for known in self._names.values():
            known.awaited = True
        for stream in list(self._streams.values()):
            stream.goodbye(reason, message)

    def call(
        self,
        name: str,
        method: str,
        request: bytes,
        limit_s: float,
        done: Done,
        bank_s: float = 0.0,
        extra: Metadata = NO_EXTRA,
    ) -> OpenCall:
        """Call the player that is connected with this name now; the call fails if there is none."""
        known = self._names.get(name)
        if known is None or known.stream is None:
            return DeadLink(self._clock, disconnected("the player is not connected")).call(
                method, request, limit_s, done
            )
        return known.stream.calls.call(known.stream.numbers[name], method, request, limit_s, done, bank_s, extra)


def check_players(players: Iterable[HostedPlayer]) -> None:
    """Check the players of a hello, as far as they say who they are. Raises Refusal if one is not allowed."""
    names = [player.name for player in players]
    if not names:
        raise Refusal("MALFORMED_HELLO", "a hello must name at least one player")
    if len(set(names)) < len(names):
        raise Refusal("MALFORMED_HELLO", "a hello must not name a player twice")
    for player in players:
        if not NAME.fullmatch(player.name):
            raise Refusal("NAME_INVALID", f"a name must be {NAME_ALLOWED}", given=player.name, allowed=NAME_ALLOWED)


class DialInLink:
    """The link to a player that dials in under a name, which stays its own until the link is closed."""

    def __init__(self, hub: Hub, name: str) -> None:
        self._hub = hub
        self._name = name
        self._closed = False
        hub.pin(name)

    @property
    def description(self) -> PlayerDescription | None:
        """Return what the player said about itself when it dialled in last; None if its name is free."""
        return self._hub.description(self._name)

    def call(
        self, method: str, request: bytes, limit_s: float, done: Done, bank_s: float = 0.0, extra: Metadata = NO_EXTRA
    ) -> OpenCall:
        """Call the player through the stream that has its name now."""
        return self._hub.call(self._name, method, request, limit_s, done, bank_s, extra)

    def lose(self, after_s: float, breaks: bool) -> None:
        """Lose the connection of the player, as a network does that fails."""
        self._hub.lose(self._name, after_s, breaks)

    @property
    def refused_count(self) -> int:
        """Return how many connections of the player have ended for a fault of its own."""
        return self._hub.refused_count(self._name)

    @property
    def refusal(self) -> Refusal | None:
        """Return why the last of these connections has ended; None if there was none."""
        return self._hub.refusal(self._name)

    async def close(self) -> None:
        """Let go of the name. The player stays connected, for other games."""
        if not self._closed:
            self._closed = True
            self._hub.unpin(self._name)


async def dial_in_link(hub: Hub, clock: Clock, name: str, start_limit_s: float) -> Link:
    """Wait for the player of this name to dial in, and return the link to it."""
    link, arrived = DialInLink(hub, name), False
    try:
        async with asyncio.timeout(start_limit_s):
            await hub.arrived(name)
            arrived = True
    except TimeoutError:
        return DeadLink(clock, disconnected(f"{name} did not dial in within {start_limit_s:g} s"))
    finally:
        if not arrived:
            await link.close()
    return link
