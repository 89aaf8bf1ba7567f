"""The lobby as this client knows it: a value that the events of Attend change."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, count
from typing import NamedTuple

from fairplay.client.wording import plain, result_line
from fairplay.v1.lobby_pb2 import LobbyEvent
from fairplay.v1.table_pb2 import Table, TableStatus, User

MAX_LINES = 200
NAME_ROOM = 15
"""Letters of a user's name that stand in the name of a table before a number: it may have 20."""


class Line(NamedTuple):
    """A line of the talk at a table: what somebody said, or without a speaker what has happened."""

    speaker: str
    text: str


@dataclass(frozen=True, slots=True)
class LobbyMirror:
    """The users and tables of the lobby. `me` is this user; `talk` is what was said and done at its table."""

    me: str = ""
    users: Mapping[str, User] = field(default_factory=dict)
    tables: Mapping[str, Table] = field(default_factory=dict)
    talk: tuple[Line, ...] = ()
    notice: str = ""
    sequence: int = 0

    @property
    def table(self) -> Table | None:
        """Return the table where this user is, or None."""
        user = self.users.get(self.me)
        return self.tables.get(user.table) if user is not None else None

    @property
    def seat(self) -> int | None:
        """Return the seat of this user at its table, or None."""
        seats = enumerate(self.table.seats) if self.table is not None else ()
        return next((number for number, seat in seats if seat.name == self.me and seat.present), None)

    @property
    def ready(self) -> bool:
        """Return whether this user has said that it is ready."""
        return self.table is not None and self.seat is not None and self.table.seats[self.seat].ready

    @property
    def free_table_name(self) -> str:
        """Return a name for a table of this user's that no table has: its own, with a number if need be."""
        taken = {name.casefold() for name in self.tables}
        numbered = (f"{self.me[:NAME_ROOM]} {number}" for number in count(2))
        return next(name for name in chain([self.me], numbered) if name.casefold() not in taken)

    def may_return(self, table: Table) -> bool:
        """Return whether this user has left the game of a table, which goes on."""
        running = table.status == TableStatus.TABLE_STATUS_RUNNING
        return running and any(seat.name == self.me and not seat.present for seat in table.seats)

    def newest_first(self) -> Sequence[Table]:
        """Return the tables, the newest first."""
        made = {name: (table.create_time.seconds, table.create_time.nanos) for name, table in self.tables.items()}
        return sorted(self.tables.values(), key=lambda table: made[table.name], reverse=True)

    def by_name(self) -> Sequence[User]:
        """Return the users by name."""
        return sorted(self.users.values(), key=lambda user: user.name)

    def with_lines(self, *lines: Line) -> LobbyMirror:
        """Return the same lobby with more lines in the talk."""
        return replace(self, talk=(*self.talk, *lines)[-MAX_LINES:])

    def renamed(self, name: str, new_name: str) -> LobbyMirror:
        """Return the lobby in which a user has another name; the same where that is known already."""
        if name not in self.users:
            return replace(self, me=new_name) if self.me == name else self
        user, here = self.users[name], self.table
        users = {key: each for key, each in self.users.items() if key != name}
        sentence = f"{plain(name)} is called {plain(new_name)} now."
        changed = replace(
            self,
            me=new_name if self.me == name else self.me,
            users={**users, new_name: _with_name(user, new_name)},
            tables={key: _with_user(table, name, new_name) for key, table in self.tables.items()},
            notice=sentence,
        )
        return changed.with_lines(Line("", sentence)) if here is not None and user.table == here.name else changed

    def after(self, event: LobbyEvent) -> LobbyMirror:
        """Return the lobby after an event."""
        if event.user_gone.new_name:
            gone = event.user_gone
            return replace(self.renamed(gone.name, gone.new_name), sequence=event.sequence)
        kind = event.WhichOneof("event")  # unknown ones, of later versions, change nothing
        change = CHANGES.get(kind) if kind is not None else None
        changed = replace(change(self, event) if change is not None else self, sequence=event.sequence)
        here, before = changed.table, self.table
        if (here.name if here else "") != (before.name if before else ""):
            return replace(changed, talk=())
        return changed.with_lines(*(Line("", text) for text in _changes(before, here)))


