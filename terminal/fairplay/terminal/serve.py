"""`fairplay serve`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fairplay.terminal.outcomes import outcomes
from fairplay.terminal.parameters import RecordsDir, StartLimit

if TYPE_CHECKING:
    from fairplay.server.server import Config

BURST_S = 2
"""A user of the lobby may make the requests of so many seconds at once."""


def serve(
    listen: Annotated[
        str, typer.Option("--listen", metavar="HOST:PORT", help="Where to listen; port 0: any free one.")
    ] = "127.0.0.1:50050",
    records: RecordsDir = None,
    allow_exec: Annotated[
        bool, typer.Option("--allow-exec", help="Let callers have this server start programs (exec: links).")
    ] = False,
    start_limit: StartLimit = "10s",
    grace: Annotated[
        str, typer.Option("--grace", metavar="TIME", help="How long a user of the lobby may be away before it is lost.")
    ] = "10s",
    max_users: Annotated[
        int, typer.Option("--max-users", metavar="N", min=1, help="The most users that the lobby takes.")
    ] = 5_000,
    max_tables: Annotated[
        int, typer.Option("--max-tables", metavar="N", min=1, help="The most tables that the lobby takes.")
    ] = 1_000,
    requests: Annotated[
        int, typer.Option("--requests", metavar="N", min=1, help="Requests a second of a user of the lobby.")
    ] = 20,
) -> None:
    """Run the reference server until Ctrl-C.

    With --records it goes on after a crash where it was.

    Example:

    \b
      fairplay serve --listen 0.0.0.0:50050 --records records/
    """
    with outcomes():
        from fairplay.player.interrupts import run
        from fairplay.server.lobby.limits import LobbyLimits
        from fairplay.server.server import Config
        from fairplay.terminal.options import parse_address, parse_seconds

        lobby = LobbyLimits(
            grace_s=parse_seconds(grace, "--grace"),
            requests_per_second=requests,
            burst=BURST_S * requests,
            max_user_count=max_users,
            max_table_count=max_tables,
        )
        config = Config(
            listen=parse_address(listen, "--listen"),
            records=records,
            allow_exec=allow_exec,
            start_limit_s=parse_seconds(start_limit, "--start-limit"),
            lobby=lobby,
        )
        run(_serve(config, records))


async def _serve(config: Config, records: Path | None) -> None:
    """Run a server until this task is cancelled, or the process is terminated."""
    import asyncio
    import logging
    import signal
    import sys

    from fairplay.server.server import Server

    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    server = await Server.start(config)
    terminated = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, terminated.set)
    kept = f", records in {records}" if records else ", records are not kept (no --records)"
    sys.stdout.write(f"fairplay serves on {server.address}{kept}; Ctrl-C stops it\n")
    sys.stdout.flush()
    try:
        await terminated.wait()
    finally:
        await server.stop()
