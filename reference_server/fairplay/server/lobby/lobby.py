"""The lobby: what its users may do, and which requests are refused. See proto/fairplay/v1/lobby.proto."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice

from fairplay.server.game.referee import Referee
from fairplay.server.links.dial_in import Hub
from fairplay.server.links.secrets import checked_secret
from fairplay.server.links.ways import Links
from fairplay.server.lobby.checks import (
    SeatLinks,
    check_joinable,
    check_name_changeable,
    check_not_playing,
    table_message,
    table_of,
    without_you,
)
from fairplay.server.lobby.events import EventStream
from fairplay.server.lobby.state import LobbyState
from fairplay.server.lobby.table import Seat, Table
from fairplay.server.lobby.table_games import Starts, TableGames
from fairplay.server.lobby.table_records import TableRecords
from fairplay.server.lobby.users import LobbyLimits, User
from fairplay.server.manager.signup import Later
from fairplay.server.net.errors import Refusal
from fairplay.server.net.peers import Buckets, TokenBucket, check_granted
from fairplay.server.net.text import check_text, check_user_name
from fairplay.server.records.store import Store
from fairplay.v1.lobby_pb2 import CreateTableRequest
from fairplay.v1.table_pb2 import Table as TableMessage

MAX_STREAMS = 8
"""The most streams of one user, replaced ones included whose callers have not read their ends."""


class Lobby:
    """All users and tables of a server. `starts` starts their games.

    `later` schedules the ends of grace periods, by default in the event loop. `now_s` is a clock that never goes back.
    """

    def __init__(
        self,
        referee: Referee,
        links: Links,
        hub: Hub,
        store: Store,
        limits: LobbyLimits,
        *,
        later: Later | None = None,
        rng: random.Random | None = None,
        now_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self.limits = limits
        self._now_s = now_s
        self._seat_links = SeatLinks(links, hub)
        self._later = later or asyncio.get_running_loop().call_later
        self.state = LobbyState(referee, hub, TableRecords(store, links.secrets), limits, self._later)
        self._games = TableGames(referee, self.state, rng or random.SystemRandom())
        self.starts = Starts(self.state, self._seat_links, self._games)
        self._peers = Buckets(limits.requests_per_second, limits.enter_burst)
        self._numbers = 0
        self._closed = "the server is about to start: ask again"

    @property
    def user_count(self) -> int:
        """Return how many users are here."""
        return len(self.state.users)

    @property
    def table_count(self) -> int:
        """Return how many tables there are."""
        return self.state.table_count

    # --- entering and leaving ---

    def enter(self, name: str, token: str, peer: str) -> User:
        """Let a user enter, or come back; `peer` is the host that it comes from. Raises Refusal if it may not."""
        self._check_open()
        self._peers.take(peer, self._now_s())
        user = self.state.users.find_returning(check_user_name(name), token)
        if user is None:
            if len(self.state.users) >= self.limits.max_user_count:
                message = f"the lobby has {self.limits.max_user_count:,} users, and takes no more: try again later"
                raise Refusal("LOBBY_FULL", message, limit=self.limits.max_user_count)
            if self.state.users.host_count(peer) >= self.limits.max_host_user_count:
                message = (
                    f"{self.limits.max_host_user_count:,} users of your address are in the lobby: no more may enter"
                )
                raise Refusal("LOBBY_FULL", message, limit=self.limits.max_host_user_count)
            bucket = TokenBucket(self.limits.requests_per_second, self.limits.burst, self._now_s())
            user = self.state.users.admit(name, token, bucket, peer)
            self.state.add_user(user)
        if user.stream is None:
            self._begin_grace(user)
        return user

    def user(self, token: str, peer: str) -> User:
        """Return the user who asks. Raises Refusal if the token is nobody's, or the user asks too often."""
        self._check_open()
        user = self.state.users.find_by_token(token)
        if user is None:
            self._peers.take(peer, self._now_s())
            raise Refusal("UNKNOWN_USER", "the token is that of nobody in the lobby: enter first", "token")
        check_granted(user.bucket.take(self._now_s()), self.limits.requests_per_second)
        return user

    def rename(self, user: User, name: str) -> str:
        """Give a user another name, and return it. Raises Refusal if it plays, or cannot have the name."""
        if check_user_name(name) != user.name:
            self.state.users.check_free(user, name)
            check_name_changeable(user)
            self.state.rename_user(user, name)
        return user.name

    def leave(self, user: User) -> None:
        """Let a user leave the lobby."""
        if user.stream is not None:
            user.stream.end()
        self._remove(user, lost=False)

    def _remove(self, user: User, *, lost: bool) -> None:
        if user.deadline is not None:
            user.deadline.cancel()
        self.state.remove_user(user, lost=lost)

    def _begin_grace(self, user: User) -> None:
        if user.deadline is not None:
            user.deadline.cancel()
        user.deadline = self._later(self.limits.grace_s, partial(self._remove, user, lost=True))

    # --- streams ---

    def attend(self, user: User, after: int) -> EventStream:
        """Return a new stream for a user, and end the one before. Raises Refusal if too many have not ended."""
        if user.stream_count >= MAX_STREAMS:
            message = f"{MAX_STREAMS} streams of this user are still open: read them to their ends, or cancel them"
            raise Refusal("TOO_MANY_REQUESTS", message, retry_s=1.0, limit=MAX_STREAMS)
        if user.stream is not None:
            user.stream.end(Refusal("STREAM_REPLACED", "the user has opened another stream"))
        if user.deadline is not None:
            user.deadline.cancel()
        user.stream_count += 1
        events = self.state.events

        def due(seen: int) -> tuple[int, Sequence[bytes]]:
            return events.last, events.after(seen, user.table, user.since)

        user.stream = EventStream(after, due)
        return user.stream

    def detach(self, user: User, stream: EventStream) -> None:
        """Record that a stream has ended; its caller may not have read so far."""
        if user.stream is stream:
            user.stream = None
            if not self._closed and self.state.users.find_by_token(user.token) is user:
                self._begin_grace(user)

    def closed(self, user: User) -> None:
        """Record that the call of a stream is over."""
        user.stream_count -= 1

    # --- tables ---

    def tables(self, game: str, limit: int, before: int | None) -> tuple[list[TableMessage], int | None]:
        """Return a page of tables, newest first, of the named game or all, and `before` of the next page, if any."""
        found = list(islice(self._matching(game, before), limit + 1))
        cursor = found[limit - 1].number if len(found) > limit else None
        return [table.to_message() for table in found[:limit]], cursor

    def _matching(self, game: str, before: int | None) -> Iterator[Table]:
        for table in self.state.tables:
            if game in ("", table.game.name) and (before is None or table.number < before):
                yield table

    def create(self, user: User, request: CreateTableRequest) -> TableMessage:
        """Make a table, which the user watches then. Raises Refusal if the user may not, or the table cannot be."""
        message = table_message(request, user.name)
        if self.state.find_table(request.name) is not None:
            problem = f"there is a table {request.name} already: choose another name"
            raise Refusal("NAME_TAKEN", problem, "name", given=request.name)
        self._check_room(user)
        check_not_playing(user)
        self._numbers += 1
        table = Table(message, user.key, self._numbers, [])
        self.state.records.begin(table)
        self.state.add_table(table)
        self.state.move(user, table)
        return table.to_message()

    def _check_room(self, user: User) -> None:
        most, own = self.limits.max_table_count, self.limits.max_owned_count
        if self.state.table_count >= most:
            raise Refusal(
                "LOBBY_FULL", f"the lobby has {most:,} tables, and takes no more: join one of them", limit=most
            )
        if self.state.owned_count(user.name) >= own:
            raise Refusal("LOBBY_FULL", f"a user may own {own} tables: delete one of yours first", limit=own)

    def watch(self, user: User, name: str) -> TableMessage:
        """Move a user to a table to watch. Raises Refusal if it may not."""
        table = self._table(name)
        if user.name not in table.watchers:
            check_not_playing(user)
            self.state.move(user, table)
        return table.to_message()

    async def join(
        self, user: User, name: str, link: str, secret: str = "", *, by_visitor: bool = False
    ) -> TableMessage:
        """Give a user a seat, or change link and secret of its seat. Raises Refusal if it may not.

        `by_visitor`: the pages ask for it, for one of their visitors.
        """
        table = self._table(name) if name else table_of(user)
        seat = table.seat(user.name) if user.table is table else None
        if seat is None and (left := table.left_seat(user.name, user.key)) is not None:
            return self._come_back(user, table, left, link)
        link = link or f"dial-in:{user.name}"
        if seat is None:
            check_joinable(table)
            check_not_playing(user)
        self._seat_links.check(user, table, link, by_visitor=by_visitor)
        secret = checked_secret(link, secret, "secret")
        if seat is None:
            self.state.move(user, table, Seat(user.name, link, user.key, secret=secret))
            if table.running:
                self._games.let_in(table)
            else:
                await self.starts.start_if_complete(table)
        elif (seat.link, seat.secret) != (link, secret):
            seat.link, seat.secret = link, secret
            self.state.records.record(table)
        return table.to_message()

    def _come_back(self, user: User, table: Table, left: Seat, link: str) -> TableMessage:
        """Give a user the seat again that it has left in a running game. Raises Refusal if its player is out."""
        check_not_playing(user)
        if link not in ("", left.link):
            raise without_you(table)
        self._seat_links.check(user, table, left.link)
        if not self.state.come_back(user, table, left):
            raise without_you(table)
        return table.to_message()

    def leave_table(self, user: User) -> None:
        """Let a user leave the table where it is, if it is at one."""
        self.state.leave_table(user)

    def delete(self, user: User, name: str, *, by_operator: bool = False) -> None:
        """Delete a table for its owner, or for an operator. Raises Refusal if the user may not."""
        table = self._table(name)
        if table.owner != user.name and not by_operator:
            message = f"the table {name} belongs to {table.owner}, who alone may delete it"
            raise Refusal("NOT_OWNER", message, given=name)
        if table.running and any(not (seat.name == user.name or seat.left or seat.bot) for seat in table.seats):
            message = f"others play at the table {name}: it can be deleted when their game is over"
            raise Refusal("TABLE_RUNNING", message, given=name)
        self.state.delete_table(table)
        self._games.stop(table)

    def say(self, user: User, text: str) -> None:
        """Say something at the table of a user. Raises Refusal if it is at none, or the text is not allowed."""
        self.state.say(table_of(user), user.name, check_text(text))

    def _table(self, name: str) -> Table:
        table = self.state.find_table(name)
        if table is None:
            raise Refusal("TABLE_NOT_FOUND", f"there is no table {name[:80]!r}", "table", given=name)
        return table

    # --- start and stop of the server ---

    def resume_all(self) -> None:
        """Resume the tables of the records. The referee must have resumed its games before."""
        self.state.restore(self.state.records.unfinished())
        for table in reversed([*self.state.tables]):
            self._numbers += 1
            table.number = self._numbers
            if table.running:
                self._games.resume(table)

    def open(self) -> None:
        """Let users in: earlier, somebody could have taken the name of a user who is expected back."""
        self._closed = ""

    async def close(self) -> None:
        """End all streams. From now on only the games change, which the referee plays."""
        self._closed = "the server shuts down: ask again when it is back"
        for user in self.state.users:
            if user.stream is not None:
                user.stream.end(Refusal("SHUTTING_DOWN", self._closed))
        await self.state.close()

    async def suspend_all(self) -> None:
        """Stop waiting for games. The referee must have suspended them before."""
        await self._games.suspend()

    def _check_open(self) -> None:
        if self._closed:
            raise Refusal("SHUTTING_DOWN", self._closed)
