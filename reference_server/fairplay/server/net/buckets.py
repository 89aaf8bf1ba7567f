"""Token buckets: how often somebody may ask, or how much may be asked for, in the long run and at once."""

from __future__ import annotations

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
        raise Refusal("TOO_MANY_REQUESTS", message, retry_s=wait_s)
