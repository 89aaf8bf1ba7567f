"""The games of the tables: started, awaited, and resumed after a restart of the server."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Coroutine
from typing import Any, TypeVar

from fairplay.server.game.plans import MAX_SEED
from fairplay.server.game.referee import Referee
from fairplay.server.lobby.checks import SeatLinks, check_not_running, check_startable, seat_of, table_of
from fairplay.server.lobby.state import LobbyState
from fairplay.server.lobby.table import Seat, Table
from fairplay.server.lobby.users import User
from fairplay.server.net.errors import Refusal
from fairplay.server.net.exhaustion import RETRY_S, waiting_for
from fairplay.server.records.errors import RecordsError
from fairplay.v1.game_pb2 import Player
from fairplay.v1.referee_pb2 import Game as GameMessage
from fairplay.v1.referee_pb2 import GamePlan
from fairplay.v1.result_pb2 import GameResult
from fairplay.v1.table_pb2 import Table as TableMessage

log = logging.getLogger("fairplay.lobby")

T = TypeVar("T")

LOST = "the game cannot go on; the server's log says why"


class TableGames:
    """Runs the games of tables. Seeds come from `rng`."""

    def __init__(self, referee: Referee, state: LobbyState, rng: random.Random) -> None:
        self._referee = referee
        self._state = state
        self._rng = rng
        self._tasks: set[asyncio.Task[Any]] = set()

    async def start(self, table: Table) -> None:
        """Start a game with those who have seats. Raises Refusal, and changes nothing, if it cannot be played."""
        await asyncio.shield(self._keep(self._start(table)))

    async def _start(self, table: Table) -> None:
        check_startable(table)  # another one may have started it, or somebody may have left, since it was asked for
        before = TableMessage()
        before.CopyFrom(table.to_message())
        assert table.journal is not None
        game_id = f"{table.journal.listing.record_id}/game"
        table.begin(game_id)
        self._state.records.record(table)  # before the game: a table whose game is not there has not been started
        playing = self._keep(self._referee.play(self._plan(before, table), game_id))
        await asyncio.sleep(0)  # in which it begins
        if playing.done() and (error := playing.exception()) is not None:
            table.call_off(before)
            self._state.records.record(table)
            raise error
        self._keep(self._await_end(table, playing))
        self._state.update_table(table)
        self.let_in(table)

    def let_in(self, table: Table) -> None:
        """Let those into the running game of a table who have a seat there and none in the game yet."""
        known = self._referee.seat_count(table.game_id)
        for seat in table.seats[known:] if known is not None else ():
            self._referee.join(table.game_id, _player(seat))

    def _plan(self, message: TableMessage, table: Table) -> GamePlan:
        return GamePlan(
            game=message.game,
            settings=message.settings if message.HasField("settings") else None,
            players=[_player(seat) for seat in table.seats],
            seed=self._rng.randrange(MAX_SEED),
            time_control=message.time_control if message.HasField("time_control") else None,
        )

    def resume(self, table: Table) -> None:
        """Wait for a game that an earlier run began, and that the referee has resumed."""
        try:
            plan = self._referee.get(table.game_id).plan
        except Refusal:  # the crash came before the game
            table.end(GameResult(aborted="the server was started again before the game began"))
            self._state.records.continue_table(table)
        else:
            self._keep(self._await_end(table, self._keep(self._referee.play(plan, table.game_id))))
            self.let_in(table)

    async def _await_end(self, table: Table, playing: asyncio.Task[GameMessage]) -> None:
        try:
            result = (await playing).result
        except (Refusal, RecordsError) as error:
            refusal = waiting_for(error)
            if refusal is not None:
                await self._go_on_later(table, refusal)
                return
            log.error("game %s cannot go on: %s", table.game_id, error)
            result = GameResult(aborted=LOST)
        if not table.deleted:
            self._end(table, result)

    async def _go_on_later(self, table: Table, refusal: Refusal) -> None:
        """Wait again for a game that the machine has stopped; what else stops one, a new start of the server ends."""
        if refusal.reason == "MACHINE_EXHAUSTED":
            await asyncio.sleep(RETRY_S)
            if not table.deleted:
                self.resume(table)

    def _end(self, table: Table, result: GameResult) -> None:
        seats = table.seats
        table.end(result)
        try:
            self._state.records.continue_table(table)
            if not self._state.expecting:
                self._state.free_absent_seats(table)
        except RecordsError as error:
            log.error("the table %s cannot be recorded any more: %s", table.name, error)
        self._state.free_names(table, seats)
        self._state.update_table(table)

    def stop(self, table: Table) -> None:
        """Stop the game of a deleted table, without a winner."""
        if table.running:
            self._keep(self._referee.stop(table.game_id, "the table was deleted"))

    async def suspend(self) -> None:
        """Stop waiting for games, which the referee has suspended."""
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


def _player(seat: Seat) -> Player:
    return Player(name=seat.name, link=seat.link, secret=seat.secret)


class Starts:
    """Starts games. A game that was to start by itself and cannot is said at its table, with the reason."""

    def __init__(self, state: LobbyState, links: SeatLinks, games: TableGames) -> None:
        self._state = state
        self._links = links
        self._games = games

    async def start(self, user: User) -> TableMessage:
        """Start the game of a user's table. Raises Refusal if the user may not, or the game cannot be played."""
        table = user.table
        if table is None or (table.seat(user.name) is None and table.owner != user.name):
            message = "only who has a seat at a table, or owns it, may start its game: join one first"
            raise Refusal("NOT_SEATED", message)
        try:
            await self._start(table)
        except Refusal as refusal:
            raise refusal.with_field("") from None  # the request has no field to blame
        return table.to_message()

    async def _start(self, table: Table) -> None:
        check_startable(table)
        self._links.check_all_here(table)
        await self._games.start(table)

    async def set_ready(self, user: User, *, ready: bool) -> TableMessage:
        """Say whether a user is ready, and start the game if all are. Raises Refusal if it has no seat, or plays."""
        table, seat = seat_of(user)
        check_not_running(table)
        if seat.ready != ready:
            seat.ready = ready
            self._state.update_table(table)
            if table.all_ready:
                await self._start_by_itself(table)
        return table.to_message()

    async def set_bots(self, user: User, count: int, link: str) -> TableMessage:
        """Have so many bots at a user's table, or as many as there are free seats.

        Raises Refusal if the user may not, the game is running, or the link is not that of a bot.
        """
        table = table_of(user)
        if table.seat(user.name) is None and table.owner != user.name:
            raise Refusal("NOT_SEATED", "only who has a seat at the table, or owns it, may bring bots: join it first")
        check_not_running(table)
        was_full = table.full
        if table.set_bots(count, self._links.check_bot(table, link)):
            self._state.records.record(table)
            self._state.update_table(table)
            if (table.complete and not was_full) or (table.all_ready and any(seat.ready for seat in table.seats)):
                await self._start_by_itself(table)
        return table.to_message()

    async def start_if_complete(self, table: Table) -> None:
        """Start the game of a table where the last seat was taken, if it was made for so many players."""
        if table.complete:
            await self._start_by_itself(table)

    async def _start_by_itself(self, table: Table) -> None:
        try:
            await self._start(table)
        except Refusal as refusal:
            if not table.running:
                self._state.say(table, "", f"The game does not start: {refusal.message}")
