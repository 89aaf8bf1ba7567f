"""What every answer says to the browser, and which requests are refused before a page sees them."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Sequence
from contextlib import suppress
from contextvars import ContextVar
from hashlib import sha256
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import TypeAlias
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from fairplay.client.errors import UsageError
from fairplay.games.kit.pictures import DARK
from fairplay.player.exposure import is_loopback

Networks: TypeAlias = Sequence[IPv4Network | IPv6Network]
FORWARDED = "fairplay.forwarded"
"""Whether a trusted proxy has said for which host a browser asked."""
SCHEMES = ("http", "https")
VISITOR: ContextVar[str] = ContextVar("fairplay_visitor", default="")
"""The address of the browser that is answered now; empty where the pages act by themselves."""
NAME = re.compile(r"[A-Za-z0-9._-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\]")
HOST = re.compile(rf"({NAME.pattern})(:\d{{1,5}})?")
POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        f"style-src 'self' 'sha256-{b64encode(sha256(DARK.encode()).digest()).decode()}'",
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


def parse_networks(text: str) -> Networks:
    """Read addresses and networks with commas between them. Raises UsageError if one cannot be read."""
    networks = []
    for part in filter(None, (part.strip() for part in text.split(","))):
        try:
            networks.append(ip_network(part))
        except ValueError as error:
            raise UsageError(f"--trusted-proxies {part!r} is no address or network, e.g. 10.0.0.0/8: {error}") from None
    return networks


def parse_hosts(text: str) -> Sequence[str]:
    """Return the host names in a list with commas. Raises UsageError if one of them is none."""
    names = [name for part in text.split(",") if (name := part.strip())]
    for name in names:
        if not NAME.fullmatch(name):
            raise UsageError(f"--hosts {name!r} is no host, e.g. games.example.org or [2001:db8::1], without a port")
    return names


class Proxied:
    """Takes scheme, host and address from the headers of trusted proxies; what anybody else says there is not read."""

    def __init__(self, app: ASGIApp, trusted: Networks) -> None:
        self._app = app
        self._trusted = trusted

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] == "http" and self._trusts(scope):
            scope = forwarded(scope)
        if scope.get("client"):
            VISITOR.set(scope["client"][0])  # for the task that answers this request, and those that it begins
        await self._app(scope, receive, send)

    def _trusts(self, scope: Scope) -> bool:
        if not self._trusted or not scope.get("client"):
            return False
        return is_in(scope["client"][0], self._trusted)


def is_in(host: str, networks: Networks) -> bool:
    """Return whether an IP address is in one of these networks. Raises ValueError if `host` is none."""
    address = _address(host)
    return any(address in network for network in networks)


def _address(text: str) -> IPv4Address | IPv6Address:
    """Return the IP address that a text names. Raises ValueError if it names none."""
    address = ip_address(text.strip("[]").partition("%")[0])
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped or address


def forwarded(scope: Scope) -> Scope:
    """Return a request as the browser sent it, as its proxy says. What makes no sense is left as it is."""
    changed = {**scope, "headers": list(scope["headers"])}
    scheme, host = _last(scope, "x-forwarded-proto"), _last(scope, "x-forwarded-host")
    if scheme.lower() in SCHEMES:
        changed["scheme"] = scheme.lower()
    if HOST.fullmatch(host):
        MutableHeaders(scope=changed)["host"] = host
        changed[FORWARDED] = True
    with suppress(ValueError):
        changed["client"] = (str(_address(_last(scope, "x-forwarded-for"))), 0)
    return changed


def _last(scope: Scope, name: str) -> str:
    """Return the last value of a header: what the proxy next to the pages wrote. Those before come from further off."""
    values = Headers(scope=scope).getlist(name)
    return values[-1].rpartition(",")[2].strip() if values else ""


# --- the path of a proxy ---


class Rooted:
    """Takes requests below a path, whether the proxy passes that path on or cuts it off."""

    def __init__(self, app: ASGIApp, root_path: str) -> None:
        self._app = app
        self._root = root_path

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] == "http" and self._root:
            path = scope["path"]
            whole = path if path == self._root or path.startswith(f"{self._root}/") else self._root + path
            scope = {**scope, "root_path": self._root, "path": whole}
        await self._app(scope, receive, send)


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