def _with_name(user: User, name: str) -> User:
    changed = User()
    changed.CopyFrom(user)
    changed.name = name
    return changed


def _with_user(table: Table, name: str, new_name: str) -> Table:
    """Return a table with the new name of a user who owns it or is there."""
    changed = Table()
    changed.CopyFrom(table)
    changed.owner = new_name if table.owner == name else table.owner
    changed.watchers[:] = [new_name if each == name else each for each in table.watchers]
    for seat in changed.seats:
        if seat.name == name and seat.present:
            seat.name = new_name
    return changed


def _whole(lobby: LobbyMirror, event: LobbyEvent) -> LobbyMirror:
    users = {user.name: user for user in event.lobby.users}
    return replace(lobby, users=users, tables={table.name: table for table in event.lobby.tables})


def _user(lobby: LobbyMirror, event: LobbyEvent) -> LobbyMirror:
    name = event.user.name
    notice = lobby.notice if name in lobby.users else f"{plain(name)} has entered."
    return replace(lobby, users={**lobby.users, name: event.user}, notice=notice)


def _user_gone(lobby: LobbyMirror, event: LobbyEvent) -> LobbyMirror:
    name, lost = event.user_gone.name, event.user_gone.lost
    users = {key: user for key, user in lobby.users.items() if key != name}
    return replace(lobby, users=users, notice=f"{plain(name)} {'is lost' if lost else 'has left'}.")


def _table(lobby: LobbyMirror, event: LobbyEvent) -> LobbyMirror:
    table = event.table
    notice = lobby.notice if table.name in lobby.tables else f"{plain(table.owner)} makes {plain(table.name)}."
    return replace(lobby, tables={**lobby.tables, table.name: table}, notice=notice)


def _table_deleted(lobby: LobbyMirror, event: LobbyEvent) -> LobbyMirror:
    tables = {key: table for key, table in lobby.tables.items() if key != event.table_deleted}
    return replace(lobby, tables=tables, notice=f"{plain(event.table_deleted)} was deleted.")


def _spoken(lobby: LobbyMirror, event: LobbyEvent) -> LobbyMirror:
    return lobby.with_lines(Line(plain(event.spoken.speaker), plain(event.spoken.text)))


CHANGES: Mapping[str, Callable[[LobbyMirror, LobbyEvent], LobbyMirror]] = {
    "lobby": _whole,
    "user": _user,
    "user_gone": _user_gone,
    "table": _table,
    "table_deleted": _table_deleted,
    "spoken": _spoken,
}


def _changes(before: Table | None, now: Table | None) -> Iterator[str]:
    """Yield a sentence for each change at a table."""
    if before is None or now is None or before is now:
        return
    seated, were = ({seat.name: seat.present for seat in table.seats} for table in (now, before))
    yield from (f"{plain(name)} joins the game." for name in seated if name not in were)
    yield from (f"{plain(name)} leaves the game." for name in were if name not in seated)
    for name in were.keys() & seated.keys():
        if were[name] != seated[name]:
            yield f"{plain(name)} is {'back' if seated[name] else 'gone'}."
    yield from _ready_lines(before, now)
    known = {*were, *before.watchers}
    yield from (f"{plain(name)} watches." for name in now.watchers if name not in known)
    yield from (f"{plain(name)} goes." for name in before.watchers if name not in {*seated, *now.watchers})
    if now.status != before.status or now.game_id != before.game_id:
        if now.status == TableStatus.TABLE_STATUS_RUNNING:
            yield "The game begins."
        elif now.status == TableStatus.TABLE_STATUS_OVER:
            yield f"The game is over, {result_line(now.result)}."


def _ready_lines(before: Table, now: Table) -> Iterator[str]:
    """Yield who has said that it is ready, or no longer; a game that begins says enough itself."""
    if now.game_id != before.game_id:
        return
    were = {seat.name: seat.ready for seat in before.seats}
    for seat in now.seats:
        if not seat.bot and seat.name in were and were[seat.name] != seat.ready:
            yield f"{plain(seat.name)} is {'ready' if seat.ready else 'not ready any more'}."
