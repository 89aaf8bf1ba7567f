"""Starting the games of tables: because somebody asks for it, all are ready, or the last seat is taken."""

from __future__ import annotations

from fairplay.server.lobby.checks import check_not_running, check_startable, seat_of, table_of
from fairplay.server.lobby.seat_links import SeatLinks
from fairplay.server.lobby.state import LobbyState
from fairplay.server.lobby.table import Table
from fairplay.server.lobby.table_games import TableGames
from fairplay.server.lobby.users import User
from fairplay.server.net.errors import Refusal
from fairplay.v1.table_pb2 import Table as TableMessage


class Starts:
    """Starts games. A game that was to start by itself and cannot is said at its table, with the reason."""

    def __init__(self, state: LobbyState, links: SeatLinks, games: TableGames) -> None:
        self._state = state
        self._links = links
        self._games = games

    async def start(self, user: User) -> TableMessage:
        """Start the game of a user's table. Raises Refusal if the user may not, or the game cannot be played."""
        table = user.table
        if table is None or (table.seat(user.name) is None and table.owner != user.name):
            message = "only who has a seat at a table, or owns it, may start its game: join one first"
            raise Refusal("NOT_SEATED", message)
        try:
            await self._start(table)
        except Refusal as refusal:
            raise Refusal(refusal.reason, refusal.message) from None  # the request has no field to blame
        return table.to_message()

    async def _start(self, table: Table) -> None:
        check_startable(table)
        self._links.check_all_here(table)
        await self._games.start(table)

    async def set_ready(self, user: User, *, ready: bool) -> TableMessage:
        """Say whether a user is ready, and start the game if all are. Raises Refusal if it has no seat, or plays."""
        table, seat = seat_of(user)
        check_not_running(table)
        if seat.ready != ready:
            seat.ready = ready
            self._state.update_table(table)
            if table.all_ready:
                await self._start_by_itself(table)
        return table.to_message()

    async def set_bots(self, user: User, count: int, link: str) -> TableMessage:
        """Have so many bots at a user's table, or as many as there are free seats.

        Raises Refusal if the user may not, the game is running, or the link is not that of a bot.
        """
        table = table_of(user)
        if table.seat(user.name) is None and table.owner != user.name:
            raise Refusal("NOT_SEATED", "only who has a seat at the table, or owns it, may bring bots: join it first")
        check_not_running(table)
        was_full = table.full
        if table.set_bots(count, self._links.check_bot(table, link)):
            self._state.records.record(table)
            self._state.update_table(table)
            if (table.complete and not was_full) or (table.all_ready and any(seat.ready for seat in table.seats)):
                await self._start_by_itself(table)
        return table.to_message()

    async def start_if_complete(self, table: Table) -> None:
        """Start the game of a table where the last seat was taken, if it was made for so many players."""
        if table.complete:
            await self._start_by_itself(table)

    async def _start_by_itself(self, table: Table) -> None:
        try:
            await self._start(table)
        except Refusal as refusal:
            if not table.running:
                self._state.say(table, "", f"The game does not start: {refusal.message}")
