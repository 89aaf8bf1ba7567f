"""Where requests come from: the host of a connection, for quotas that one host cannot get round by more connections."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from urllib.parse import unquote


def host_of(peer: str) -> str:
    """Return what stands for the host of gRPC's text for the other end, e.g. "10.0.0.7" for "ipv4:10.0.0.7:51234".

    Of IPv6 addresses only the network counts, its first 64 bits: whoever has one address has all of that network.
    Connections from this machine count each by itself: they may be those of a proxy, or a whole class on one computer.
    """
    kind, _, rest = unquote(peer).partition(":")
    if kind not in ("ipv4", "ipv6"):
        return peer
    text = rest.rpartition(":")[0].strip("[]").partition("%")[0]
    try:
        address = ip_address(text)
    except ValueError:
        return peer
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        address = address.ipv4_mapped
    if address.is_loopback:
        return peer
    if isinstance(address, IPv4Address):
        return str(address)
    return str(IPv6Network((address, 64), strict=False).network_address)
