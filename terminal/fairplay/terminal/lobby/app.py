"""The full-screen program, from the command line to its end."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
from pathlib import Path

from textual import work
from textual.app import App
from textual.binding import Binding
from textual.screen import Screen

from fairplay.client.errors import FailedError
from fairplay.client.inputs import parse_server
from fairplay.client.lobby.client import LobbyClient, LobbyGoneError
from fairplay.client.lobby.controller import LobbyController
from fairplay.client.lobby.tokens import TokenStore, usual_directory
from fairplay.player.channels import NO_CREDENTIALS, Credentials
from fairplay.player.standstill import run
from fairplay.terminal.lobby.forms import NAME_FORM, Answers, Field, Form
from fairplay.terminal.lobby.main import Main
from fairplay.terminal.lobby.panes import CSS

WHO = "Under which name do you enter?"


class LobbyApp(App[str]):
    """The lobby on a screen. Its result is why it ended, empty if the user left."""

    CSS = CSS
    ENABLE_COMMAND_PALETTE = False
    BINDINGS = [  # noqa: RUF012 - as Textual has it
        Binding("ctrl+c", "leave", "leave", priority=True, show=False),
        Binding("ctrl+q", "leave", "leave", priority=True, show=False),
    ]

    def __init__(
        self,
        address: str,
        name: str,
        tokens: TokenStore | None = None,
        credentials: Credentials = NO_CREDENTIALS,
    ) -> None:
        super().__init__()
        self._wanted = name
        client = LobbyClient(address, self._follow, tokens=tokens, credentials=credentials)
        self.controller = LobbyController(client, self._schedule_refresh)
        self._refreshing = False

    def get_default_screen(self) -> Screen[None]:
        """Return the screen of the lobby."""
        return Main(self.controller)

    def on_ready(self) -> None:
        """Enter the lobby."""
        self._enter()

    def action_leave(self) -> None:
        """End the program."""
        self.exit("")

    # --- the lobby ---

    @work
    async def _enter(self) -> None:
        try:
            if not self._wanted:
                await self.controller.client.check()  # nobody is asked for a name that is of no use
            refusal = await self.controller.client.enter(self._wanted) if self._wanted else ""
            if refusal or not self._wanted:
                field = Field("name", NAME_FORM, self._wanted)
                if not await self.push_screen_wait(Form(WHO, [field], self._enter_as, refusal=refusal)):
                    self.exit("")
                    return
            self._schedule_refresh()
            await self.controller.client.attend()
            self.exit(self.controller.client.connection.sentence)
        except LobbyGoneError as error:
            self.exit(str(error))

    async def _enter_as(self, answers: Answers) -> str:
        name = answers["name"].strip()
        if not name:
            return "Give a name."
        try:
            return await self.controller.client.enter(name)
        except LobbyGoneError as error:
            return str(error)

    def _follow(self) -> None:
        self.controller.follow()

    def _schedule_refresh(self) -> None:
        """Schedule a refresh; several changes at once are shown once."""
        if not self._refreshing and self.is_running:
            self._refreshing = True
            self.call_later(self._refresh)

    def _refresh(self) -> None:
        self._refreshing = False
        main = self.screen_stack[0]
        if isinstance(main, Main):
            main.refresh_all()


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
