"""What may differ between games in which the same happens: their time, how players are reached and lost, who watches.

What players are asked and told, and how the game ends, is the same whatever the circumstances are.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from enum import Enum, auto
from functools import cache
from random import Random
from typing import NamedTuple

from fairplay.conformance.case import failure
from fairplay.conformance.games.variations import Row, cover_pairs
from fairplay.conformance.servers.compare import same
from fairplay.conformance.servers.context import RACE, ServerContext
from fairplay.conformance.servers.drawn import TIMES
from fairplay.conformance.servers.players import Cast, Received, Served, Stream, check_secrets, secret_of
from fairplay.conformance.servers.scenes import AMPLE_S, NAMES, Scene, control
from fairplay.server.net.limits import limit_of
from fairplay.v1.game_pb2 import TimeControl
from fairplay.v1.referee_pb2 import PlayGameRequest

BANK_S, LONG_BANK_S = 7.5, 40 * AMPLE_S
HARDLY_S = 0.005
"""A limit that everybody needs the bank for."""
WINDOW_S = 12 * AMPLE_S
SETTLED_S = 0.05
"""So long after a call came nothing else is under way, mostly."""
TOKEN = "token"
LONGEST_ID = limit_of("PlayGameRequest.game_id").max_characters
CONTROLS = (
    TIMES,
    control(5 * AMPLE_S, 6 * AMPLE_S, 4 * AMPLE_S, bank_s=BANK_S),
    control(HARDLY_S, 6 * AMPLE_S, 4 * AMPLE_S, bank_s=LONG_BANK_S),
    control(5 * AMPLE_S, HARDLY_S, 4 * AMPLE_S, bank_s=LONG_BANK_S),
)
"""Without a bank, with one that nobody needs, and with one that is needed from the second decision, or in the first."""


class Reach(Enum):
    """How the players of a game are reached."""

    TOGETHER = auto()
    """On one connection."""
    APART = auto()
    """Each on a connection of its own."""
    SERVING = auto()
    MIXED = auto()
    """Every other one serves."""


class Loss(Enum):
    """Whether those who have dialled in are lost in a call, and how they come back."""

    NONE = auto()
    RESUMED = auto()
    """They resume their connections, in the opposite order."""
    ANEW = auto()
    """They show their token alone."""
    IN_PARTS = auto()
    """They show their token, each on a connection of its own."""


class Watching(Enum):
    """Who watches a game while it runs."""

    NOBODY = auto()
    ALWAYS = auto()
    GOING_ON = auto()
    """One spectator from the beginning, and another one that comes later and goes on after the first event."""
    LATE = auto()
    """One that comes when the game has gone on for a while."""


class Id(Enum):
    """How the game is named."""

    PLAIN = auto()
    LONG = auto()
    """As long as it may be, with each kind of character that it may have."""


class Circumstances(NamedTuple):
    """How a game is played."""

    control: TimeControl = TIMES
    reach: Reach = Reach.TOGETHER
    loss: Loss = Loss.NONE
    watching: Watching = Watching.NOBODY
    id: Id = Id.PLAIN

    @property
    def has_pause(self) -> bool:
        """Return whether something happens while all players keep their answers back."""
        return self.loss is not Loss.NONE or self.watching in (Watching.GOING_ON, Watching.LATE)

    @property
    def is_in_order(self) -> bool:
        """Return whether calls come in the order in which they are made: all on one connection."""
        return self.reach is Reach.TOGETHER and self.loss is not Loss.IN_PARTS

    def __str__(self) -> str:
        limits = ", ".join(
            f"{each.name} {value.ToNanoseconds() / 1e9:g} s" for each, value in self.control.ListFields()
        )
        kinds = (self.reach, self.loss, self.watching, self.id)
        return "; ".join([limits, *(f"{type(each).__name__.lower()} {each.name.lower()}" for each in kinds)])


@cache
def draw_circumstances(about: str) -> Sequence[Circumstances]:
    """Return circumstances of which each pair is found that can be."""
    reaches, losses, watchings, ids = tuple(Reach), tuple(Loss), tuple(Watching), tuple(Id)

    def made(row: Row) -> Circumstances:
        limits, reach, loss, watching, id_ = row
        return Circumstances(CONTROLS[limits], reaches[reach], losses[loss], watchings[watching], ids[id_])

    def can_be(row: Row) -> bool:
        return made(row).reach is not Reach.SERVING or made(row).loss is Loss.NONE

    sizes = [len(CONTROLS), len(reaches), len(losses), len(watchings), len(ids)]
    return [made(row) for row in cover_pairs(sizes, can_be, Random(about))]


class Company:
    """The players of a game, and the request for it."""

    def __init__(self, context: ServerContext, scene: Scene, around: Circumstances, stack: AsyncExitStack) -> None:
        self.cast = Cast(scene.game, scene.actors())
        self.request = PlayGameRequest()
        self.streams: list[Stream] = []
        self._context = context
        self._scene = scene
        self._around = around
        self._stack = stack
        self._names = context.new_names(scene.player_count)
        self._returned = 0

    async def gather(self) -> None:
        """Let the players serve or dial in."""
        scene, reach = self._scene, self._around.reach
        seats = range(scene.player_count)
        serving = {Reach.SERVING: seats, Reach.MIXED: seats[1::2]}.get(reach, ())
        dialling = [seat for seat in seats if seat not in serving]
        links = {seat: f"dial-in:{self._names[seat]}" for seat in dialling}
        served = Served(self.cast, self._context.place.players_host)
        self._stack.push_async_callback(served.close)
        for seat in serving:
            links[seat] = await served.serve(seat)
        groups = [[seat] for seat in dialling] if reach is Reach.APART else [dialling] if dialling else []
        for group in groups:
            await self._dial_in(group)
        self.request = self._context.request(scene, [links[seat] for seat in seats])
        for seat in serving:
            self.request.plan.players[seat].secret = secret_of(seat)
        if self._around.id is Id.LONG:
            self.request.game_id = f"_.{self.request.game_id}/A/a.-_/".ljust(LONGEST_ID, "z")
        if scene.control is TIMES:
            self.request.plan.time_control.CopyFrom(self._around.control)

    async def _dial_in(self, seats: Sequence[int], resume: bytes = b"") -> Stream:
        names, shows = [self._names[seat] for seat in seats], self._around.loss in (Loss.ANEW, Loss.IN_PARTS)
        window_s = 0.0 if self._around.loss is Loss.NONE else WINDOW_S
        stream = await self._stack.enter_async_context(
            self._context.dialled_in(
                self.cast, names, token=TOKEN if shows else "", window_s=window_s, resume=resume, seats=seats
            )
        )
        self.streams.append(stream)
        return stream

    async def lose(self) -> None:
        """Lose all connections, and have the players come back."""
        self._returned = len(self.streams)
        for stream in self.streams[:]:
            await stream.close()
            assert stream.welcome is not None
            resumed, seats = self._around.loss is Loss.RESUMED, stream.hosted[::-1]
            parts = [[seat] for seat in seats] if self._around.loss is Loss.IN_PARTS else [seats]
            for part in parts:
                again = await self._dial_in(part, stream.welcome.resume_token if resumed else b"")
                assert again.welcome is not None
                same("Whether the welcome says that the stream was resumed", resumed, again.welcome.resumed)

    def received(self) -> Sequence[Received]:
        """Return the calls that came, each once. Check those that came again on another connection, and secrets."""
        check_secrets(self.cast.received)
        return check_again(self.cast, self.streams[self._returned :] if self._returned else ())

    @property
    def idle_s(self) -> float:
        """Return for how long nobody who has dialled in has been called; 0 while a call waits for its answer."""
        return min((each.idle_s for each in self.streams[self._returned :]), default=0.0)


def check_again(cast: Cast, streams: Sequence[Stream]) -> Sequence[Received]:
    """Return the calls that came, each once; check those that came again on the connections of who had been lost."""
    first: dict[int, Received] = {}
    for each in cast.received:
        if not each.call_id:
            continue
        known = first.setdefault(each.call_id, each)
        name = f"{each.method} to {NAMES[each.seat]}"
        if known.seat != each.seat:
            raise failure(f"{name} came again as a call to {NAMES[known.seat]}.")
        same(f"The metadata of {name} that was sent again", known.metadata, each.metadata)
        if each.limit_s > known.limit_s:
            raise failure(f"{name} had {known.limit_s:g} s; it was sent again with {each.limit_s:g} s.")
    for stream in streams:
        assert stream.welcome is not None
        named, came = set(stream.welcome.open_calls), {each.call_id for each in stream.calls}
        for each in stream.calls:
            if first[each.call_id] is not each and each.call_id not in named:
                raise failure(f"{each.method} to {NAMES[each.seat]} came again; the welcome does not name it.")
        if cast.game.name != RACE and (missing := named - came):  # there one may be cancelled at once
            raise failure(f"The welcome names the open call {min(missing)}, which does not come again.")
    return [each for each in cast.received if first.get(each.call_id, each) is each]


@asynccontextmanager
async def gathered(context: ServerContext, scene: Scene, around: Circumstances) -> AsyncIterator[Company]:
    """Make the players of a scene ready, and yield them."""
    async with AsyncExitStack() as stack:
        company = Company(context, scene, around, stack)
        await company.gather()
        yield company


async def settle() -> None:
    """Wait until nothing is under way, mostly."""
    await asyncio.sleep(SETTLED_S)
