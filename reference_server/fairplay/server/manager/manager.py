"""The manager: all tournaments of a server."""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections.abc import AsyncGenerator
from functools import partial

from fairplay.games.game import find
from fairplay.server import __version__
from fairplay.server.errors import Refusal
from fairplay.server.links.dial_in import Hub
from fairplay.server.links.link import Clock
from fairplay.server.links.opening import Links
from fairplay.server.manager import history, states
from fairplay.server.manager.driver import Services, shutting_down
from fairplay.server.manager.plan import checked_tournament_id, full_tournament_plan
from fairplay.server.manager.signup import Later
from fairplay.server.manager.tournament import Tournament, now, tournament_over
from fairplay.server.plans import same_plan
from fairplay.server.records.chain import parsed
from fairplay.server.records.database import Listing
from fairplay.server.records.errors import RecordsError
from fairplay.server.records.journal import Journal
from fairplay.server.records.store import Store
from fairplay.server.referee import Referee
from fairplay.v1.game_pb2 import Player
from fairplay.v1.manager_pb2 import SignUpResponse, WatchTournamentResponse, WithdrawResponse
from fairplay.v1.record_pb2 import RecordEntry, TournamentHeader
from fairplay.v1.tournament_pb2 import Tournament as TournamentMessage
from fairplay.v1.tournament_pb2 import TournamentPlan

log = logging.getLogger("fairplay.manager")

KIND = "tournament"


class Manager:
    """All tournaments of this server. `later` schedules the ends of waiting periods; None: the event loop does."""

    def __init__(
        self, referee: Referee, links: Links, hub: Hub, store: Store, clock: Clock, later: Later | None = None
    ) -> None:
        self._services = Services(referee, links, hub, store, clock)
        self._store = store
        self._later = later or asyncio.get_running_loop().call_later
        self._active: dict[str, Tournament] = {}
        self._closing = False

    # --- what changes a tournament ---

    async def create(self, tournament_id: str, plan: TournamentPlan) -> TournamentMessage:
        """Create a tournament and open its sign-up; a repeat returns it. Raises Refusal if it cannot be played."""
        full = full_tournament_plan(plan, self._services.links.check)
        tournament_id = checked_tournament_id(tournament_id or uuid.uuid4().hex)
        listing = self._store.find(tournament_id)
        if listing is None:
            self._check_open()
            self._begin(tournament_id, full)
        elif listing.kind != KIND or not same_plan(plan, self.get(tournament_id).plan, full):
            message = f"the id {tournament_id} belongs to something made of another request: choose another one"
            raise Refusal("ID_REUSED", message, "tournament_id")
        return await self._saved(tournament_id)

    async def sign_up(self, tournament_id: str, player: Player, token: str, certificate: bytes = b"") -> SignUpResponse:
        """Sign a player up; a repeat changes nothing. Raises Refusal if the player may not enter."""
        tournament = self._changeable(tournament_id)
        if tournament is None:
            raise Refusal("SIGN_UP_CLOSED", f"the tournament {tournament_id} is over", "tournament_id")
        description = await tournament.check_certificate(player, token, certificate)
        number = tournament.sign_up(Player(name=player.name, link=player.link, description=description), token)
        await tournament.saved()
        return SignUpResponse(
            number=number,
            entrant_count=len(tournament.message.entrants),
            status=tournament.message.status,
            period_end_time=tournament.period_end_time,
        )

    async def withdraw(self, tournament_id: str, name: str, token: str) -> WithdrawResponse:
        """Take a player out again; a repeat changes nothing. Raises Refusal if the player may not leave."""
        tournament = self._changeable(tournament_id)
        if tournament is None:
            raise Refusal("SIGN_UP_CLOSED", f"the tournament {tournament_id} is over", "tournament_id")
        tournament.withdraw(name, token)
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

    def get(self, tournament_id: str) -> TournamentMessage:
        """Return a tournament as it stands. Raises Refusal if there is none of this id."""
        if (tournament := self._active.get(tournament_id)) is not None:
            return _copy(tournament.message)
        listing = self._store.find(tournament_id)
        if listing is None or listing.kind != KIND:
            raise Refusal("TOURNAMENT_NOT_FOUND", f"there is no tournament {tournament_id!r}", "tournament_id")
        return self._listed(listing)

    def list(self, limit: int, before: int | None) -> tuple[list[TournamentMessage], int | None]:
        """Return tournaments, newest first, and what `before` must be for the next page, None if there is none.

        The tournaments are not copied: they are to be read at once.
        """
        listings, cursor = self._store.list(KIND, limit=limit, before=before)
        return [self._message(listing) for listing in listings], cursor

    def watch(self, tournament_id: str) -> AsyncGenerator[WatchTournamentResponse, None]:
        """Yield the tournament, then what happens in it until it is over.

        Raises Refusal if there is no such tournament, or the server stops.
        """
        tournament = self._active.get(tournament_id)
        return tournament.follow() if tournament is not None else _shown(self.get(tournament_id))

    # --- start and stop of the server ---

    async def resume_all(self) -> None:
        """Go on with the tournaments that the records say are not over."""
        for listing in self._store.unfinished():
            if listing.kind == KIND and listing.record_id not in self._active:
                try:
                    self._resume(listing.record_id)
                except (RecordsError, Refusal, ValueError) as error:  # this one has to wait, the others have not
                    log.error("tournament %s cannot go on: %s", listing.record_id, error)

    async def suspend_all(self) -> None:
        """Leave all tournaments, and the games of the referee, where they are, with nothing of them left open."""
        self._closing = True
        await self._services.referee.suspend_all()  # first: its games use the links of the tournaments
        await asyncio.gather(*(tournament.suspend() for tournament in [*self._active.values()]))

    # --- from request and record to tournament ---

    def _begin(self, tournament_id: str, plan: TournamentPlan) -> None:
        header = TournamentHeader(tournament_id=tournament_id, plan=plan, create_time=now(), server_version=__version__)
        entry = RecordEntry(tournament=header).SerializeToString()
        start_time_ns = header.create_time.ToNanoseconds()
        journal = self._store.begin(KIND, tournament_id, entry, game=plan.game, start_time_ns=start_time_ns)
        self._opened(states.created(header), journal).begin()

    def _resume(self, tournament_id: str) -> None:
        known = history.read(parsed(self._store.read(tournament_id)))
        message = known.message
        for number, player in enumerate(message.entrants):
            self._services.links.check(player, find(message.plan.game), f"entrants[{number}]")
        self._opened(message, self._store.reopen(tournament_id)).resume(known)

    def _opened(self, message: TournamentMessage, journal: Journal) -> Tournament:
        tournament_id = message.tournament_id
        tournament = Tournament(message, journal, self._services, self._later, partial(self._gone, tournament_id))
        self._active[tournament_id] = tournament
        return tournament

    def _gone(self, tournament_id: str) -> None:
        del self._active[tournament_id]

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

    def _changeable(self, tournament_id: str) -> Tournament | None:
        """Return the tournament, None if it is over. Raises Refusal if there is none, or it cannot be changed now."""
        self._check_open()
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


async def _shown(message: TournamentMessage) -> AsyncGenerator[WatchTournamentResponse, None]:
    yield WatchTournamentResponse(tournament=message)


def _copy(message: TournamentMessage) -> TournamentMessage:
    copy = TournamentMessage()
    copy.CopyFrom(message)
    return copy
