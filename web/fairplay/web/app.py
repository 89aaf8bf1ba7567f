"""The application: all pages, what they share, and how errors look."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from importlib.resources import files as resources
from pathlib import Path

import grpc
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from fairplay.client.errors import UsageError
from fairplay.client.lobby.client import LobbyGoneError
from fairplay.client.wording import describe_error
from fairplay.player.channels import NO_CREDENTIALS, Credentials
from fairplay.web.contests import Contests
from fairplay.web.middleware import HEALTH, VISITOR, Guard, Networks, Proxied, Rooted
from fairplay.web.pages import PAGES
from fairplay.web.site import Site, came_from, make_templates, page
from fairplay.web.upstream import Upstream
from fairplay.web.visitors import VisitorFiles, Visitors
from fairplay.web.watching import Watching

GRACE_S = 60.0
MAX_VISITORS = 1_000
AWAY_REFRESH_S = 5
RETURN_LIMIT_S = 5.0
"""How long the pages wait before they answer, while visitors of before come back."""
STATUSES = {
    grpc.StatusCode.NOT_FOUND: 404,
    grpc.StatusCode.INVALID_ARGUMENT: 400,
    grpc.StatusCode.FAILED_PRECONDITION: 409,
    grpc.StatusCode.PERMISSION_DENIED: 403,
    grpc.StatusCode.UNAUTHENTICATED: 403,
    grpc.StatusCode.RESOURCE_EXHAUSTED: 429,
    grpc.StatusCode.UNAVAILABLE: 503,
    grpc.StatusCode.DEADLINE_EXCEEDED: 503,
}
ROOT_PATH = re.compile(r"(/[A-Za-z0-9._~-]+)+")
TITLES = {
    400: "This cannot be asked",
    401: "You are not in the lobby",
    403: "This is not yours to see",
    404: "This is not here",
    409: "This cannot be done now",
    429: "Too many requests",
    503: "The server is away",
}
AWAY = "The server does not answer. This page tries again by itself, and nothing is lost."


@dataclass(frozen=True, slots=True)
class Options:
    """What the operator of the pages chooses."""

    server: str
    credentials: Credentials = NO_CREDENTIALS
    root_path: str = ""
    """The path under which a proxy shows the pages, e.g. "/fairplay"; empty: at the top."""
    grace_s: float = GRACE_S
    """How long a person whose pages are all closed stays in the lobby, and in its seat."""
    max_visitors: int = MAX_VISITORS
    secure_cookies: bool = False
    """Whether browsers send cookies over HTTPS only, also where the pages see no HTTPS."""
    trusted_proxies: Networks = ()
    """The proxies that are believed what they say of a browser: its address, and which scheme and host it asked for."""
    hosts: Sequence[str] = ()
    """The names under which browsers ask for the pages; empty: see Guard."""
    dial_in_at: str = ""
    """Where programs of visitors dial in, as the pages say it; empty: at the server."""
    state: Path | None = None
    """The directory that keeps visitors while the pages are not running; None: they are forgotten."""


def parse_root_path(text: str) -> str:
    """Return the path under which the pages are, without a slash at the end. Raises UsageError if it is invalid."""
    path = text.rstrip("/")
    if path and not ROOT_PATH.fullmatch(path):
        raise UsageError(f"--root-path {text!r} is no path: give one such as /fairplay")
    return path


def make_app(options: Options) -> Starlette:
    """Return the application, which reaches for the server when it starts."""

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        credentials = replace(options.credentials, visitor=VISITOR.get)
        upstream = Upstream(options.server, credentials)
        files = VisitorFiles(options.state)
        visitors = Visitors(options.server, credentials, options.grace_s, options.max_visitors, files)
        watching, contests, templates = Watching(upstream), Contests(upstream), make_templates()
        site = Site(
            upstream,
            visitors,
            watching,
            contests,
            templates,
            options.root_path,
            options.secure_cookies,
            options.dial_in_at,
        )
        app.state.site = site
        tasks = [asyncio.create_task(work) for work in (visitors.sweep(), visitors.bring_back())]
        await asyncio.wait(tasks[1:], timeout=RETURN_LIMIT_S)
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            watching.close()
            contests.close()
            await visitors.close()
            await upstream.close()

    static = StaticFiles(directory=str(resources("fairplay.web") / "static"))
    return Starlette(
        routes=[*PAGES, Mount("/static", static), Route(HEALTH, healthy)],
        middleware=[
            Middleware(Proxied, options.trusted_proxies),
            Middleware(Guard, options.hosts),
            Middleware(Rooted, options.root_path),
        ],
        exception_handlers={
            **dict.fromkeys((HTTPException, grpc.aio.AioRpcError, LobbyGoneError), show_error),
            ClientDisconnect: forget,
        },
        lifespan=lifespan,
    )


async def healthy(request: Request) -> Response:
    """Answer that the pages are up, whatever the server does."""
    return Response("ok\n", media_type="text/plain")


async def forget(request: Request, error: Exception) -> Response:
    """Answer a browser that has gone before its request had come: with nothing, and no word in the log."""
    return Response(status_code=400)


async def show_error(request: Request, error: Exception) -> Response:
    """Answer with a page that says what is wrong with a request, or with the server."""
    if isinstance(error, HTTPException):
        return problem(request, error.status_code, error.detail)
    if isinstance(error, grpc.aio.AioRpcError):
        status = STATUSES.get(error.code(), 502)
        return problem(request, status, AWAY if status == 503 else describe_error(error))
    return problem(request, 503, AWAY)


def problem(request: Request, status: int, sentence: str) -> Response:
    """Return a page with one sentence.

    Where the server is away, it is asked for again by itself; who is not in the lobby is led back after entering it.
    """
    again = AWAY_REFRESH_S if status == 503 and request.method == "GET" else 0
    title = TITLES.get(status, "Something went wrong")
    back = came_from(request) if status == 401 else ""
    return page(request, "problem.html", status, title=title, sentence=sentence, refresh_s=again, back=back)
