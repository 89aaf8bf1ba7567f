"""What every page needs: the server, the visitors, the templates, and how requests are answered with them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, TypeAlias, cast
from urllib.parse import parse_qs, quote

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.datastructures import URL
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response, StreamingResponse

from fairplay.player.channels import split_address
from fairplay.player.exposure import is_loopback
from fairplay.web import filters
from fairplay.web.contests import Contests
from fairplay.web.upstream import Upstream
from fairplay.web.visitors import Visitor, Visitors
from fairplay.web.watching import Watching

COOKIE = "fairplay-visitor"
COOKIE_S = 30 * 24 * 60 * 60
"""How long browsers keep the cookie, also when they are closed: that of a visitor who is gone opens nothing."""
MAX_FORM_BYTES = 64 * 1024
MAX_PATH_CHARS = 500
RETRY_MS = 2_000
ALIVE_S = 15.0
"""How long a stream may be silent: proxies end streams that are silent for longer than a while."""
SHARED_EVENTS = 64
"""How many events are kept, as many streams tell the same ones."""

Form: TypeAlias = Mapping[str, str]
Fragments: TypeAlias = Mapping[str, str]


@dataclass(slots=True)
class Site:
    """All that the pages share."""

    upstream: Upstream
    visitors: Visitors
    watching: Watching
    contests: Contests
    templates: Environment
    root_path: str = ""
    secure_cookies: bool = False
    dial_in_at: str = ""
    """Where programs of visitors dial in; empty: see pages.entering."""
    ending: bool = False
    """Whether the pages end."""
    examples: dict[str, asyncio.Future[str]] = field(default_factory=dict)
    """The pictures of games between reference players, by game."""
    drawing: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(1))
    """Taken by who has the server play an example: it refuses more than a few such questions at once."""
    verifying: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(1))
    """Taken by who verifies a record: that takes a processor."""

    def end(self) -> None:
        """End all streams, before the pages end."""
        self.ending = True
        for changes in (*self.visitors.changes, *self.watching.changes, *self.contests.changes):
            changes.notify()


def make_templates() -> Environment:
    """Return the templates. Every value is escaped; only pictures that a game has drawn are markup."""
    templates = Environment(
        loader=PackageLoader("fairplay.web"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.filters.update(filters.FILTERS)
    return templates


def site_of(request: Request) -> Site:
    """Return what the pages share."""
    return cast(Site, request.app.state.site)


def root_of(request: Request) -> str:
    """Return the path under which the pages are, without a slash at the end."""
    return site_of(request).root_path


def dial_in_address(request: Request) -> str:
    """Return where programs of visitors dial in: what the operator says, or the server as the browser would reach it.

    Pages on the machine of the server know it by an address of that machine alone; browsers know another name of it.
    """
    site = site_of(request)
    if site.dial_in_at:
        return site.dial_in_at
    target, secure = split_address(site.upstream.address, site.upstream.credentials)
    if is_loopback(target) and request.url.hostname is not None:
        host = f"[{request.url.hostname}]" if ":" in request.url.hostname else request.url.hostname
        target = f"{host}:{target.rpartition(':')[2]}"
    return f"grpcs://{target}" if secure else target


def visitor_of(request: Request) -> Visitor | None:
    """Return who asks, or None if it has not entered the lobby."""
    return site_of(request).visitors.find(request.cookies.get(COOKIE, ""))


def known_visitor(request: Request) -> Visitor:
    """Return who asks. Raises HTTPException if it has not entered the lobby."""
    visitor = visitor_of(request)
    if visitor is None:
        was_here = COOKIE in request.cookies
        raise HTTPException(
            401, "You are not in the lobby any more: enter it again." if was_here else "Enter it first."
        )
    return visitor


def render(request: Request, template: str, **values: Any) -> str:
    """Return a template filled in for a request."""
    root = root_of(request)
    common = {"root": root, "visitor": visitor_of(request), "path": request.url.path.removeprefix(root) or "/"}
    return site_of(request).templates.get_template(template).render({**common, "refresh_s": 0, **values})


def page(request: Request, template: str, status: int = 200, **values: Any) -> Response:
    """Answer with a page."""
    return HTMLResponse(render(request, template, **values), status)


def go(request: Request, path: str) -> Response:
    """Send the browser to another page, from a form or a link."""
    return RedirectResponse(root_of(request) + quote(path, safe="/?=&%"), 303)


def own_path(text: str) -> str:
    """Return the path of a page, as a form or a link names it; empty if it leads to another site."""
    return text if text.startswith("/") and not text.startswith("//") and len(text) <= MAX_PATH_CHARS else ""


def came_from(request: Request) -> str:
    """Return the path of the page that is asked for, or that has sent a form; empty if that is not known."""
    url = request.url if request.method == "GET" else URL(request.headers.get("referer", ""))
    if url.netloc != request.url.netloc:
        return ""
    return own_path(url.path.removeprefix(root_of(request)) + (f"?{url.query}" if url.query else ""))


async def form_of(request: Request) -> Form:
    """Return the fields of a form. Raises HTTPException if they are too large or no text."""
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > MAX_FORM_BYTES:
            raise HTTPException(413, "The form is too large.")
    try:
        fields = parse_qs(body.decode(), keep_blank_values=True, max_num_fields=200, errors="strict")
    except ValueError:
        raise HTTPException(400, "The form cannot be read.") from None
    return {name: values[-1] for name, values in fields.items()}


def is_quiet(request: Request) -> bool:
    """Return whether a script has sent a form, so that the page stays and shows what its stream tells."""
    return request.headers.get("hx-request") == "true"


def whole_number(text: str | None, otherwise: int) -> int:
    """Return a number from an address, or another one if there is none or it is no number."""
    return int(text) if text is not None and text.isascii() and text.isdigit() and len(text) < 10 else otherwise


def stream(
    request: Request,
    render_parts: Callable[[], Fragments],
    wait: Callable[[int], Awaitable[int]],
    version: Callable[[], int],
    is_over: Callable[[], bool] = lambda: False,
    open_page: Callable[[], AbstractAsyncContextManager[None]] = nullcontext,
) -> Response:
    """Answer with a stream that tells a browser the parts of a page, and each again as soon as it has changed.

    `open_page` is entered for as long as the browser listens. The stream ends with the pages.
    """
    site = site_of(request)

    async def events() -> AsyncIterator[bytes]:
        async with open_page():
            yield f"retry: {RETRY_MS}\n\n".encode()
            shown: dict[str, str] = {}
            while not site.ending:
                seen, over = version(), is_over()
                parts = render_parts()
                changed = tuple((name, part) for name, part in parts.items() if shown.get(name) != part)
                if changed:
                    shown.update(changed)
                    yield server_events(changed)
                if over:
                    yield server_events((("over", ""),))
                    return
                try:
                    async with asyncio.timeout(ALIVE_S):
                        await wait(seen)
                except TimeoutError:
                    yield b": the stream is alive\n\n"

    return StreamingResponse(events(), media_type="text/event-stream", headers={"X-Accel-Buffering": "no"})


@lru_cache(SHARED_EVENTS)
def server_events(parts: Sequence[tuple[str, str]]) -> bytes:
    """Return the parts of a page as events of a stream, made once for all who are told them at the same time."""
    return "".join(server_event(name, data) for name, data in parts).encode()


def server_event(name: str, data: str) -> str:
    """Return an event of a stream in the form of text/event-stream."""
    lines = "".join(f"data: {line}\n" for line in data.splitlines() or [""])
    return f"event: {name}\n{lines}\n"
