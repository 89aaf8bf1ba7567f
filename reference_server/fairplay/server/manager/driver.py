"""The driver of a tournament's course: it calls the players through their links and has the referee play the games."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

from fairplay.games.game import find
from fairplay.games.steps import Failure
from fairplay.server.errors import Refusal
from fairplay.server.links.dial_in import Hub
from fairplay.server.links.link import Clock, DeadLink, Link, OpenCall, disconnected
from fairplay.server.links.opening import Links
from fairplay.server.manager.course import Course, OpenGame
from fairplay.server.plans import seconds
from fairplay.server.records.errors import RecordsError
from fairplay.server.records.journal import Journal
from fairplay.server.records.store import Store
from fairplay.server.referee import Referee
from fairplay.v1.game_pb2 import Player
from fairplay.v1.result_pb2 import GameResult

log = logging.getLogger("fairplay.manager")


def shutting_down() -> Refusal:
    """Return the refusal of a request that has to wait until the server is back."""
    return Refusal("SHUTTING_DOWN", "the server shuts down; the tournament goes on when it is back")


class Services(NamedTuple):
    """The parts of the server that all tournaments share."""

    referee: Referee
    links: Links
    hub: Hub
    store: Store
    clock: Clock


class Driver:
    """The driver of one tournament, from wherever its course stands to its end."""

    def __init__(self, course: Course, journal: Journal, services: Services) -> None:
        self._course = course
        self._journal = journal
        self._services = services
        self._limit_s = seconds(course.message.plan.time_control.notification_limit)
        self._links: Sequence[Link] = ()
        self._open: dict[int, OpenCall] = {}
        self._suspended = False
        loop = asyncio.get_running_loop()
        self._answered: asyncio.Future[None] = loop.create_future()
        self._cancelled: asyncio.Future[None] = loop.create_future()
        if course.cancelled is not None:
            self._cancelled.set_result(None)

    async def run(self) -> None:
        """Drive the course until it is over.

        Raises Refusal if it was suspended, so that it can be resumed from its record, and RecordsError if the record
        cannot be written.
        """
        course = self._course
        if not course.over:
            await self._open_links()
        while not course.over:
            await self._journal.saved()
            if self._suspended:
                raise shutting_down()
            if course.open_games:
                await self._play()
            elif course.cancelled is not None and not course.leaving:
                course.leave()
            else:
                await self._ask()

    def cancel(self) -> None:
        """Stop running games, after the course was cancelled; open calls are still answered."""
        if not self._cancelled.done():
            self._cancelled.set_result(None)

    def suspend(self) -> None:
        """Leave everything where it is. The referee must have been suspended before: its games use these links."""
        self._suspended = True
        self._let_go()
        if not self._answered.done():
            self._answered.set_result(None)

    async def close(self) -> None:
        """Release all players. To be called when `run` has ended, in whatever way."""
        self._let_go()
        closed = await asyncio.gather(*(link.close() for link in self._links), return_exceptions=True)
        for error in filter(None, closed):
            log.error("a player of tournament %s cannot be let go", self._course.message.tournament_id, exc_info=error)

    async def _open_links(self) -> None:
        opening = [asyncio.ensure_future(self._open_link(player)) for player in self._course.message.entrants]
        everybody = asyncio.gather(*opening)
        either: set[asyncio.Future[Any]] = {everybody, self._cancelled}
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        for each in opening if self._cancelled.done() else ():
            each.cancel()
        self._links = await everybody

    async def _open_link(self, player: Player) -> Link:
        try:
            return await self._services.links.open(player, find(self._course.message.plan.game))
        except asyncio.CancelledError:
            if not self._cancelled.done():
                raise
            return DeadLink(self._services.clock, disconnected("the tournament was cancelled"))
        except Exception:
            log.exception("player %s cannot be reached", player.name)
            return DeadLink(self._services.clock, disconnected("the server failed to reach the player"))

    # --- Start and End ---

    async def _ask(self) -> None:
        self._answered = asyncio.get_running_loop().create_future()
        for seat, asked in self._course.open_calls.items():
            link, method = self._links[seat], asked.call.method
            self._open[seat] = link.call(method.path, asked.request, self._limit_s, partial(self._told, seat))
        await self._answered

    def _told(self, seat: int, outcome: bytes | Failure, elapsed_s: float) -> None:
        del self._open[seat]
        try:
            self._course.record_outcome(seat, outcome, elapsed_s)
        except Exception as error:  # whoever drives hears of it, not the link that brought the answer
            self._let_go()
            self._answered.set_exception(error)
        else:
            if not self._open:
                self._answered.set_result(None)

    def _let_go(self) -> None:
        for open_call in self._open.values():
            open_call.cancel()
        self._open.clear()

    # --- games ---

    async def _play(self) -> None:
        tables = [self._play_table(*item) for item in self._course.open_games.items()]
        for error in await asyncio.gather(*tables, return_exceptions=True):
            if error is not None:
                raise error

    async def _play_table(self, game_id: str, table: OpenGame) -> None:
        self._course.record_result(game_id, await self._result(game_id, table))

    async def _result(self, game_id: str, table: OpenGame) -> GameResult:
        if self._cancelled.done() and self._services.store.find(game_id) is None:
            return GameResult(aborted=self._why_stopped())
        try:
            return await self._played(game_id, table)
        except Refusal as refusal:
            if refusal.reason == "SHUTTING_DOWN":
                raise
            return GameResult(aborted=f"the game could not be played: {refusal.message}")
        except RecordsError as error:
            if self._services.store.failure is not None:
                raise
            return GameResult(aborted=f"the game could not be played: {error}")

    async def _played(self, game_id: str, table: OpenGame) -> GameResult:
        referee = self._services.referee
        links = [self._links[seat] for seat in table.entrants]
        tournament_id = self._course.message.tournament_id
        playing = asyncio.ensure_future(referee.play(table.plan, game_id, tournament_id, links))
        either: set[asyncio.Future[Any]] = {playing, self._cancelled}
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        if not playing.done():
            await referee.stop(game_id, self._why_stopped())
        return (await playing).result

    def _why_stopped(self) -> str:
        return f"the tournament was cancelled: {self._course.cancelled}"
