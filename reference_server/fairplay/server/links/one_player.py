"""A server for one started player: ConnectionService and nothing else, for one name and no other."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from fairplay.server.links.dial_in import Hub
from fairplay.server.links.stream import Stream, Write
from fairplay.server.net.errors import Refusal
from fairplay.server.net.listeners import PlayerListener
from fairplay.server.servicers.connection import ConnectionServicer
from fairplay.server.servicers.interceptor import ErrorInterceptor
from fairplay.server.servicers.patience import FIRST_LIMIT_S
from fairplay.v1.connection_pb2 import Hello

MAX_CONNECTIONS = 16
MAX_CALLS = 4
"""One stream is all that a player needs, and a new one after a lost connection."""


class OnePlayer:
    """A hub that admits the player of one name only."""

    def __init__(self, hub: Hub, name: str) -> None:
        self._hub = hub
        self._name = name

    def admit(self, hello: Hello, write: Write, end: Callable[[], None], host: str = "", account: str = "") -> Stream:
        """Admit the player, as the hub does; it counts as a host of its own. Raises Refusal for any other name."""
        if any(player.name != self._name for player in hello.players):
            raise Refusal("WRONG_TOKEN", f"this address is for {self._name} alone: dial in with FAIRPLAY_NAME")
        return self._hub.admit(hello, write, end, self._name)


class OnePlayerServers:
    """Makes servers for one player each."""

    def __init__(self, hub: Hub, handshake_limit_s: float = FIRST_LIMIT_S) -> None:
        self._hub = hub
        self._handshake_limit_s = handshake_limit_s

    @asynccontextmanager
    async def __call__(self, listen: str, name: str) -> AsyncIterator[str]:
        """Serve on an address, "unix:PATH" or HOST:PORT, for the player of a name, and yield the address.

        Raises OSError if the address cannot be listened on.
        """
        servicer = ConnectionServicer(OnePlayer(self._hub, name), self._handshake_limit_s)
        listener = PlayerListener(servicer, [ErrorInterceptor()], MAX_CONNECTIONS, max_calls=MAX_CALLS)
        try:
            yield await listener.start(listen)
        finally:
            await listener.stop(0.0)
