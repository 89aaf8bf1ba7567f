"""How much one caller may ask for: an account, or a host where the caller has none."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from fairplay.server.lobby.limits import TokenBucket
from fairplay.server.net.errors import Refusal

MAX_BUCKETS = 20_000
WAIT_S = 1.0
"""When to try again what depends on something else to end."""


@dataclass(frozen=True, slots=True)
class QuotaLimits:
    """The limits of one caller; bursts are as much as some seconds bring.

    The bots in its games may think `thinking_share` seconds a second in the long run, and `thinking_burst_s` at once.
    """

    calls_per_second: int = 100
    bytes_per_second: int = 4 * 1024 * 1024
    stream_count: int = 200
    game_count: int = 50
    tournament_count: int = 20
    search_depth: int = 4
    thinking_share: float = 0.5
    thinking_burst_s: float = 120.0
    burst_s: int = 4


class Quotas:
    """What callers have asked for lately, and the streams that they have open."""

    def __init__(self, limits: QuotaLimits, now_s: Callable[[], float] = time.monotonic) -> None:
        self.limits = limits
        self._now_s = now_s
        self._calls: dict[str, TokenBucket] = {}
        self._bytes: dict[str, TokenBucket] = {}
        self._streams: Counter[str] = Counter()

    def take(self, who: str, byte_count: int) -> None:
        """Count a call. Raises Refusal, which says when to ask again, if there were too many, or too many bytes."""
        self._take(self._calls, who, 1, self.limits.calls_per_second, "calls")
        self.take_bytes(who, byte_count)

    def take_bytes(self, who: str, byte_count: int) -> None:
        """Count bytes that came. Raises Refusal, which says when to send more, if there were too many."""
        self._take(self._bytes, who, byte_count, self.limits.bytes_per_second, "bytes")

    def _take(self, buckets: dict[str, TokenBucket], who: str, count: int, rate: int, what: str) -> None:
        bucket = buckets.pop(who, None) or TokenBucket(rate, rate * self.limits.burst_s, self._now_s())
        buckets[who] = bucket  # as the last one
        if len(buckets) > MAX_BUCKETS:
            del buckets[next(iter(buckets))]
        if wait_s := bucket.take(self._now_s(), count):
            message = f"these are more than {rate:,} {what} a second: ask again in {wait_s:.1f} s"
            raise Refusal("TOO_MANY_REQUESTS", message, retry_s=wait_s)

    @contextmanager
    def stream(self, who: str) -> Iterator[None]:
        """Count a stream for as long as it is open. Raises Refusal if there are too many."""
        most = self.limits.stream_count
        if self._streams[who] >= most:
            message = f"{most} streams are open already: end some of them first"
            raise Refusal("TOO_MANY_REQUESTS", message, retry_s=WAIT_S)
        self._streams[who] += 1
        try:
            yield
        finally:
            self._streams[who] -= 1
            if not self._streams[who]:
                del self._streams[who]

    def check_tournaments(self, open_count: int) -> None:
        """Raise Refusal if a caller who has so many tournaments that are not over may not create another one."""
        if open_count >= self.limits.tournament_count:
            message = f"{open_count} of your tournaments are not over, and no more may be open: end one, or wait"
            raise Refusal("TOO_MANY_REQUESTS", message, retry_s=WAIT_S)


def payer(account: str, host: str) -> str:
    """Return whose quota a call takes from: the account's, or else the host's."""
    return f"account {account}" if account else f"host {host}"
