"""What runs on the server, and how the pages themselves do: for operators."""

from __future__ import annotations

import resource
import time
from collections.abc import Mapping, Sequence

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from fairplay.v1.access_pb2 import Role
from fairplay.v1.manager_pb2 import ListTournamentsRequest
from fairplay.v1.referee_pb2 import GameStatus, GameSummary, ListGamesRequest
from fairplay.v1.server_pb2 import ServerLoad
from fairplay.web.site import page, site_of, visitor_of
from fairplay.web.upstream import ANSWER_LIMIT_S, Upstream, knows_accounts

PAGE_SIZE = 50
STARTED_S = time.monotonic()
NOT_YOURS = "This page is for operators of the server: enter the lobby with the token of such an account."


async def operator(request: Request) -> Response:
    """Show what runs. On a server with accounts only to operators; without, whoever reaches it may see everything."""
    site = site_of(request)
    upstream = site.upstream
    info, channel = await upstream.info(), upstream.channel
    if knows_accounts(info):
        visitor = visitor_of(request)
        if visitor is None or await upstream.role(visitor.client.channel) < Role.ROLE_OPERATOR:
            raise HTTPException(403, NOT_YOURS)
        channel = visitor.client.channel
    load = await upstream.load(channel)
    running = await _games(upstream, GameStatus.GAME_STATUS_RUNNING)
    aborted = await _games(upstream, GameStatus.GAME_STATUS_ABORTED)
    listed = await upstream.manager.ListTournaments(ListTournamentsRequest(page_size=PAGE_SIZE), timeout=ANSWER_LIMIT_S)
    used = resource.getrusage(resource.RUSAGE_SELF)
    facts = {
        "Version of the server": info.version,
        "Formats": ", ".join(info.formats),
        **(load_facts(load) if load is not None else {}),
        "People in the lobby through these pages": str(len(site.visitors)),
        "Games that these pages follow": str(len(site.watching)),
        "These pages have been up for": f"{time.monotonic() - STARTED_S:.0f} s",
        "Processor time of these pages": f"{used.ru_utime + used.ru_stime:.1f} s",
        "Most memory of these pages": f"{used.ru_maxrss / 1024:.0f} MiB",
        "Starts programs of callers": "yes" if info.limits.starts_programs else "no",
    }
    return page(request, "operator.html", facts=facts, running=running, aborted=aborted, tournaments=listed.tournaments)


def load_facts(load: ServerLoad) -> Mapping[str, str]:
    """Return how much the server has to do, in words."""
    up_s, cpu_s = (length.ToMilliseconds() / 1e3 for length in (load.uptime, load.cpu_time))
    return {
        "The server has been up for": f"{up_s:.0f} s",
        "Processor time of the server": f"{cpu_s:.1f} s, {100 * cpu_s / up_s if up_s else 0:.0f} % of one processor",
        "Memory of the server": f"{load.memory_bytes / 2**20:.0f} MiB" if load.memory_bytes else "not known",
        "How late the server is": f"{load.lag.ToMicroseconds() / 1e3:.1f} ms",
        "Games that run": f"{load.running_game_count:,}",
        "Tournaments that are not over": f"{load.open_tournament_count:,}",
        "Players that have dialled in": f"{load.connected_player_count:,}",
        "People in the lobby": f"{load.lobby_user_count:,}, at {load.lobby_table_count:,} tables",
        "Entries of records not on disk yet": f"{load.unsaved_entry_count:,}",
        "Records": "cannot be written any more: start the server anew" if load.records_failed else "are written",
    }


async def _games(upstream: Upstream, status: GameStatus.ValueType) -> Sequence[GameSummary]:
    asked = ListGamesRequest(page_size=PAGE_SIZE, status=status)
    reply = await upstream.referee.ListGames(asked, timeout=ANSWER_LIMIT_S)
    return list(reply.games)


ROUTES: Sequence[Route] = (Route("/operator", operator),)
