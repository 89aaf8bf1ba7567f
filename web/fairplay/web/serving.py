"""Serving the pages over HTTP until the process is ended."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import grpc
import uvicorn
from starlette.applications import Starlette

from fairplay.player.exposure import check_exposure, is_loopback
from fairplay.player.tls import TlsFiles
from fairplay.terminal.outcomes import FailedError
from fairplay.web.app import Options, make_app
from fairplay.web.upstream import Upstream, knows_accounts

BACKLOG = 1024
FAREWELL_S = 2
NICENESS = 10
"""How far the pages let others go first where processors are short: above all the referee on the same machine."""
KEEP_ALIVE_S = 75
"""How long a connection may be silent: longer than proxies keep theirs open, so that none sends a request too late."""


class _Server(uvicorn.Server):
    """A server that leaves signals to whoever runs it."""

    @contextlib.contextmanager
    def capture_signals(self):  # type: ignore[no-untyped-def]
        """Leave signals as they are."""
        yield


@asynccontextmanager
async def served(app: Starlette, listen: str, tls: TlsFiles | None = None) -> AsyncIterator[str]:
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
        ssl_certfile=str(tls.certificate) if tls is not None else None,
        ssl_keyfile=str(tls.key) if tls is not None else None,
    )
    server = _Server(config)
    serving = asyncio.create_task(server.serve([listening]))
    try:
        yield f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    finally:
        app.state.site.end()
        server.should_exit = True
        await serving


async def serve_pages(options: Options, listen: str, tls: TlsFiles | None, *, insecure: bool = False) -> None:
    """Serve the pages until this task is cancelled, or the process is terminated.

    Raises ExposedError if strangers reach them and the server has no accounts, and FailedError if it does not say
    whether it has; not if they are to be `insecure`.
    """
    if not insecure and not is_loopback(listen):
        check_exposure(listen, {"--accounts to the server": await _has_accounts(options)}, insecure=False)
    os.nice(NICENESS)
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    terminated = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, terminated.set)
    async with served(make_app(options), listen, tls) as address:
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
