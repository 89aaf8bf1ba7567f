"""Waking the streams of the lobby when there are new events."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Sequence

from fairplay.server.lobby.event_stream import EventStream

SLICE = 50
"""How many streams are woken in one turn of the event loop: games go on in between."""
MIN_REST_S = 0.005


class Broadcaster:
    """Wakes all streams, then rests for as long as that took: what happens meanwhile is sent together."""

    def __init__(self, streams: Callable[[], Iterable[EventStream]]) -> None:
        self._streams = streams
        self._due = asyncio.Event()
        self._task = asyncio.get_running_loop().create_task(self._run())

    def wake_all(self) -> None:
        """Wake all streams in the next round."""
        self._due.set()

    def wake_some(self, streams: Sequence[EventStream]) -> None:
        """Wake some streams at once, unless they are many."""
        if len(streams) > SLICE:
            self.wake_all()
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
            await asyncio.sleep(max(MIN_REST_S, time.monotonic() - began))

    async def stop(self) -> None:
        """Stop waking streams."""
        self._task.cancel()
        await asyncio.wait([self._task])
