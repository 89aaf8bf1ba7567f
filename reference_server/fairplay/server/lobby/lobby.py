"""The lobby: what its users may do, and which requests are refused. See proto/fairplay/v1/lobby.proto."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice

from fairplay.server.errors import Refusal
from fairplay.server.links.dial_in import Hub
from fairplay.server.links.opening import Links, parse_link
from fairplay.server.lobby.checks import check_joinable, check_not_playing, table_message, table_of
from fairplay.server.lobby.event_stream import EventStream
from fairplay.server.lobby.limits import LobbyLimits, PeerBuckets, TokenBucket, check_granted
from fairplay.server.lobby.state import LobbyState
from fairplay.server.lobby.table import Seat, Table
from fairplay.server.lobby.table_games import TableGames
from fairplay.server.lobby.text import check_text, check_user_name
from fairplay.server.lobby.users import User
from fairplay.server.manager.signup import Later
from fairplay.server.records.store import Store
from fairplay.server.referee import Referee
from fairplay.v1.game_pb2 import Player
from fairplay.v1.lobby_pb2 import CreateTableRequest, LobbyEvent, Spoken
from fairplay.v1.table_pb2 import Table as TableMessage

MAX_STREAMS = 8
"""The most streams of one user, replaced ones included whose callers have not read their ends."""


class Lobby:
    """All users and tables of a server. `later` schedules the ends of grace periods, by default in the event loop."""

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
    ) -> None:
        self.limits = limits
        self._links = links
        self._hub = hub
        self._later = later or asyncio.get_running_loop().call_later
        self._state = LobbyState(referee, hub, store, limits, self._later)
        self._games = TableGames(referee, self._state, rng or random.SystemRandom())
        self._peers = PeerBuckets(limits.requests_per_second, limits.enter_burst)
        self._numbers = 0
        self._closed = "the server is about to start: ask again"

    # --- entering and leaving ---

    def enter(self, name: str, token: str, peer: str) -> User:
        """Let a user enter, or come back; `peer` is its connection. Raises Refusal if it may not."""
        self._check_open()
        self._peers.take(peer, time.monotonic())
        user = self._state.users.find_returning(check_user_name(name), token)
        if user is None:
            if len(self._state.users) >= self.limits.max_user_count:
                message = f"the lobby has {self.limits.max_user_count:,} users, and takes no more: try again later"
                raise Refusal("LOBBY_FULL", message)
            bucket = TokenBucket(self.limits.requests_per_second, self.limits.burst, time.monotonic())
            user = self._state.users.admit(name, token, bucket)
            self._state.add_user(user)
        if user.stream is None:
            self._begin_grace(user)
        return user

    def user(self, token: str, peer: str) -> User:
        """Return the user who asks. Raises Refusal if the token is nobody's, or the user asks too often."""
        self._check_open()
        user = self._state.users.find_by_token(token)
        if user is None:
            self._peers.take(peer, time.monotonic())
            raise Refusal("UNKNOWN_USER", "the token is that of nobody in the lobby: enter first", "token")
        check_granted(user.bucket.take(time.monotonic()), self.limits.requests_per_second)
        return user

    def leave(self, user: User) -> None:
        """Let a user leave the lobby."""
        if user.stream is not None:
            user.stream.end()
        self._remove(user, lost=False)

    def _remove(self, user: User, *, lost: bool) -> None:
        if user.deadline is not None:
            user.deadline.cancel()
        self._state.remove_user(user, lost=lost)

    def _begin_grace(self, user: User) -> None:
        if user.deadline is not None:
            user.deadline.cancel()
        user.deadline = self._later(self.limits.grace_s, partial(self._remove, user, lost=True))

    # --- streams ---

    def attend(self, user: User, after: int) -> EventStream:
        """Return a new stream for a user, and end the one before. Raises Refusal if too many have not ended."""
        if user.stream_count >= MAX_STREAMS:
            message = f"{MAX_STREAMS} streams of this user are still open: read them to their ends, or cancel them"
            raise Refusal("TOO_MANY_REQUESTS", message, retry_s=1.0)
        if user.stream is not None:
            user.stream.end(Refusal("STREAM_REPLACED", "the user has opened another stream"))
        if user.deadline is not None:
            user.deadline.cancel()
            user.deadline = None
        user.stream_count += 1
        events = self._state.events

        def due(seen: int) -> tuple[int, Sequence[bytes]]:
            return events.last, events.after(seen, user.table, user.since)

        user.stream = EventStream(after, due)
        return user.stream

    def detach(self, user: User, stream: EventStream) -> None:
        """Record that a stream has ended; its caller may not have read so far."""
        if user.stream is stream:
            user.stream = None
            if not self._closed and self._state.users.find_by_token(user.token) is user:
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
        for table in self._state.tables:
            if game in ("", table.game.name) and (before is None or table.number < before):
                yield table

    def create(self, user: User, request: CreateTableRequest) -> TableMessage:
        """Make a table, which the user watches then. Raises Refusal if the user may not, or the table cannot be."""
        message = table_message(request, user.name)
        if self._state.find_table(request.name) is not None:
            raise Refusal("NAME_TAKEN", f"there is a table {request.name} already: choose another name", "name")
        self._check_room(user)
        check_not_playing(user)
        self._numbers += 1
        table = Table(message, user.key, self._numbers, [])
        self._state.records.begin(table)
        self._state.add_table(table)
        self._state.move(user, table)
        return table.to_message()

    def _check_room(self, user: User) -> None:
        most, own = self.limits.max_table_count, self.limits.max_owned_count
        if self._state.table_count >= most:
            raise Refusal("LOBBY_FULL", f"the lobby has {most:,} tables, and takes no more: join one of them")
        if self._state.owned_count(user.name) >= own:
            raise Refusal("LOBBY_FULL", f"a user may own {own} tables: delete one of yours first")

    def watch(self, user: User, name: str) -> TableMessage:
        """Move a user to a table to watch. Raises Refusal if it may not."""
        table = self._table(name)
        if user.table is not table or user.name not in table.watchers:
            check_not_playing(user)
            self._state.move(user, table)
        return table.to_message()

    def join(self, user: User, name: str, link: str) -> TableMessage:
        """Give a user a seat, or change the link of its seat. Raises Refusal if it may not."""
        table = self._table(name) if name else table_of(user)
        seat = table.seat(user.name) if user.table is table else None
        link = link or f"dial-in:{user.name}"
        if seat is None:
            check_joinable(table)
            check_not_playing(user)
        self._check_link(user, table, link)
        if seat is None:
            self._state.move(user, table, Seat(user.name, link, user.key))
        elif seat.link != link:
            seat.link = link
            self._state.records.record(table)
        return table.to_message()

    def _check_link(self, user: User, table: Table, link: str) -> None:
        try:
            self._links.check(Player(name=user.name, link=link), table.game, "")
        except Refusal as refusal:
            raise Refusal(refusal.reason, refusal.message, "link") from None
        spec = parse_link(link)
        if spec.kind == "dial-in":
            self._check_here(spec.value)
            if spec.value != user.name and not self._hub.holds(spec.value, user.token):
                message = f"{spec.value} has not dialled in with your token: only who has dialled in with it may play"
                raise Refusal("WRONG_TOKEN", message, "link")

    def _check_here(self, name: str) -> None:
        if not self._hub.here(name):
            message = f"no player has dialled in under the name {name}: have it dial in first, or give its address"
            raise Refusal("NOT_DIALLED_IN", message)

    def leave_table(self, user: User) -> None:
        """Let a user leave the table where it is, if it is at one."""
        self._state.leave_table(user)

    def delete(self, user: User, name: str) -> None:
        """Delete a table for its owner. Raises Refusal if the user may not."""
        table = self._table(name)
        if table.owner != user.name:
            raise Refusal("NOT_OWNER", f"the table {name} belongs to {table.owner}, who alone may delete it")
        if table.running and any(seat.name != user.name and not seat.left for seat in table.seats):
            raise Refusal(
                "TABLE_RUNNING", f"others play at the table {name}: it can be deleted when their game is over"
            )
        self._state.delete_table(table)
        self._games.stop(table)

    async def start(self, user: User) -> TableMessage:
        """Start the game of a user's table. Raises Refusal if the user may not, or the game cannot be played."""
        table = user.table
        if table is None or table.seat(user.name) is None:
            raise Refusal("NOT_SEATED", "only who has a seat at a table may start its game: join one first")
        if table.running:
            raise Refusal("TABLE_RUNNING", f"the game of the table {table.name} goes on already")
        least = table.game.seats.start
        if len(table.seats) < least:
            message = f"{table.game.title} needs {least} players, and {len(table.seats)} have joined"
            raise Refusal("TOO_FEW_SEATS", message)
        for spec in (parse_link(seat.link) for seat in table.seats):
            if spec.kind == "dial-in":
                self._check_here(spec.value)
        try:
            await self._games.start(table)
        except Refusal as refusal:
            raise Refusal(refusal.reason, refusal.message) from None  # the request has no field to blame
        return table.to_message()

    def say(self, user: User, text: str) -> None:
        """Say something at the table of a user. Raises Refusal if it is at none, or the text is not allowed."""
        table = table_of(user)
        spoken = Spoken(table=table.name, speaker=user.name, text=check_text(text))
        self._state.events.add(LobbyEvent(spoken=spoken), place=table)
        self._state.wake_table(table)

    def _table(self, name: str) -> Table:
        table = self._state.find_table(name)
        if table is None:
            raise Refusal("TABLE_NOT_FOUND", f"there is no table {name[:80]!r}", "table")
        return table

    # --- start and stop of the server ---

    def resume_all(self) -> None:
        """Resume the tables of the records. The referee must have resumed its games before."""
        self._state.restore(self._state.records.unfinished())
        for table in reversed([*self._state.tables]):
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
        for user in self._state.users:
            if user.stream is not None:
                user.stream.end(Refusal("SHUTTING_DOWN", self._closed))
        await self._state.close()

    async def suspend_all(self) -> None:
        """Stop waiting for games. The referee must have suspended them before."""
        await self._games.suspend()

    def _check_open(self) -> None:
        if self._closed:
            raise Refusal("SHUTTING_DOWN", self._closed)
