"""What a person does in the lobby, and what is to be seen there: all of the client but the screen itself."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from google.protobuf.message import Message
from rich.text import Text

from fairplay.games.fronts import Front, Key, View, find_front
from fairplay.games.game import find, registered
from fairplay.terminal import options
from fairplay.terminal.lobby import keys
from fairplay.terminal.lobby.place import Place
from fairplay.terminal.lobby.session import Condition, Session
from fairplay.terminal.lobby.spectator import Spectator
from fairplay.terminal.lobby.wording import heading, places, plain
from fairplay.terminal.outcomes import UsageError
from fairplay.terminal.saying import harmless
from fairplay.v1.table_pb2 import Table, TableStatus

LINKS = "grpc://HOST:PORT, dial-in:NAME or bot:STRATEGY"


class TableView(NamedTuple):
    """What is to be seen of the table where the user is. The texts are safe to show."""

    heading: str
    board: Text
    side: Text
    status: Text
    talk: Text
    keys: Sequence[Key]
    takes_letters: bool
    ticking: bool


class Desk:
    """A person in the lobby. `changed` is called when there is something new to be seen.

    Like the requests of a session, actions return an empty text or the sentence that refuses them.
    """

    def __init__(self, session: Session, changed: Callable[[], None]) -> None:
        self.session = session
        self._changed = changed
        self._place: Place | None = None
        self._joining = ""
        self._program_at = ""
        self._closed = False
        self._spectator: Spectator | None = None
        self._watching: asyncio.Task[None] | None = None
        self._waning: set[asyncio.Task[None]] = set()

    def follow(self) -> None:
        """Does what a change of the lobby asks for: sits down or stands up, and watches the game of the table."""
        if self._closed:
            return
        table = self.session.lobby.table
        if table is not None and table.name == self._joining and self.session.lobby.seat is not None:
            self._joining = ""
        if not self._joining:
            self._sit(table)
        self._watch(table)
        self._changed()

    def _sit(self, table: Table | None) -> None:
        """A person has a player here while it has a seat that no program of its choice fills: after a restart too."""
        seated = table is not None and self.session.lobby.seat is not None and table.name != self._program_at
        front = front_of(table) if table is not None and seated else None
        if self._place is not None and (table is None or front is None or self._place.table != table.name):
            self._stand_up()
        if self._place is None and table is not None and front is not None:
            self._place = Place(self.session, front, table, self._changed)

    def _watch(self, table: Table | None) -> None:
        wanted = table.game_id if table is not None else ""
        if self._spectator is not None and self._spectator.game_id == wanted:
            return
        if self._watching is not None:
            self._watching.cancel()
            self._wane(self._watching)
            self._watching = self._spectator = None
        if table is not None and wanted:
            self._spectator = Spectator(self.session.channel, table.game, wanted, self._see, self.session.note)
            self._watching = asyncio.create_task(self._spectator.watch())

    def _see(self, state: Message) -> None:
        if self._place is not None:
            self._place.person.show(state)
        self._changed()

    def _stand_up(self) -> None:
        if self._place is not None:
            self._wane(asyncio.create_task(self._place.give_up()))
            self._place = None

    def _wane(self, task: asyncio.Task[None]) -> None:
        """Keeps a task that is about to end until it has."""
        self._waning.add(task)
        task.add_done_callback(self._waning.discard)

    async def close(self) -> None:
        """Leaves the lobby, and ends the player and the watching."""
        self._closed = True
        self._stand_up()
        self._watch(None)
        await asyncio.gather(*self._waning, return_exceptions=True)
        await self.session.leave()

    # --- what is done ---

    async def make_table(self, game: str, name: str, settings: str, limit: str) -> str:
        """Makes a table; settings are KEY=VALUE with spaces between, the limit is e.g. 1m, both may be empty."""
        try:
            found = options.game(game)
            chosen = options.settings(found, settings.split(), None) if settings.split() else None
            control = options.time_control(limit.strip() or None, None, None)
        except UsageError as error:
            return str(error).removeprefix("--set ").removeprefix("--limit ")
        return await self.session.create(name.strip(), game, chosen, control if limit.strip() else None)

    async def join(self, table: Table, link: str) -> str:
        """Joins with a program; without a link the person plays, where the game has a front end."""
        if link.strip():
            refusal = await self.session.join(table.name, link.strip())
            self._program_at = self._program_at if refusal else table.name
            return refusal
        front = front_of(table)
        if front is None:
            return f"{plain(table.game)} cannot be played by hand here: give the link of a program, {LINKS}"
        self._stand_up()
        self._place, self._joining, self._program_at = Place(self.session, front, table, self._changed), table.name, ""
        refusal = await self.session.join(table.name)
        if refusal:
            self._joining = ""
        self.follow()
        return refusal

    def press(self, key: str) -> bool:
        """Gives a key to the game; False: it means nothing there."""
        return self._place is not None and self._place.person.press(key)

    # --- what is seen ---

    def table_view(self) -> TableView | None:
        """The table where the user is, None: at none."""
        lobby = self.session.lobby
        table = lobby.table
        if table is None:
            return None
        view = self._played(table, self._place) if self._place is not None else self._watched(table)
        return TableView(
            heading(table),
            harmless(view.board),
            harmless(view.side),
            harmless(view.status),
            self._talk(),
            [*view.keys, *(() if view.takes_letters else keys.at_table(lobby))],
            view.takes_letters,
            view.ticking,
        )

    def _played(self, table: Table, place: Place) -> View:
        """As the person sees it; until the first game begins, as everybody does."""
        view = place.person.view()
        return _with_watchers(view, table) if view.board else self._watched(table)._replace(status=view.status)

    def _watched(self, table: Table) -> View:
        front, spectator = front_of(table), self._spectator
        seated = self.session.lobby.seat is not None and table.status != TableStatus.TABLE_STATUS_RUNNING
        status = "You have a seat: g starts the game." if seated else "You watch."
        if spectator is None or spectator.state is None:
            return View(waiting(table), listed(table), status)
        if front is not None:
            return _with_watchers(front.watch(spectator.state, spectator.names), table)
        return View(spectator.board(), listed(table), status)

    def _talk(self) -> Text:
        lines = []
        for speaker, text in self.session.lobby.talk:
            lines.append(Text.assemble((f"{speaker}: ", "bold"), text) if speaker else Text(text, "dim"))
        return Text("\n").join(lines)

    def trouble(self) -> str:
        """What is wrong with the connection; empty: nothing."""
        connection = self.session.connection
        return connection.sentence if connection.condition is Condition.AWAY else ""


def front_of(table: Table) -> Front | None:
    """The front end with which a person can play at a table."""
    return find_front(table.game) if table.game in registered() else None


def suggestions(game: str) -> tuple[str, str]:
    """Settings and a time limit that suit people, for the form of a new table."""
    front = find_front(game)
    return (front.settings, front.limit) if front is not None else ("", "")


def _with_watchers(view: View, table: Table) -> View:
    watchers = Text("\n".join(f"  {plain(name)} watches" for name in table.watchers)).markup
    return view._replace(side=f"{view.side}\n\n{watchers}") if watchers else view


def listed(table: Table) -> str:
    """Who is at a table, as rich's markup."""
    return Text("\n".join(places(table))).markup


