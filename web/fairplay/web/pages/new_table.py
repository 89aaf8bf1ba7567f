"""A new table: the form with which it is made, and the click after which a person plays against bots."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from fairplay.client import inputs
from fairplay.client.errors import UsageError
from fairplay.client.lobby.games import frontend_of
from fairplay.games.frontends import Frontend
from fairplay.games.game import find
from fairplay.v1.server_pb2 import GameInfo
from fairplay.v1.table_pb2 import Table, TableStatus
from fairplay.web.pages.lobby import entrance, remember
from fairplay.web.pages.settings import PREFIX, chosen_settings, setting_fields, usual_values
from fairplay.web.site import form_of, go, known_visitor, page, site_of, visitor_of, whole_number
from fairplay.web.upstream import knows_accounts
from fairplay.web.visitors import Visitor

GUEST_TRIES = 5
ENTER_TO_PLAY = "Give the token of your account to play."


async def new_table(request: Request) -> Response:
    """Show the form of a new table, with every setting explained."""
    visitor = known_visitor(request)
    game = await _game(request, request.query_params.get("game", ""))
    return _form(request, game, {"name": visitor.client.lobby.free_table_name, **suggested(game)}, "")


async def create_table(request: Request) -> Response:
    """Make a table and go there, or show the form again with what is wrong."""
    visitor = known_visitor(request)
    form = await form_of(request)
    game = await _game(request, form.get("game", ""))
    name, limit = form.get("name", "").strip(), form.get("limit", "").strip()
    try:
        chosen = list(chosen_settings(usual_values(game), form))
        settings = inputs.parse_settings(inputs.find_game(game.name), chosen, None, None)
        control = inputs.parse_time_control(limit, None, None) if limit else None
    except UsageError as error:
        return _form(request, game, form, str(error).removeprefix("--set ").removeprefix("--limit "), 400)
    seats = whole_number(form.get("seats"), 0)
    refusal = await visitor.client.create(name, game.name, settings, control, seats)
    if refusal:
        return _form(request, game, form, refusal, 409)
    await visitor.until(lambda: _is_at(visitor, name))
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
    frontend = frontend_of(game.name)
    if frontend is None:
        return {}
    settings = dict(setting.split("=", 1) for setting in frontend.settings.split())
    return {"limit": frontend.limit, **{f"{PREFIX}{key}": value for key, value in settings.items()}}


def _form(request: Request, game: GameInfo, values: Mapping[str, str], refusal: str, status: int = 200) -> Response:
    frontend = frontend_of(game.name)
    labels = frontend.main_settings if frontend is not None else {}
    fields = setting_fields(game, usual_values(game), values)
    return page(
        request,
        "new_table.html",
        status,
        game=game,
        values=values,
        refusal=refusal,
        main=[fields[name] for name in labels if name in fields],
        others=[field for name, field in fields.items() if name not in labels],
        is_open=bool(refusal),
    )


# --- playing at once ---


async def play(request: Request) -> Response:
    """Begin a game against bots at a table of the visitor's own; who has not entered does so as a guest."""
    form = await form_of(request)
    game = await _game(request, form.get("game", ""))
    frontend = frontend_of(game.name)
    if frontend is None:
        raise HTTPException(404, f"{game.title} cannot be played by hand here.")
    visitor, key = visitor_of(request), ""
    if visitor is None:
        site = site_of(request)
        if knows_accounts(await site.upstream.info()):
            return await entrance(request, game=game.name, refusal=ENTER_TO_PLAY, status=403)
        key, refusal = await _enter_as_guest(request)
        visitor = site.visitors.find(key)
        if visitor is None:
            return await entrance(request, game=game.name, refusal=refusal, status=409)
    visitor.notice = await _begin(visitor, game.name, frontend)
    response = go(request, "/table" if visitor.client.lobby.table is not None else "/")
    if key:
        remember(request, response, key)
    return response


async def _enter_as_guest(request: Request) -> tuple[str, str]:
    """Return the key of a visitor with a name that nobody has, or why it is refused as the second."""
    refusal = ""
    for _ in range(GUEST_TRIES):
        key, refusal = await site_of(request).visitors.enter(f"guest-{secrets.randbelow(10_000)}", "")
        if key:
            return key, ""
    return "", refusal


async def _begin(visitor: Visitor, game: str, frontend: Frontend) -> str:
    """Begin a game of the visitor against as many bots as it needs; return why that is refused, or an empty text."""
    client, controller = visitor.client, visitor.controller
    old = client.lobby.tables.get(client.lobby.me)
    if old is not None and _is_only_of(visitor, old):
        await client.delete(old.name)
        await visitor.until(lambda: old.name not in client.lobby.tables)
    name = client.lobby.free_table_name
    count = max(2, find(game).seats.start)
    refusal = await controller.make_table(game, name, frontend.settings, frontend.limit, str(count))
    if refusal:
        return refusal
    await visitor.until(lambda: _is_at(visitor, name))
    table = client.lobby.table
    if table is None:
        return "The table is gone."
    refusal = await controller.join(table, "") or await client.set_bots(count - 1, f"bot:{frontend.bot}")
    await visitor.until(lambda: (here := client.lobby.table) is None or here.status != TableStatus.TABLE_STATUS_OPEN)
    return refusal


def _is_only_of(visitor: Visitor, table: Table) -> bool:
    """Return whether a table is the visitor's own, no game runs there, and no other person is there."""
    me = visitor.client.lobby.me
    people = {*table.watchers, *(seat.name for seat in table.seats if not seat.bot)}
    return table.owner == me and table.status != TableStatus.TABLE_STATUS_RUNNING and people <= {me}


ROUTES: Sequence[Route] = (
    Route("/tables/new", new_table),
    Route("/tables", create_table, methods=["POST"]),
    Route("/play", play, methods=["POST"]),
)
