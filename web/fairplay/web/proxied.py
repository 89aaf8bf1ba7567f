"""What a proxy before the pages says of the browser behind it: the scheme and the host that were asked for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import TypeAlias

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Receive, Scope, Send

from fairplay.terminal.outcomes import UsageError

Networks: TypeAlias = Sequence[IPv4Network | IPv6Network]
SCHEMES = ("http", "https")
HOST = re.compile(r"[A-Za-z0-9._-]{1,253}(:\d{1,5})?|\[[0-9A-Fa-f:.]{2,45}\](:\d{1,5})?")


def parse_networks(text: str) -> Networks:
    """Read addresses and networks with commas between them. Raises UsageError if one cannot be read."""
    networks = []
    for part in filter(None, (part.strip() for part in text.split(","))):
        try:
            networks.append(ip_network(part))
        except ValueError as error:
            raise UsageError(f"--trusted-proxies {part!r} is no address or network, e.g. 10.0.0.0/8: {error}") from None
    return networks


class Proxied:
    """Takes scheme and host from the headers of trusted proxies; what anybody else says of them is not read.

    X-Forwarded-For is read of nobody: the pages keep no addresses of people.
    """

    def __init__(self, app: ASGIApp, trusted: Networks) -> None:
        self._app = app
        self._trusted = trusted

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] == "http" and self._trusts(scope):
            scope = forwarded(scope)
        await self._app(scope, receive, send)

    def _trusts(self, scope: Scope) -> bool:
        if not self._trusted or not scope.get("client"):
            return False
        address = ip_address(scope["client"][0].partition("%")[0])
        if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
            address = address.ipv4_mapped
        return any(address in network for network in self._trusted)


def forwarded(scope: Scope) -> Scope:
    """Return a request as the browser sent it, as its proxy says. What makes no sense is left as it is."""
    changed = {**scope, "headers": list(scope["headers"])}
    scheme, host = _last(scope, "x-forwarded-proto"), _last(scope, "x-forwarded-host")
    if scheme.lower() in SCHEMES:
        changed["scheme"] = scheme.lower()
    if HOST.fullmatch(host):
        MutableHeaders(scope=changed)["host"] = host
    return changed


def _last(scope: Scope, name: str) -> str:
    """Return the last value of a header: what the proxy next to the pages wrote. Those before come from further off."""
    values = Headers(scope=scope).getlist(name)
    return values[-1].rpartition(",")[2].strip() if values else ""
