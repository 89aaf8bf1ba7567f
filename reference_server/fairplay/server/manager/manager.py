"""The manager: all tournaments of a server."""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections.abc import AsyncGenerator, Callable, Collection, Mapping, Sequence
from functools import partial

from fairplay.games.game import find
from fairplay.server import __version__
from fairplay.server.access.caller import SERVER, Caller
from fairplay.server.examining.suite import Suite
from fairplay.server.game.plans import now, same_plan
from fairplay.server.game.runner import Runner, shutting_down
from fairplay.server.links.dial_in import Hub
from fairplay.server.links.link import Clock
from fairplay.server.links.program import ProgramOptions
from fairplay.server.links.secrets import take_secret, take_secrets
from fairplay.server.links.ways import Links
from fairplay.server.manager import history, states
from fairplay.server.manager.course import Course
from fairplay.server.manager.driver import Services
from fairplay.server.manager.examiner import Examiner
from fairplay.server.manager.plan import check_distinct, checked_tournament_id, full_tournament_plan, new_secret
from fairplay.server.manager.signup import Later
from fairplay.server.manager.tournament import Tournament, tournament_over
from fairplay.server.net.errors import Refusal
from fairplay.server.net.exhaustion import RETRY_S, waiting_for
from fairplay.server.observing.log import log_tournament
from fairplay.server.records.chain import parsed
from fairplay.server.records.database import Listing
from fairplay.server.records.errors import RecordsError
from fairplay.server.records.store import Store
from fairplay.server.records.writer import Journal
from fairplay.v1.game_pb2 import Player
from fairplay.v1.manager_pb2 import SignUpResponse, WatchTournamentResponse, WithdrawResponse
from fairplay.v1.record_pb2 import RecordEntry, TournamentHeader
from fairplay.v1.tournament_pb2 import Examination, RoundGame, Standings, TournamentPlan
from fairplay.v1.tournament_pb2 import Tournament as TournamentMessage

log = logging.getLogger("fairplay.manager")

KIND = "tournament"
MAX_CHECKED_AT_ONCE = 500
"""How many entrants of a plan are checked while all others wait; more are in a thread of their own."""
KEPT_COURSES = 4
"""How many tournaments that are over are kept in memory for those who ask for their games and standings."""


