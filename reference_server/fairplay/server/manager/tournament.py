"""One tournament of the server: its sign-up, its course, its record and its watchers."""

from __future__ import annotations

import asyncio
import contextvars
import logging
from collections.abc import AsyncGenerator, Callable

from google.protobuf.timestamp_pb2 import Timestamp

from fairplay.games.game import find
from fairplay.server import __version__
from fairplay.server.access.caller import CALLER
from fairplay.server.errors import Refusal
from fairplay.server.links.identity import cut
from fairplay.server.manager import admission, states
from fairplay.server.manager.course import Course
from fairplay.server.manager.driver import Driver, Services, shutting_down
from fairplay.server.manager.examinations import Examinations
from fairplay.server.manager.history import History
from fairplay.server.manager.plan import check_format, seated
from fairplay.server.manager.signup import Later, Periods, SignUp
from fairplay.server.manager.standing import PAUSE_S
from fairplay.server.manager.suite import Finding
from fairplay.server.manager.watchers import Watchers
from fairplay.server.records.errors import RecordsError
from fairplay.server.records.journal import Journal
from fairplay.v1.game_pb2 import Player
from fairplay.v1.manager_pb2 import TournamentStarted, WatchTournamentResponse
from fairplay.v1.player_pb2 import PlayerDescription
from fairplay.v1.record_pb2 import RecordEntry, Resumed, TournamentChange, TournamentEntrants
from fairplay.v1.tournament_pb2 import Examination, Standings
from fairplay.v1.tournament_pb2 import Tournament as TournamentMessage

log = logging.getLogger("fairplay.manager")

MAX_TOLD = 200
"""How many entrants are in the standings that watchers are sent."""
UNFORESEEN = "the manager failed; its log says more"


def now() -> Timestamp:
    """Return the time of day, for records."""
    time = Timestamp()
    time.GetCurrentTime()
    return time


def _disk_failed() -> Refusal:
    return Refusal("INTERNAL", "the records cannot be written; the server's log says more")


def tournament_over(tournament_id: str) -> Refusal:
    """Return the refusal of a request that comes after the end."""
    return Refusal("TOURNAMENT_OVER", f"the tournament {tournament_id} is over", "tournament_id")


