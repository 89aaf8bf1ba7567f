"""One tournament of the server: its start, its course, its end, its record and its watchers."""

from __future__ import annotations

import asyncio
import contextvars
import logging
from collections import deque
from collections.abc import AsyncGenerator, Callable

from fairplay.server import __version__
from fairplay.server.access.caller import CALLER
from fairplay.server.game.plans import now
from fairplay.server.game.runner import shutting_down
from fairplay.server.manager import states
from fairplay.server.manager.course import Course
from fairplay.server.manager.driver import Driver, Services
from fairplay.server.manager.history import History
from fairplay.server.manager.plan import check_format, seated
from fairplay.server.manager.signup import Later, SignUp
from fairplay.server.net.errors import Refusal
from fairplay.server.net.exhaustion import STOPPED_BY_MACHINE, records_unavailable, waiting_for
from fairplay.server.observing.log import log_news
from fairplay.server.records.errors import RecordsError
from fairplay.server.records.writer import Journal
from fairplay.v1.manager_pb2 import TournamentStarted, WatchTournamentResponse
from fairplay.v1.record_pb2 import RecordEntry, Resumed, TournamentChange, TournamentEntrants
from fairplay.v1.tournament_pb2 import Standings
from fairplay.v1.tournament_pb2 import Tournament as TournamentMessage

MAX_UNREAD = 1_000
"""How many events a watcher may leave unread: one that leaves more gets the whole tournament instead."""

log = logging.getLogger("fairplay.manager")
PAUSE_S = 1.0
"""The time between standings that watchers are sent."""
MAX_STANDINGS = 200
"""How many entrants are in the standings that watchers are sent."""
UNFORESEEN = "the manager failed; its log says more"


class Watchers:
    """The watchers of one tournament, to whom its news are sent."""

    def __init__(self) -> None:
        self._watchers: list[_Watcher] = []
        self._closed = False
        self._refusal: Refusal | None = None

    @property
    def anybody(self) -> bool:
        """Return whether somebody watches."""
        return bool(self._watchers)

    def tell(self, event: WatchTournamentResponse) -> None:
        """Send an event to all watchers. They share it: nothing is copied for each."""
        for watcher in self._watchers:
            watcher.tell(event)

    def close(self, refusal: Refusal | None = None) -> None:
        """End the news; `refusal` says why, if the tournament is not over."""
        self._closed, self._refusal = True, refusal
        for watcher in self._watchers:
            watcher.wake.set()

    async def follow(self, message: TournamentMessage) -> AsyncGenerator[WatchTournamentResponse, None]:
        """Yield the tournament as it is now, then its news until the end. Raises Refusal if the server shuts down.

        Who reads so slowly that too many events wait for it misses them, and is sent the tournament as it is then.
        """
        watcher = _Watcher()
        self._watchers.append(watcher)
        try:
            while True:
                while (event := watcher.next(message)) is not None:
                    yield event
                if self._closed:
                    break
                watcher.wake.clear()
                await watcher.wake.wait()
        finally:
            self._watchers.remove(watcher)
        if self._refusal is not None:
            raise self._refusal


class _Watcher:
    """The events that one watcher has still to read; `behind` while it is to be sent the whole tournament first."""

    def __init__(self) -> None:
        self.wake = asyncio.Event()
        self._behind = True
        self._events: deque[WatchTournamentResponse] = deque()

    def tell(self, event: WatchTournamentResponse) -> None:
        if not self._behind:
            self._events.append(event)
            if len(self._events) > MAX_UNREAD:
                self._behind = True
                self._events.clear()
        self.wake.set()

    def next(self, message: TournamentMessage) -> WatchTournamentResponse | None:
        """Return the next event; None if there is none."""
        if self._behind:
            self._behind = False
            return WatchTournamentResponse(tournament=message)  # copies it, as it is now
        return self._events.popleft() if self._events else None


