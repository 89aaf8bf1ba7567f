"""The games that the server offers: their rules in words, their settings, and how to write a player."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from fairplay.client.lobby.games import frontend_of
from fairplay.games.distribution import DISTRIBUTION
from fairplay.games.envelopes import unwrap
from fairplay.games.frontends import find_frontend
from fairplay.games.game import Game, find, registered
from fairplay.v1.rules_pb2 import SimulateGameRequest
from fairplay.web.site import Site, page, site_of
from fairplay.web.upstream import ANSWER_LIMIT_S

EXAMPLE_SEED = 7
PICTURE = "image/svg+xml"


async def games(request: Request) -> Response:
    """Show all games."""
    info = await site_of(request).upstream.info()
    return page(request, "games.html", games=info.games)


async def game(request: Request) -> Response:
    """Show one game."""
    name = request.path_params["name"]
    found = await site_of(request).upstream.game(name)
    if found is None:
        raise HTTPException(404, f"This server has no game of the name {name[:64]!r}.")
    frontend = frontend_of(name)
    return page(request, "game.html", game=found, frontend=frontend, written=_is_ours(name))


def _is_ours(name: str) -> bool:
    """Return whether a game comes with Fairplay, and so `fairplay new` writes a player of it."""
    entry = registered().get(name)
    return entry is not None and entry.dist is not None and entry.dist.name == DISTRIBUTION


async def example(request: Request) -> Response:
    """Draw the end of a game between reference players."""
    name = request.path_params["name"]
    found = await site_of(request).upstream.game(name)
    if found is None or name not in registered():
        raise HTTPException(404, "There is no picture of this game.")
    examples = site_of(request).examples
    if name not in examples:  # drawn once for all who ask
        examples[name] = asyncio.ensure_future(_draw_example(site_of(request), name, found.min_player_count))
        examples[name].add_done_callback(lambda drawing: examples.pop(name) if not _is_drawn(drawing) else None)
    return Response(
        await asyncio.shield(examples[name]), media_type=PICTURE, headers={"Cache-Control": "public, max-age=3600"}
    )


async def figure(request: Request) -> Response:
    """Draw a picture of how a game is played."""
    frontend, number = frontend_of(request.path_params["name"]), request.path_params["number"]
    if frontend is None or frontend.guide is None or number >= len(frontend.guide.figures):
        raise HTTPException(404, "There is no such picture.")
    drawn = frontend.guide.figures[number].draw()
    return Response(drawn, media_type=PICTURE, headers={"Cache-Control": "public, max-age=3600"})


def _is_drawn(drawing: asyncio.Future[str]) -> bool:
    return not drawing.cancelled() and drawing.exception() is None


async def _draw_example(site: Site, name: str, player_count: int) -> str:
    installed = find(name)
    strategy = _example_strategy(installed)
    request = SimulateGameRequest(game=name, seed=EXAMPLE_SEED, strategies=[strategy] * max(player_count, 2))
    async with site.drawing:
        reply = await site.upstream.rules.SimulateGame(request, timeout=ANSWER_LIMIT_S)
    state = unwrap(reply.state, installed, installed.state_type)
    if state is None:
        raise HTTPException(404, "There is no picture of this game.")
    names = [f"{strategy}-{number}" for number in range(1, len(request.strategies) + 1)]
    return installed.svg(state, names)


def _example_strategy(game: Game) -> str:
    """Return a strategy that plays as people do, without the options that have it wait: others leave odd boards."""
    frontend = find_frontend(game.name)
    return frontend.bot.partition(":")[0] if frontend is not None else next(iter(game.strategies))


ROUTES: Sequence[Route] = (
    Route("/games", games),
    Route("/games/{name}", game),
    Route("/games/{name}/example.svg", example),
    Route("/games/{name}/figures/{number:int}.svg", figure),
)