def waiting(table: Table) -> str:
    """What stands in the place of a board, as rich's markup."""
    if table.status == TableStatus.TABLE_STATUS_RUNNING:
        return "The first board is on its way."
    lacking = table.min_seat_count - len(table.seats)
    if lacking > 0:
        return f"The game has not begun: {lacking} more must join." if lacking > 1 else "One more must join."
    return "The game can begin: somebody with a seat starts it."


def titles() -> Iterator[tuple[str, str]]:
    """(title, name) of each game."""
    for name in registered():
        yield find(name).title, name


HELP = """\
In the list of tables: arrow keys choose, Enter goes to a table, n makes one. The right side shows who is here.

At a table: j takes a seat, g starts the game with all who have one, t (or Tab) talks to everybody at the table \
and Esc ends talking, l leaves the table and its game, d deletes it if it is yours.

To join without playing yourself give the link of a program: grpc://HOST:PORT for one that serves, dial-in:NAME for \
one that has dialled in, bot:STRATEGY for one of the server's own.

q and Ctrl-C leave the lobby."""


def help_text(table: Table | None) -> str:
    """Help for where the user is."""
    front = front_of(table) if table is not None else None
    return HELP + (f"\n\n{find(table.game).title}. {front.help}" if front is not None and table is not None else "")
