"""Serving the pages over HTTP until the process is ended."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import socket
import ssl
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import grpc
import h11
import uvicorn
from starlette.applications import Starlette
from uvicorn.protocols.http.h11_impl import H11Protocol

from fairplay.client.errors import FailedError
from fairplay.player.accepting import Connection, Connections, accept
from fairplay.player.channels import open_channel
from fairplay.player.exposure import check_exposure, is_loopback
from fairplay.player.tls import TlsFiles, server_contexts
from fairplay.web.app import Options, make_app
from fairplay.web.middleware import Networks, is_in
from fairplay.web.upstream import Upstream, knows_accounts

BACKLOG = 1024
FAREWELL_S = 5
NICENESS = 10
"""How far the pages let others go first where processors are short: above all the referee on the same machine."""
REQUEST_S = 20.0
"""How long a request may take to come, with its body, from its first byte or the beginning of the connection on."""
UNREAD_S = 60.0
"""How long a browser may leave unread what it is sent."""
INCOMPLETE = (h11.IDLE, h11.SEND_BODY)
"""The states of a browser that has not sent a whole request."""
TOO_LATE = b"HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
KEEP_ALIVE_S = 75
"""How long a connection may be silent: longer than proxies keep theirs open, so that none sends a request too late."""


class _Protocol(H11Protocol):
    """A connection with a browser, which has REQUEST_S to send each request, and UNREAD_S to read what it is sent."""

    def __init__(self, connection: Connection, connections: Connections, **given: Any) -> None:
        super().__init__(**given)
        self._connection = connection
        self._connections = connections
        self._request_timer: asyncio.TimerHandle | None = None
        self._reading_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for the first request."""
        super().connection_made(transport)
        self._start_request_timer()

    def data_received(self, data: bytes) -> None:
        """Take a part of a request."""
        self._start_request_timer()
        super().data_received(data)
        self._connection.waiting = self.conn.their_state in INCOMPLETE
        if not self._connection.waiting:
            self._stop_request_timer()

    def on_response_complete(self) -> None:
        """Wait for another request."""
        super().on_response_complete()
        self._connection.waiting = self.conn.their_state in INCOMPLETE

    def pause_writing(self) -> None:
        """End the connection if the browser does not read on in time."""
        super().pause_writing()
        self._reading_timer = self.loop.call_later(UNREAD_S, self.transport.abort)

    def resume_writing(self) -> None:
        """Go on, as the browser reads."""
        super().resume_writing()
        self._stop_reading_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        """Make room for others."""
        self._stop_request_timer()
        self._stop_reading_timer()
        self._connections.remove(self._connection)
        super().connection_lost(exc)

    def _start_request_timer(self) -> None:
        if self._request_timer is None:
            self._request_timer = self.loop.call_later(REQUEST_S, self._end_late)

    def _stop_request_timer(self) -> None:
        if self._request_timer is not None:
            self._request_timer.cancel()
            self._request_timer = None

    def _stop_reading_timer(self) -> None:
        if self._reading_timer is not None:
            self._reading_timer.cancel()
            self._reading_timer = None

    def _end_late(self) -> None:
        if self.cycle is None or self.cycle.response_complete:
            self.transport.write(TOO_LATE)
        self.transport.close()


class _Server(uvicorn.Server):
    """A server that leaves signals to whoever runs it, and takes connections from a socket by itself."""

    def __init__(
        self,
        config: uvicorn.Config,
        listening: socket.socket,
        tls: Callable[[], ssl.SSLContext] | None,
        proxies: Networks,
    ) -> None:
        super().__init__(config)
        self._listening = listening
        self._tls = tls
        self._connections = Connections(is_proxy=lambda host: is_in(host, proxies))
        self._accepting: asyncio.Task[None] | None = None

    @contextlib.contextmanager
    def capture_signals(self):  # type: ignore[no-untyped-def]
        """Leave signals as they are."""
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to take connections."""
        await super().startup(sockets=[])

        def make(connection: Connection) -> _Protocol:
            state = {"server_state": self.server_state, "app_state": self.lifespan.state}
            return _Protocol(connection, self._connections, config=self.config, **state)

        self._accepting = asyncio.create_task(accept(self._listening, make, self._connections, self._tls))

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Take no more connections, and end those that are open."""
        if self._accepting is not None:
            self._accepting.cancel()
            await asyncio.gather(self._accepting, return_exceptions=True)
        self._listening.close()
        self._connections.end_waiting()
        await super().shutdown(sockets=[])


@asynccontextmanager
async def served(
    app: Starlette, listen: str, tls: TlsFiles | None = None, proxies: Networks = ()
) -> AsyncIterator[str]:
    """Serve an application for as long as the context lasts; it gets the address. Raises OSError if it is taken."""
    listening = _bind(listen)
    host, port = listening.getsockname()[:2]
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_keep_alive=KEEP_ALIVE_S,
        proxy_headers=False,  # uvicorn believes every program on this machine what it says of a browser elsewhere
        timeout_graceful_shutdown=FAREWELL_S,
    )
    server = _Server(config, listening, server_contexts(tls) if tls is not None else None, proxies)
    serving = asyncio.create_task(server.serve())
    try:
        yield f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    finally:
        app.state.site.end()
        server.should_exit = True
        await serving


async def serve_pages(options: Options, listen: str, tls: TlsFiles | None, *, insecure: bool = False) -> None:
    """Serve the pages until this task is cancelled, or the process is terminated.

    Raises CredentialsError if a file of the credentials cannot be used. Raises ExposedError if strangers reach them and
    the server has no accounts, and FailedError if it does not say whether it has; not if they are to be `insecure`.
    """
    await open_channel(options.server, options.credentials).close()  # uvicorn would say in a trace what is wrong
    if not insecure and not is_loopback(listen):
        check_exposure(listen, {"--accounts to the server": await _has_accounts(options)}, insecure=False)
    os.nice(NICENESS)
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    logging.getLogger("uvicorn.error").setLevel(logging.ERROR)  # warnings are a line for each odd request of a stranger
    terminated = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, terminated.set)
    async with served(make_app(options), listen, tls, options.trusted_proxies) as address:
        scheme = "https" if tls is not None else "http"
        sys.stdout.write(
            f"fairplay shows {options.server} on {scheme}://{address}{options.root_path}/; Ctrl-C stops it\n"
        )
        sys.stdout.flush()
        await terminated.wait()


async def _has_accounts(options: Options) -> bool:
    """Return whether the server of the pages has accounts. Raises FailedError if it does not answer."""
    upstream = Upstream(options.server, options.credentials)
    try:
        return knows_accounts(await upstream.info())
    except grpc.aio.AioRpcError as error:
        why = f"no server answers on {options.server}: {error.details() or error.code().name}"
        raise FailedError(f"{why}. Pages that other machines reach ask it first whether it has accounts") from None
    finally:
        await upstream.close()


def _bind(listen: str) -> socket.socket:
    host, _, port = listen.rpartition(":")
    bare = host.strip("[]")
    family = socket.AF_INET6 if ":" in bare else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)  # named, or asyncio sets no TCP_NODELAY
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((bare, int(port)))
        listening.listen(BACKLOG)
    except OSError as error:
        listening.close()
        raise OSError(f"{listen} cannot be listened on: {error.strerror}") from None
    return listening
