"""The streams of Attend: each sends events to one user, as fast as that user reads, and keeps none itself."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeAlias

Write: TypeAlias = Callable[[bytes], Awaitable[None]]
After: TypeAlias = Callable[[int], tuple[int, Sequence[bytes]]]
"""(number of the last event that was seen) -> the number of the last event, and the messages that lead there."""


class EventStream:
    """One stream. `seen` is the number of the last event that its user has seen."""

    def __init__(self, seen: int, after: After) -> None:
        self._seen = seen
        self._after = after
        self._due = asyncio.Event()
        self._over: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def wake(self) -> None:
        """Send the events that are new."""
        self._due.set()

    def end(self, error: BaseException | None = None) -> None:
        """End the stream, with an error if the user did not ask for the end. Only the first end counts."""
        if self._over.done():
            return
        if error is None:
            self._over.set_result(None)
        else:
            self._over.set_exception(error)

    async def run(self, write: Write) -> None:
        """Send events until the stream is ended. Raises what it was ended with, or what `write` raises."""
        writing = asyncio.ensure_future(self._write_all(write))
        writing.add_done_callback(self._stopped)
        try:
            await self._over
        finally:
            writing.cancel()

    def _stopped(self, writing: asyncio.Task[None]) -> None:
        if not writing.cancelled():
            self.end(writing.exception())

    async def _write_all(self, write: Write) -> None:
        while True:
            self._due.clear()
            last, due = self._after(self._seen)
            for data in due:
                await write(data)
            self._seen = last
            await self._due.wait()
