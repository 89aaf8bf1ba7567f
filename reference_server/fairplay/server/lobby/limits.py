"""How often users may ask, and how many users and tables the lobby takes."""

from __future__ import annotations

from dataclasses import dataclass

from fairplay.server.net.errors import Refusal

MAX_PEERS = 10_000
MAX_WAIT_S = 1.0


@dataclass(frozen=True, slots=True)
class LobbyLimits:
    """The limits of a lobby.

    A user without a stream is lost after `grace_s`. A table where nobody is, and whose owner is not in the lobby
    either, is deleted after `empty_s`; after a new start of the server, seats are kept for so long. A user may make
    `requests_per_second` in the long run and `burst` at once; those who are not users yet, as many together for each
    host, and `enter_burst` at once; of one host at most `max_host_user_count` are in the lobby.
    """

    grace_s: float = 10.0
    empty_s: float = 60.0
    requests_per_second: int = 20
    burst: int = 40
    enter_burst: int = 100
    max_user_count: int = 5_000
    max_host_user_count: int = 500
    max_table_count: int = 1_000
    max_owned_count: int = 10


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


class PeerBuckets:
    """The buckets of hosts, for requests without users; only those that asked last are remembered."""

    def __init__(self, rate: float, burst: int) -> None:
        self._rate = rate
        self._burst = burst
        self._buckets: dict[str, TokenBucket] = {}

    def take(self, peer: str, now_s: float) -> None:
        """Count a request of a host. Raises Refusal if it asks too often."""
        check_granted(self.wait_s(peer, now_s), self._rate)

    def wait_s(self, peer: str, now_s: float) -> float:
        """Count a request of a host. Return 0 if it is granted, else the seconds until the next may be."""
        bucket = self._buckets.pop(peer, None) or TokenBucket(self._rate, self._burst, now_s)
        self._buckets[peer] = bucket  # as the last one
        if len(self._buckets) > MAX_PEERS:
            del self._buckets[next(iter(self._buckets))]
        return bucket.take(now_s)


def check_granted(wait_s: float, rate: float) -> None:
    """Raise Refusal if there are seconds to wait."""
    if wait_s:
        message = f"that is more often than {rate:g} times a second: ask again in {wait_s * 1e3:.0f} ms"
        raise Refusal("TOO_MANY_REQUESTS", message, retry_s=wait_s)
