"""Where requests come from: the host of a connection, for quotas that one host cannot get round by more connections."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import Any
from urllib.parse import unquote

from fairplay.player.channels import VISITOR


def host_of(peer: str) -> str:
    """Return what stands for the host of gRPC's text for the other end, e.g. "10.0.0.7" for "ipv4:10.0.0.7:51234".

    Of IPv6 addresses only the network counts, its first 64 bits: whoever has one address has all of that network.
    Connections from this machine count each by itself: they may be those of a proxy, or a whole class on one computer.
    """
    kind, _, rest = unquote(peer).partition(":")
    address = _address(rest.rpartition(":")[0]) if kind in ("ipv4", "ipv6") else None
    return peer if address is None or address.is_loopback else _network(address)


def visitor_of(context: Any) -> str | None:
    """Return the host of the visitor for whom pages make a call, empty if they do not say it; None: they make none."""
    return next((str(value) for key, value in context.invocation_metadata() or () if key == VISITOR), None)


def caller_host(context: Any) -> str:
    """Return what stands for the host of whoever a call is for: its peer's, or that of the visitor of the pages.

    Only programs on this machine are believed whom they call for: they could count each call by itself anyway.
    """
    peer = context.peer()
    host = host_of(peer)
    address = _address(visitor_of(context) or "") if host == peer else None
    return host if address is None else f"visitor {_network(address)}"


def _address(text: str) -> IPv4Address | IPv6Address | None:
    """Return an address that is written down, or None if it is none."""
    try:
        address = ip_address(text.strip("[]").partition("%")[0])
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped or address


def _network(address: IPv4Address | IPv6Address) -> str:
    if isinstance(address, IPv4Address):
        return str(address)
    return str(IPv6Network((address, 64), strict=False).network_address)
