"""RefereeService and RecordService: single games, and the records of games and tournaments that are over."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from google.protobuf.timestamp_pb2 import Timestamp

from fairplay.server.access.ownership import Ownership
from fairplay.server.game.plans import checked_single_id
from fairplay.server.game.referee import Referee, WantedGames
from fairplay.server.net.errors import Refusal
from fairplay.server.records.database import Selection
from fairplay.server.records.published import parts, published
from fairplay.server.records.store import Store
from fairplay.server.servicers.public import cursor_of, game_summary, page_size, public_game, token_of
from fairplay.v1 import record_service_pb2 as record_pb
from fairplay.v1 import referee_pb2 as pb
from fairplay.v1.record_service_pb2_grpc import RecordServiceServicer
from fairplay.v1.referee_pb2_grpc import RefereeServiceServicer

KINDS = ("game", "tournament")

MAX_NS = 2**63 - 1


class RecordServicer(RecordServiceServicer):
    """The service that hands out records."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def GetRecord(  # type: ignore[override]  # noqa: N802 - writes through the context instead of yielding
        self, request: record_pb.GetRecordRequest, context: Any
    ) -> None:
        """Stream a record."""
        record_id = request.record_id
        listing = self._store.find(record_id)
        if listing is None or listing.kind not in KINDS:
            message = f"there is no record of a game or tournament {record_id!r}"
            raise Refusal("RECORD_NOT_FOUND", message, "record_id", given=record_id)
        if not listing.finished:
            message = f"the {listing.kind} {record_id} is not over: its record can be had when it is"
            raise Refusal("RECORD_OPEN", message, "record_id", given=record_id)
        if self._store.has_open(listing.parent):
            message = f"the tournament {listing.parent} is not over: the records of its games can be had when it is"
            raise Refusal("RECORD_OPEN", message, "record_id", given=record_id)
        record = await asyncio.to_thread(lambda: published(self._store.read(record_id)))
        for part in parts(record):
            await context.write(record_pb.GetRecordResponse(entries=part))


class RefereeServicer(RefereeServiceServicer):
    """The service that hands requests to the referee."""

    def __init__(self, referee: Referee, ownership: Ownership) -> None:
        self._referee = referee
        self._ownership = ownership

    @asynccontextmanager
    async def _making(self, request: pb.PlayGameRequest | pb.CreateGameRequest) -> AsyncIterator[str]:
        """Yield the id of the game that a request asks for, which is the caller's. Raises Refusal if it cannot be."""
        game_id = checked_single_id(request.game_id or uuid.uuid4().hex)
        self._ownership.check_players(request.plan.players, "plan.players")
        await self._referee.check_proxies(request.plan.players)
        async with self._ownership.making("game", game_id):
            yield game_id

    async def PlayGame(self, request: pb.PlayGameRequest, context: Any) -> pb.PlayGameResponse:  # noqa: N802
        """Play a game to its end."""
        async with self._making(request) as game_id:
            game = await self._referee.play(request.plan, game_id)
        return pb.PlayGameResponse(game=self._public(game))

    async def CreateGame(self, request: pb.CreateGameRequest, context: Any) -> pb.CreateGameResponse:  # noqa: N802
        """Begin a game and return at once."""
        async with self._making(request) as game_id:
            begun = self._referee.create(request.plan, game_id)
        return pb.CreateGameResponse(game=self._public(begun if isinstance(begun, pb.Game) else begun.message))

    async def WatchGame(  # type: ignore[override]  # noqa: N802 - writes through the context instead of yielding
        self, request: pb.WatchGameRequest, context: Any
    ) -> None:
        """Stream a game."""
        async for event in self._referee.watch(request.game_id, request.after_sequence):
            await context.write(event)

    async def GetGame(self, request: pb.GetGameRequest, context: Any) -> pb.GetGameResponse:  # noqa: N802
        """Return one game."""
        return pb.GetGameResponse(game=self._public(self._referee.get(request.game_id)))

    async def ListGames(self, request: pb.ListGamesRequest, context: Any) -> pb.ListGamesResponse:  # noqa: N802
        """Return a page of games."""
        games, cursor = await asyncio.to_thread(
            self._referee.list,
            _wanted(request),
            page_size(request.page_size),
            cursor_of(request),
            oldest_first=request.oldest_first,
        )
        return pb.ListGamesResponse(games=map(game_summary, games), next_page_token=token_of(request, cursor))

    async def StopGame(self, request: pb.StopGameRequest, context: Any) -> pb.StopGameResponse:  # noqa: N802
        """End a running game."""
        self._ownership.check("game", request.game_id)
        return pb.StopGameResponse(game=self._public(await self._referee.stop(request.game_id, request.reason)))

    def _public(self, game: pb.Game) -> pb.Game:
        return public_game(game, revealed=self._referee.revealed(game))


def _wanted(request: pb.ListGamesRequest) -> WantedGames:
    running = request.status == pb.GameStatus.GAME_STATUS_RUNNING
    selection = Selection(
        "game",
        parent=request.tournament_id,
        game=request.game,
        from_ns=_nanoseconds(request.start_time_from) if request.HasField("start_time_from") else None,
        to_ns=_nanoseconds(request.start_time_to) if request.HasField("start_time_to") else None,
        finished=not running if request.status else None,
    )
    return WantedGames(selection, request.player, request.status)


def _nanoseconds(time: Timestamp) -> int:
    """Return a time as the database keeps it; one that is out of its range as the first or last that is in it."""
    return max(-MAX_NS, min(time.seconds * 10**9 + time.nanos, MAX_NS))
