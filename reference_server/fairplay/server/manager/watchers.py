"""Those who watch a tournament."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

from fairplay.server.errors import Refusal
from fairplay.v1.manager_pb2 import WatchTournamentResponse
from fairplay.v1.tournament_pb2 import Tournament


class Watchers:
    """The watchers of one tournament, to whom its news are sent."""

    def __init__(self) -> None:
        self._queues: list[asyncio.Queue[WatchTournamentResponse | None]] = []
        self._closed = False
        self._refusal: Refusal | None = None

    def tell(self, event: WatchTournamentResponse) -> None:
        """Send an event to all watchers."""
        for queue in self._queues:
            queue.put_nowait(event)

    def close(self, refusal: Refusal | None = None) -> None:
        """End the news; `refusal` says why, if the tournament is not over."""
        self._closed, self._refusal = True, refusal
        for queue in self._queues:
            queue.put_nowait(None)

    async def follow(self, message: Tournament) -> AsyncGenerator[WatchTournamentResponse, None]:
        """Yield the tournament as it is now, then its news until the end. Raises Refusal if the server shuts down."""
        queue: asyncio.Queue[WatchTournamentResponse | None] = asyncio.Queue()
        queue.put_nowait(WatchTournamentResponse(tournament=message))  # copies it
        if self._closed:
            queue.put_nowait(None)
        self._queues.append(queue)
        try:
            while (event := await queue.get()) is not None:
                yield event
        finally:
            self._queues.remove(queue)
        if self._refusal is not None:
            raise self._refusal
