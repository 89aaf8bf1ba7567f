"""Where requests come from, and how often somebody may ask: the hosts of connections, and token buckets."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import Any
from urllib.parse import unquote

from fairplay.player.channels import VISITOR
from fairplay.server.net.errors import Refusal

MAX_PEERS = 10_000
MAX_WAIT_S = 1.0


class TokenBucket:
    """A token bucket: it holds at most `burst` requests, each of which takes one, and `rate` a second flow in again.

    Refused requests count as well, up to a wait of MAX_WAIT_S: who goes on asking waits longer.
    """

    __slots__ = ("_at_s", "_burst", "_held", "_rate")

    def __init__(self, rate: float, burst: int, now_s: float) -> None:
        self._rate = rate
        self._burst = burst
        self._held = float(burst)
        self._at_s = now_s

    def take(self, now_s: float, count: int = 1) -> float:
        """Count a request, or `count` of something. Return 0 if it is granted, else the seconds until the next may be.

        More than are held are granted where any are; they are missing later.
        """
        held = min(self._burst, self._held + (now_s - self._at_s) * self._rate)
        self._at_s = now_s
        self._held = max(held - count, min(held, 1 - MAX_WAIT_S * self._rate))
        return 0.0 if held >= 1 else (1 - held) / self._rate


class Buckets:
    """A bucket for each of many, hosts or accounts; only the `most` that asked last are remembered."""

    def __init__(self, rate: float, burst: int, most: int = MAX_PEERS) -> None:
        self._rate = rate
        self._burst = burst
        self._most = most
        self._buckets: dict[str, TokenBucket] = {}

    def take(self, who: str, now_s: float) -> None:
        """Count a request. Raises Refusal if there were too many."""
        check_granted(self.wait_s(who, now_s), self._rate)

    def wait_s(self, who: str, now_s: float, count: int = 1) -> float:
        """Count a request, or `count` of something. Return 0 if granted, else the seconds until the next may be."""
        bucket = self._buckets.pop(who, None) or TokenBucket(self._rate, self._burst, now_s)
        self._buckets[who] = bucket  # as the last one
        if len(self._buckets) > self._most:
            del self._buckets[next(iter(self._buckets))]
        return bucket.take(now_s, count)


def check_granted(wait_s: float, rate: float) -> None:
    """Raise Refusal if there are seconds to wait."""
    if wait_s:
        message = f"that is more often than {rate:g} times a second: ask again in {wait_s * 1e3:.0f} ms"
        raise Refusal("TOO_MANY_REQUESTS", message, retry_s=wait_s, limit=f"{rate:g}")


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
