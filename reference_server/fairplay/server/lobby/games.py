"""The games of the tables: begun, seen through to their ends, and found again after a new start of the server."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Coroutine
from typing import Any, TypeVar

from fairplay.server.errors import Refusal
from fairplay.server.lobby.floor import Floor
from fairplay.server.lobby.table import Table
from fairplay.server.records.errors import RecordsError
from fairplay.server.referee import Referee
from fairplay.v1.game_pb2 import Player
from fairplay.v1.referee_pb2 import Game as GameMessage
from fairplay.v1.referee_pb2 import GamePlan
from fairplay.v1.result_pb2 import GameResult
from fairplay.v1.table_pb2 import Table as TableMessage

log = logging.getLogger("fairplay.lobby")

T = TypeVar("T")

LOST = "the game cannot go on; the server's log says why"


class Games:
    """The games that go on at tables. Seeds come from `rng`."""

    def __init__(self, referee: Referee, floor: Floor, rng: random.Random) -> None:
        self._referee = referee
        self._floor = floor
        self._rng = rng
        self._tasks: set[asyncio.Task[Any]] = set()

    async def start(self, table: Table) -> None:
        """Starts a game with those who sit at a table. Refusal: it cannot be played; then nothing has changed."""
        await asyncio.shield(self._keep(self._start(table)))

    async def _start(self, table: Table) -> None:
        before = TableMessage()
        before.CopyFrom(table.shown())
        assert table.journal is not None
        game_id = f"{table.journal.listing.record_id}/game"
        table.begin(game_id)
        self._floor.ledger.note(table)  # before the game: a table whose game is not there has not been started
        playing = self._keep(self._referee.play(self._plan(before, table), game_id))
        await asyncio.sleep(0)  # in which it begins
        if playing.done() and (error := playing.exception()) is not None:
            table.call_off(before)
            self._floor.ledger.note(table)
            raise error
        self._keep(self._see_through(table, playing))
        self._floor.changed(table)

    def _plan(self, message: TableMessage, table: Table) -> GamePlan:
        return GamePlan(
            game=message.game,
            settings=message.settings if message.HasField("settings") else None,
            players=[Player(name=seat.name, link=seat.link) for seat in table.seats],
            seed=self._rng.getrandbits(64),
            time_control=message.time_control if message.HasField("time_control") else None,
        )

    def resume(self, table: Table) -> None:
        """Waits for a game that an earlier run began; the referee goes on with it."""
        try:
            plan = self._referee.get(table.game_id).plan
        except Refusal:  # the crash came before the game
            table.end(GameResult(aborted="the server was started again before the game began"))
            self._floor.ledger.turn_over(table)
        else:
            self._keep(self._see_through(table, self._keep(self._referee.play(plan, table.game_id))))

    async def _see_through(self, table: Table, playing: asyncio.Task[GameMessage]) -> None:
        try:
            result = (await playing).result
        except Refusal as refusal:
            if refusal.reason == "SHUTTING_DOWN":
                return
            log.error("game %s cannot go on: %s", table.game_id, refusal.message)
            result = GameResult(aborted=LOST)
        except RecordsError as error:
            log.error("game %s cannot go on: %s", table.game_id, error)
            result = GameResult(aborted=LOST)
        if not table.gone:
            self._end(table, result)

    def _end(self, table: Table, result: GameResult) -> None:
        seats = table.seats
        table.end(result)
        try:
            self._floor.ledger.turn_over(table)
            if not self._floor.expecting:
                self._floor.give_up_seats(table)
        except RecordsError as error:
            log.error("the table %s cannot be recorded any more: %s", table.name, error)
        self._floor.free_names(table, seats)
        self._floor.changed(table)

    def stop(self, table: Table) -> None:
        """The table is deleted: its game ends without a winner."""
        if table.running:
            self._keep(self._referee.stop(table.game_id, "the table was deleted"))

    async def suspend(self) -> None:
        """The referee has suspended its games: nothing waits for them any more."""
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _keep(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._settled)
        return task

    def _settled(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None and not isinstance(error, Refusal):
            log.error("a table's game was lost sight of", exc_info=error)
