"""A server with its records on disk and players in two other processes, and games between them for some seconds.

Measured is a steady state: of the games that run at once each has begun at another stage, and one that is over is
followed by a fresh one. So the games that are cut off at the end of the time count with what was played of them.
"""

from __future__ import annotations

import asyncio
import itertools
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message

from benchmarks.figures import Unmeasurable
from benchmarks.processes import halves, started
from benchmarks.rehearsal import Rehearsal, names
from benchmarks.subjects import Subject
from fairplay.games.envelopes import wrap
from fairplay.server.links.link import Clock, Done, Link, OpenCall
from fairplay.server.server import Config, Server
from fairplay.v1.game_pb2 import GameSettings, GameState, Player, TimeControl
from fairplay.v1.referee_pb2 import GamePlan

Way: TypeAlias = Literal["dialled in", "dialled"]

LIMIT_S = 60  # of a call: nobody is to be eliminated because the machine is busy
WARM_UP_TURNS = 2  # of each game, before the time begins
SETTLE_S = 0.25
RUN_LIMIT_S = 90.0


class Load(NamedTuple):
    """How many games at once, and how their players are reached."""

    games: int
    way: Way = "dialled in"


class Sample(NamedTuple):
    """What happened in a stretch of time; the CPU time is that of the server, all its threads together."""

    turns: int
    calls: int
    wall_s: float
    cpu_s: float

    def since(self, before: Sample) -> Sample:
        """Return what happened after `before`."""
        turns, calls = self.turns - before.turns, self.calls - before.calls
        return Sample(turns, calls, self.wall_s - before.wall_s, self.cpu_s - before.cpu_s)


class Tally:
    """What has been called so far. `closed`: no player is called any more, and games stand still."""

    def __init__(self) -> None:
        self.turns = 0
        self.calls = 0
        self.closed = False

    def now(self) -> Sample:
        """Everything so far, and the clocks."""
        return Sample(self.turns, self.calls, time.perf_counter(), time.process_time())


class CountedLink:
    """A link that counts what goes through it."""

    def __init__(self, link: Link, clock: Clock, turn_paths: frozenset[str], tally: Tally) -> None:
        self._link = link
        self._clock = clock
        self._turn_paths = turn_paths
        self._tally = tally

    def call(self, method: str, request: bytes, limit_s: float, done: Done, bank_s: float = 0.0) -> OpenCall:
        """Call through the link, unless the tally is closed: then the call is never sent nor answered."""
        tally = self._tally
        if tally.closed:
            return OpenCall(self._clock, limit_s, done, lambda _: None)
        tally.calls += 1
        if method in self._turn_paths:
            tally.turns += 1
        return self._link.call(method, request, limit_s, done)

    async def close(self) -> None:
        """The link is shared: it lives as long as the arena."""


class Arena:
    """Plays games of one kind on a server."""

    def __init__(
        self, server: Server, subject: Subject, links: dict[Way, Sequence[Link]], rehearsal: Rehearsal
    ) -> None:
        self._server = server
        self._subject = subject
        self._links = links
        self._rehearsal = rehearsal
        self._numbers = itertools.count(1)
        self._template = _template(subject)

    async def run(self, load: Load, seconds: float) -> Sample:
        """Keep so many games going for so long. Raises Unmeasurable if a player was eliminated, or nothing moves."""
        tally = Tally()
        paths, clock = self._subject.turn_paths, self._server.clock
        links = [CountedLink(link, clock, paths, tally) for link in self._links[load.way]]
        stages = self._rehearsal.stages(self._subject, load.games)
        playing: dict[str, GamePlan] = {}
        slots = [asyncio.create_task(self._slot(self._plan(stage), links, tally, playing)) for stage in stages]
        try:
            async with asyncio.timeout(RUN_LIMIT_S):
                await self._warm(load, tally, slots)
                before = tally.now()
                await asyncio.sleep(seconds)
                after = tally.now()
                await self._stop(tally, playing)
                await asyncio.gather(*slots)
        except TimeoutError:
            raise Unmeasurable(f"{load.games} games {load.way} made {tally.turns} turns and stand still") from None
        finally:
            for slot in slots:
                slot.cancel()
        return after.since(before)

    async def _warm(self, load: Load, tally: Tally, slots: Sequence[asyncio.Task[None]]) -> None:
        while tally.turns < WARM_UP_TURNS * load.games:
            await asyncio.sleep(0.01)
            for slot in slots:
                if slot.done():
                    slot.result()

    async def _stop(self, tally: Tally, playing: dict[str, GamePlan]) -> None:
        tally.closed = True
        await asyncio.sleep(SETTLE_S)  # what the players are still answering arrives, and leads to nothing more
        await asyncio.gather(*(self._server.referee.stop(game_id, "measured") for game_id in list(playing)))

    async def _slot(self, plan: GamePlan, links: Sequence[Link], tally: Tally, playing: dict[str, GamePlan]) -> None:
        while not tally.closed:
            game_id = f"game-{next(self._numbers)}"
            playing[game_id] = plan
            game = await self._server.referee.play(plan, game_id, links=links)
            del playing[game_id]
            if game.result.misconducts:
                raise Unmeasurable(f"a player was eliminated: {game.result.misconducts[0]}")
            plan = self._plan(None)

    def _plan(self, stage: Message | None) -> GamePlan:
        """Return a game from a stage on, or a fresh one, with a seed of its own."""
        plan = GamePlan()
        plan.CopyFrom(self._template)
        plan.seed = next(self._numbers)
        if stage is not None:
            plan.initial_state.CopyFrom(wrap(GameState, self._subject.contract, stage))
        return plan


def _template(subject: Subject) -> GamePlan:
    limit = Duration(seconds=LIMIT_S)
    return GamePlan(
        game=subject.game,
        settings=wrap(GameSettings, subject.contract, subject.settings_message),
        players=[Player(name=name, link=f"dial-in:{name}") for name in names(subject.seat_count)],
        time_control=TimeControl(decision_limit=limit, first_decision_limit=limit, notification_limit=limit),
    )


@asynccontextmanager
async def arena(subject: Subject, rehearsal: Rehearsal) -> AsyncIterator[Arena]:
    """Return a server in this process, with records on disk, and its players in two processes, reachable both ways."""
    async with AsyncExitStack() as stack:
        directory = stack.enter_context(tempfile.TemporaryDirectory(prefix="fairplay-bench-"))
        server = await Server.start(Config(records=Path(directory)))
        stack.push_async_callback(server.stop)
        seated, ports = names(subject.seat_count), []
        for half in halves(seated):
            players = await stack.enter_async_context(
                started("benchmarks.players", server.address, subject.game, *half)
            )
            ports += players.line.split()
        links: dict[Way, Sequence[Link]] = {
            "dialled in": [await _open(server, subject, f"dial-in:{name}") for name in seated],
            "dialled": [await _open(server, subject, f"grpc://127.0.0.1:{port}") for port in ports],
        }
        for link in links["dialled"]:
            stack.push_async_callback(link.close)
        yield Arena(server, subject, links, rehearsal)


async def _open(server: Server, subject: Subject, link: str) -> Link:
    return await server.links.open(Player(name="player", link=link), subject.contract)
