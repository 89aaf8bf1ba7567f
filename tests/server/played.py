"""A game whose players, record and newcomers are in the hands of a test, with the driver of real games."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager
from typing import Any

from google.protobuf.duration_pb2 import Duration
from google.protobuf.timestamp_pb2 import Timestamp
from google.protobuf.wrappers_pb2 import StringValue

from fairplay.games.steps import Call, Show
from fairplay.server.game.running import Running
from fairplay.server.links.link import NO_EXTRA, Clock, DeadLink, Done, Link, Metadata, OpenCall, disconnected
from fairplay.server.records.chain import chained
from fairplay.server.records.errors import RecordsError
from fairplay.server.records.published import begun_game
from fairplay.server.records.replay import Newcomer, Replayer, replay, resume
from fairplay.v1.game_pb2 import Player, TimeControl
from fairplay.v1.misconduct_pb2 import Misconduct
from fairplay.v1.record_pb2 import GameHeader, RecordEntry, Resumed
from fairplay.v1.referee_pb2 import Game, GamePlan
from tests.server.harness import seconds
from tests.server.quick import in_no_time, quick_clock
from tests.server.snap import Rounds, Snap


class Hand:
    """A player that answers when a test says so. `asked` counts the calls, `cancelled` those that nobody wants now."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.asked = 0
        self.cancelled = 0
        self.limit_s = self.bank_s = 0.0
        self.open: OpenCall | None = None

    def call(
        self, method: str, request: bytes, limit_s: float, done: Done, bank_s: float = 0.0, extra: Metadata = NO_EXTRA
    ) -> OpenCall:
        self.asked += 1
        self.limit_s, self.bank_s = limit_s, bank_s
        self.open = OpenCall(self._clock, limit_s, done, self._cancel)
        return self.open

    def _cancel(self, _: OpenCall) -> None:
        self.cancelled += 1

    def say(self, word: str) -> None:
        assert self.open is not None
        self.open.settle(StringValue(value=word).SerializeToString())

    async def close(self) -> None:
        """Nothing is held."""


async def turned(times: int = 3) -> None:
    """The event loop has turned: what was due at once is done."""
    for _ in range(times):
        await asyncio.sleep(0)


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(30):
        while not condition():
            await asyncio.sleep(0)


class Journal:
    """A record in memory, whose disk is held up or fails when a test says so."""

    def __init__(self, entries: Sequence[bytes]) -> None:
        self.entries = list(entries)
        self.summary = Game()
        self.end_time_ns = 0
        self.behind = False
        self.error: RecordsError | None = None
        self._free = asyncio.Event()
        self._free.set()

    async def saved(self, *, hurry: bool = False) -> None:
        await self._free.wait()
        if self.error is not None:
            raise self.error

    def finish(self, entry: bytes, summary: bytes, end_time_ns: int) -> None:
        self.entries.append(entry)
        self.summary = Game.FromString(summary)
        self.end_time_ns = end_time_ns

    def hold_up(self) -> None:
        self.behind = True
        self._free.clear()

    def catch_up(self) -> None:
        self.behind = False
        self._free.set()

    def kinds(self) -> list[str | None]:
        """Return of which kinds the entries are."""
        return [RecordEntry.FromString(entry).WhichOneof("entry") for entry in self.entries]


class Recorder:
    """A watcher, and an observer, that keeps what it is told."""

    def __init__(self) -> None:
        self.news: list[Show | Misconduct | Newcomer] = []
        self.asked = 0
        self.ended = 0
        self.settled: list[tuple[int, str, str]] = []

    def tell(self, news: Show | Misconduct | Newcomer) -> None:
        self.news.append(news)

    def ask(self) -> None:
        self.asked += 1

    def end(self) -> None:
        self.ended += 1

    def game_begun(self, game: Game) -> None:
        """Only calls count here."""

    def trace(self, game_id: str) -> str:
        return ""

    def game_left(self, game: Game) -> None:
        """Only calls count here."""

    def call_settled(self, game_id: str, call: Call, link: str, outcome: object, elapsed_s: float) -> None:
        self.settled.append((call.seat, link, type(outcome).__name__))


