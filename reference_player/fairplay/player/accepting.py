"""Connections of listeners of our own: so many of each host and in all, and none that says nothing for long.

One that comes when there is no room takes the place of the oldest that waits for its other side: so nobody shuts
others out by connections that are open and silent.
"""

from __future__ import annotations

import asyncio
import resource
import socket
import ssl
from collections.abc import Callable

from fairplay.player.proxies import is_this_machine

HANDSHAKE_S = 10.0
PAUSE_S = 0.2
"""How long nobody is let in when no descriptor is left."""
MOST_OF_HOST = 256
MOST = 4_000
SHARE = 0.6
"""How many of the descriptors of a process its connections may have."""


class Connection:
    """A connection. `waiting`: nothing is being done for it, as its other side has not asked for anything."""

    def __init__(self, host: str) -> None:
        self.host = host
        self.waiting = True
        self.end: Callable[[], object] = lambda: None


class Connections:
    """The connections of a listener, the oldest first. `most` None: as many as the descriptors of the process allow.

    `is_proxy` says of a host whether its connections are those of many others; those of this machine always may be.
    """

    def __init__(self, most: int | None = None, is_proxy: Callable[[str], bool] = lambda host: False) -> None:
        self._most = _room() if most is None else most
        self._is_proxy = is_proxy
        self._open: dict[Connection, None] = {}

    def admit(self, host: str) -> Connection | None:
        """Return a new connection, perhaps in place of one that waits; None if there is no room for it."""
        # Connections from this machine may be those of a proxy before many others, too.
        may_be_many = is_this_machine(host) or self._is_proxy(host)
        own = [] if may_be_many else [each for each in self._open if each.host == host]
        crowd = own if len(own) >= MOST_OF_HOST else [*self._open] if len(self._open) >= self._most else None
        if crowd is not None:
            oldest = next((each for each in crowd if each.waiting), None)
            if oldest is None:
                return None
            self.remove(oldest)
            oldest.end()
        made = Connection(host)
        self._open[made] = None
        return made

    def remove(self, connection: Connection) -> None:
        """Forget a connection that has ended."""
        self._open.pop(connection, None)

    def end_waiting(self) -> None:
        """End the connections that wait: their other sides would have nothing done for them any more."""
        for each in [each for each in self._open if each.waiting]:
            each.end()


async def accept(
    listening: socket.socket,
    make: Callable[[Connection], asyncio.Protocol],
    connections: Connections,
    tls: Callable[[], ssl.SSLContext] | None = None,
) -> None:
    """Take connections, and serve each with a protocol of its own, until this task is cancelled.

    `tls` gives the context of each; None: it speaks no TLS. The protocol says when its connection waits, and removes it
    from `connections` at its end.
    """
    loop = asyncio.get_running_loop()
    listening.setblocking(False)
    serving: set[asyncio.Task[None]] = set()
    while True:
        try:
            taken, address = await loop.sock_accept(listening)
        except OSError:  # no descriptors are left, or the other side has gone again: others wait in the backlog
            await asyncio.sleep(PAUSE_S)
            continue
        connection = connections.admit(address[0])
        if connection is None:
            taken.close()
            continue
        task = loop.create_task(_serve(taken, make, connection, connections, tls))
        connection.end = task.cancel
        serving.add(task)
        task.add_done_callback(serving.discard)
        await asyncio.sleep(0)  # a backlog that never ends leaves room for others


async def _serve(
    taken: socket.socket,
    make: Callable[[Connection], asyncio.Protocol],
    connection: Connection,
    connections: Connections,
    tls: Callable[[], ssl.SSLContext] | None,
) -> None:
    context, limit = (tls(), HANDSHAKE_S) if tls is not None else (None, None)
    try:
        taken.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # on macOS it fails if the other side has gone
        transport, _ = await asyncio.get_running_loop().connect_accepted_socket(
            lambda: make(connection), taken, ssl=context, ssl_handshake_timeout=limit
        )
    except (OSError, asyncio.CancelledError):  # a handshake that failed, took too long, or had to make room
        connections.remove(connection)
        taken.close()
    else:
        connection.end = transport.abort


def _room() -> int:
    """Return how many connections the descriptors of this process allow."""
    descriptors = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return MOST if descriptors == resource.RLIM_INFINITY else min(MOST, int(descriptors * SHARE))
