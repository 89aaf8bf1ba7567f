"""The driver of a tournament: it calls the players and has the games played that the course asks for."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter, deque
from collections.abc import Callable, Collection, Sequence, Set
from collections.abc import Set as AbstractSet
from functools import partial
from itertools import takewhile
from typing import NamedTuple

from fairplay.games.evidence import idle_seats
from fairplay.games.game import find
from fairplay.games.steps import Failure
from fairplay.server.access.caller import Caller
from fairplay.server.game.plans import seconds
from fairplay.server.game.runner import NobodyPlaysError, PlayedGame, Runner, shutting_down
from fairplay.server.links.dial_in import Hub
from fairplay.server.links.link import Clock, DeadLink, Link, OpenCall, disconnected
from fairplay.server.links.ways import Links
from fairplay.server.manager import standing
from fairplay.server.manager.course import Course, OpenGame
from fairplay.server.manager.examiner import Examiner
from fairplay.server.net.errors import Refusal
from fairplay.server.records.chain import parsed
from fairplay.server.records.errors import RecordsError, RecordsUnavailable
from fairplay.server.records.store import Store
from fairplay.server.records.writer import Journal
from fairplay.v1.game_pb2 import Player
from fairplay.v1.record_pb2 import RecordEntry
from fairplay.v1.result_pb2 import GameResult
from fairplay.v1.tournament_pb2 import Tournament

log = logging.getLogger("fairplay.manager")
STARTS_AT_ONCE = 32
"""How many players are waited for at the same time; programs among them come up by turns."""
AT_ONCE = 100
"""How many players are opened, called or let go in one turn of the event loop: others have their turns in between."""


class _Queue(NamedTuple):
    """The games of a round between the same players."""

    round_number: int
    entrants: frozenset[int]


class WaitingGames:
    """Games that wait, in their order.

    A round may have hundreds of thousands, most of them between the same few players. So those that need the same
    players stand in one queue, and only its first game is looked at.
    """

    def __init__(self) -> None:
        self._queues: dict[_Queue, deque[str]] = {}

    def add(self, game_id: str, round_number: int, entrants: Collection[int]) -> None:
        """Add a game as the last one, between these entrants."""
        self._queues.setdefault(_Queue(round_number, frozenset(entrants)), deque()).append(game_id)

    def take(self, busy: Set[int], in_order: Set[int] = frozenset()) -> str | None:
        """Take out the first game that none of these players is needed for; None if there is none.

        Players of `in_order` begin no game before an earlier one of theirs.
        """
        found = self._first(busy, in_order)
        if found is None:
            return None
        game_id = self._queues[found].popleft()
        if not self._queues[found]:
            del self._queues[found]
        return game_id

    def _first(self, busy: Set[int], in_order: Set[int]) -> _Queue | None:
        late: set[int] = set()
        for queue in self._queues:
            if queue.entrants.isdisjoint(busy) and queue.entrants.isdisjoint(late):
                return queue
            late |= queue.entrants & in_order
        return None


def game_limit(message: Tournament, runner: Runner, most: int) -> int:
    """Return how many games of a tournament are played at once; `most` is the server's own limit, 0 if it has none."""
    programs = any(player.link.startswith("exec:") for player in message.entrants)
    chosen = message.plan.concurrent_game_limit or runner.room(programs=programs)
    return min(chosen, most) if most else chosen


class Services(NamedTuple):
    """The parts of the server that all tournaments share."""

    runner: Runner
    links: Links
    hub: Hub
    store: Store
    clock: Clock
    examiner: Examiner
    owner: Callable[[str], Caller]
    """Returns who pays for the games of the tournament of an id."""
    game_limit: int
    """How many games of a tournament are played at once at the most; 0: as many as suit its players."""