class Tournament:
    """A tournament that is not over, or has just ended.

    Its methods change it at once; what they changed is on disk after `saved`. `gone` is called when nothing of it runs
    any more, because it is over or because the server shuts down.
    """

    def __init__(
        self, message: TournamentMessage, journal: Journal, services: Services, later: Later, gone: Callable[[], None]
    ) -> None:
        self.message = message
        self.saved = journal.saved
        self._journal = journal
        self._services = services
        self._gone = gone
        self._game = find(message.plan.game)
        self._sign_up = SignUp(message, services.hub, services.links.check)
        self._periods = Periods(message.plan.sign_up, later, self._period_ended)
        self._watchers = Watchers()
        self._examinations = Examinations(message, services.examiner, self._decide)
        self._overdue: bool | None = None
        """Whether it was the last period that is over, where that waits for examinations."""
        self._left = asyncio.Event()
        self._refusal: Refusal | None = None
        self.course: Course | None = None
        self._driver: Driver | None = None
        self._task: asyncio.Task[None] | None = None

    def begin(self) -> None:
        """Open the sign-up; if all entrants are there already, its first period is over at once."""
        for player in self.message.entrants:
            self._identify(player)
        if self._sign_up.full and (self._periods.bounded or states.signed_up(self.message)):
            self._start()
        else:
            self._periods.begin()

    def resume(self, history: History) -> None:
        """Go on where the record ends. A sign-up goes on with fresh periods."""
        self._append(RecordEntry(resumed=Resumed(time=now(), server_version=__version__)))
        for entry in history.due:
            self._journal.append(entry)
        if history.course is None:
            self.begin()
            self._examine_again()
        else:
            history.course.append, history.course.tell = self._journal.append, self._watchers.tell
            self._drive(history.course)

    def follow(self) -> AsyncGenerator[WatchTournamentResponse, None]:
        """Yield the tournament, then its news until it is over."""
        return self._watchers.follow(self.message)

    # --- the sign-up ---

    async def check_certificate(
        self, player: Player, token: str, certificate: bytes, secret: str
    ) -> PlayerDescription | None:
        """Check the certificate of a player, where the tournament asks for one, and that it is about this player.

        Return what the player says about itself; None if it was not asked. Raises Refusal if the certificate does not
        serve, or the player may not enter for another reason.
        """
        plan = self.message.plan
        if not plan.sign_up.HasField("certificate") or self._sign_up.repeats(player, token):
            return None
        if self._examinations.asked and player.link.startswith("bot:"):
            return None
        self._check_room()
        self._sign_up.check(player, token)
        certified = admission.check_certificate(certificate, plan, admission.utc_now())
        description = await admission.describe(player, plan, self._services.links, secret)
        admission.check_player(certified, description)
        return cut(description)

    def examine(self, player: Player, token: str, certificate: bytes, secret: str) -> Examination | None:
        """Begin to examine a player, where the tournament asks for that, and return where its examination stands.

        None: it need not be examined. Raises Refusal if it may not enter, or cannot be examined.
        """
        if self._sign_up.is_examined(player, token):
            return states.examining(player)
        if not self._examinations.asked or self._sign_up.repeats(player, token):
            return None
        self._check_room()
        self._sign_up.check(player, token)
        if not self._examinations.needed(player, certificate):
            return None
        self._examinations.check_room(player)
        self._services.links.secrets.keep(self.message.tournament_id, {player.name: secret} if secret else {})
        self._change(TournamentChange(examination=states.examining(player)))
        self._sign_up.examine(player, token)
        self._watchers.tell(WatchTournamentResponse(examination=states.examining(player)))
        return self._examinations.begin(player, secret)

    def _examine_again(self) -> None:
        """Examine those again who were being examined when the server ended."""
        if self.message.status == states.SIGN_UP:
            for each in [each for each in self.message.examinations if each.status == states.EXAMINING]:
                secret = self._services.links.secrets.of(self.message.tournament_id, each.player.name)
                self._examinations.begin(each.player, secret)

    def _decide(self, player: Player, finding: Finding) -> None:
        """Let in a player that has passed its examination, and refuse another one."""
        try:
            if finding.reason:
                self._refuse(states.refused(player, finding.case_id, finding.reason))
            else:
                player.description.CopyFrom(finding.description)
                self._enter(player, "")
            self._end_overdue_period()
        except RecordsError as error:
            log.error("the sign-up of tournament %s cannot go on: %s", self.message.tournament_id, error)

    def _end_overdue_period(self) -> None:
        """End the period of the sign-up that has waited for examinations, if it has and they are over."""
        if self._overdue is not None and not self._examinations.running and self.message.status == states.SIGN_UP:
            last, self._overdue = self._overdue, None
            self._period_ended(last)

    def _refuse(self, examination: Examination) -> None:
        name = examination.player.name
        self._change(TournamentChange(examination=examination))
        states.put_examination(self.message, examination)
        self._sign_up.refuse(name)
        self._services.links.secrets.forget(self.message.tournament_id, name)
        self._watchers.tell(WatchTournamentResponse(examination=examination))

    def sign_up(self, player: Player, token: str, secret: str) -> int:
        """Enter a player, and return its number; the last one that may enter closes the sign-up.

        `secret` is the player's own, with which it is called; a repeat does not change it.
        Raises Refusal if it may not enter.
        """
        if self._sign_up.repeats(player, token):
            return self._sign_up.number(player.name)
        self._check_room()
        self._sign_up.check(player, token)
        self._identify(player)
        self._services.links.secrets.keep(self.message.tournament_id, {player.name: secret} if secret else {})
        number = len(self.message.entrants) + 1
        self._enter(player, token)
        return number

    def _enter(self, player: Player, token: str) -> None:
        """Enter a player that has been checked, and start if it is the last one that may enter."""
        self._change(TournamentChange(signed_up=player))
        self._sign_up.enter(player, token)
        states.drop_examination(self.message, player.name)
        self._watchers.tell(WatchTournamentResponse(signed_up=player))
        if self._sign_up.full and self.message.status == states.SIGN_UP:
            self._start()

    @property
    def period_end_time(self) -> Timestamp | None:
        """When the current period of the sign-up ends; None if there is no such time."""
        return self._periods.end_time

    def _identify(self, player: Player) -> None:
        """Add a player's description, if it has none yet and the server knows one."""
        if not player.HasField("description"):
            player.MergeFrom(self._services.links.identify(player, self._game))

    def withdraw(self, name: str, token: str, *, trusted: bool = False) -> None:
        """Take a player out again; `trusted`: whatever the token. Raises Refusal if it may not leave."""
        self._check_open()
        examined = states.is_examined(self.message, name)
        if not examined and not self._sign_up.entered(name):
            return
        self._sign_up.check_leaving(name, token, trusted=trusted)
        self._change(TournamentChange(withdrawn=name))
        if examined:
            self._sign_up.refuse(name)
            self._examinations.end(name)
        else:
            self._sign_up.leave(name)
        self._services.links.secrets.forget(self.message.tournament_id, name)
        self._watchers.tell(WatchTournamentResponse(withdrawn=name))
        self._end_overdue_period()

    def start(self) -> None:
        """Close the sign-up and start. Raises Refusal if too few have entered, or the tournament is over."""
        if self.message.status == states.SIGN_UP:
            self._sign_up.check_enough()
            check_format(self.message.plan, self.message.entrants)
            self._start()
        elif self.message.status != states.RUNNING:
            raise tournament_over(self.message.tournament_id)

    def _check_room(self) -> None:
        self._check_open()
        if self._sign_up.full:
            raise Refusal("SIGN_UP_CLOSED", "the tournament is full: nobody else may enter", "tournament_id")
        if self._overdue is not None:
            message = "the period of the sign-up is over: the tournament waits only for examinations that have begun"
            raise Refusal("SIGN_UP_CLOSED", message, "tournament_id")

    def _check_open(self) -> None:
        if self.message.status != states.SIGN_UP:
            message = "the sign-up is closed: the tournament has started or is over"
            raise Refusal("SIGN_UP_CLOSED", message, "tournament_id")

    def _period_ended(self, last: bool) -> None:
        if self._examinations.running:
            self._overdue = last
            return
        entered, needed = len(self.message.entrants), self.message.plan.sign_up.min_entrant_count
        try:
            if entered >= needed:
                self._start()
            elif last:
                self._abandon(f"too few entered: {entered}, where at least {needed} are needed")
            else:
                self._periods.begin()
        except RecordsError as error:
            log.error("the sign-up of tournament %s cannot go on: %s", self.message.tournament_id, error)

    def _start(self) -> None:
        """Start, or abandon a tournament that cannot be played by those who have entered."""
        try:
            check_format(self.message.plan, self.message.entrants)
        except Refusal as refusal:
            self._abandon(refusal.message)
            return
        self._periods.stop()
        for player in self.message.entrants:  # one that the creator named may have dialled in since
            self._identify(player)
        entrants = seated(self.message.plan, self.message.entrants)
        self._change(TournamentChange(started=TournamentEntrants(entrants=entrants)))
        self._examinations.end_all()
        states.start(self.message, entrants)
        self._watchers.tell(WatchTournamentResponse(started=TournamentStarted(entrants=entrants)))
        self._drive(Course(self.message, self._journal.append, self._watchers.tell))

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
        if self.message.status == states.FINISHED or (self.course is not None and self.course.decided):
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
        self._periods.stop()
        await self._examinations.close()
        if self._driver is not None:
            self._driver.suspend()
        if self._task is not None:
            await self._task
        else:
            self._leave(shutting_down())
            self._gone()

    async def _see_through(self, course: Course, driver: Driver) -> None:
        announcing = asyncio.create_task(self._keep_announcing(course))
        try:
            self._finish(await self._last_change(course, driver))
            announcing.cancel()
            await self._announce()
        except Refusal as refusal:
            self._leave(refusal)
        except RecordsError as error:
            log.error("tournament %s stops here: %s", self.message.tournament_id, error)
            self._leave(_disk_failed())
        finally:
            announcing.cancel()
            await driver.close()
            self._gone()

    async def _last_change(self, course: Course, driver: Driver) -> TournamentChange:
        try:
            await driver.run()
        except (Refusal, RecordsError):
            raise
        except Exception:
            log.exception("the manager failed in tournament %s", self.message.tournament_id)
            return TournamentChange(cancelled=UNFORESEEN)
        if course.cancelled is not None:
            return TournamentChange(cancelled=course.cancelled)
        return TournamentChange(finished=course.result)

    def _abandon(self, reason: str) -> None:
        self._periods.stop()
        self._examinations.end_all()
        self._finish(TournamentChange(cancelled=reason))
        self._task = asyncio.create_task(self._see_off())

    async def _see_off(self) -> None:
        try:
            await self._announce()
        except RecordsError as error:
            log.error("the end of tournament %s cannot be recorded: %s", self.message.tournament_id, error)
            self._leave(_disk_failed())
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
            self._watchers.tell(WatchTournamentResponse(finished=self.message.result))
        else:
            self._watchers.tell(WatchTournamentResponse(cancelled=self.message.reason))
        self._leave()

    async def _announce_standings(self) -> None:
        if self.course is not None and self.course.standings.ranked:
            standings = Standings()
            standings.CopyFrom(await self.course.standings.latest())
            del standings.standings[MAX_TOLD:]
            self._watchers.tell(WatchTournamentResponse(standings=standings))

    async def _keep_announcing(self, course: Course) -> None:
        """Announce standings, as long as the tournament runs, whenever new ones are due."""
        while course.standings.ranked:
            await asyncio.sleep(PAUSE_S)
            if course.standings.due and self._watchers.anybody:
                await self._announce_standings()

    def _leave(self, refusal: Refusal | None = None) -> None:
        self._refusal = refusal
        self._sign_up.release()
        self._watchers.close(refusal)
        self._left.set()

    # --- the record ---

    def _change(self, change: TournamentChange) -> None:
        change.time.CopyFrom(now())
        self._append(RecordEntry(change=change))

    def _append(self, entry: RecordEntry) -> None:
        self._journal.append(entry.SerializeToString())
