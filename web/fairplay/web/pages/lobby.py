"""The front page: who is here, the tables, how to enter and leave; and the form of a new table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from fairplay.client import inputs
from fairplay.client.errors import UsageError
from fairplay.games.frontends import find_frontend
from fairplay.v1.manager_pb2 import ListTournamentsRequest
from fairplay.v1.referee_pb2 import GameStatus, ListGamesRequest
from fairplay.v1.server_pb2 import GameInfo
from fairplay.web.site import (
    COOKIE,
    COOKIE_S,
    form_of,
    go,
    known_visitor,
    page,
    render,
    root_of,
    site_of,
    stream,
    visitor_of,
    whole_number,
)
from fairplay.web.upstream import ANSWER_LIMIT_S, knows_accounts
from fairplay.web.visitors import Visitor

SHORT_LIST = 8
NO_TOKEN = "Give the token of your account. Without one you can watch, but not enter the lobby."


async def home(request: Request) -> Response:
    """Show the lobby to who has entered it, and to everybody else how to enter and what goes on."""
    visitor = visitor_of(request)
    return await (_entrance(request) if visitor is None else _lobby(request, visitor))


async def _lobby(request: Request, visitor: Visitor, name: str = "", refusal: str = "", status: int = 200) -> Response:
    """Show the lobby; with a refusal, why the visitor cannot have the name that it wants."""
    offered = (await site_of(request).upstream.info()).games
    parts = _parts(request, visitor)
    return page(request, "lobby.html", status, parts=parts, offered=offered, name=name, refusal=refusal)


async def _entrance(request: Request, name: str = "", refusal: str = "", status: int = 200) -> Response:
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
        asks_token=knows_accounts(info),
        offered=info.games,
        games=games,
        tournaments=listed.tournaments,
    )


async def enter(request: Request) -> Response:
    """Enter the lobby under a name, and come back to the front page as its visitor."""
    form = await form_of(request)
    name = form.get("name", "").strip()
    if not name:
        return await _entrance(request, refusal="Give a name.", status=400)
    before = visitor_of(request)
    if before is not None:
        return go(request, "/")
    site = site_of(request)
    token = form.get("token", "").strip()
    if not token and knows_accounts(await site.upstream.info()):
        return await _entrance(request, name, NO_TOKEN, 403)
    key, refusal = await site.visitors.enter(name, token)
    if refusal:
        return await _entrance(request, name, f"{refusal[:1].upper()}{refusal[1:]}", 409)
    response = go(request, "/")
    response.set_cookie(
        COOKIE,
        key,
        max_age=COOKIE_S,
        path=f"{root_of(request)}/",
        httponly=True,
        samesite="lax",
        secure=site.secure_cookies or request.url.scheme == "https",
    )
    return response


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


# --- a new table ---


async def new_table(request: Request) -> Response:
    """Show the form of a new table, with every setting explained."""
    known_visitor(request)
    game = await _game(request, request.query_params.get("game", ""))
    return _form(request, game, suggested(game), "")


async def create_table(request: Request) -> Response:
    """Make a table and go there, or show the form again with what is wrong."""
    visitor = known_visitor(request)
    form = await form_of(request)
    game = await _game(request, form.get("game", ""))
    given = {key: value.strip() for key, value in form.items() if value.strip()}
    chosen = [f"{key.removeprefix('set-')}={value}" for key, value in given.items() if key.startswith("set-")]
    try:
        found = inputs.find_game(game.name)
        settings = inputs.parse_settings(found, chosen, None, None) if chosen else None
        control = inputs.parse_time_control(given.get("limit"), None, None) if "limit" in given else None
    except UsageError as error:
        return _form(request, game, form, str(error).removeprefix("--set ").removeprefix("--limit "), 400)
    seats = whole_number(given.get("seats"), 0)
    refusal = await visitor.client.create(given.get("name", ""), game.name, settings, control, seats)
    if refusal:
        return _form(request, game, form, refusal, 409)
    await visitor.until(lambda: _is_at(visitor, given.get("name", "")))
    return go(request, "/table")


def _is_at(visitor: Visitor, name: str) -> bool:
    table = visitor.client.lobby.table
    return table is not None and table.name == name


async def _game(request: Request, name: str) -> GameInfo:
    game = await site_of(request).upstream.game(name)
    if game is None:
        raise HTTPException(404, f"This server has no game of the name {name[:64]!r}.")
    return game


def suggested(game: GameInfo) -> Mapping[str, str]:
    """Return what suits a table of people, by the names of the fields of the form."""
    frontend = find_frontend(game.name)
    if frontend is None:
        return {}
    settings = dict(setting.split("=", 1) for setting in frontend.settings.split())
    return {"limit": frontend.limit, **{f"set-{key}": value for key, value in settings.items()}}


def _form(request: Request, game: GameInfo, values: Mapping[str, str], refusal: str, status: int = 200) -> Response:
    return page(request, "new_table.html", status, game=game, values=values, refusal=refusal)


ROUTES: Sequence[Route] = (
    Route("/", home),
    Route("/enter", enter, methods=["POST"]),
    Route("/name", rename, methods=["POST"]),
    Route("/leave", leave, methods=["POST"]),
    Route("/live/lobby", events),
    Route("/tables/new", new_table),
    Route("/tables", create_table, methods=["POST"]),
)