class Driver:
    """The driver of one tournament, from wherever its course stands to its end."""

    def __init__(self, course: Course, journal: Journal, services: Services) -> None:
        self._course = course
        self._journal = journal
        self._services = services
        self._limit_s = seconds(course.message.plan.time_control.notification_limit)
        self._links: list[Link] = []
        self._starts = asyncio.Semaphore(STARTS_AT_ONCE)
        self._game_limit = game_limit(course.message, services.runner, services.game_limit)
        self._open: dict[int, OpenCall] = {}
        self._waiting = WaitingGames()
        self._noted = 0
        """The number of the last round whose games wait, or have been begun."""
        self._heard = (0, 0)
        """How many entrants were withdrawn, and which round was the last, when games were last looked through."""
        self._unasked = 0
        """How many of the open calls of the course have not been made yet."""
        self._suspended = False
        loop = asyncio.get_running_loop()
        self._answered: asyncio.Future[None] = loop.create_future()
        self._cancelled: asyncio.Future[str] = loop.create_future()
        """Done, with what is said of games that are stopped, when the tournament is cancelled."""
        self._given_up: asyncio.Future[None] = loop.create_future()
        """Done when games that wait for their turn need not wait any longer."""
        if course.cancelled is not None:
            self.cancel()

    async def run(self) -> None:
        """Drive the course until it is over.

        Raises Refusal if it was suspended, so that it can be resumed from its record, and RecordsError if the record
        cannot be written.
        """
        course = self._course
        if not course.over:
            self._links = await self._opened(range(len(course.message.entrants)))
            await standing.load()
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
            self._cancelled.set_result(f"the tournament was cancelled: {self._course.cancelled}")
            self._give_up()

    def _give_up(self) -> None:
        if not self._given_up.done():
            self._given_up.set_result(None)

    def suspend(self) -> None:
        """Leave everything where it is. The referee must have been suspended before: its games use these links."""
        self._suspended = True
        self._give_up()
        self._let_go()
        if not self._answered.done():
            self._answered.set_result(None)

    async def close(self) -> None:
        """Release all players. To be called when `run` has ended, in whatever way."""
        self._let_go()
        for first in range(0, len(self._links), AT_ONCE):
            closing = (link.close() for link in self._links[first : first + AT_ONCE])
            for error in filter(None, await asyncio.gather(*closing, return_exceptions=True)):
                tournament_id = self._course.message.tournament_id
                log.error("a player of tournament %s cannot be let go", tournament_id, exc_info=error)

    async def _links_of(self, game: OpenGame) -> list[Link]:
        """Return the links of the players of a game, which begins with that.

        Players are started again whose processes have ended, or that could not be reached before.
        """
        entrants = game.pairing.entrants
        lost = [seat for seat in entrants if self._services.links.lost(self._links[seat])]
        for seat, opened in zip(lost, await self._opened(lost), strict=True):
            closing, self._links[seat] = self._links[seat], opened
            await closing.close()
        self._course.begin(game.shown.game_id)
        return [self._links[seat] for seat in entrants]

    async def _opened(self, seats: Sequence[int]) -> list[Link]:
        """Return new links of these entrants, opened at once. Those not open when the tournament is cancelled fail."""
        players = self._course.message.entrants
        opening: list[asyncio.Future[Link]] = []
        for first in range(0, len(seats), AT_ONCE):
            opening += [
                asyncio.ensure_future(self._open_link(players[seat])) for seat in seats[first : first + AT_ONCE]
            ]
            await asyncio.sleep(0)
        return await self._services.links.open_all(opening, self._cancelled, "the tournament was cancelled")

    async def _open_link(self, player: Player) -> Link:
        try:
            async with self._starts:
                links, message = self._services.links, self._course.message
                secret = links.secrets.of(message.tournament_id, player.name)
                return await links.open(player, find(message.plan.game), secret)
        except Refusal:
            raise
        except Exception:
            log.exception("player %s cannot be reached", player.name)
            return DeadLink(self._services.clock, disconnected("the server failed to reach the player"))

    # --- Start and End ---

    async def _ask(self) -> None:
        self._answered = asyncio.get_running_loop().create_future()
        calls = [*self._course.open_calls.items()]
        self._unasked = len(calls)
        for first in range(0, len(calls), AT_ONCE):
            for seat, asked in calls[first : first + AT_ONCE]:
                self._unasked -= 1
                link, path, done = self._links[seat], asked.call.method.path, partial(self._record_outcome, seat)
                self._open[seat] = link.call(path, asked.call.data, self._limit_s, done)
            await asyncio.sleep(0)
            if self._answered.done():  # suspended, or failed
                break
        await self._answered

    def _record_outcome(self, seat: int, outcome: bytes | Failure, elapsed_s: float) -> None:
        del self._open[seat]
        try:
            self._course.record_outcome(seat, outcome, elapsed_s)
        except Exception as error:  # whoever drives hears of it, not the link that brought the answer
            self._let_go()
            self._answered.set_exception(error)
        else:
            if not self._open and not self._unasked:
                self._answered.set_result(None)

    def _let_go(self) -> None:
        for open_call in self._open.values():
            open_call.cancel()
        self._open.clear()

    # --- games ---

    async def _play(self) -> None:
        """Play the open games, and those that open meanwhile, several at once but each link one at a time."""
        running: dict[asyncio.Task[PlayedGame], str] = {}
        error: BaseException | None = None
        while running or (self._course.open_games and error is None):
            try:
                if error is None:
                    await self._leave_out(running.values())
                    self._begin_games(running)
            except Exception as failed:
                error = failed
            if not running:
                break
            over, _ = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
            for task in over:
                game_id = running.pop(task)
                try:
                    played = task.result()
                    self._course.record_result(game_id, *played, self._idle(game_id, played.result))
                except Exception as failed:  # whoever drives hears of it, when no game runs any more
                    error = error or failed
        if error is not None:
            raise error

    def _idle(self, game_id: str, result: GameResult) -> Sequence[int]:
        """Return the seats of those who made no decision in a game in which others failed."""
        if not result.misconducts:
            return ()
        methods = {method.path: method for method in find(self._course.message.plan.game).methods}
        return idle_seats(result, parsed(self._services.store.read(game_id)), methods)

    async def _leave_out(self, running: Collection[str]) -> None:
        """Leave those out of games that have not begun who have been withdrawn since the format named them.

        Games of which too few are left are over with that; rounds that follow may name further ones.
        """
        course = self._course
        while (heard := (len(course.withdrawn), course.message.round_count)) != self._heard:
            self._heard = heard
            waiting = [(game_id, game) for game_id, game in course.open_games.items() if game_id not in running]
            concerned = [game_id for game_id, game in waiting if not course.withdrawn.isdisjoint(game.pairing.entrants)]
            for number, game_id in enumerate(concerned, start=1):
                course.leave_out(game_id, self._left_out(game_id))
                if not course.is_playable(game_id):
                    course.skip(game_id)
                if number % AT_ONCE == 0:
                    await asyncio.sleep(0)

    def _left_out(self, game_id: str) -> AbstractSet[int]:
        """Return who is left out of an open game: those withdrawn by now, or when it began before a new start."""
        entrants = set(self._course.open_games[game_id].pairing.entrants)
        listing = self._services.store.find(game_id)
        if listing is None:
            return self._course.withdrawn & entrants
        begun = {player.name for player in RecordEntry.FromString(listing.header).game.plan.players}
        return {seat for seat in entrants if self._course.message.entrants[seat].name not in begun}

    def _begin_games(self, running: dict[asyncio.Task[PlayedGame], str]) -> None:
        """Begin open games, in their order, as long as there is room for more.

        Those who may be withdrawn soon play theirs strictly in order, so that it does not depend on what else runs
        which games they play before they are.
        """
        self._take_note()
        open_games = self._course.open_games
        playing = Counter(seat for game_id in running.values() for seat in open_games[game_id].pairing.entrants)
        busy = {seat for seat in playing if playing[seat] >= self._most_at_once(seat)}
        while (
            len(running) < self._game_limit and (game_id := self._waiting.take(busy, self._course.untried)) is not None
        ):
            if game_id in open_games:  # else it was skipped while it waited
                game = open_games[game_id]
                playing.update(game.pairing.entrants)
                busy.update(seat for seat in game.pairing.entrants if playing[seat] >= self._most_at_once(seat))
                running[asyncio.create_task(self._result(game_id, game))] = game_id

    def _most_at_once(self, seat: int) -> float:
        """Return in how many games an entrant may be at once: no more than it may fail, until it is known to play."""
        several = self._services.runner.has_several(self._course.message.entrants[seat])
        return self._course.trust(seat) if several else 1

    def _take_note(self) -> None:
        """Have the games wait that have opened since; they are of later rounds, and so the last ones."""
        latest = reversed(self._course.open_games.items())
        fresh = [*takewhile(lambda item: item[1].round_number > self._noted, latest)]
        for game_id, game in reversed(fresh):
            self._waiting.add(game_id, game.round_number, game.pairing.entrants)
        self._noted = self._course.message.round_count

    async def _result(self, game_id: str, game: OpenGame) -> PlayedGame:
        if self._cancelled.done() and self._services.store.find(game_id) is None:
            return PlayedGame(GameResult(aborted=self._cancelled.result()))
        try:
            async with self._services.links.quota.place(self._given_up):
                await self._journal.saved()
                return await self._services.runner.play(
                    self._course.plan_of(game),
                    game_id,
                    self._course.message.tournament_id,
                    partial(self._links_of, game),
                    self._cancelled,
                )
        except NobodyPlaysError:
            raise
        except Refusal as refusal:
            if refusal.is_passing:
                raise
            return PlayedGame(GameResult(aborted=f"the game could not be played: {refusal.message}"))
        except RecordsError as error:
            if isinstance(error, RecordsUnavailable) or self._services.store.failure is not None:
                raise
            return PlayedGame(GameResult(aborted=f"the game could not be played: {error}"))
