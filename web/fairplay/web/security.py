"""What every answer says to the browser, and which requests are refused before a page sees them."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from fairplay.player.exposure import is_loopback
from fairplay.web.proxied import FORWARDED, HOST

POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
HEALTH = "/healthz"
HTTPS_ONLY = "max-age=31536000"
SAFE_METHODS = ("GET", "HEAD")
OTHER_HOST = "These pages are not served under this name. Whoever runs them adds it with --hosts."
FOREIGN = "This form was sent from a page of another site, which may not act for you here. Go back and try again."


class Guard:
    """Adds the security headers to every answer, and refuses forms of other sites and names that are not ours.

    `hosts` are the names under which the pages are served, besides those of this machine itself. If there are none,
    pages that other machines reach are served under any name, and pages that only this machine reaches under the names
    that trusted proxies give: otherwise another site could get at them through a name of its own that leads here.
    """

    def __init__(self, app: ASGIApp, hosts: Sequence[str] = ()) -> None:
        self._app = app
        self._hosts = frozenset(host.strip("[]").lower() for host in hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
                headers.setdefault("Cache-Control", "no-store")
                if scope["scheme"] == "https":
                    headers.setdefault("Strict-Transport-Security", HTTPS_ONLY)
            await send(message)

        # A probe asks by address, and learns nothing but that the pages are there.
        if scope["path"] != HEALTH and not self._serves(scope):
            await PlainTextResponse(OTHER_HOST, 421)(scope, receive, send_guarded)
        elif scope["method"] not in SAFE_METHODS and is_foreign(Headers(scope=scope)):
            await PlainTextResponse(FOREIGN, 403)(scope, receive, send_guarded)
        else:
            await self._app(scope, receive, send_guarded)

    def _serves(self, scope: Scope) -> bool:
        """Return whether the pages are served under the host that a request names."""
        given = Headers(scope=scope).get("host", "")
        host = (urlsplit(f"//{given}").hostname or "") if HOST.fullmatch(given) else ""
        if is_loopback(f"{host}:0") or host in self._hosts:
            return True
        return not self._hosts and (scope.get(FORWARDED, False) or not is_loopback(f"{scope['server'][0]}:0"))


def is_foreign(headers: Headers) -> bool:
    """Return whether a browser says that a request comes from a page of another site.

    A browser that says nothing of it is an old one, for which the cookie's SameSite has to do, or no browser.
    """
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site not in ("same-origin", "none")
    origin = headers.get("origin")
    return origin is not None and urlsplit(origin).netloc.lower() != headers.get("host", "").lower()
