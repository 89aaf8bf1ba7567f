"""What the tests of the suite for servers share: servers in threads of their own, and runs of the suite on them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager

from fairplay.conformance.player.loop import LoopThread
from fairplay.conformance.run.engine import run_plan
from fairplay.conformance.run.report import Report
from fairplay.conformance.servers.plan import make_server_plan
from fairplay.server.server import Config, Server
from tests.conformance.servers.proxy import Changes, proxied

CONFIG = Config(start_limit_s=2.0, handshake_limit_s=1.5)


@contextmanager
def serving(start: Callable[[Config], Awaitable[Server]] = Server.start) -> Iterator[Server]:
    """Run a server, by default the reference server, in a thread of its own."""
    loop = LoopThread()

    async def started() -> Server:
        return await start(CONFIG)

    try:
        server = loop.run(started())
        try:
            yield server
        finally:
            loop.run(server.stop())
    finally:
        loop.close()


@contextmanager
def proxy(address: str, changes: Changes) -> Iterator[str]:
    """Run a proxy of a server in a thread of its own, and yield its address."""
    loop = LoopThread()
    try:
        running = proxied(address, changes)
        yield loop.run(running.__aenter__())
        loop.run(running.__aexit__(None, None, None))
    finally:
        loop.close()


def judged(address: str, only: str = "", *, fail_fast: bool = False) -> Report:
    """Return the report on a running server."""
    return run_plan(make_server_plan(address, only=only, fail_fast=fail_fast))
