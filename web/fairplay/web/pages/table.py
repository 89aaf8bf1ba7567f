"""The table where the visitor is: the board, the seat, the others, and what can be done there."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from fairplay.client.lobby.games import frontend_of
from fairplay.games.frontends import IllegalChoiceError
from fairplay.v1.server_pb2 import StrategyInfo
from fairplay.v1.table_pb2 import Table, TableStatus
from fairplay.web.site import Form, form_of, go, is_quiet, known_visitor, page, render, site_of, stream, whole_number
from fairplay.web.visitors import Visitor

NOT_HERE = "You are at no table."


async def table(request: Request) -> Response:
    """Show the table; without scripts the page shows itself again while a game goes on."""
    visitor = known_visitor(request)
    here = visitor.client.lobby.table
    if here is None:
        return go(request, "/")
    game = await site_of(request).upstream.game(here.game)
    strategies = game.strategies if game is not None else ()
    parts, frontend = _parts(request, visitor, strategies), frontend_of(here.game)
    return page(request, "table.html", table=here, game=game, name=here.game, frontend=frontend, parts=parts)


async def ask_to_delete(request: Request) -> Response:
    """Ask whether the table is to be deleted: everybody there has to leave it then."""
    here = known_visitor(request).client.lobby.table
    return go(request, "/") if here is None else page(request, "delete_table.html", table=here)


async def events(request: Request) -> Response:
    """Stream the parts of the table as they change."""
    visitor = known_visitor(request)
    changes, here = visitor.changes, visitor.client.lobby.table
    game = await site_of(request).upstream.game(here.game) if here is not None else None
    strategies = game.strategies if game is not None else ()
    return stream(
        request,
        lambda: _parts(request, visitor, strategies),
        changes.wait,
        lambda: changes.version,
        lambda: visitor.client.over or visitor.client.lobby.table is None,
        visitor.watching,
    )


def _parts(request: Request, visitor: Visitor, strategies: Sequence[StrategyInfo]) -> Mapping[str, str]:
    """Return the parts of the table that change, as markup."""
    lobby = visitor.client.lobby
    here = lobby.table
    if here is None:  # the page is over, and its address leads to the lobby
        return {}
    person, spectator = visitor.controller.person, visitor.controller.spectator
    picture = person.svg() if person is not None else ""
    if not picture and spectator is not None:
        picture = spectator.svg()

    running = here.status == TableStatus.TABLE_STATUS_RUNNING
    offer = person.offer() if person is not None and running else None
    return {
        "board": render(request, "parts/board.html", picture=picture, table=here),
        "offer": render(request, "parts/offer.html", offer=offer, running=running, notice=visitor.notice),
        "seats": render(
            request,
            "parts/seats.html",
            table=here,
            me=lobby.me,
            seated=lobby.seat is not None,
            is_ready=any(seat.ready for seat in here.seats if seat.name == lobby.me),
            running=running,
            may_return=lobby.may_return(here),
            strategies=strategies,
            by_hand=frontend_of(here.game) is not None,
        ),
        "talk": render(request, "parts/talk.html", talk=lobby.talk[::-1]),
        "news": render(request, "parts/news.html", notice="", trouble=visitor.trouble),
    }


Action = Callable[[Visitor, Table | None, Form], Awaitable[str]]


def doing(action: Action, onward: str = "/table") -> Callable[[Request], Awaitable[Response]]:
    """Return an endpoint that does what a form asks for, and shows the table, or the reason why it was refused."""

    async def endpoint(request: Request) -> Response:
        visitor = known_visitor(request)
        form = await form_of(request)
        visitor.notice = await action(visitor, visitor.client.lobby.table, form)
        visitor.changes.notify()
        if is_quiet(request):
            return HTMLResponse("", 204)
        return go(request, onward if visitor.client.lobby.table is not None else "/")

    return endpoint


async def watch(visitor: Visitor, here: Table | None, form: Form) -> str:
    """Go to a table."""
    wanted = form.get("table", "")
    refusal = await visitor.client.watch(wanted)
    if not refusal:
        await visitor.until(lambda: (there := visitor.client.lobby.table) is not None and there.name == wanted)
    return refusal


async def join(visitor: Visitor, here: Table | None, form: Form) -> str:
    """Take a seat, for the person or for a program."""
    wanted = visitor.client.lobby.tables.get(form.get("table", "")) or here
    refusal = await visitor.controller.join(wanted, form.get("link", "")) if wanted is not None else NOT_HERE
    if not refusal:
        await visitor.until(lambda: visitor.client.lobby.seat is not None)
    return refusal


async def bots(visitor: Visitor, here: Table | None, form: Form) -> str:
    """Have bots at the table."""
    return await visitor.client.set_bots(whole_number(form.get("count"), 0), f"bot:{form.get('strategy', '')}")


async def ready(visitor: Visitor, here: Table | None, form: Form) -> str:
    """Say whether the person is ready for the next game."""
    return await visitor.client.set_ready(form.get("ready") == "true")


async def start(visitor: Visitor, here: Table | None, form: Form) -> str:
    """Start the game."""
    return await visitor.client.start()


async def leave(visitor: Visitor, here: Table | None, form: Form) -> str:
    """Leave the table."""
    refusal = await visitor.client.leave_table()
    if not refusal:
        await visitor.until(lambda: visitor.client.lobby.table is None)
    return refusal


async def delete(visitor: Visitor, here: Table | None, form: Form) -> str:
    """Delete the table."""
    if here is None:
        return NOT_HERE
    refusal = await visitor.client.delete(here.name)
    if not refusal:
        await visitor.until(lambda: visitor.client.lobby.table is None)
    return refusal


async def say(visitor: Visitor, here: Table | None, form: Form) -> str:
    """Say something to everybody at the table."""
    return await visitor.client.say(form.get("text", "").strip())


async def choose(visitor: Visitor, here: Table | None, form: Form) -> str:
    """Choose a part of the picture."""
    person = visitor.controller.person
    if person is None:
        return "You have no seat here."
    try:
        person.choose(form.get("part", ""))
    except IllegalChoiceError as error:
        return str(error)
    return ""


async def undo(visitor: Visitor, here: Table | None, form: Form) -> str:
    """Take the last choice back."""
    if visitor.controller.person is not None:
        visitor.controller.person.undo()
    return ""


async def send(visitor: Visitor, here: Table | None, form: Form) -> str:
    """Send the reply."""
    person = visitor.controller.person
    return "" if person is not None and person.send() else "There is nothing to send yet."


async def press(visitor: Visitor, here: Table | None, form: Form) -> str:
    """Take a key of the game, as a terminal does."""
    visitor.controller.press(form.get("key", "")[:20])
    return ""


ROUTES: Sequence[Route] = (
    Route("/table", table),
    Route("/live/table", events),
    Route("/table/delete", ask_to_delete),
    *(
        Route(f"/table/{action.__name__}", doing(action), methods=["POST"])
        for action in (watch, join, bots, ready, start, leave, delete, say, choose, undo, send, press)
    ),
)
