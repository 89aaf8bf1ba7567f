"""Records of games: search, verification and download."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from fairplay.client.results import check_record
from fairplay.client.wording import file_name
from fairplay.v1.record_pb2 import Record
from fairplay.v1.record_service_pb2 import GetRecordRequest
from fairplay.v1.referee_pb2 import GameStatus, GetGameRequest, ListGamesRequest
from fairplay.web.site import page, site_of
from fairplay.web.upstream import ANSWER_LIMIT_S, Upstream

PAGE_SIZE = 50
RECORD_LIMIT_S = 60.0
SUFFIX = ".fairplay"
STATUSES = {
    "running": GameStatus.GAME_STATUS_RUNNING,
    "over": GameStatus.GAME_STATUS_FINISHED,
    "aborted": GameStatus.GAME_STATUS_ABORTED,
}
FIELDS = {"game": 64, "player": 64, "tournament_id": 64, "page_token": 512}
"""The fields of the search, and how long they may be at the most."""


async def records(request: Request) -> Response:
    """Show the games that fulfil what is searched for, a page of them."""
    wanted = {name: request.query_params.get(name, "").strip()[:most] for name, most in FIELDS.items()}
    status = request.query_params.get("status", "")
    asked = ListGamesRequest(
        page_size=PAGE_SIZE,
        page_token=wanted["page_token"],
        tournament_id=wanted["tournament_id"],
        game=wanted["game"],
        player=wanted["player"],
        status=STATUSES.get(status, GameStatus.GAME_STATUS_UNSPECIFIED),
    )
    upstream = site_of(request).upstream
    reply = await upstream.referee.ListGames(asked, timeout=ANSWER_LIMIT_S)
    return page(
        request,
        "records.html",
        offered=(await upstream.info()).games,
        wanted={**wanted, "status": status},
        statuses=list(STATUSES),
        games=reply.games,
        next_page=reply.next_page_token,
    )


async def record(request: Request) -> Response:
    """Show what can be done with a record, and verify it if that is asked for."""
    game_id = request.path_params["record_id"]
    site = site_of(request)
    reply = await site.upstream.referee.GetGame(GetGameRequest(game_id=game_id), timeout=ANSWER_LIMIT_S)
    wanted = "verify" in request.query_params
    findings, entry_count = await verify(site.upstream, game_id, site.verifying) if wanted else ([], 0)
    return page(request, "record.html", game=reply.game, verified=wanted, findings=findings, entry_count=entry_count)


async def verify(upstream: Upstream, record_id: str, turns: asyncio.Semaphore) -> tuple[Sequence[str], int]:
    """Fetch a record and replay it by the rules; return what is wrong with it, and how many entries it has."""
    async with turns:
        whole = Record()
        async for part in _parts(upstream, record_id):
            whole.MergeFrom(part)
        return await asyncio.to_thread(check_record, whole), len(whole.entries)


async def _parts(upstream: Upstream, record_id: str) -> AsyncIterator[Record]:
    """Yield the parts of a record; appended to each other, also as bytes, they are the record."""
    request = GetRecordRequest(record_id=record_id)
    async for part in upstream.records.GetRecord(request, timeout=RECORD_LIMIT_S):
        yield Record(entries=part.entries)


async def download(request: Request) -> Response:
    """Send a record as a file that `fairplay records` reads."""
    record_id = request.path_params["record_id"]
    parts = _parts(site_of(request).upstream, record_id)
    first = await anext(parts, Record())  # an error is answered as one before the file begins

    async def body() -> AsyncIterator[bytes]:
        yield first.SerializeToString()
        async for part in parts:
            yield part.SerializeToString()

    headers = {"Content-Disposition": f'attachment; filename="{file_name(record_id, SUFFIX)}"'}
    return StreamingResponse(body(), media_type="application/octet-stream", headers=headers)


ROUTES: Sequence[Route] = (
    Route("/records", records),
    Route("/records/{record_id:path}", record),
    Route("/download/{record_id:path}", download),
)
