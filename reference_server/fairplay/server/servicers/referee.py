"""RefereeService: single games."""

from __future__ import annotations

from typing import Any

from fairplay.server.referee import Referee
from fairplay.server.servicers.paging import cursor_of, page_size, token_of
from fairplay.server.servicers.public import game_summary, public_game
from fairplay.v1 import referee_pb2 as pb
from fairplay.v1.referee_pb2_grpc import RefereeServiceServicer


class RefereeServicer(RefereeServiceServicer):
    """The service that hands requests to the referee."""

    def __init__(self, referee: Referee) -> None:
        self._referee = referee

    async def PlayGame(self, request: pb.PlayGameRequest, context: Any) -> pb.PlayGameResponse:  # noqa: N802
        """Play a game to its end."""
        return pb.PlayGameResponse(game=await self._referee.play(request.plan, request.game_id))

    async def CreateGame(self, request: pb.CreateGameRequest, context: Any) -> pb.CreateGameResponse:  # noqa: N802
        """Begin a game and return at once."""
        begun = self._referee.create(request.plan, request.game_id)
        return pb.CreateGameResponse(game=public_game(begun if isinstance(begun, pb.Game) else begun.message))

    async def WatchGame(  # type: ignore[override]  # noqa: N802 - writes through the context instead of yielding
        self, request: pb.WatchGameRequest, context: Any
    ) -> None:
        """Stream a game."""
        async for event in self._referee.watch(request.game_id, request.after_sequence):
            await context.write(event)

    async def GetGame(self, request: pb.GetGameRequest, context: Any) -> pb.GetGameResponse:  # noqa: N802
        """Return one game."""
        return pb.GetGameResponse(game=public_game(self._referee.get(request.game_id)))

    async def ListGames(self, request: pb.ListGamesRequest, context: Any) -> pb.ListGamesResponse:  # noqa: N802
        """Return a page of games."""
        before = cursor_of(request.page_token)
        games, cursor = self._referee.list(page_size(request.page_size), before, request.tournament_id)
        return pb.ListGamesResponse(games=map(game_summary, games), next_page_token=token_of(cursor))

    async def StopGame(self, request: pb.StopGameRequest, context: Any) -> pb.StopGameResponse:  # noqa: N802
        """End a running game."""
        return pb.StopGameResponse(game=public_game(await self._referee.stop(request.game_id, request.reason)))
