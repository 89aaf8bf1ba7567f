"""The floor of the lobby: who is at which table. Every move is told, and what matters after a crash is recorded."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from fairplay.server.links.dial_in import Hub
from fairplay.server.lobby.history import Ledger
from fairplay.server.lobby.limits import Limits
from fairplay.server.lobby.news import News
from fairplay.server.lobby.stream import Crier
from fairplay.server.lobby.table import Seat, Table
from fairplay.server.lobby.users import User, Users
from fairplay.server.manager.signup import Later, Timer
from fairplay.server.records.store import Store
from fairplay.server.referee import Referee
from fairplay.v1.lobby_pb2 import AttendResponse, Lobby, UserGone

LEFT = "the player left the table"


class Floor:
    """Users and tables. `expecting`: users may still come back to the seats that they had in an earlier run."""

    def __init__(self, referee: Referee, hub: Hub, store: Store, limits: Limits, later: Later) -> None:
        self.users = Users(hub)
        self.tables: dict[str, Table] = {}
        self.ledger = Ledger(store)
        self.news = News(self._whole)
        self.crier = Crier(lambda: (user.stream for user in self.users if user.stream is not None))
        self.expecting = False
        self._patience: Timer | None = None
        self._referee = referee
        self._limits = limits
        self._later = later

    def _whole(self) -> Lobby:
        users = sorted(self.users, key=lambda user: user.name)
        tables = [table.shown() for table in reversed(self.tables.values())]
        return Lobby(users=[user.shown() for user in users], tables=tables)

    async def close(self) -> None:
        """Everything stays as it is: nobody is told anything more, and nothing is due any more."""
        timers = [self._patience, *(table.deadline for table in self.tables.values())]
        for timer in (*timers, *(user.deadline for user in self.users)):
            if timer is not None:
                timer.cancel()
        await self.crier.stop()

    # --- users ---

    def come(self, user: User) -> None:
        """A user has entered. One that had a seat before the server was started again is there."""
        for table in self.tables.values():
            seat = table.seat(user.name)
            if seat is not None:
                seat.present, user.table, user.since = True, table, self.news.last
                self._show(table)
                break
        self.moved(user)
        self._mind(self._owned(user.name))

    def go(self, user: User, table: Table, seat: Seat | None = None) -> None:
        """A user goes to a table, from another one or another part there: to a seat, or to watch."""
        had_seat = user.table is table and table.seat(user.name) is not None
        if user.table is not table:
            self._leave(user)
            user.table, user.since = table, self.news.last
        if seat is None:
            table.watch(user.name)
        else:
            table.sit(seat)
        if had_seat or seat is not None:
            self.ledger.note(table)
        self.moved(user)
        self._show(table)
        self._mind([table])

    def leave(self, user: User) -> None:
        """A user is at no table any more."""
        if user.table is not None:
            self._leave(user)
            self.moved(user)

    def _leave(self, user: User) -> None:
        table, user.table = user.table, None
        if table is None:
            return
        had_seat = table.seat(user.name) is not None
        playing = table.leave(user.name)
        if playing is not None:
            self._referee.leave(table.game_id, playing, LEFT)
        if had_seat:
            self.ledger.note(table)
        self._show(table)
        self._mind([table])

    def moved(self, user: User) -> None:
        """Tells where a user is now."""
        self.news.tell(AttendResponse(user=user.shown()), ("user", user.name))
        self.crier.cry()
        if user.stream is not None:
            user.stream.wake()

    def part(self, user: User, *, lost: bool) -> None:
        """A user is gone; its name is kept while it is needed."""
        self._leave(user)
        self.users.dismiss(user)
        self.keep_name(user.name, user.key)
        self.news.tell_end(AttendResponse(user_gone=UserGone(name=user.name, lost=lost)), ("user", user.name))
        self.crier.cry()
        self._mind(self._owned(user.name))

    # --- tables ---

    def add(self, table: Table) -> None:
        """A table that is recorded already."""
        self.tables[table.name] = table
        self._show(table)

    def changed(self, table: Table) -> None:
        """A table has changed in a way that is recorded already."""
        self._show(table)
        self._mind([table])

    def delete(self, table: Table) -> None:
        """A table is gone, and whoever was there is at none."""
        self.ledger.delete(table)
        del self.tables[table.name]
        table.gone = True
        if table.deadline is not None:
            table.deadline.cancel()
        for name in table.members:
            user = self.users.named(name)
            if user is not None:
                user.table = None
                self.moved(user)
        self.news.tell_end(AttendResponse(table_deleted=table.name), ("table", table.name))
        self.crier.cry()
        self.free_names(table)

    def whisper(self, table: Table) -> None:
        """There is news for those who are at a table."""
        users = (self.users.named(name) for name in table.members)
        self.crier.whisper([user.stream for user in users if user is not None and user.stream is not None])

    def _show(self, table: Table) -> None:
        self.news.tell(AttendResponse(table=table.shown()), ("table", table.name))
        self.whisper(table)
        self.crier.cry()

    def _owned(self, name: str) -> list[Table]:
        return [table for table in self.tables.values() if table.owner == name]

    def owned_count(self, name: str) -> int:
        """How many tables a user owns."""
        return len(self._owned(name))

    def _mind(self, tables: Iterable[Table]) -> None:
        """An empty table is deleted after a while, unless somebody comes."""
        for table in tables:
            if table.gone:
                continue
            if table.running or not table.empty or self.users.named(table.owner) is not None:
                if table.deadline is not None:
                    table.deadline.cancel()
                    table.deadline = None
            elif table.deadline is None:
                table.deadline = self._later(self._limits.empty_s, partial(self.delete, table))

    # --- names and seats that are kept ---

    def keep_name(self, name: str, key: bytes) -> None:
        """Keeps the name of a user who is not here, if anything is."""
        if any(table.keeps(name) for table in self.tables.values()):
            self.users.keep(name, key)

    def free_names(self, table: Table, seats: Iterable[Seat] = ()) -> None:
        """Something that names were kept for is over: a table, or these seats there."""
        for name in {table.owner, *(seat.name for seat in (*table.seats, *seats))}:
            if not any(other.keeps(name) for other in self.tables.values()):
                self.users.forget(name)

    def expect(self, tables: Iterable[Table]) -> None:
        """Tables of an earlier run; their users are waited for, for a while."""
        for table in tables:
            self.tables[table.name] = table
        for table in self.tables.values():
            self.users.keep(table.owner, table.owner_key)
            for seat in table.seats:
                self.users.keep(seat.name, seat.key)
        self.expecting = bool(self.tables)
        if self.expecting:
            self._patience = self._later(self._limits.empty_s, self._expect_no_longer)
            self._mind(self.tables.values())

    def _expect_no_longer(self) -> None:
        self.expecting = False
        for table in [*self.tables.values()]:
            self.give_up_seats(table)

    def give_up_seats(self, table: Table) -> None:
        """Frees the seats of those who have not come back, unless a game goes on there."""
        seats = table.seats
        if table.give_up_seats():
            self.ledger.note(table)
            self.free_names(table, seats)
            self.changed(table)
