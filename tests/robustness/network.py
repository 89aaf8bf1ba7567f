"""A network between a server and its players that can be down: a relay on loopback."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

CHUNK = 65_536


class Network:
    """Carries connections to a server. `address` is where they come in.

    It is down in two ways: while it holds, connections stay and nothing comes through, as with a cable that is pulled;
    when it is cut, connections break and new ones are refused, as with a router that restarts.
    """

    def __init__(self, server: str) -> None:
        self._server = server
        self._up = asyncio.Event()
        self._listener: asyncio.Server | None = None
        self._carried: set[asyncio.Task[None]] = set()
        self.address = "127.0.0.1:0"
        self.in_vain = asyncio.Semaphore(0)
        """Is released with each connection that comes while the server is not there."""

    async def restore(self) -> None:
        """Carry connections, and what was held."""
        self._up.set()
        if self._listener is None:
            host, _, port = self.address.rpartition(":")
            self._listener = await asyncio.start_server(self._carry, host, int(port))
            self.address = f"{host}:{self._listener.sockets[0].getsockname()[1]}"

    def hold(self) -> None:
        """Let nothing through."""
        self._up.clear()

    async def cut(self) -> None:
        """Break all connections, and refuse others."""
        if self._listener is not None:
            self._listener.close()
            self._listener = None
        for task in self._carried:
            task.cancel()
        await asyncio.gather(*self._carried, return_exceptions=True)

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._carried.add(task)
        far_writer: asyncio.StreamWriter | None = None
        try:
            host, _, port = self._server.rpartition(":")
            try:
                far_reader, far_writer = await asyncio.open_connection(host, int(port))
            except OSError:
                self.in_vain.release()
                return
            pumps = [asyncio.ensure_future(self._pump(*way)) for way in ((reader, far_writer), (far_reader, writer))]
            try:
                await asyncio.wait(pumps, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for pump in pumps:
                    pump.cancel()
                await asyncio.gather(*pumps, return_exceptions=True)
        except asyncio.CancelledError:
            pass  # the network is cut: the connection ends
        finally:
            self._carried.discard(task)
            for each in (writer, far_writer):
                if each is not None:
                    each.transport.abort()

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            while data := await reader.read(CHUNK):
                await self._up.wait()
                writer.write(data)
                await writer.drain()


@asynccontextmanager
async def network(server: str) -> AsyncIterator[Network]:
    """Return a network before a server, which is up."""
    made = Network(server)
    await made.restore()
    try:
        yield made
    finally:
        await made.cut()
