"""What runs on the server, and how the pages themselves do: for operators."""

from __future__ import annotations

import resource
import time
from collections.abc import Sequence

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from fairplay.v1.access_pb2 import Role
from fairplay.v1.manager_pb2 import ListTournamentsRequest
from fairplay.v1.referee_pb2 import GameStatus, GameSummary, ListGamesRequest
from fairplay.web.site import page, site_of, visitor_of
from fairplay.web.upstream import ANSWER_LIMIT_S, Upstream, knows_accounts

PAGE_SIZE = 50
STARTED_S = time.monotonic()
NOT_YOURS = "This page is for operators of the server: enter the lobby with the token of such an account."


async def operator(request: Request) -> Response:
    """Show what runs. On a server with accounts only to operators; without, whoever reaches it may see everything."""
    site = site_of(request)
    upstream = site.upstream
    info = await upstream.info()
    if knows_accounts(info):
        visitor = visitor_of(request)
        if visitor is None or await upstream.role(visitor.client.channel) < Role.ROLE_OPERATOR:
            raise HTTPException(403, NOT_YOURS)
    running = await _games(upstream, GameStatus.GAME_STATUS_RUNNING)
    aborted = await _games(upstream, GameStatus.GAME_STATUS_ABORTED)
    listed = await upstream.manager.ListTournaments(ListTournamentsRequest(page_size=PAGE_SIZE), timeout=ANSWER_LIMIT_S)
    used = resource.getrusage(resource.RUSAGE_SELF)
    facts = {
        "Version of the server": info.version,
        "Formats": ", ".join(info.formats),
        "Games that run": f"{len(running)}{' or more' if len(running) == PAGE_SIZE else ''}",
        "People in the lobby through these pages": str(len(site.visitors)),
        "Games that these pages follow": str(len(site.watching)),
        "These pages have been up for": f"{time.monotonic() - STARTED_S:.0f} s",
        "Processor time of these pages": f"{used.ru_utime + used.ru_stime:.1f} s",
        "Most memory of these pages": f"{used.ru_maxrss / 1024:.0f} MiB",
        "Starts programs of callers": "yes" if info.limits.starts_programs else "no",
    }
    return page(request, "operator.html", facts=facts, running=running, aborted=aborted, tournaments=listed.tournaments)


async def _games(upstream: Upstream, status: GameStatus.ValueType) -> Sequence[GameSummary]:
    asked = ListGamesRequest(page_size=PAGE_SIZE, status=status)
    reply = await upstream.referee.ListGames(asked, timeout=ANSWER_LIMIT_S)
    return list(reply.games)


ROUTES: Sequence[Route] = (Route("/operator", operator),)