def tournament_over(tournament_id: str) -> Refusal:
    """Return the refusal of a request that comes after the end."""
    message = f"the tournament {tournament_id} is over"
    return Refusal("TOURNAMENT_OVER", message, "tournament_id", given=tournament_id)


class Tournament:
    """A tournament that is not over, or has just ended.

    Its methods, and those of `sign_up`, change it at once; what they changed is on disk after `saved`. `gone` is
    called when nothing of it runs any more, because it is over or because the server shuts down.
    """

    def __init__(
        self, message: TournamentMessage, journal: Journal, services: Services, later: Later, gone: Callable[[], None]
    ) -> None:
        self.message = message
        self.saved = journal.saved
        self._journal = journal
        self._services = services
        self._gone = gone
        self._watchers = Watchers()
        self.sign_up = SignUp(message, services, later, self._change, self._tell, self._start, self._abandon)
        self._left = asyncio.Event()
        self._refusal: Refusal | None = None
        self.course: Course | None = None
        self._driver: Driver | None = None
        self._task: asyncio.Task[None] | None = None

    def begin(self) -> None:
        """Open the sign-up; if all entrants are there already, its first period is over at once."""
        self.sign_up.begin()

    def resume(self, history: History) -> None:
        """Go on where the record ends. A sign-up goes on with fresh periods."""
        self._append(RecordEntry(resumed=Resumed(time=now(), server_version=__version__)))
        for entry in history.due:
            self._journal.append(entry)
        if history.course is None:
            self.begin()
            self.sign_up.examine_again()
        else:
            history.course.append, history.course.tell = self._journal.append, self._tell
            self._drive(history.course)

    def follow(self) -> AsyncGenerator[WatchTournamentResponse, None]:
        """Yield the tournament, then its news until it is over."""
        return self._watchers.follow(self.message)

    def _tell(self, event: WatchTournamentResponse) -> None:
        log_news(self.message.tournament_id, event)
        self._watchers.tell(event)

    # --- the start ---

    def start(self) -> None:
        """Close the sign-up and start. Raises Refusal if too few have entered, or the tournament is over."""
        if self.message.status == states.SIGN_UP:
            self.sign_up.check_start()
            self._start()
        elif self.message.status != states.RUNNING:
            raise tournament_over(self.message.tournament_id)

    def _start(self) -> None:
        """Start, or abandon a tournament that cannot be played by those who have entered."""
        try:
            check_format(self.message.plan, self.message.entrants)
        except Refusal as refusal:
            self._abandon(refusal.message)
            return
        self.sign_up.close()
        self.sign_up.identify_all()
        entrants = seated(self.message.plan, self.message.entrants)
        self._change(TournamentChange(started=TournamentEntrants(entrants=entrants)))
        states.start(self.message, entrants)
        self._tell(WatchTournamentResponse(started=TournamentStarted(entrants=entrants)))
        self._drive(Course(self.message, self._journal.append, self._tell))

    def _drive(self, course: Course) -> None:
        self.course = course
        self._driver = Driver(course, self._journal, self._services)
        context = contextvars.copy_context()  # the games are its owner's, whoever has signed up last
        context.run(CALLER.set, self._services.owner(self.message.tournament_id))
        self._task = asyncio.create_task(self._see_through(course, self._driver), context=context)

    # --- the end ---

    async def cancel(self, reason: str) -> None:
        """End the tournament without a winner, and return when that is done.

        Raises Refusal if it is over, or decided.
        """
        if self.course is not None and self.course.decided:
            raise tournament_over(self.message.tournament_id)
        if self.message.status == states.SIGN_UP:
            self._abandon(reason)
        elif self.message.status == states.RUNNING:
            await self._cancel_course(reason)
        await self._left.wait()
        if self._refusal is not None:
            raise self._refusal

    async def _cancel_course(self, reason: str) -> None:
        course, driver = self.course, self._driver
        assert course is not None
        assert driver is not None
        if course.cancelled is None:
            self._change(TournamentChange(cancelled=reason))
            course.cancel(reason)
            await self.saved()  # first of all: a server that comes back must not play on with stopped games
            driver.cancel()

    async def suspend(self) -> None:
        """Leave the tournament where it is; its record can be resumed. The referee must have been suspended before."""
        await self.sign_up.suspend()
        if self._driver is not None:
            self._driver.suspend()
        if self._task is not None:
            await self._task
        else:
            self._leave(shutting_down())
            self._gone()

    async def _see_through(self, course: Course, driver: Driver) -> None:
        try:
            self._finish(await self._last_change(course, driver))
            await self._announce()
        except Refusal as refusal:
            self._leave(refusal)
        except RecordsError as error:
            log.error("tournament %s stops here: %s", self.message.tournament_id, error)
            self._leave(records_unavailable())
        finally:
            await driver.close()
            self._gone()

    async def _last_change(self, course: Course, driver: Driver) -> TournamentChange:
        announcing = asyncio.create_task(self._keep_announcing(course))
        try:
            await driver.run()
        except (Refusal, RecordsError):
            raise
        except Exception as error:
            if (refusal := waiting_for(error)) is not None:
                raise refusal from error
            log.exception("the manager failed in tournament %s", self.message.tournament_id)
            return TournamentChange(cancelled=UNFORESEEN)
        finally:
            announcing.cancel()
        if course.cancelled is not None:
            return TournamentChange(cancelled=course.cancelled)
        return TournamentChange(finished=course.result)

    def _abandon(self, reason: str) -> None:
        self.sign_up.close()
        self._finish(TournamentChange(cancelled=reason))
        self._task = asyncio.create_task(self._see_off())

    async def _see_off(self) -> None:
        try:
            await self._announce()
        except RecordsError as error:
            log.error("the end of tournament %s cannot be recorded: %s", self.message.tournament_id, error)
            self._leave(records_unavailable())
        self._gone()

    def _finish(self, change: TournamentChange) -> None:
        change.time.CopyFrom(now())
        final = TournamentMessage()
        final.CopyFrom(self.message)
        states.end(final, change)
        entry = RecordEntry(change=change).SerializeToString()
        self._journal.finish(entry, final.SerializeToString(), change.time.ToNanoseconds())
        states.end(self.message, change)
        self._services.links.secrets.forget(self.message.tournament_id)

    async def _announce(self) -> None:
        # A result is told only once it is on disk: a restart could come to another one.
        await self.saved()
        if self.message.status == states.FINISHED:
            await self._announce_standings()
            self._tell(WatchTournamentResponse(finished=self.message.result))
        else:
            self._tell(WatchTournamentResponse(cancelled=self.message.reason))
        self._leave()

    async def _announce_standings(self) -> None:
        assert self.course is not None  # it was played
        if self.course.standings.ranked:
            standings = Standings()
            standings.CopyFrom(await self.course.standings.latest())
            del standings.standings[MAX_STANDINGS:]
            self._watchers.tell(WatchTournamentResponse(standings=standings))

    async def _keep_announcing(self, course: Course) -> None:
        """Announce standings, as long as the tournament runs, whenever new ones are due."""
        while course.standings.ranked:
            await asyncio.sleep(PAUSE_S)
            if course.standings.due and self._watchers.anybody:
                await self._announce_standings()

    @property
    def waits(self) -> Refusal | None:
        """Return why the tournament was left where it is, if that was for want of the machine or the records."""
        refusal = self._refusal
        return refusal if refusal is not None and refusal.reason in STOPPED_BY_MACHINE else None

    def _leave(self, refusal: Refusal | None = None) -> None:
        self._refusal = refusal
        self.sign_up.release()
        self._watchers.close(refusal)
        self._left.set()

    # --- the record ---

    def _change(self, change: TournamentChange) -> None:
        change.time.CopyFrom(now())
        self._append(RecordEntry(change=change))

    def _append(self, entry: RecordEntry) -> None:
        self._journal.append(entry.SerializeToString())
