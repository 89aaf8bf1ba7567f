"""ManagerService: tournaments."""

from __future__ import annotations

from contextlib import aclosing
from typing import Any

from fairplay.server.manager.manager import Manager
from fairplay.server.servicers.paging import cursor_of, page_size, token_of
from fairplay.server.servicers.public import public_event, public_tournament, tournament_summary
from fairplay.v1 import manager_pb2 as pb
from fairplay.v1.manager_pb2_grpc import ManagerServiceServicer


class ManagerServicer(ManagerServiceServicer):
    """The service that hands requests to the manager."""

    def __init__(self, manager: Manager) -> None:
        self._manager = manager

    async def CreateTournament(  # noqa: N802
        self, request: pb.CreateTournamentRequest, context: Any
    ) -> pb.CreateTournamentResponse:
        """Create a tournament and open its sign-up."""
        return pb.CreateTournamentResponse(
            tournament=public_tournament(await self._manager.create(request.tournament_id, request.plan))
        )

    async def SignUp(self, request: pb.SignUpRequest, context: Any) -> pb.SignUpResponse:  # noqa: N802
        """Sign a player up."""
        return await self._manager.sign_up(request.tournament_id, request.player, request.token, request.certificate)

    async def Withdraw(self, request: pb.WithdrawRequest, context: Any) -> pb.WithdrawResponse:  # noqa: N802
        """Take a player out again."""
        return await self._manager.withdraw(request.tournament_id, request.name, request.token)

    async def StartTournament(  # noqa: N802
        self, request: pb.StartTournamentRequest, context: Any
    ) -> pb.StartTournamentResponse:
        """Close the sign-up and start."""
        tournament = await self._manager.start(request.tournament_id)
        return pb.StartTournamentResponse(tournament=tournament_summary(tournament))

    async def CancelTournament(  # noqa: N802
        self, request: pb.CancelTournamentRequest, context: Any
    ) -> pb.CancelTournamentResponse:
        """Cancel a tournament that is not over."""
        tournament = await self._manager.cancel(request.tournament_id, request.reason)
        return pb.CancelTournamentResponse(tournament=tournament_summary(tournament))

    async def GetTournament(  # noqa: N802
        self, request: pb.GetTournamentRequest, context: Any
    ) -> pb.GetTournamentResponse:
        """Return one tournament."""
        return pb.GetTournamentResponse(tournament=public_tournament(self._manager.get(request.tournament_id)))

    async def ListTournaments(  # noqa: N802
        self, request: pb.ListTournamentsRequest, context: Any
    ) -> pb.ListTournamentsResponse:
        """Return a page of tournaments."""
        tournaments, cursor = self._manager.list(page_size(request.page_size), cursor_of(request.page_token))
        return pb.ListTournamentsResponse(
            tournaments=map(tournament_summary, tournaments), next_page_token=token_of(cursor)
        )

    async def WatchTournament(  # type: ignore[override]  # noqa: N802 - writes through the context instead of yielding
        self, request: pb.WatchTournamentRequest, context: Any
    ) -> None:
        """Stream a tournament."""
        async with aclosing(self._manager.watch(request.tournament_id)) as events:
            async for event in events:
                await context.write(public_event(event))