def control(bank_s: float, limit_s: int = 10) -> TimeControl:
    limit = Duration(seconds=limit_s)
    return TimeControl(decision_limit=limit, first_decision_limit=limit, notification_limit=limit, bank=seconds(bank_s))


SLOW = control(0.0, limit_s=60)


def plan_of(seat_count: int, control: TimeControl, seed: int) -> GamePlan:
    players = [Player(name=f"p{seat}", link=f"way{seat}:x") for seat in range(seat_count)]
    return GamePlan(game="snap", players=players, seed=seed, time_control=control)


class Played:
    """A game whose players and record are in the test's hands. `entries`: it is resumed after these."""

    def __init__(
        self,
        rounds: Rounds,
        seat_count: int,
        *,
        entries: Sequence[bytes] = (),
        control: TimeControl = SLOW,
        clock: Clock | None = None,
        seed: int = 1,
    ) -> None:
        self.snap = Snap(rounds)
        self.clock = clock or Clock()
        self.hands = [Hand(self.clock) for _ in range(seat_count)]
        if not entries:
            header = GameHeader(game_id="g", plan=plan_of(seat_count, control, seed), start_time=Timestamp(seconds=1))
            entries = [RecordEntry(game=header).SerializeToString()]
        self.journal = Journal(entries)
        self.received = Recorder()
        replayer = resume(chained(entries), self.journal.entries.append, self.snap.find)
        self.running = self._run(replayer)

    def _run(self, replayer: Replayer) -> Running:
        joined = [newcomer.player for newcomer in replayer.newcomers]
        running = Running(begun_game(replayer.header, joined), replayer, self.journal, [self.received])
        running.watchers.append(self.received)
        return running

    def begin(self) -> None:
        self.running.begin(self.hands)

    def join(self, name: str) -> tuple[Hand, asyncio.Future[Link]]:
        """Let a player join whose link is open when the future has it."""
        hand = Hand(self.clock)
        reached: asyncio.Future[Link] = asyncio.get_running_loop().create_future()

        async def open_link() -> Link:
            return await reached

        self.running.join(Player(name=name, link="late:x"), asyncio.create_task(open_link()))
        return hand, reached

    def leave(self, seat: int) -> None:
        gone = disconnected("left")
        self.running.leave(seat, DeadLink(self.clock, gone), gone)

    def again(self, leaver: int | None = None) -> None:
        """Kill the server and start it again; a player may leave before its links are open again."""
        self.running.suspend()
        self.running.over.exception()
        replayer = resume(chained(self.journal.entries), self.journal.entries.append, self.snap.find)
        self.journal.entries.append(RecordEntry(resumed=Resumed()).SerializeToString())
        self.running = self._run(replayer)
        if leaver is not None:
            self.leave(leaver)
        self.begin()

    def replayed(self) -> list[list[tuple[int, str]]]:
        """Return what the conversation hears when the record is played again."""
        received = self.snap.received
        list(replay(chained(self.journal.entries), self.snap.find))
        again, self.snap.received = self.snap.received, received
        return again

    def entries(self) -> list[RecordEntry]:
        return [RecordEntry.FromString(entry) for entry in self.journal.entries]


@asynccontextmanager
async def played(rounds: Rounds, seat_count: int, **options: Any) -> AsyncIterator[Played]:
    at = Played(rounds, seat_count, **options)
    try:
        yield at
    finally:
        at.journal.catch_up()
        at.running.stop("the test is over")
        await asyncio.wait([at.running.over])


def playing(
    rounds: Rounds, seat_count: int
) -> Callable[[Callable[[Played], Coroutine[Any, Any, None]]], Callable[[], None]]:
    """Begin a game in simulated time for the decorated test, and fail if the event loop is told of an error."""

    def decorate(test: Callable[[Played], Coroutine[Any, Any, None]]) -> Callable[[], None]:
        def run() -> None:
            reported: list[dict[str, Any]] = []

            async def play() -> None:
                asyncio.get_running_loop().set_exception_handler(lambda _, context: reported.append(context))
                async with played(rounds, seat_count, clock=quick_clock()) as at:
                    at.begin()
                    await test(at)

            in_no_time(play())
            assert reported == []

        return run

    return decorate
