"""The full-screen program, from the command line to its end."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
from pathlib import Path

from fairplay.client.errors import FailedError
from fairplay.client.inputs import parse_server
from fairplay.client.lobby.tokens import TokenStore, usual_directory
from fairplay.player.channels import Credentials
from fairplay.player.standstill import run
from fairplay.terminal.lobby.app import LobbyApp


def run_lobby(server: str, name: str, ca: Path | None = None) -> None:
    """Show the lobby until the user leaves.

    Raises UsageError if the address is invalid, and FailedError, with the reason, if the lobby had to be left.
    """
    parse_server(server, "--server")
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise FailedError("fairplay lobby is a full-screen program: it needs a terminal")
    log = logging.getLogger("fairplay")
    log.addHandler(logging.NullHandler())  # a log would be written over the screen
    log.propagate = False
    if problem := run(_run(server, name, Credentials.from_environment(os.environ, ca))):
        raise FailedError(problem)


async def _run(server: str, name: str, credentials: Credentials) -> str:
    app = LobbyApp(server, name, TokenStore(usual_directory(os.environ)), credentials)
    loop, ended = asyncio.get_running_loop(), asyncio.Event()

    def end() -> None:
        """End as a closed window does: nobody has asked to leave, so the seat waits for the grace period."""
        ended.set()
        app.action_leave()

    loop.add_signal_handler(signal.SIGINT, app.action_leave)
    for number in (signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, end)
    try:
        problem = await app.run_async() or ""
        return problem if not app.return_code else "the screen has failed"
    finally:
        await app.controller.close(keep_seat=ended.is_set())
