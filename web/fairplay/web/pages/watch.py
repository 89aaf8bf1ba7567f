"""A game as everybody may see it: live while it runs, and any of its states afterwards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from fairplay.v1.referee_pb2 import GetGameRequest
from fairplay.web.site import page, render, site_of, stream, whole_number
from fairplay.web.upstream import ANSWER_LIMIT_S
from fairplay.web.watching import Feed

PICTURE = "image/svg+xml"


async def _feed(request: Request) -> Feed:
    return await site_of(request).watching.feed(request.path_params["game_id"])


async def watch(request: Request) -> Response:
    """Show a game: the newest state, or the one that the address names."""
    feed = await _feed(request)
    live = "at" not in request.query_params and not feed.over
    return page(
        request,
        "watch.html",
        feed=feed,
        live=live,
        parts=_live_parts(request, feed) if live else {},
        moment="" if live else _moment(request, feed),
        misconducts=await _misconducts(request, feed),
    )


async def _misconducts(request: Request, feed: Feed) -> Sequence[object]:
    """Return who failed in a game that is over, with the evidence."""
    if not feed.over:
        return ()
    wanted = GetGameRequest(game_id=feed.game.game_id)
    reply = await site_of(request).upstream.referee.GetGame(wanted, timeout=ANSWER_LIMIT_S)
    return list(reply.game.result.misconducts)


async def moment(request: Request) -> Response:
    """Show one state of a game, as a part of its page."""
    return HTMLResponse(_moment(request, await _feed(request)))


def _moment(request: Request, feed: Feed) -> str:
    last = feed.last
    at = min(whole_number(request.query_params.get("at"), max(last, 0)), max(last, 0))
    picture = feed.svg(at) if last >= 0 else ""
    return render(
        request,
        "parts/moment.html",
        feed=feed,
        at=at,
        last=last,
        picture=picture,
        lines=feed.seen_at(at) if last >= 0 else feed.log[::-1],
    )


def _live_parts(request: Request, feed: Feed) -> Mapping[str, str]:
    """Return the parts of a running game that change. They are drawn once for all who watch."""
    key = feed.changes.version
    if feed.drawn_parts is None or feed.drawn_parts[0] != key:
        picture = feed.svg(feed.last) if feed.last >= 0 else ""
        parts = {
            "board": render(request, "parts/watched.html", picture=picture, feed=feed),
            "log": render(request, "parts/log.html", lines=feed.log[::-1]),
            "state": render(request, "parts/state.html", feed=feed),
        }
        feed.drawn_parts = (key, parts)
    return feed.drawn_parts[1]


async def events(request: Request) -> Response:
    """Stream a game as it goes on."""
    feed = await _feed(request)
    changes = feed.changes
    return stream(request, lambda: _live_parts(request, feed), changes.wait, lambda: changes.version, lambda: feed.over)


async def picture(request: Request) -> Response:
    """Draw a state of a game, the newest if none is named."""
    feed = await _feed(request)
    if feed.last < 0:
        raise HTTPException(404, "There is no picture of this game.")
    at = min(whole_number(request.query_params.get("at"), feed.last), feed.last)
    return Response(feed.svg(at), media_type=PICTURE)


ROUTES: Sequence[Route] = (
    Route("/watch/{game_id:path}", watch),
    Route("/moment/{game_id:path}", moment),
    Route("/picture/{game_id:path}", picture),
    Route("/live/game/{game_id:path}", events),
)
