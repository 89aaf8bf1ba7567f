"""A server with its records on disk and players in two other processes, and games between them for some seconds.

Measured is a steady state: of the games that run at once each has begun at another stage, and one that is over is
followed by a fresh one. So the games that are cut off at the end of the time count with what was played of them.
"""

from __future__ import annotations

import asyncio
import itertools
import tempfile
import time
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import NamedTuple, TypeAlias

import psutil
from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message

from benchmarks.figures import MeasuredGame, Unmeasurable
from benchmarks.processes import START_LIMIT_S, halves, started
from benchmarks.sample import SampleGame, names
from fairplay.games.envelopes import wrap
from fairplay.server.game.running import Running
from fairplay.server.links.dial_out import dial_out_link
from fairplay.server.links.link import NO_EXTRA, Clock, Done, Link, Metadata, OpenCall
from fairplay.server.server import Config, Server
from fairplay.v1.game_pb2 import GameSettings, GameState, Player, TimeControl
from fairplay.v1.referee_pb2 import GamePlan

Way: TypeAlias = str
"""How players are reached: "dialled in", over one stream for each half of them; "dialled", one by one by unary calls;
or "class", over a stream for each of a class of students, whose programs are processes of their own. `languages` has
others."""

LIMIT_S = 60  # of a call: nobody is to be eliminated because the machine is busy
WARM_UP_TURNS = 2  # of each game, before the time begins
SETTLE_S = 0.25
RUN_LIMIT_S = 90.0
STARTS_AT_ONCE = 16
CLASS_SIZE = 16
"""How many programs a class of students has."""
CLASS_STREAMS = 16
"""How many streams each of them has: one for each game that it plays at a time."""


class Load(NamedTuple):
    """How many games at once, and how their players are reached."""

    games: int
    way: Way = "dialled in"


class Sample(NamedTuple):
    """What happened in a stretch of time.

    `cpu_s` is the CPU time of the server, all its threads together; `players_cpu_s` that of all processes of players.
    """

    turns: int
    calls: int
    wall_s: float
    cpu_s: float
    players_cpu_s: float

    def since(self, before: Sample) -> Sample:
        """Return what happened after `before`."""
        return Sample(
            self.turns - before.turns,
            self.calls - before.calls,
            self.wall_s - before.wall_s,
            self.cpu_s - before.cpu_s,
            self.players_cpu_s - before.players_cpu_s,
        )


class Tally:
    """What has been called so far. `closed`: no player is called any more, and games stand still."""

    def __init__(self) -> None:
        self.turns = 0
        self.calls = 0
        self.closed = False

    def now(self, players: Sequence[psutil.Process]) -> Sample:
        """Everything so far, and the clocks; those of the processes of players too."""
        used = [each.cpu_times() for each in players]
        players_cpu_s = sum(each.user + each.system for each in used)
        return Sample(self.turns, self.calls, time.perf_counter(), time.process_time(), players_cpu_s)


class CountedLink:
    """A link that counts what goes through it."""

    def __init__(self, link: Link, clock: Clock, turn_paths: frozenset[str], tally: Tally) -> None:
        self._link = link
        self._clock = clock
        self._turn_paths = turn_paths
        self._tally = tally

    def call(
        self, method: str, request: bytes, limit_s: float, done: Done, bank_s: float = 0.0, extra: Metadata = NO_EXTRA
    ) -> OpenCall:
        """Call through the link, unless the tally is closed: then the call is never sent nor answered."""
        tally = self._tally
        if tally.closed:
            return OpenCall(self._clock, limit_s, done, lambda _: None)
        tally.calls += 1
        if method in self._turn_paths:
            tally.turns += 1
        return self._link.call(method, request, limit_s, done)

    async def close(self) -> None:
        """Do nothing: the link is shared, and lives as long as the arena."""


