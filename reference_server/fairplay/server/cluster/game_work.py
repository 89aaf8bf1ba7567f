"""A game as the work of a worker."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass

from fairplay.games.game import find
from fairplay.player.standstill import run
from fairplay.server.cluster.jobs import JobError
from fairplay.server.game.fresh import fresh_game
from fairplay.server.game.plans import full_game_plan
from fairplay.server.game.running import Running
from fairplay.server.links.dial_in import Hub
from fairplay.server.links.link import Clock
from fairplay.server.links.opening import Ways
from fairplay.server.links.secrets import take_secrets
from fairplay.server.net.errors import Refusal
from fairplay.server.net.exhaustion import RETRY_S, waiting_for
from fairplay.server.records.published import begun_game
from fairplay.server.records.writer import MemoryJournal
from fairplay.v1.record_pb2 import Record, RecordEntry
from fairplay.v1.referee_pb2 import GamePlan


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
    replayer = fresh_game(plan, work.game_id, work.tournament_id, links)
    journal = MemoryJournal(RecordEntry(game=replayer.header).SerializeToString())
    replayer.transcript.append = journal.append
    running = Running(begun_game(replayer.header), replayer, journal)
    game = find(plan.game)
    try:
        opened = await asyncio.gather(*(links.open(each, game, secrets.get(each.name, "")) for each in plan.players))
        running.begin(opened)
        await running.over
        await asyncio.gather(*(link.close() for link in opened))
    finally:
        await programs.close()
    return journal.record()
