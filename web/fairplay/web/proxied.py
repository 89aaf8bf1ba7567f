"""Whom a request is from: a browser, or a proxy before the pages, which says so of the browser behind it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from contextvars import ContextVar
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import TypeAlias

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Receive, Scope, Send

from fairplay.client.errors import UsageError

Networks: TypeAlias = Sequence[IPv4Network | IPv6Network]
FORWARDED = "fairplay.forwarded"
"""Whether a trusted proxy has said for which host a browser asked."""
SCHEMES = ("http", "https")
VISITOR: ContextVar[str] = ContextVar("fairplay_visitor", default="")
"""The address of the browser that is answered now; empty where the pages act by themselves."""
NAME = re.compile(r"[A-Za-z0-9._-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\]")
HOST = re.compile(rf"({NAME.pattern})(:\d{{1,5}})?")


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