class Arena:
    """Plays games of one kind on a server.

    `tables` are the links of the players that sit together, for each way: games take turns at the tables.
    """

    def __init__(
        self,
        server: Server,
        measured: MeasuredGame,
        tables: Mapping[Way, Sequence[Sequence[Link]]],
        players: Sequence[psutil.Process],
        sample: SampleGame,
    ) -> None:
        self._server = server
        self._measured = measured
        self._tables = tables
        self._players = players
        self._sample = sample
        self._numbers = itertools.count(1)
        self._template = _template(measured)
        self.address = server.address

    async def run(self, load: Load, seconds: float) -> Sample:
        """Keep so many games going for so long. Raises Unmeasurable if a player was eliminated, or nothing moves."""
        tally = Tally()
        paths, clock = self._measured.turn_paths, self._server.clock
        tables = [[CountedLink(link, clock, paths, tally) for link in table] for table in self._tables[load.way]]
        stages = self._sample.stages(self._measured, load.games)
        playing: dict[str, GamePlan] = {}
        slots = [
            asyncio.create_task(self._slot(self._plan(stage), table, tally, playing))
            for stage, table in zip(stages, itertools.cycle(tables), strict=False)
        ]
        try:
            async with asyncio.timeout(RUN_LIMIT_S):
                await self._warm(load, tally, slots)
                before = tally.now(self._players)
                await asyncio.sleep(seconds)
                after = tally.now(self._players)
                await self._stop(tally, playing)
                await asyncio.gather(*slots)
        except TimeoutError:
            raise Unmeasurable(f"{load.games} games {load.way} made {tally.turns} turns and stand still") from None
        finally:
            for slot in slots:
                slot.cancel()
        return after.since(before)

    async def start_cpu_s(self, seconds: float) -> float:
        """Return the CPU time of the server for a game that is stopped at its first call: its start and its end.

        No player is called.
        """
        tally = Tally()
        tally.closed = True
        clock, referee = self._server.clock, self._server.referee
        links = [CountedLink(link, clock, frozenset(), tally) for link in self._tables["dialled in"][0]]

        async def start() -> None:
            running = referee.create(self._plan(None), f"game-{next(self._numbers)}", links=links)
            assert isinstance(running, Running)
            await asyncio.sleep(0)  # in which it begins
            running.stop("measured")
            await running.released.wait()

        count, began, used = 0, time.perf_counter(), time.process_time()
        while time.perf_counter() < began + seconds:
            await asyncio.gather(*(start() for _ in range(STARTS_AT_ONCE)))
            count += STARTS_AT_ONCE
        return (time.process_time() - used) / count

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
            plan.initial_state.CopyFrom(wrap(GameState, self._measured.contract, stage))
        return plan


def _template(measured: MeasuredGame) -> GamePlan:
    limit = Duration(seconds=LIMIT_S)
    return GamePlan(
        game=measured.game,
        settings=wrap(GameSettings, measured.contract, measured.settings_message),
        players=[Player(name=name, link=f"dial-in:{name}") for name in names(measured.seat_count)],
        time_control=TimeControl(decision_limit=limit, first_decision_limit=limit, notification_limit=limit),
    )


@asynccontextmanager
async def arena(measured: MeasuredGame, sample: SampleGame, ways: Collection[Way]) -> AsyncIterator[Arena]:
    """Return a server in this process, with records on disk, and the processes of its players.

    Two processes have half of the players each, which can be reached both ways. Those of a class are started only if
    `ways` asks for them.
    """
    async with AsyncExitStack() as stack:
        directory = stack.enter_context(tempfile.TemporaryDirectory(prefix="fairplay-bench-"))
        server = await Server.start(Config(records=Path(directory), players="127.0.0.1:0"))
        stack.push_async_callback(server.stop)
        seated, ports, guards = names(measured.seat_count), [], []
        for half in halves(seated):
            players = await stack.enter_async_context(
                started("benchmarks.players", server.players_address, measured.game, "together", *half)
            )
            ports += players.line.split()
            guards.append(players.guard)
        tables: dict[Way, Sequence[Sequence[Link]]] = {
            "dialled in": [[await open_link(server, measured, f"dial-in:{name}") for name in seated]],
            "dialled": [[await _dial(server, stack, port) for port in ports]],
        }
        if "class" in ways:
            at_tables = [
                [f"student{program}.{place}" for place in range(CLASS_STREAMS)] for program in range(CLASS_SIZE)
            ]
            for own in at_tables:
                students = await stack.enter_async_context(
                    started("benchmarks.players", server.players_address, measured.game, "apart", *own)
                )
                guards.append(students.guard)
            tables["class"] = [
                [await open_link(server, measured, f"dial-in:{name}") for name in table]
                for table in _seat_class(at_tables, measured.seat_count)
            ]
        processes = [psutil.Process(guard).children()[0] for guard in guards]
        yield Arena(server, measured, tables, processes, sample)


def _seat_class(programs: Sequence[Sequence[str]], seat_count: int) -> list[list[str]]:
    """Return tables of streams, each of another program: as many as there are streams for."""
    streams = [name for place in zip(*programs, strict=True) for name in place]
    return [streams[at : at + seat_count] for at in range(0, len(streams) - seat_count + 1, seat_count)]


async def _dial(server: Server, stack: AsyncExitStack, port: str) -> Link:
    link = await dial_out_link(server.clock, f"127.0.0.1:{port}", START_LIMIT_S)
    stack.push_async_callback(link.close)
    return link


async def open_link(server: Server, measured: MeasuredGame, link: str) -> Link:
    """Return the link of this text to a player, which has no name."""
    return await server.links.open(Player(name="player", link=link), measured.contract)
