"""Those who have entered the lobby through the pages, each known by a cookie."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import replace

from fairplay.player.channels import Credentials
from fairplay.terminal.lobby.client import ConnectionState, LobbyClient
from fairplay.terminal.lobby.controller import LobbyController
from fairplay.web.changes import Changes

KEY_BYTES = 32
NEWS_LIMIT_S = 5.0
SWEEP_S = 1.0
FULL = "so many people are here already that nobody else can enter through these pages"


class Visitor:
    """A person in the lobby. It stays there, and in its seat, as long as one of its pages is open or was lately."""

    def __init__(self, address: str, credentials: Credentials) -> None:
        self.key = secrets.token_urlsafe(KEY_BYTES)
        self.changes = Changes()
        self.client = LobbyClient(address, self._follow, credentials=credentials)
        self.controller = LobbyController(self.client, self.changes.notify)
        self.notice = ""
        """Why the last thing that was asked for was refused; empty if it was not."""
        self._seen_s = time.monotonic()
        self._pages = 0
        self._attending: asyncio.Task[None] | None = None

    def _follow(self) -> None:
        self.controller.follow()

    @property
    def name(self) -> str:
        """Return the name in the lobby."""
        return self.client.lobby.me

    @property
    def trouble(self) -> str:
        """Return what is wrong with the connection to the server; empty if nothing is."""
        return "" if self.client.connection.state is ConnectionState.LIVE else self.client.connection.sentence

    async def enter(self, name: str) -> str:
        """Enter the lobby and wait until it is known; if that is refused return why. Raises LobbyGoneError."""
        refusal = await self.client.enter(name)
        if not refusal:
            self._attending = asyncio.create_task(self.client.attend())
            if not await self.until(lambda: bool(self.client.lobby.sequence)):
                return "the server does not answer"
        return refusal

    async def until(self, holds: Callable[[], bool]) -> bool:
        """Wait a while until the lobby, as it is known here, fulfils a condition; return whether it does."""
        with suppress(TimeoutError):
            async with asyncio.timeout(NEWS_LIMIT_S):
                while not holds() and not self.client.over:
                    await self.changes.wait(self.changes.version)
        return holds()

    def touch(self) -> None:
        """Record that the person is here."""
        self._seen_s = time.monotonic()

    @asynccontextmanager
    async def watching(self) -> AsyncIterator[None]:
        """Count an open page for as long as the context lasts."""
        self._pages += 1
        try:
            yield
        finally:
            self._pages -= 1
            self.touch()

    def is_gone(self, grace_s: float) -> bool:
        """Return whether no page was open for longer than the grace time, or the lobby has ended the connection."""
        return not self._pages and (self.client.over or time.monotonic() - self._seen_s > grace_s)

    async def leave(self) -> None:
        """Leave the lobby."""
        await self.controller.close()
        if self._attending is not None:
            self._attending.cancel()
            await asyncio.gather(self._attending, return_exceptions=True)
        self.changes.notify()


class Visitors:
    """All visitors, by the keys in their cookies. Those who stay away longer than the grace time leave the lobby."""

    def __init__(self, address: str, credentials: Credentials, grace_s: float, most: int) -> None:
        self._address = address
        self._credentials = credentials
        self._grace_s = grace_s
        self._most = most
        self._by_key: dict[str, Visitor] = {}

    def __len__(self) -> int:
        return len(self._by_key)

    def find(self, key: str) -> Visitor | None:
        """Return the visitor with a key, or None; it is here now."""
        visitor = self._by_key.get(key)
        if visitor is not None:
            visitor.touch()
        return visitor

    async def enter(self, name: str, token: str) -> Visitor | str:
        """Return a new visitor under a name, with the token of its account if it has one, or why it is refused.

        Raises LobbyGoneError if there is no lobby.
        """
        if len(self._by_key) >= self._most:
            return FULL
        credentials = replace(self._credentials, token=token) if token else self._credentials
        visitor = Visitor(self._address, credentials)
        refusal = "the pages end just now"
        try:
            refusal = await visitor.enter(name)
        finally:
            if refusal:
                await visitor.leave()
        if refusal:
            return refusal
        self._by_key[visitor.key] = visitor
        return visitor

    async def leave(self, visitor: Visitor) -> None:
        """Have a visitor leave, and forget its key."""
        self._by_key.pop(visitor.key, None)
        await visitor.leave()

    async def sweep(self) -> None:
        """Have those leave who are gone, again and again, until this task is cancelled."""
        while True:
            await asyncio.sleep(SWEEP_S)
            gone = [visitor for visitor in self._by_key.values() if visitor.is_gone(self._grace_s)]
            await asyncio.gather(*(self.leave(visitor) for visitor in gone))

    async def close(self) -> None:
        """Have all leave."""
        await asyncio.gather(*(self.leave(visitor) for visitor in list(self._by_key.values())))
