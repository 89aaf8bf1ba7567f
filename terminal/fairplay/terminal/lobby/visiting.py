"""A visit of a person to a lobby, from the command line to the end."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys

from fairplay.terminal.lobby.memory import Memory, usual_directory
from fairplay.terminal.lobby.screens.app import LobbyApp
from fairplay.terminal.options import address
from fairplay.terminal.outcomes import FailedError


def visit(server: str, name: str) -> None:
    """Shows the lobby until the user leaves. FailedError: why it had to end; UsageError: no such address."""
    address(server, "--server")
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise FailedError("fairplay lobby is a full-screen program: it needs a terminal")
    log = logging.getLogger("fairplay")
    log.addHandler(logging.NullHandler())  # a log would be written over the screen
    log.propagate = False
    if problem := asyncio.run(_visit(server, name)):
        raise FailedError(problem)


async def _visit(server: str, name: str) -> str:
    app = LobbyApp(server, name, Memory(usual_directory(os.environ)))
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(number, app.action_leave)
    try:
        problem = await app.run_async() or ""
        return problem if not app.return_code else "the screen has failed"
    finally:
        await app.desk.close()
