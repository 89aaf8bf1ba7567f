"""Failures to say who one is: whoever goes on failing is answered ever later, and nobody else is."""

from __future__ import annotations

import asyncio
import time

from fairplay.server.lobby.limits import PeerBuckets
from fairplay.server.net.errors import Refusal

PER_SECOND, BURST = 1, 10
"""How often one host may fail: in the long run, and at once."""
MAX_HELD = 1_000


class Failures:
    """Counts failures by host. Who shows a valid token is never counted, from whatever host."""

    def __init__(self) -> None:
        self._buckets = PeerBuckets(PER_SECOND, BURST)
        self._held_count = 0

    async def slow_down(self, host: str) -> None:
        """Count a failure. Raises Refusal, after a while, if there were too many."""
        try:
            self._buckets.take(host, time.monotonic())
        except Refusal as refusal:
            if self._held_count < MAX_HELD:
                self._held_count += 1
                try:
                    await asyncio.sleep(refusal.retry_s)
                finally:
                    self._held_count -= 1
            message = "too many calls from here had a wrong token or invitation: ask again later"
            raise Refusal("TOO_MANY_REQUESTS", message, retry_s=refusal.retry_s) from None