class Manager:
    """All tournaments of this server.

    `later` schedules the ends of waiting periods; None: the event loop does. `game_limit` is how many games of a
    tournament are played at once at the most; 0: as many as suit its players. `examiner` examines players that sign up;
    None: programs are run in no sandbox. `owner` returns who pays for the games of the tournament of an id.
    """

    def __init__(
        self,
        runner: Runner,
        links: Links,
        hub: Hub,
        store: Store,
        clock: Clock,
        later: Later | None = None,
        game_limit: int = 0,
        examiner: Examiner | None = None,
        owner: Callable[[str], Caller] = lambda _: SERVER,
    ) -> None:
        examiner = examiner or Examiner(Suite(ProgramOptions()).examine)
        self.turns = examiner.turns
        """The turns of all examinations of the server."""
        self._services = Services(runner, links, hub, store, clock, examiner, owner, game_limit)
        self._store = store
        self._later = later or asyncio.get_running_loop().call_later
        self._active: dict[str, Tournament] = {}
        self._waiting: dict[str, Refusal] = {}
        """The tournaments that the machine has stopped, and what those are told who ask for them meanwhile."""
        self._read: dict[str, Course | None] = {}
        self._closing = False

    # --- what changes a tournament ---

    async def create(self, tournament_id: str, plan: TournamentPlan) -> TournamentMessage:
        """Create a tournament and open its sign-up; a repeat returns it. Raises Refusal if it cannot be played."""
        secrets = take_secrets(plan.entrants, "plan.entrants")
        full = await self._full(plan)
        tournament_id = checked_tournament_id(tournament_id or uuid.uuid4().hex)
        listing = self._store.find(tournament_id)
        if listing is None:
            check_distinct(player.name for player in full.entrants)
            self._check_open()
            self._begin(tournament_id, full, secrets)
        # In full once more: an earlier version of the server knew fewer defaults.
        elif listing.kind != KIND or not same_plan(plan, await self._full(self.get(tournament_id).plan), full):
            message = f"the id {tournament_id} belongs to something made of another request: choose another one"
            raise Refusal("ID_REUSED", message, "tournament_id", given=tournament_id)
        return await self._saved(tournament_id)

    async def sign_up(self, tournament_id: str, player: Player, token: str, certificate: bytes = b"") -> SignUpResponse:
        """Sign a player up; a repeat changes nothing. Raises Refusal if the player may not enter.

        The server has set the player's account, where it knows accounts.
        """
        tournament = self._changeable(tournament_id)
        if tournament is None:
            message = f"the tournament {tournament_id} is over"
            raise Refusal("SIGN_UP_CLOSED", message, "tournament_id", given=tournament_id)
        secret = take_secret(player, "player")
        examination = tournament.sign_up.examine(player, token, certificate, secret)
        if examination is not None:
            await tournament.saved()
            return _signed_up(tournament, 0, examination)
        entrant = Player(name=player.name, link=player.link, account=player.account)
        entrant.MergeFrom(await tournament.sign_up.check_certificate(player, token, certificate, secret))
        number = tournament.sign_up.sign_up(entrant, token, secret)
        await tournament.saved()
        return _signed_up(tournament, number)

    async def withdraw(self, tournament_id: str, name: str, token: str, *, trusted: bool = False) -> WithdrawResponse:
        """Take a player out again; a repeat changes nothing. Raises Refusal if the player may not leave.

        `trusted`: the name is known to be the caller's, whatever the token.
        """
        tournament = self._changeable(tournament_id)
        if tournament is None:
            message = f"the tournament {tournament_id} is over"
            raise Refusal("SIGN_UP_CLOSED", message, "tournament_id", given=tournament_id)
        tournament.sign_up.withdraw(name, token, trusted=trusted)
        await tournament.saved()
        return WithdrawResponse(entrant_count=len(tournament.message.entrants))

    async def start(self, tournament_id: str) -> TournamentMessage:
        """Start a tournament; a repeat while it runs changes nothing.

        Raises Refusal if too few players have entered, or the tournament is over.
        """
        tournament = self._changeable(tournament_id)
        if tournament is None:
            raise tournament_over(tournament_id)
        tournament.start()
        return await self._saved(tournament_id)

    async def cancel(self, tournament_id: str, reason: str) -> TournamentMessage:
        """Cancel a tournament, and return when its players have been told. Raises Refusal if it is over."""
        tournament = self._changeable(tournament_id)
        if tournament is not None:
            await tournament.cancel(reason or "somebody cancelled it")
            return _copy(tournament.message)
        over = self.get(tournament_id)
        if over.status == states.FINISHED:
            raise tournament_over(tournament_id)
        return over

    # --- what shows tournaments ---

    @property
    def open_ids(self) -> Collection[str]:
        """Return the ids of the tournaments that are not over."""
        return self._active.keys()

    def get(self, tournament_id: str) -> TournamentMessage:
        """Return a tournament as it stands. Raises Refusal if there is none of this id."""
        if (tournament := self._active.get(tournament_id)) is not None:
            return _copy(tournament.message)
        listing = self._store.find(tournament_id)
        if listing is None or listing.kind != KIND:
            message = f"there is no tournament {tournament_id!r}"
            raise Refusal("TOURNAMENT_NOT_FOUND", message, "tournament_id", given=tournament_id)
        return self._listed(listing)

    def list(self, limit: int, before: int | None) -> tuple[list[TournamentMessage], int | None]:
        """Return tournaments, newest first, and what `before` must be for the next page, None if there is none.

        The tournaments are not copied: they are to be read at once.
        """
        listings, cursor = self._store.list(KIND, limit=limit, before=before)
        return [self._message(listing) for listing in listings], cursor

    async def standings(self, tournament_id: str, limit: int, after: int) -> tuple[Standings, int | None]:
        """Return the standings from place `after` on, and where the next page begins, None if there is none.

        Raises Refusal if there is no such tournament.
        """
        course = await self._course(tournament_id)
        if course is None:
            return Standings(), None
        latest = await course.standings.latest()
        page = Standings()
        page.MergeFrom(latest)
        del page.standings[after + limit :]
        del page.standings[:after]
        return page, after + limit if after + limit < len(latest.standings) else None

    async def games(self, tournament_id: str, limit: int, after: int) -> tuple[Sequence[RoundGame], int | None]:
        """Return the games of a tournament after the first ones, and where the next page begins, None if there is none.

        Raises Refusal if there is no such tournament.
        """
        course = await self._course(tournament_id)
        games = course.archive.games(after, limit + 1) if course is not None else []
        return games[:limit], after + limit if len(games) > limit else None

    async def _course(self, tournament_id: str) -> Course | None:
        """Return the course of a tournament, rebuilt from the record if it is over; None if it never started.

        Raises Refusal if there is no such tournament, or its record is damaged.
        """
        if (active := self._active.get(tournament_id)) is not None:
            return active.course
        if tournament_id not in self._read:
            self.get(tournament_id)
            entries = parsed(self._store.read(tournament_id))
            try:
                self._read[tournament_id] = (await asyncio.to_thread(history.read, entries)).course
            except RecordsError:
                message = f"the record of the tournament {tournament_id} is damaged; `fairplay records verify` says how"
                raise Refusal("INTERNAL", message) from None
            while len(self._read) > KEPT_COURSES:
                del self._read[next(iter(self._read))]
        return self._read[tournament_id]

    def watch(self, tournament_id: str) -> AsyncGenerator[WatchTournamentResponse, None]:
        """Yield the tournament, then what happens in it until it is over.

        Raises Refusal if there is no such tournament, or the server or its machine stops.
        """
        self._check_waiting(tournament_id)
        tournament = self._active.get(tournament_id)
        return tournament.follow() if tournament is not None else _shown(self.get(tournament_id))

    # --- start and stop of the server ---

    async def resume_all(self, prefix: str = "") -> None:
        """Go on with the tournaments that the records say are not over, and whose ids begin with the prefix."""
        for listing in self._store.unfinished():
            wanted = listing.kind == KIND and listing.record_id.startswith(prefix)
            if wanted and listing.record_id not in self._active:
                try:
                    self._resume(listing.record_id)
                except (RecordsError, Refusal, ValueError) as error:  # this one has to wait, the others have not
                    log.error("tournament %s cannot go on: %s", listing.record_id, error)

    async def suspend_all(self) -> None:
        """Leave all tournaments, and the games of the runner, where they are, with nothing of them left open."""
        self._closing = True
        await self._services.runner.suspend()  # first: its games use the links of the tournaments
        await asyncio.gather(*(tournament.suspend() for tournament in [*self._active.values()]))

    # --- from request and record to tournament ---

    def _begin(self, tournament_id: str, plan: TournamentPlan, secrets: Mapping[str, str]) -> None:
        header = TournamentHeader(
            tournament_id=tournament_id,
            plan=plan,
            create_time=now(),
            server_version=__version__,
            secret=new_secret(plan.seed if plan.HasField("seed") else None),
        )
        entry = RecordEntry(tournament=header).SerializeToString()
        start_time_ns = header.create_time.ToNanoseconds()
        journal = self._store.begin(KIND, tournament_id, entry, game=plan.game, start_time_ns=start_time_ns)
        self._services.links.secrets.keep(tournament_id, secrets)
        message = states.created(header)
        log_tournament(message, "is open for sign-up")
        self._opened(message, journal).begin()

    def _resume(self, tournament_id: str) -> None:
        known = history.read(parsed(self._store.read(tournament_id)))
        message = known.message
        for number, player in enumerate(message.entrants):
            self._services.links.check(player, find(message.plan.game), f"entrants[{number}]")
        log_tournament(message, "goes on")
        self._opened(message, self._store.reopen(tournament_id)).resume(known)

    def _opened(self, message: TournamentMessage, journal: Journal) -> Tournament:
        tournament_id = message.tournament_id
        tournament = Tournament(message, journal, self._services, self._later, partial(self._gone, tournament_id))
        self._active[tournament_id] = tournament
        return tournament

    def _gone(self, tournament_id: str) -> None:
        refusal = self._active.pop(tournament_id).waits
        if refusal is not None and not self._closing:
            log.warning("tournament %s waits: %s", tournament_id, refusal.message)
            self._wait(tournament_id, refusal)

    def _wait(self, tournament_id: str, refusal: Refusal) -> None:
        """Have a tournament taken up again later that the machine has stopped."""
        self._waiting[tournament_id] = refusal
        if self._store.failure is None:  # otherwise only a new start of the server helps
            asyncio.get_running_loop().call_later(RETRY_S, self._take_up, tournament_id)

    def _take_up(self, tournament_id: str) -> None:
        refusal = self._waiting.pop(tournament_id)
        if not self._closing:
            try:
                self._resume(tournament_id)
            except Exception as error:
                if waiting_for(error) is not None:
                    self._wait(tournament_id, refusal)
                else:
                    log.exception("tournament %s cannot go on", tournament_id)

    def _check_waiting(self, tournament_id: str) -> None:
        """Raise Refusal if a tournament waits for the machine."""
        if (refusal := self._waiting.get(tournament_id)) is not None:
            raise refusal.with_traceback(None)  # or it would keep the frames of all who have asked

    def _message(self, listing: Listing) -> TournamentMessage:
        active = self._active.get(listing.record_id)
        return active.message if active is not None else self._listed(listing)

    def _listed(self, listing: Listing) -> TournamentMessage:
        if listing.finished:
            return TournamentMessage.FromString(listing.summary)
        try:
            return history.read(parsed(self._store.read(listing.record_id))).message
        except RecordsError:  # damaged: what it was made of is known all the same
            return states.created(RecordEntry.FromString(listing.header).tournament)

    async def _full(self, plan: TournamentPlan) -> TournamentPlan:
        """Return a plan with every default filled in. Raises Refusal if it cannot be played."""
        if len(plan.entrants) > MAX_CHECKED_AT_ONCE:
            full = await asyncio.to_thread(full_tournament_plan, plan, self._services.links.check)
        else:
            full = full_tournament_plan(plan, self._services.links.check)
        await self._services.links.check_proxies(full.entrants)
        return full

    def _changeable(self, tournament_id: str) -> Tournament | None:
        """Return the tournament, None if it is over. Raises Refusal if there is none, or it cannot be changed now."""
        self._check_open()
        self._check_waiting(tournament_id)
        tournament = self._active.get(tournament_id)
        if tournament is None and self.get(tournament_id).status in (states.SIGN_UP, states.RUNNING):
            message = f"the tournament {tournament_id} could not be resumed; the server's log says why"
            raise Refusal("INTERNAL", message)
        return tournament

    def _check_open(self) -> None:
        if self._closing:
            raise shutting_down()

    async def _saved(self, tournament_id: str) -> TournamentMessage:
        """Return the tournament, once all that happened in it so far is on disk."""
        if (tournament := self._active.get(tournament_id)) is not None:
            await tournament.saved()
        return self.get(tournament_id)


def _signed_up(tournament: Tournament, number: int, examination: Examination | None = None) -> SignUpResponse:
    return SignUpResponse(
        number=number,
        entrant_count=len(tournament.message.entrants),
        status=tournament.message.status,
        period_end_time=tournament.sign_up.periods.end_time,
        examination=examination,
    )


async def _shown(message: TournamentMessage) -> AsyncGenerator[WatchTournamentResponse, None]:
    yield WatchTournamentResponse(tournament=message)


def _copy(message: TournamentMessage) -> TournamentMessage:
    copy = TournamentMessage()
    copy.CopyFrom(message)
    return copy
