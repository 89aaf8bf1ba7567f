"""The full-screen program, from the command line to its end."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys

from fairplay.terminal.lobby.screens.app import LobbyApp
from fairplay.terminal.lobby.tokens import TokenStore, usual_directory
from fairplay.terminal.options import parse_address
from fairplay.terminal.outcomes import FailedError


def run_lobby(server: str, name: str) -> None:
    """Show the lobby until the user leaves.

    Raises UsageError if the address is none, and FailedError, with the reason, if the lobby had to be left.
    """
    parse_address(server, "--server")
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise FailedError("fairplay lobby is a full-screen program: it needs a terminal")
    log = logging.getLogger("fairplay")
    log.addHandler(logging.NullHandler())  # a log would be written over the screen
    log.propagate = False
    if problem := asyncio.run(_run(server, name)):
        raise FailedError(problem)


async def _run(server: str, name: str) -> str:
    app = LobbyApp(server, name, TokenStore(usual_directory(os.environ)))
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(number, app.action_leave)
    try:
        problem = await app.run_async() or ""
        return problem if not app.return_code else "the screen has failed"
    finally:
        await app.controller.close()
