"""The front page: who is here, the tables, how to enter and leave."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from fairplay.v1.manager_pb2 import ListTournamentsRequest
from fairplay.v1.referee_pb2 import GameStatus, ListGamesRequest
from fairplay.web.site import (
    COOKIE,
    COOKIE_S,
    form_of,
    go,
    known_visitor,
    own_path,
    page,
    render,
    root_of,
    site_of,
    stream,
    visitor_of,
)
from fairplay.web.upstream import ANSWER_LIMIT_S, knows_accounts
from fairplay.web.visitors import Visitor

SHORT_LIST = 8
NO_TOKEN = "Give the token of your account. Without one you can watch, but not enter the lobby."


async def home(request: Request) -> Response:
    """Show the lobby to who has entered it, and to everybody else how to enter and what goes on.

    Who was led here from another page goes back there.
    """
    visitor, to = visitor_of(request), own_path(request.query_params.get("to", ""))
    if visitor is None:
        return await entrance(request, to=to)
    return go(request, to) if to else await _lobby(request, visitor)


async def _lobby(request: Request, visitor: Visitor, name: str = "", refusal: str = "", status: int = 200) -> Response:
    """Show the lobby; with a refusal, why the visitor cannot have the name that it wants."""
    offered = (await site_of(request).upstream.info()).games
    parts = _parts(request, visitor)
    return page(
        request,
        "lobby.html",
        status,
        parts=parts,
        offered=offered,
        name=name,
        refusal=refusal,
        notice=visitor.take_notice(),
    )


async def entrance(
    request: Request, name: str = "", refusal: str = "", status: int = 200, *, game: str = "", to: str = ""
) -> Response:
    """Show how to enter, and what goes on; with a game, who enters plays it against bots. `to` is the page after it."""
    upstream = site_of(request).upstream
    info = await upstream.info()
    running = ListGamesRequest(page_size=SHORT_LIST, status=GameStatus.GAME_STATUS_RUNNING)
    games = (await upstream.referee.ListGames(running, timeout=ANSWER_LIMIT_S)).games
    asked = ListTournamentsRequest(page_size=SHORT_LIST)
    listed = await upstream.manager.ListTournaments(asked, timeout=ANSWER_LIMIT_S)
    return page(
        request,
        "entrance.html",
        status,
        name=name,
        refusal=refusal,
        game=game,
        to=to,
        asks_token=knows_accounts(info),
        offered=info.games,
        games=games,
        tournaments=listed.tournaments,
    )


async def enter(request: Request) -> Response:
    """Enter the lobby under a name, and come back to the page or the game that is named, or the front page."""
    form = await form_of(request)
    name, game, to = form.get("name", "").strip(), form.get("game", ""), own_path(form.get("to", ""))
    again = partial(entrance, request, name, game=game, to=to)
    if not name:
        return await again("Give a name.", 400)
    onward = RedirectResponse(f"{root_of(request)}/play", 307) if game else go(request, to or "/")
    if visitor_of(request) is not None:
        return onward
    site = site_of(request)
    token = form.get("token", "").strip()
    if not token and knows_accounts(await site.upstream.info()):
        return await again(NO_TOKEN, 403)
    key, refusal = await site.visitors.enter(name, token)
    if refusal:
        return await again(refusal, 409)
    remember(request, onward, key)
    return onward


def remember(request: Request, response: Response, key: str) -> None:
    """Have the browser know the visitor with a key from now on."""
    response.set_cookie(
        COOKIE,
        key,
        max_age=COOKIE_S,
        path=f"{root_of(request)}/",
        httponly=True,
        samesite="lax",
        secure=site_of(request).secure_cookies or request.url.scheme == "https",
    )


async def rename(request: Request) -> Response:
    """Give the visitor another name, or show the lobby with the reason why not."""
    visitor = known_visitor(request)
    name = (await form_of(request)).get("name", "").strip()
    refusal = await visitor.controller.rename(name)
    return await _lobby(request, visitor, name, refusal, 409) if refusal else go(request, "/")


async def leave(request: Request) -> Response:
    """Leave the lobby, with the seat at its table."""
    visitor = visitor_of(request)
    if visitor is not None:
        await site_of(request).visitors.leave(visitor)
    response = go(request, "/")
    response.delete_cookie(COOKIE, path=f"{root_of(request)}/")
    return response


async def here(request: Request) -> Response:
    """Hear that a page is still open which has no stream, as a form that somebody fills in: its visitor stays."""
    visitor_of(request)
    return Response(status_code=204)


def _parts(request: Request, visitor: Visitor) -> Mapping[str, str]:
    """Return the parts of the lobby that change, as markup."""
    lobby = visitor.client.lobby
    return {
        "tables": render(request, "parts/tables.html", tables=lobby.newest_first(), here=lobby.table),
        "people": render(request, "parts/people.html", users=lobby.by_name()),
        "news": render(request, "parts/news.html", notice=lobby.notice, trouble=visitor.trouble),
    }


async def events(request: Request) -> Response:
    """Stream the parts of the lobby as they change."""
    visitor = known_visitor(request)
    changes = visitor.changes
    return stream(
        request,
        lambda: _parts(request, visitor),
        changes.wait,
        lambda: changes.version,
        lambda: visitor.client.over,
        visitor.watching,
    )


ROUTES: Sequence[Route] = (
    Route("/", home),
    Route("/enter", enter, methods=["POST"]),
    Route("/name", rename, methods=["POST"]),
    Route("/leave", leave, methods=["POST"]),
    Route("/live/lobby", events),
    Route("/live/here", here),
)
