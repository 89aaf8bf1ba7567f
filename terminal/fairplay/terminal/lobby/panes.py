"""The two panes of the lobby: the list of tables, and one table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.text import Text
from textual.app import ComposeResult
from textual.containers import Horizontal, ScrollableContainer, Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import DataTable, Input, Static

from fairplay.client.lobby import keys
from fairplay.client.lobby.controller import TableView
from fairplay.client.lobby.keys import shown
from fairplay.client.lobby.mirror import LobbyMirror
from fairplay.client.wording import plain, row, whereabouts
from fairplay.games.frontends import Key
from fairplay.v1.table_pb2 import Table

CSS = """
Screen { background: $background; overflow: hidden; }
ContentSwitcher { height: 1fr; }
.line { height: 1; width: 1fr; }
.heading { background: $primary-darken-2; color: $text; text-style: bold; padding: 0 1; }
.keys { background: $panel; padding: 0 1; }
.trouble { background: $error; color: $text; padding: 0 1; height: 1; display: none; }
#tables { width: 1fr; height: 1fr; background: $background; }
#users { width: 30; height: 1fr; border-left: solid $panel; padding: 0 1; }
#detail, #notice { padding: 0 1; color: $text-muted; }
#table { height: 1fr; }
#middle { height: 2fr; min-height: 13; }
#board { width: 1fr; height: 1fr; padding: 0 0 0 1; scrollbar-size: 1 1; }
#drawing { width: auto; height: auto; }
#side { width: 24; height: 1fr; border-left: solid $panel; padding: 0 0 0 1; }
#status { padding: 0 1; }
#talk { height: 1fr; min-height: 3; padding: 0 1; scrollbar-size: 1 1; border-top: solid $panel; }
#spoken { height: auto; }
#say { height: 1; padding: 0 1; }
Form, Help, Question { align: center middle; background: $background 60%; }
.box { width: 70; max-width: 96%; height: auto; max-height: 96%; }
.box { border: round $primary; padding: 0 1; background: $surface; }
.box Static { height: auto; }
.box .refusal { color: $text-error; }
.box Input, .box Select { margin: 0 0 1 0; }
.box .hint { color: $text-muted; }
"""
COLUMNS = (("table", 17), ("game", 9), ("state", 8), ("seats", 8))


def key_bar(keys: Iterable[Key]) -> Text:
    """Return the keys that do something now, in one line."""
    parts: list[Text | tuple[str, str] | str] = []
    for key in keys:
        parts += [(shown(key.name), "bold reverse"), f" {key.label}  "]
    return Text.assemble(*parts, no_wrap=True, overflow="ellipsis")


class LobbyPane(Vertical):
    """All tables and all users."""

    _names: Sequence[str] = ()
    """The tables in the list, from the top."""

    def compose(self) -> ComposeResult:
        """Build the list, the users, and the lines below."""
        yield Static(classes="line heading", id="title")
        with Horizontal():
            tables: DataTable[Content] = DataTable(id="tables", cursor_type="row")
            for label, width in COLUMNS:
                tables.add_column(label, width=width)
            yield tables
            yield VerticalScroll(Static(id="people"), id="users", can_focus=False)
        yield Static(classes="line", id="detail")
        yield Static(classes="line", id="notice")
        yield Static(classes="line keys", id="lobby-keys")

    @property
    def _list(self) -> DataTable[Content]:
        return self.query_one("#tables", DataTable)

    @property
    def _chosen(self) -> str:
        """Return the name of the table under the cursor; empty if there is none."""
        row = self._list.cursor_row
        return self._names[row] if row < len(self._names) else ""

    def selected(self, lobby: LobbyMirror) -> Table | None:
        """Return the table under the cursor in the list as it is shown, which may be older than `lobby`."""
        return lobby.tables.get(self._chosen)

    def show(self, lobby: LobbyMirror, address: str) -> None:
        """Show the lobby, with the cursor on the same table as before."""
        tables, chosen = lobby.newest_first(), self._chosen
        self.query_one("#title", Static).update(Content(f"Lobby at {address}: you are {plain(lobby.me)}"))
        self._list.clear()
        for table in tables:
            self._list.add_row(*(Content(cell) for cell in row(table)[:4]))
        self._names = [table.name for table in tables]
        self._list.move_cursor(row=self._names.index(chosen) if chosen in self._names else 0)
        people = "\n".join(map(whereabouts, lobby.by_name()))
        self.query_one("#people", Static).update(Content(f"{len(lobby.users)} here\n{people}"))
        self.query_one("#notice", Static).update(Content(lobby.notice))
        self.show_keys(lobby)

    def show_keys(self, lobby: LobbyMirror) -> None:
        """Show the details and keys of the table under the cursor."""
        selected = self.selected(lobby)
        detail = "No table yet: n makes one."
        if selected is not None:
            detail = f"At {plain(selected.name)}: {row(selected).people or 'nobody'}"
        self.query_one("#detail", Static).update(Content(detail))
        self.query_one("#lobby-keys", Static).update(key_bar(keys.in_lobby(lobby, selected)))

    def focus_list(self) -> None:
        """Give the list the focus, so that arrow keys choose a table."""
        self.screen.set_focus(self._list)


class TablePane(Vertical):
    """The table where the user is."""

    def compose(self) -> ComposeResult:
        """Build board, players and talk."""
        yield Static(classes="line heading", id="heading")
        with Horizontal(id="middle"):
            yield ScrollableContainer(Static(id="drawing"), id="board", can_focus=False)
            yield VerticalScroll(Static(id="places"), id="side", can_focus=False)
        yield Static(classes="line", id="status")
        yield VerticalScroll(Static(id="spoken"), id="talk", can_focus=False)
        yield Input(
            placeholder="t: say something to the table", compact=True, id="say", max_length=500, select_on_focus=False
        )
        yield Static(classes="line keys", id="table-keys")

    def show(self, view: TableView) -> None:
        """Show the table."""
        self.query_one("#heading", Static).update(Content(view.heading))
        self.query_one("#places", Static).update(view.side)
        self.query_one("#spoken", Static).update(view.talk)
        self.query_one("#talk").scroll_end(animate=False)
        self.show_game(view)

    def show_game(self, view: TableView) -> None:
        """Show what changes as time goes by."""
        self.query_one("#drawing", Static).update(view.board)
        self.query_one("#status", Static).update(view.status)
        self.query_one("#table-keys", Static).update(key_bar(view.keys))

    def scroll_board(self, key: str) -> bool:
        """Scroll a board that is larger than the screen, and return whether this key scrolls."""
        board = self.query_one("#board", ScrollableContainer)
        scrolls = {
            "up": board.scroll_up,
            "down": board.scroll_down,
            "left": board.scroll_left,
            "right": board.scroll_right,
            "pageup": board.scroll_page_up,
            "pagedown": board.scroll_page_down,
        }
        if key in scrolls:
            scrolls[key](animate=False)
        return key in scrolls
