"""Patience with callers: how long the server waits for a first message, and for a stream to be read.

gRPC waits for ever for the request of a call that was opened, and for a reader of a stream that was asked for; each
such call costs memory. So the handlers of all methods read their request themselves, and write within a limit.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Iterator
from contextlib import contextmanager
from typing import Any

import grpc

from fairplay.server.net.errors import Refusal
from fairplay.server.net.peers import host_of

FIRST_LIMIT_S = 10.0
UNREAD_LIMIT_S = 60.0
MAX_SILENT = 1_000
"""How many calls of one host may be open without having sent anything yet."""
MAX_ALL_SILENT = 4_000
"""How many may be, of all hosts together: the one that has been silent longest makes room for another one."""
AT_ONCE_S = 1.0
"""What the first message of a sound caller takes at the most, in a burst of many calls: it counts as silent after."""


class FirstMessages:
    """Waits for the first messages of calls, `limit_s` for each, and for few silent calls of one host.

    `reason` is that of the refusal of calls that stay silent; `what` says in messages what they should have sent.
    """

    def __init__(self, limit_s: float, reason: str, what: str, at_once_s: float = AT_ONCE_S) -> None:
        self._limit_s = limit_s
        self._reason = reason
        self._what = what
        self._at_once_s = min(at_once_s, limit_s)
        self._hosts: Counter[str] = Counter()
        self._silent: dict[asyncio.Future[Any], None] = {}
        """The readings of silent calls, the oldest first."""

    @property
    def silent_count(self) -> int:
        """Return how many calls are waited for that have not sent anything for longer than sound callers take."""
        return len(self._silent)

    async def read(self, context: Any) -> Any:
        """Return the first message of a call, or grpc.aio.EOF. Raises Refusal if none comes."""
        return await self.wait(context.read(), context.peer())

    async def wait(self, message: Awaitable[Any], peer: str) -> Any:
        """Return what is awaited, the first message of a call of `peer`. Raises Refusal if none comes."""
        reading = asyncio.ensure_future(message)
        try:
            done, _ = await asyncio.wait([reading], timeout=self._at_once_s)
            if not done:
                with self._counted(host_of(peer), reading):
                    await asyncio.wait([reading], timeout=self._limit_s - self._at_once_s)
            if reading.cancelled():
                raise self._too_many(f"{MAX_ALL_SILENT:,} calls to this server")
            if not reading.done():
                raise Refusal(self._reason, f"no {self._what} came within {self._limit_s:g} s")
            return reading.result()
        finally:
            reading.cancel()

    @contextmanager
    def _counted(self, host: str, reading: asyncio.Future[Any]) -> Iterator[None]:
        if self._hosts[host] >= MAX_SILENT:
            raise self._too_many(f"{MAX_SILENT:,} calls from your address")
        if len(self._silent) >= MAX_ALL_SILENT:
            oldest = next(iter(self._silent))
            del self._silent[oldest]
            oldest.cancel()
        self._hosts[host] += 1
        self._silent[reading] = None
        try:
            yield
        finally:
            self._silent.pop(reading, None)
            self._hosts[host] -= 1
            if not self._hosts[host]:
                del self._hosts[host]

    def _too_many(self, calls: str) -> Refusal:
        message = f"{calls} have sent no {self._what} yet: send it, or end them"
        return Refusal("TOO_MANY_REQUESTS", message, retry_s=AT_ONCE_S)


class ReadContext:
    """The context of a call whose stream must be read: each message within `limit_s`."""

    def __init__(self, context: Any, limit_s: float) -> None:
        self._context = context
        self._limit_s = limit_s
        self.begun = False
        """Whether anything was sent."""

    def __getattr__(self, name: str) -> Any:
        """Return what else the context has."""
        return getattr(self._context, name)

    async def write(self, message: Any) -> None:
        """Send a message, after those that were sent before. Raises Refusal if the caller does not read them."""
        if not self.begun:  # or a refusal would send it too, while the first message is under way
            self.begun = True
            await self._context.send_initial_metadata(())
        try:
            async with asyncio.timeout(self._limit_s):
                await self._context.write(message)
        except TimeoutError:
            message = f"nobody has read this stream for {self._limit_s:g} s: ask again, and read what comes"
            raise Refusal("STREAM_NOT_READ", message) from None


async def first_request(messages: FirstMessages, context: Any) -> Any:
    """Return the request of a method that takes one. Raises Refusal if none comes."""
    request = await messages.read(context)
    if request is grpc.aio.EOF:
        raise Refusal("PROTOCOL_BROKEN", "the call ended without a request")
    return request
