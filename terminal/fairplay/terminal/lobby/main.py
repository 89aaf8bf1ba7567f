"""The main screen: it shows the lobby in panes, and turns keys into actions."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from textual import events, on, work
from textual.app import ComposeResult
from textual.content import Content
from textual.screen import Screen
from textual.timer import Timer
from textual.widgets import ContentSwitcher, DataTable, Input, Static

from fairplay.client.lobby import games, keys
from fairplay.client.lobby.controller import LobbyController, TableView
from fairplay.client.wording import plain
from fairplay.terminal.lobby.forms import NAME_FORM, Answers, Field, Form, Help, Question
from fairplay.terminal.lobby.panes import LobbyPane, TablePane
from fairplay.v1.table_pb2 import Table, TableStatus

TICK_S = 0.1
TYPO_S = 3.0
"""How long it is said that a key does nothing."""


class Main(Screen[None]):
    """The list of tables, or the table where the user is."""

    AUTO_FOCUS = ""

    def __init__(self, controller: LobbyController) -> None:
        super().__init__()
        self._controller = controller
        self._ticks: Timer | None = None

    def compose(self) -> ComposeResult:
        """Build both panes, one of them shown, and a line for trouble."""
        yield Static(id="trouble", classes="trouble")
        with ContentSwitcher(initial="lobby"):
            yield LobbyPane(id="lobby")
            yield TablePane(id="table")

    def on_mount(self) -> None:
        """Start the timer for views that change as time goes by."""
        self._ticks = self.set_interval(TICK_S, self._tick, pause=True)

    # --- showing ---

    def refresh_all(self) -> None:
        """Show the present state."""
        trouble = self._controller.trouble()
        line = self.query_one("#trouble", Static)
        line.display = bool(trouble)
        line.update(Content(trouble))
        view = self._controller.table_view()
        self._switch("lobby" if view is None else "table")
        if view is None:
            self.query_one(LobbyPane).show(self._controller.client.lobby, self._controller.client.address)
        else:
            self.query_one(TablePane).show(view)
            self._adapt(view)

    def _switch(self, pane: str) -> None:
        switcher = self.query_one(ContentSwitcher)
        if switcher.current != pane:
            self.set_focus(None)  # a hidden widget with the focus would take it from another one later
            switcher.current = pane
        if pane == "lobby" and self.focused is None:
            self.query_one(LobbyPane).focus_list()

    def _adapt(self, view: TableView) -> None:
        if self._ticks is not None:
            (self._ticks.resume if view.ticking else self._ticks.pause)()

    def _tick(self) -> None:
        view = self._controller.table_view()
        if view is not None:
            self.query_one(TablePane).show_game(view)
            self._adapt(view)

    @on(DataTable.RowHighlighted)
    def _highlighted(self) -> None:
        self.query_one(LobbyPane).show_keys(self._controller.client.lobby)

    # --- keys ---

    @on(DataTable.RowSelected)
    def _go_there(self) -> None:
        table = self.query_one(LobbyPane).selected(self._controller.client.lobby)
        if table is not None:
            self._do(self._controller.client.watch(table.name))

    @on(Input.Submitted, "#say")
    def _say(self, event: Input.Submitted) -> None:
        text = event.value.strip()
        event.input.clear()
        if text:
            self._do(self._controller.client.say(text))

    def on_key(self, event: events.Key) -> None:
        """Take the keys that no widget has taken."""
        if isinstance(self.focused, Input):
            self._talk(event, self.focused)
            return
        view = self._controller.table_view()
        if view is not None and self._taken(event.key, view):
            event.stop()
        else:
            self._act(event, view)

    def _talk(self, event: events.Key, line: Input) -> None:
        """Take keys of the talk line that were typed before it was ready."""
        if event.key == "escape":
            self.set_focus(None)
        elif event.is_printable and event.character:
            line.insert_text_at_cursor(event.character)

    def _taken(self, key: str, view: TableView) -> bool:
        """Return whether a key at the table belongs to the game, or has scrolled its board."""
        return self._controller.press(key) or view.takes_letters or self.query_one(TablePane).scroll_board(key)

    def _act(self, event: events.Key, view: TableView | None) -> None:
        lobby = self._controller.client.lobby
        table = lobby.table if view is not None else self.query_one(LobbyPane).selected(lobby)
        available = view.keys if view is not None else keys.in_lobby(lobby, table)
        action = self._actions(table).get(event.key)
        if action is not None and event.key in {key.name for key in available}:
            event.stop()
            action()
        elif event.is_printable:
            possible = ", ".join(f"{keys.shown(key.name)} {key.label}" for key in available)
            self.app.clear_notifications()  # the last such line is enough
            self.notify(f"{event.character} does nothing now. Keys: {possible}", markup=False, timeout=TYPO_S)

    def _actions(self, table: Table | None) -> dict[str, Callable[[], object]]:
        """Return the action of each key; `_act` allows only those on the key bar."""
        everywhere: dict[str, Callable[[], object]] = {
            keys.HELP: self._help,
            keys.QUIT: self._quit,
            keys.NEW: self._new,
            keys.NAME: self._rename,
        }
        if table is None:
            return everywhere
        return {
            **everywhere,
            keys.JOIN: lambda: self._join(table),
            keys.DELETE: lambda: self._delete(table),
            keys.READY: lambda: self._do(self._controller.change_ready()),
            keys.BOTS: lambda: self._bots(table),
            keys.START: lambda: self._do(self._controller.client.start()),
            keys.TALK: lambda: self.set_focus(self.query_one("#say", Input)),
            keys.LEAVE: lambda: self._leave(table),
        }

    # --- actions ---

    @work
    async def _do(self, request: Awaitable[str]) -> None:
        refusal = await request
        if refusal:
            self.notify(refusal, severity="warning", markup=False)

    def _new(self) -> None:
        titles = sorted(games.titles())
        first = next((name for _, name in titles if games.suggestions(name)[1]), titles[0][1])
        settings, limit = games.suggestions(first)
        fields = [
            Field("name", "Name of the table", self._controller.client.lobby.free_table_name),
            Field("game", "Game", first, choices=titles),
            Field("settings", "Settings, KEY=VALUE with spaces between (empty: the game's own)", settings),
            Field("limit", "Time for a decision (empty: the game's own)", limit, "e.g. 30s"),
            Field("players", "Players (empty: whoever joins, until somebody starts)", "", "e.g. 3"),
        ]
        self.app.push_screen(Form("A new table", fields, self._make, self._suggested))

    def _rename(self) -> None:
        async def send(answers: Answers) -> str:
            return await self._controller.rename(answers["name"])

        field = Field("name", NAME_FORM, self._controller.client.lobby.me)
        self.app.push_screen(Form("Under which name do you go on?", [field], send))

    def _suggested(self, game: str) -> Answers:
        return dict(zip(("settings", "limit"), games.suggestions(game), strict=True))

    async def _make(self, answers: Answers) -> str:
        return await self._controller.make_table(
            answers["game"], answers["name"], answers["settings"], answers["limit"], answers["players"]
        )

    def _join(self, table: Table) -> None:
        frontend = games.frontend_of(table.game)
        title = f"Join {plain(table.name)}" + (" (leave the line empty to play yourself)" if frontend else "")
        field = Field("link", "Link of the program that plays for you", "", games.PROGRAM_LINKS)

        async def send(answers: Answers) -> str:
            return await self._controller.join(table, answers["link"])

        self.app.push_screen(Form(title, [field], send))

    def _bots(self, table: Table) -> None:
        people = sum(not seat.bot for seat in table.seats)
        bots = len(table.seats) - people or max(1, table.min_seat_count - people)
        fields = [
            Field("count", "How many bots play with you (0: none)", str(bots)),
            Field("strategy", "Their strategy (empty: the first)", *games.strategies(table)),
        ]

        async def send(answers: Answers) -> str:
            return await self._controller.set_bots(answers["count"], answers["strategy"])

        self.app.push_screen(Form(f"Bots at {plain(table.name)}", fields, send))

    @work
    async def _delete(self, table: Table) -> None:
        if await self.app.push_screen_wait(Question(f"Delete the table {plain(table.name)}?")):
            self._do(self._controller.client.delete(table.name))

    @work
    async def _leave(self, table: Table) -> None:
        if not self._plays(table) or await self.app.push_screen_wait(Question("Leave the running game?")):
            self._do(self._controller.client.leave_table())

    @work
    async def _quit(self) -> None:
        seated = self._controller.client.lobby.seat is not None
        if not seated or await self.app.push_screen_wait(Question("Quit, and give up your seat?")):
            self.app.exit("")

    def _plays(self, table: Table) -> bool:
        return self._controller.client.lobby.seat is not None and table.status == TableStatus.TABLE_STATUS_RUNNING

    def _help(self) -> None:
        self.app.push_screen(Help(games.help_text(self._controller.client.lobby.table)))
