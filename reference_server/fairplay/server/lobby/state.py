"""The state of the lobby: who is at which table. Changes become events, and what a crash must not lose is recorded."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from fairplay.server.game.referee import Referee
from fairplay.server.links.dial_in import Hub
from fairplay.server.lobby.events import Broadcaster, EventLog
from fairplay.server.lobby.table import Seat, Table
from fairplay.server.lobby.table_records import TableRecords
from fairplay.server.lobby.users import LobbyLimits, User, Users
from fairplay.server.manager.signup import Later, Timer
from fairplay.server.net.text import MAX_TEXT_CHARS, fold
from fairplay.v1.lobby_pb2 import Lobby, LobbyEvent, Spoken, UserGone

LEFT = "the player left the table"


class LobbyState:
    """Users and tables."""

    def __init__(self, referee: Referee, hub: Hub, records: TableRecords, limits: LobbyLimits, later: Later) -> None:
        self.users = Users(hub)
        self.records = records
        self.events = EventLog(self._snapshot)
        self.broadcaster = Broadcaster(lambda: (user.stream for user in self.users if user.stream is not None))
        self._tables: dict[str, Table] = {}
        self._expecting_timer: Timer | None = None
        self._referee = referee
        self._limits = limits
        self._later = later

    def _snapshot(self) -> Lobby:
        users = sorted(self.users, key=lambda user: user.name)
        tables = [table.to_message() for table in reversed(self._tables.values())]
        return Lobby(users=[user.to_message() for user in users], tables=tables)

    async def close(self) -> None:
        """Cancel the timers and stop sending events; everything stays as it is."""
        timers = [self._expecting_timer, *(table.deadline for table in self._tables.values())]
        for timer in (*timers, *(user.deadline for user in self.users)):
            if timer is not None:
                timer.cancel()
        await self.broadcaster.stop()

    # --- users ---

    def add_user(self, user: User) -> None:
        """Add a user who has entered, at the table where it has a seat from before the server was restarted."""
        for table in self._tables.values():
            seat = table.seat(user.name)
            if seat is not None:
                seat.present, user.table, user.since = True, table, self.events.last
                self._announce_table(table)
                break
        self._announce_user(user)
        self._schedule_deletions(self._owned_by(user.name))

    def move(self, user: User, table: Table, seat: Seat | None = None) -> None:
        """Move a user to a seat, or to the watchers, of a table, from there or from another one."""
        had_seat = table.seat(user.name) is not None
        if user.table is not table:
            self._leave_table(user)
            user.table, user.since = table, self.events.last
        if seat is None:
            table.watch(user.name)
        else:
            table.sit(seat)
        if had_seat or seat is not None:
            self.records.record(table)
        self._announce_user(user)
        self._announce_table(table)
        self._schedule_deletions([table])

    def come_back(self, user: User, table: Table, seat: Seat) -> bool:
        """Give a user the seat again that it has left. Return False if its player is out, or the game is over."""
        there = self._referee.come_back(table.game_id, table.seats.index(seat))
        if there:
            self.move(user, table, seat)
        return there

    def leave_table(self, user: User) -> None:
        """Remove a user from the table where it is, if it is at one."""
        if user.table is not None:
            self._leave_table(user)
            self._announce_user(user)

    def _leave_table(self, user: User) -> None:
        table, user.table = user.table, None
        if table is None:
            return
        had_seat = table.seat(user.name) is not None
        playing = table.leave(user.name)
        if playing is not None:
            self._referee.leave(table.game_id, playing, LEFT)
        if had_seat:
            self.records.record(table)
        self._announce_table(table)
        self._schedule_deletions([table])

    def _announce_user(self, user: User) -> None:
        self.events.add(LobbyEvent(user=user.to_message()), ("user", user.name))
        self.broadcaster.wake_all()
        if user.stream is not None:
            user.stream.wake()

    def rename_user(self, user: User, name: str) -> None:
        """Rename a user, its seat and the owner of its tables; a seat that it has left keeps the old name."""
        before = user.name
        self.users.rename(user, name)
        changed = [table for table in self._tables.values() if table.rename(before, name)]
        for table in changed:
            self.records.record(table)
        if any(table.needs_name(before) for table in self._tables.values()):
            self.users.keep(before, user.key)
        self.events.add_end(LobbyEvent(user_gone=UserGone(name=before, new_name=name)), ("user", before))
        self._announce_user(user)
        for table in changed:
            self._announce_table(table)

    def remove_user(self, user: User, *, lost: bool) -> None:
        """Remove a user from the lobby; its name is kept as long as anything is its own."""
        self._leave_table(user)
        self.users.remove(user)
        if any(table.needs_name(user.name) for table in self._tables.values()):
            self.users.keep(user.name, user.key)
        gone = LobbyEvent(user_gone=UserGone(name=user.name, lost=lost))
        self.events.add_end(gone, ("user", user.name))
        self.broadcaster.wake_all()
        self._schedule_deletions(self._owned_by(user.name))

    # --- tables ---

    @property
    def tables(self) -> Iterable[Table]:
        """Return all tables, the newest first."""
        return reversed(self._tables.values())

    @property
    def table_count(self) -> int:
        """Return how many tables there are."""
        return len(self._tables)

    def find_table(self, name: str) -> Table | None:
        """Return the table of a name, in capital or small letters, or None if there is none."""
        return self._tables.get(fold(name))

    def add_table(self, table: Table) -> None:
        """Add a table that is recorded already."""
        self._tables[fold(table.name)] = table
        self._announce_table(table)

    def update_table(self, table: Table) -> None:
        """Announce a change of a table that is recorded already, unless it was deleted meanwhile."""
        if not table.deleted:
            self._announce_table(table)
            self._schedule_deletions([table])

    def delete_table(self, table: Table) -> None:
        """Delete a table; whoever was there is at none then."""
        self.records.delete(table)
        del self._tables[fold(table.name)]
        table.deleted = True
        if table.deadline is not None:
            table.deadline.cancel()
        for name in table.members:
            user = self.users.find(name)
            if user is not None:
                user.table = None
                self._announce_user(user)
        self.events.add_end(LobbyEvent(table_deleted=table.name), ("table", table.name))
        self.broadcaster.wake_all()
        self.free_names(table)

    def say(self, table: Table, speaker: str, text: str) -> None:
        """Say something at a table; without a speaker the server does."""
        spoken = Spoken(table=table.name, speaker=speaker, text=text[:MAX_TEXT_CHARS])
        self.events.add(LobbyEvent(spoken=spoken), place=table)
        self.wake_table(table)

    def wake_table(self, table: Table) -> None:
        """Send new events at once to those who are at a table."""
        users = (self.users.find(name) for name in table.members)
        self.broadcaster.wake_some([user.stream for user in users if user is not None and user.stream is not None])

    def _announce_table(self, table: Table) -> None:
        self.events.add(LobbyEvent(table=table.to_message()), ("table", table.name))
        self.wake_table(table)
        self.broadcaster.wake_all()

    def _owned_by(self, name: str) -> list[Table]:
        return [table for table in self._tables.values() if table.owner == name]

    def owned_count(self, name: str) -> int:
        """Return how many tables a user owns."""
        return len(self._owned_by(name))

    def _schedule_deletions(self, tables: Iterable[Table]) -> None:
        """Schedule the deletion of tables that are empty, and cancel that of the others."""
        for table in tables:
            if table.running or not table.empty or self.users.find(table.owner) is not None:
                if table.deadline is not None:
                    table.deadline.cancel()
                    table.deadline = None
            elif table.deadline is None:
                table.deadline = self._later(self._limits.empty_s, partial(self.delete_table, table))

    # --- names and seats that are kept ---

    def free_names(self, table: Table, seats: Iterable[Seat] = ()) -> None:
        """Free the names that were kept for a table, or for these seats there, unless another table needs them."""
        for name in {table.owner, *(seat.name for seat in (*table.seats, *seats))}:
            if not any(other.needs_name(name) for other in self._tables.values()):
                self.users.free(name)

    def restore(self, tables: Iterable[Table]) -> None:
        """Take over the tables of an earlier run, and wait for their users for a while."""
        for table in tables:
            self._tables[fold(table.name)] = table
        for table in self._tables.values():
            self.users.keep(table.owner, table.owner_key)
            for seat in table.seats:
                if not seat.bot:
                    self.users.keep(seat.name, seat.key)
        if self._tables:
            self._expecting_timer = self._later(self._limits.empty_s, self._stop_expecting)
            self._schedule_deletions(self._tables.values())

    @property
    def expecting(self) -> bool:
        """Return whether users may come back to the seats that they had in an earlier run."""
        return self._expecting_timer is not None

    def _stop_expecting(self) -> None:
        self._expecting_timer = None
        for table in [*self._tables.values()]:
            self.free_absent_seats(table)

    def free_absent_seats(self, table: Table) -> None:
        """Free the seats of users who have not come back, unless the game of the table is running."""
        seats = table.seats
        if table.free_absent_seats():
            self.records.record(table)
            self.free_names(table, seats)
            self.update_table(table)
