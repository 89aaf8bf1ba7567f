"""`fairplay serve`."""

from __future__ import annotations

import asyncio
import logging
import signal
import sys
from pathlib import Path
from typing import NamedTuple

from fairplay.player.interrupts import run
from fairplay.server.lobby.limits import Limits
from fairplay.server.server import Config, Server
from fairplay.terminal.options import address, seconds

BURST_S = 2
"""A user may make the requests of so many seconds at once."""


class LobbyWish(NamedTuple):
    """What was typed about the lobby."""

    grace: str
    max_users: int
    max_tables: int
    requests: int

    def limits(self) -> Limits:
        """The limits of the lobby. UsageError: a time cannot be read."""
        return Limits(
            grace_s=seconds(self.grace, "--grace"),
            requests_per_second=self.requests,
            burst=BURST_S * self.requests,
            max_user_count=self.max_users,
            max_table_count=self.max_tables,
        )


def serve(listen: str, records: Path | None, allow_exec: bool, start_limit: str, lobby: LobbyWish) -> None:
    """Runs a server until it is interrupted (KeyboardInterrupt) or terminated (returns)."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    config = Config(
        listen=address(listen, "--listen"),
        records=records,
        allow_exec=allow_exec,
        start_limit_s=seconds(start_limit, "--start-limit"),
        lobby=lobby.limits(),
    )
    run(_serve(config))


async def _serve(config: Config) -> None:
    server = await Server.start(config)
    terminated = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, terminated.set)
    kept = f", records in {config.records}" if config.records else ", records are not kept (no --records)"
    sys.stdout.write(f"fairplay serves on {server.address}{kept}; Ctrl-C stops it\n")
    sys.stdout.flush()
    try:
        await terminated.wait()
    finally:
        await server.stop()
