"""When a frame is written on a stream of calls or replies.

A frame costs about as much as handling ten calls, whatever it holds, so calls per frame decide the speed. What is put
into the outbox leaves at once when it is a fifth of all open calls (and at least 4), otherwise after two more turns of
the event loop: long enough for what is due at the same time to join, and no wait at all where nothing else is due.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

Item = TypeVar("Item")

MIN_FRAME = 4
OPEN_SHARE = 5


class Outbox(Generic[Item]):
    """Items waiting for the next frame of one stream.

    `write` sends one frame; it is never called again before it has returned. `open_count` is how many calls are open
    on the stream.
    """

    def __init__(self, write: Callable[[list[Item]], Awaitable[None]], open_count: Callable[[], int]) -> None:
        self._write = write
        self._open_count = open_count
        self._items: list[Item] = []
        self._due = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._timed = False
        self._nudged = False

    def put(self, item: Item) -> None:
        """Adds an item to the next frame."""
        self._items.append(item)
        if self._timed:
            if len(self._items) >= max(MIN_FRAME, self._open_count() // OPEN_SHARE):
                self._due.set()
        else:
            self._timed = True
            self._loop.call_soon(self._one_more_turn)

    def nudge(self) -> None:
        """Writes a frame soon, even an empty one."""
        self._nudged = True
        self._due.set()

    def _one_more_turn(self) -> None:
        self._loop.call_soon(self._due.set)

    async def run(self) -> None:
        """Writes frames for as long as the stream lasts; ends with what `write` raises, or by cancellation."""
        while True:
            await self._due.wait()
            self._due.clear()
            frame, self._items = self._items, []
            due, self._timed, self._nudged = self._nudged or bool(frame), False, False
            if due:
                await self._write(frame)
