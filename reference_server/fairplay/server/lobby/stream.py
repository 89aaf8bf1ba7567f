"""The streams of Attend: each carries the news to one user, as fast as that one reads, and keeps nothing itself."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import TypeAlias

from fairplay.server.errors import Refusal

SLICE = 50
"""So many streams are woken in one turn of the event loop: games go on in between."""

LEAST_REST_S = 0.005

Write: TypeAlias = Callable[[bytes], Awaitable[None]]
After: TypeAlias = Callable[[int], tuple[int, Sequence[bytes]]]
"""From the last number that somebody has seen to the last one that there is, and what leads there."""


class Stream:
    """One stream. `seen` is the number of the last event that was written to it."""

    def __init__(self, seen: int, after: After) -> None:
        self._seen = seen
        self._after = after
        self._due = asyncio.Event()
        self._over: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def wake(self) -> None:
        """There is news."""
        self._due.set()

    def end(self, refusal: Refusal | None = None) -> None:
        """Ends the stream; `refusal` says why, where the user did not ask for that."""
        if self._over.done():
            return
        if refusal is None:
            self._over.set_result(None)
        else:
            self._over.set_exception(refusal)

    async def carry(self, write: Write) -> None:
        """Carries the news until the stream is ended. Refusal: it was ended for that reason."""
        writing = asyncio.ensure_future(self._write_all(write))
        writing.add_done_callback(self._stopped)
        try:
            await self._over
        finally:
            writing.cancel()

    def _stopped(self, writing: asyncio.Task[None]) -> None:
        if not writing.cancelled() and not self._over.done() and (error := writing.exception()) is not None:
            self._over.set_exception(error)

    async def _write_all(self, write: Write) -> None:
        while True:
            self._due.clear()
            last, due = self._after(self._seen)
            for data in due:
                await write(data)
            self._seen = last
            await self._due.wait()


class Crier:
    """Tells all streams of news, and rests for as long as that took: what happens meanwhile goes together."""

    def __init__(self, streams: Callable[[], Iterable[Stream]]) -> None:
        self._streams = streams
        self._due = asyncio.Event()
        self._task = asyncio.get_running_loop().create_task(self._run())

    def cry(self) -> None:
        """There is news for everybody."""
        self._due.set()

    def whisper(self, streams: Sequence[Stream]) -> None:
        """There is news for some, who are to hear of it at once, unless they are many."""
        if len(streams) > SLICE:
            self.cry()
            return
        for stream in streams:
            stream.wake()

    async def _run(self) -> None:
        while True:
            await self._due.wait()
            self._due.clear()
            began = time.monotonic()
            streams = list(self._streams())
            for at in range(0, len(streams), SLICE):
                for stream in streams[at : at + SLICE]:
                    stream.wake()
                await asyncio.sleep(0)  # in which they write
            await asyncio.sleep(max(LEAST_REST_S, time.monotonic() - began))

    async def stop(self) -> None:
        """Nobody will be told anything more."""
        self._task.cancel()
        await asyncio.wait([self._task])
