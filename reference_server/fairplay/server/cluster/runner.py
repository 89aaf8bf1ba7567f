"""The runner that has workers play games, and takes their records; and a game as the work of a worker."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass

from fairplay.games.game import find
from fairplay.player.standstill import run
from fairplay.server.cluster.cluster import Workers
from fairplay.server.cluster.jobs import Job, JobError, LostError, WorkerError, make_job
from fairplay.server.game.fresh import fresh_game
from fairplay.server.game.plans import full_game_plan
from fairplay.server.game.referee import Referee
from fairplay.server.game.runner import LocalRunner, NobodyPlaysError, OpenLinks, PlayedGame, shutting_down
from fairplay.server.game.running import Running
from fairplay.server.links.dial_in import Hub
from fairplay.server.links.link import Clock
from fairplay.server.links.secrets import Secrets, take_secrets
from fairplay.server.links.spec import parse_link
from fairplay.server.links.ways import Ways
from fairplay.server.net.errors import Refusal
from fairplay.server.net.exhaustion import RETRY_S, waiting_for
from fairplay.server.records.published import begun_game
from fairplay.server.records.store import Store
from fairplay.server.records.writer import MemoryJournal
from fairplay.v1.game_pb2 import Player
from fairplay.v1.record_pb2 import Record, RecordEntry
from fairplay.v1.referee_pb2 import GamePlan
from fairplay.v1.result_pb2 import GameResult

AHEAD = 2
"""For each processor so many games are sent, so that the next one is there when one is over."""


@dataclass(frozen=True, slots=True)
class GameWork:
    """A game to be played, with players of its own. `plan` is a serialised GamePlan, with the secrets of its players.

    What comes of it is the record of the game, serialised.
    """

    game_id: str
    tournament_id: str
    plan: bytes
    ways: Ways

    def run(self) -> bytes:
        """Play the game and return its record, serialised. Raises JobError if the plan is refused.

        What the machine has stopped is played again.
        """
        while (record := self._record()) is None:
            time.sleep(RETRY_S)
        return record

    def _record(self) -> bytes | None:
        """Play the game once, and return its record; None if the machine has stopped it."""
        try:
            return run(_play(self)).SerializeToString()
        except Exception as error:
            if waiting_for(error) is not None:
                return None
            if isinstance(error, Refusal):
                raise JobError(error.message) from None
            raise


async def _play(work: GameWork) -> Record:
    clock = Clock()
    hub = Hub(clock)
    programs, links = work.ways.open(hub, clock, starts_at_once=1)  # this process has one processor
    given = GamePlan.FromString(work.plan)
    secrets = take_secrets(given.players, "plan.players")
    plan = full_game_plan(given, links.check)
    fresh = fresh_game(plan, work.game_id, work.tournament_id, links)
    journal = MemoryJournal(RecordEntry(game=fresh.header).SerializeToString())
    fresh.machine.transcript.append = journal.append
    running = Running(begun_game(fresh.header), fresh, journal)
    game = find(plan.game)
    try:
        opened = await asyncio.gather(*(links.open(each, game, secrets.get(each.name, "")) for each in plan.players))
        running.begin(opened)
        await running.over
        await asyncio.gather(*(link.close() for link in opened))
    finally:
        await programs.close()
    return journal.record()


class ClusterRunner:
    """Has workers play the games. Those that were begun here, or have players that dialled in here, stay here."""

    def __init__(self, workers: Workers, referee: Referee, store: Store, ways: Ways, secrets: Secrets) -> None:
        self._workers = workers
        self._here = LocalRunner(referee, store)
        self._referee = referee
        self._store = store
        self._ways = ways
        self._secrets = secrets
        self._suspended = False
        self._playing: set[asyncio.Future[bytes]] = set()

    @property
    def processors(self) -> int:
        """Return how many processors the workers have."""
        return max(1, self._workers.processors)

    def room(self, *, programs: bool) -> int:
        """Return how many games to send to the workers at once."""
        return AHEAD * self.processors

    def has_several(self, player: Player) -> bool:
        """Return whether each game starts a player of its own."""
        return parse_link(player.link).kind in ("bot", "exec")

    async def play(
        self, plan: GamePlan, game_id: str, tournament_id: str, links: OpenLinks, stop: asyncio.Future[str]
    ) -> PlayedGame:
        """Have a game played, and take its record; see Runner."""
        kinds = [parse_link(player.link).kind for player in plan.players]
        if "dial-in" in kinds or self._store.find(game_id) is not None:
            return await self._here.play(plan, game_id, tournament_id, links, stop)
        if stop.done():
            return PlayedGame(GameResult(aborted=stop.result()))
        record = await self._record(self._job(plan, game_id, tournament_id), stop)
        if record is None:
            return PlayedGame(GameResult(aborted=stop.result()))
        journal = self._store.take(Record.FromString(record))
        await journal.saved(hurry=True)  # a result is told only once it is on disk
        return PlayedGame(self._referee.get(game_id).result, journal.last_hash)

    def _job(self, plan: GamePlan, game_id: str, tournament_id: str) -> Job:
        full = GamePlan()
        full.CopyFrom(plan)
        for player in full.players:
            player.secret = player.secret or self._secrets.of(tournament_id, player.name)
        work = GameWork(game_id, tournament_id, full.SerializeToString(), self._ways)
        return make_job("play", work, (player.link for player in plan.players))

    async def _record(self, job: Job, stop: asyncio.Future[str]) -> bytes | None:
        """Return the record of a game, None if it was stopped. Raises Refusal if it is not played."""
        if self._suspended:
            raise shutting_down()
        playing = asyncio.ensure_future(self._workers.do(job))
        self._playing.add(playing)
        try:
            await asyncio.wait((playing, stop), return_when=asyncio.FIRST_COMPLETED)
            if not playing.done():
                return None
            return await playing
        except JobError as error:
            raise Refusal("INTERNAL", str(error)) from None
        except (LostError, WorkerError) as error:
            raise NobodyPlaysError(str(error)) from None
        except asyncio.CancelledError:
            if self._suspended:
                raise shutting_down() from None
            raise
        finally:
            self._playing.discard(playing)
            playing.cancel()

    async def suspend(self) -> None:
        """Leave all games: those that workers play are played again."""
        self._suspended = True
        for playing in self._playing:
            playing.cancel()
        await self._here.suspend()
