"""ManagerService: tournaments."""

from __future__ import annotations

import uuid
from contextlib import aclosing
from typing import Any

from fairplay.server.access.caller import CALLER
from fairplay.server.access.ownership import Ownership
from fairplay.server.access.quotas import Quotas
from fairplay.server.manager.manager import KIND, Manager
from fairplay.server.manager.plan import checked_tournament_id
from fairplay.server.servicers.public import (
    cursor_of,
    page_size,
    public_event,
    public_round_game,
    public_tournament,
    token_of,
    tournament_summary,
)
from fairplay.v1 import manager_pb2 as pb
from fairplay.v1.manager_pb2_grpc import ManagerServiceServicer


class ManagerServicer(ManagerServiceServicer):
    """The service that hands requests to the manager."""

    def __init__(self, manager: Manager, ownership: Ownership, quotas: Quotas) -> None:
        self._manager = manager
        self._ownership = ownership
        self._quotas = quotas

    async def CreateTournament(  # noqa: N802
        self, request: pb.CreateTournamentRequest, context: Any
    ) -> pb.CreateTournamentResponse:
        """Create a tournament and open its sign-up."""
        tournament_id = checked_tournament_id(request.tournament_id or uuid.uuid4().hex)
        self._ownership.check_players(request.plan.entrants, "plan.entrants")
        account, open_ids = CALLER.get().account, self._manager.open_ids
        if account and tournament_id not in open_ids:
            self._quotas.check_tournaments(sum(self._ownership.owner(KIND, each) == account for each in open_ids))
        async with self._ownership.making(KIND, tournament_id):
            made = await self._manager.create(tournament_id, request.plan)
        return pb.CreateTournamentResponse(tournament=public_tournament(made))

    async def SignUp(self, request: pb.SignUpRequest, context: Any) -> pb.SignUpResponse:  # noqa: N802
        """Sign a player up."""
        player = request.player
        if self._ownership.exists(request.tournament_id):  # otherwise a name would be given for nothing
            await self._ownership.claim_names([player.name], "player.name")
        self._ownership.check_link(player.link, "player.link")
        player.account = CALLER.get().account
        return await self._manager.sign_up(request.tournament_id, player, request.token, request.certificate)

    async def Withdraw(self, request: pb.WithdrawRequest, context: Any) -> pb.WithdrawResponse:  # noqa: N802
        """Take a player out again."""
        self._ownership.check_name(request.name, "name")
        return await self._manager.withdraw(
            request.tournament_id, request.name, request.token, trusted=self._ownership.known
        )

    async def StartTournament(  # noqa: N802
        self, request: pb.StartTournamentRequest, context: Any
    ) -> pb.StartTournamentResponse:
        """Close the sign-up and start."""
        self._ownership.check(KIND, request.tournament_id)
        tournament = await self._manager.start(request.tournament_id)
        return pb.StartTournamentResponse(tournament=tournament_summary(tournament))

    async def CancelTournament(  # noqa: N802
        self, request: pb.CancelTournamentRequest, context: Any
    ) -> pb.CancelTournamentResponse:
        """Cancel a tournament that is not over."""
        self._ownership.check(KIND, request.tournament_id)
        tournament = await self._manager.cancel(request.tournament_id, request.reason)
        return pb.CancelTournamentResponse(tournament=tournament_summary(tournament))

    async def GetTournament(  # noqa: N802
        self, request: pb.GetTournamentRequest, context: Any
    ) -> pb.GetTournamentResponse:
        """Return one tournament."""
        return pb.GetTournamentResponse(tournament=public_tournament(self._manager.get(request.tournament_id)))

    async def GetStandings(self, request: pb.GetStandingsRequest, context: Any) -> pb.GetStandingsResponse:  # noqa: N802
        """Return a page of the standings of a tournament."""
        after = cursor_of(request) or 0
        page, cursor = await self._manager.standings(request.tournament_id, page_size(request.page_size), after)
        return pb.GetStandingsResponse(standings=page, next_page_token=token_of(request, cursor))

    async def ListTournamentGames(  # noqa: N802
        self, request: pb.ListTournamentGamesRequest, context: Any
    ) -> pb.ListTournamentGamesResponse:
        """Return a page of the games of a tournament."""
        after = cursor_of(request) or 0
        games, cursor = await self._manager.games(request.tournament_id, page_size(request.page_size), after)
        return pb.ListTournamentGamesResponse(
            games=map(public_round_game, games), next_page_token=token_of(request, cursor)
        )

    async def ListTournaments(  # noqa: N802
        self, request: pb.ListTournamentsRequest, context: Any
    ) -> pb.ListTournamentsResponse:
        """Return a page of tournaments."""
        tournaments, cursor = self._manager.list(page_size(request.page_size), cursor_of(request))
        return pb.ListTournamentsResponse(
            tournaments=map(tournament_summary, tournaments), next_page_token=token_of(request, cursor)
        )

    async def WatchTournament(  # type: ignore[override]  # noqa: N802 - writes through the context instead of yielding
        self, request: pb.WatchTournamentRequest, context: Any
    ) -> None:
        """Stream a tournament."""
        async with aclosing(self._manager.watch(request.tournament_id)) as events:
            async for event in events:
                await context.write(public_event(event))
