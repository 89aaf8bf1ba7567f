"""The full-screen program: it enters, attends and ends."""

from __future__ import annotations

from textual import work
from textual.app import App
from textual.binding import Binding
from textual.screen import Screen

from fairplay.terminal.lobby.desk import Desk
from fairplay.terminal.lobby.memory import Memory
from fairplay.terminal.lobby.screens.forms import Answers, Field, Form
from fairplay.terminal.lobby.screens.looks import CSS as LOOKS
from fairplay.terminal.lobby.screens.main import Main
from fairplay.terminal.lobby.session import GoneError, Session

WHO = "Under which name do you enter?"


class LobbyApp(App[str]):
    """The lobby on a screen. Returns why the visit ended, if the user did not end it."""

    CSS = LOOKS
    ENABLE_COMMAND_PALETTE = False
    BINDINGS = [  # noqa: RUF012 - as Textual has it
        Binding("ctrl+c", "leave", "leave", priority=True, show=False),
        Binding("ctrl+q", "leave", "leave", priority=True, show=False),
    ]

    def __init__(self, address: str, name: str, memory: Memory | None = None) -> None:
        super().__init__()
        self._wanted = name
        self.desk = Desk(Session(address, self._follow, memory=memory), self._stale)
        self._refreshing = False

    def get_default_screen(self) -> Screen[None]:
        """The lobby and its table."""
        return Main(self.desk)

    def on_ready(self) -> None:
        """Enters."""
        self._enter()

    def action_leave(self) -> None:
        """Ends the program; the lobby is left behind."""
        self.exit("")

    # --- the visit ---

    @work
    async def _enter(self) -> None:
        try:
            refusal = await self.desk.session.enter(self._wanted) if self._wanted else ""
            if refusal or not self._wanted:
                field = Field("name", "1 to 64 letters, digits, '-', '_' or '.'", self._wanted)
                if not await self.push_screen_wait(Form(WHO, [field], self._enter_as, refusal=refusal)):
                    self.exit("")
                    return
            self._stale()
            await self.desk.session.attend()
            self.exit(self.desk.session.connection.sentence)
        except GoneError as error:
            self.exit(str(error))

    async def _enter_as(self, answers: Answers) -> str:
        name = answers["name"].strip()
        if not name:
            return "Give a name."
        try:
            return await self.desk.session.enter(name)
        except GoneError as error:
            return str(error)

    def _follow(self) -> None:
        self.desk.follow()

    def _stale(self) -> None:
        """What is shown is out of date; many changes at once are shown once."""
        if not self._refreshing and self.is_running:
            self._refreshing = True
            self.call_later(self._refresh)

    def _refresh(self) -> None:
        self._refreshing = False
        main = self.screen_stack[0]
        if isinstance(main, Main):
            main.refresh_all()
