"""Connections of callers: how many there may be, and the end of those that do harm.

gRPC bounds how many a listener has, and not how many of one host; and no handler can end the one that its call came
over. So what was accepted is looked up among the descriptors of this process, off the event loop.
"""

from __future__ import annotations

import asyncio
import os
import resource
import socket
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

from fairplay.player.exposure import UNIX
from fairplay.server.net.exhaustion import waiting_for
from fairplay.server.net.peers import Buckets, host_of

DESCRIPTORS = Path("/proc/self/fd") if Path("/proc/self/fd").is_dir() else Path("/dev/fd")
"""Where Linux, and other systems, list the descriptors of the process that looks."""
MOST_OPEN = 10_240
"""How many descriptors macOS allows where it names no limit."""
MAX_CONNECTIONS, MAX_HOST_CONNECTIONS = 20_000, 1_000
MAX_RESERVED = 1_000
"""How many descriptors are left for files, programs and players that are called."""
RESETS_PER_SECOND = 100
RESET_BURST = 500
LOOK_EVERY_S = 1.0
REST_S = 0.1
"""How long to leave the processor to others after each look."""


@dataclass(frozen=True, slots=True)
class ConnectionLimits:
    """How many connections there may be: in all, and of one host; 0: as many as descriptors allow.

    Those from this machine count in all alone: they may be a whole class on one computer, or those of a proxy.
    """

    in_all: int = 0
    of_host: int = 0

    @property
    def most(self) -> int:
        """Return how many there may be in all."""
        return self.in_all or min(MAX_CONNECTIONS, _room())

    @property
    def most_of_host(self) -> int:
        """Return how many there may be of one host."""
        return self.of_host or min(MAX_HOST_CONNECTIONS, self.most // 8)

    def of_listeners(self, *, shared: bool) -> tuple[int, int]:
        """Return how many the address for everything may have, and that for players; `shared`: there are both."""
        most = self.most
        return (most // 4, most - most // 4) if shared else (most, most)


def raise_descriptor_limit() -> None:
    """Let this process open as many files and connections as the system allows it."""
    now, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = max(now, MOST_OPEN) if most == resource.RLIM_INFINITY else most
    with suppress(OSError, ValueError):  # a system may have a limit besides
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))


def _room() -> int:
    """Return how many descriptors connections may take."""
    limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return MAX_CONNECTIONS if limit == resource.RLIM_INFINITY else limit - min(MAX_RESERVED, limit // 2)


class ConnectionGuard:
    """Watches the connections that were accepted at some ports.

    Ends the newest ones of a host that has more than `host_limit`, and those that have taken back calls too often.
    """

    def __init__(self, host_limit: int, now_s: Callable[[], float] = time.monotonic) -> None:
        self._ports: frozenset[int] = frozenset()
        self._watching: asyncio.Task[None] | None = None
        self._host_limit = host_limit
        self._now_s = now_s
        self._resets = Buckets(RESETS_PER_SECOND, RESET_BURST)
        self._doomed: set[str] = set()
        self._wanted = asyncio.Event()
        self._known: dict[str, int] = {}
        """The other ends of connections, with the look at which each was new."""
        self._look_count = 0

    def count_reset(self, peer: str) -> None:
        """Count a call that was taken back before it was answered, by gRPC's text for the other end.

        A connection whose host does so too often is ended.
        """
        if self._resets.wait_s(host_of(peer), self._now_s()):
            self._doomed.add(unquote(peer))
            self._wanted.set()

    def watch(self, addresses: Collection[str]) -> None:
        """Look after the connections at these addresses until `stop`; those of a Unix socket have no host."""
        self._ports = frozenset(int(each.rpartition(":")[2]) for each in addresses if not each.startswith(UNIX))
        self._watching = asyncio.create_task(self._watch())

    async def stop(self) -> None:
        """Look after them no more."""
        if self._watching is not None:
            self._watching.cancel()
            await asyncio.wait([self._watching])

    async def _watch(self) -> None:
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(LOOK_EVERY_S):
                    await self._wanted.wait()
            self._wanted.clear()
            doomed, self._doomed = self._doomed, set()
            try:
                await asyncio.to_thread(self._look, doomed)
            except (OSError, RuntimeError) as error:
                if waiting_for(error) is None:
                    raise
                self._doomed |= doomed  # no descriptor or thread is left to look with: there may be one the next time
            await asyncio.sleep(REST_S)

    def _look(self, doomed: set[str]) -> None:
        """End those that are doomed, and those that are too many."""
        if len(_descriptors()) > self._host_limit:
            doomed = doomed | self._surplus([peer for peer, _ in self._accepted()])
        if doomed:
            for peer, connection in self._accepted():
                if peer in doomed:
                    with suppress(OSError):  # it is over already
                        connection.shutdown(socket.SHUT_RDWR)

    def _surplus(self, peers: Collection[str]) -> set[str]:
        """Return the newest connections of each host that has too many."""
        self._look_count += 1
        self._known = {peer: self._known.get(peer, self._look_count) for peer in peers}
        of_host: defaultdict[str, list[str]] = defaultdict(list)
        for peer in sorted(peers, key=self._known.__getitem__):
            of_host[host_of(peer)].append(peer)
        return {peer for each in of_host.values() for peer in each[self._host_limit :]}

    def _accepted(self) -> Iterator[tuple[str, socket.socket]]:
        """Yield the other end of each connection, and a duplicate of its socket until the next one is asked for.

        gRPC may close a descriptor at any moment, which then becomes another one's; a duplicate stays what it is.
        """
        for name in _descriptors():
            with suppress(OSError), _duplicate(name) as connection:
                here, there = connection.getsockname(), connection.getpeername()
                if isinstance(here, tuple) and here[1] in self._ports:
                    yield _peer(str(there[0]), int(there[1])), connection


def _descriptors() -> list[int]:
    """Return the descriptors of this process. Raises OSError if there is none to look with."""
    return [int(path.name) for path in DESCRIPTORS.iterdir()]


def _duplicate(descriptor: int) -> socket.socket:
    """Return a socket of its own for a descriptor. Raises OSError if it is none of a socket, or is closed."""
    copy = os.dup(descriptor)
    try:
        return socket.socket(fileno=copy)
    except OSError:
        os.close(copy)
        raise


def _peer(host: str, port: int) -> str:
    """Return gRPC's text for the other end of a connection, not quoted."""
    host = host.removeprefix("::ffff:")
    return f"ipv6:[{host}]:{port}" if ":" in host else f"ipv4:{host}:{port}"
