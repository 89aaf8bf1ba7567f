"""Those who watch a tournament."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator

from fairplay.server.net.errors import Refusal
from fairplay.v1.manager_pb2 import WatchTournamentResponse
from fairplay.v1.tournament_pb2 import Tournament

MAX_UNREAD = 1_000
"""How many events a watcher may leave unread: one that leaves more gets the whole tournament instead."""


class Watchers:
    """The watchers of one tournament, to whom its news are sent."""

    def __init__(self) -> None:
        self._watchers: list[_Watcher] = []
        self._closed = False
        self._refusal: Refusal | None = None

    @property
    def anybody(self) -> bool:
        """Return whether somebody watches."""
        return bool(self._watchers)

    def tell(self, event: WatchTournamentResponse) -> None:
        """Send an event to all watchers. They share it: nothing is copied for each."""
        for watcher in self._watchers:
            watcher.tell(event)

    def close(self, refusal: Refusal | None = None) -> None:
        """End the news; `refusal` says why, if the tournament is not over."""
        self._closed, self._refusal = True, refusal
        for watcher in self._watchers:
            watcher.wake.set()

    async def follow(self, message: Tournament) -> AsyncGenerator[WatchTournamentResponse, None]:
        """Yield the tournament as it is now, then its news until the end. Raises Refusal if the server shuts down.

        Who reads so slowly that too many events wait for it misses them, and is sent the tournament as it is then.
        """
        watcher = _Watcher()
        self._watchers.append(watcher)
        try:
            while True:
                while (event := watcher.next(message)) is not None:
                    yield event
                if self._closed:
                    break
                watcher.wake.clear()
                await watcher.wake.wait()
        finally:
            self._watchers.remove(watcher)
        if self._refusal is not None:
            raise self._refusal


class _Watcher:
    """The events that one watcher has still to read; `behind` while it is to be sent the whole tournament first."""

    def __init__(self) -> None:
        self.wake = asyncio.Event()
        self._behind = True
        self._events: deque[WatchTournamentResponse] = deque()

    def tell(self, event: WatchTournamentResponse) -> None:
        if not self._behind:
            self._events.append(event)
            if len(self._events) > MAX_UNREAD:
                self._behind = True
                self._events.clear()
        self.wake.set()

    def next(self, message: Tournament) -> WatchTournamentResponse | None:
        """Return the next event; None if there is none."""
        if self._behind:
            self._behind = False
            return WatchTournamentResponse(tournament=message)  # copies it, as it is now
        return self._events.popleft() if self._events else None
