"""The lobby: what its users may do, and what is refused them. See proto/fairplay/v1/lobby.proto."""

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
from fairplay.server.lobby.floor import Floor
from fairplay.server.lobby.games import Games
from fairplay.server.lobby.limits import Bucket, Limits, Peers, check_granted
from fairplay.server.lobby.stream import Stream
from fairplay.server.lobby.table import Seat, Table
from fairplay.server.lobby.users import User
from fairplay.server.lobby.wording import checked_text, checked_user_name
from fairplay.server.manager.signup import Later
from fairplay.server.records.store import Store
from fairplay.server.referee import Referee
from fairplay.v1.game_pb2 import Player
from fairplay.v1.lobby_pb2 import AttendResponse, CreateTableRequest, Spoken
from fairplay.v1.table_pb2 import Table as TableMessage

MAX_STREAMS = 8
"""Of one user, also those that were replaced and whose callers do not read their ends."""


class Lobby:
    """All users and tables of a server. `later` is the timer of grace periods; None: that of the event loop."""

    def __init__(
        self,
        referee: Referee,
        links: Links,
        hub: Hub,
        store: Store,
        limits: Limits,
        *,
        later: Later | None = None,
        rng: random.Random | None = None,
    ) -> None:
        self.limits = limits
        self._links = links
        self._hub = hub
        self._later = later or asyncio.get_running_loop().call_later
        self._floor = Floor(referee, hub, store, limits, self._later)
        self._games = Games(referee, self._floor, rng or random.SystemRandom())
        self._peers = Peers(limits.requests_per_second, limits.enter_burst)
        self._numbers = 0
        self._closed = "the server is about to start: ask again"

    # --- coming and going ---

    def enter(self, name: str, token: str, peer: str) -> User:
        """A user enters, or comes back; `peer` is the connection. Refusal: it may not."""
        self._check_open()
        self._peers.take(peer, time.monotonic())
        user = self._floor.users.returning(checked_user_name(name), token)
        if user is None:
            if len(self._floor.users) >= self.limits.max_user_count:
                message = f"the lobby has {self.limits.max_user_count:,} users, and takes no more: try again later"
                raise Refusal("LOBBY_FULL", message)
            bucket = Bucket(self.limits.requests_per_second, self.limits.burst, time.monotonic())
            user = self._floor.users.admit(name, token, bucket)
            self._floor.come(user)
        if user.stream is None:
            self._begin_grace(user)
        return user

    def user(self, token: str, peer: str) -> User:
        """The user who asks. Refusal: it is nobody, or asks too often."""
        self._check_open()
        user = self._floor.users.known(token)
        if user is None:
            self._peers.take(peer, time.monotonic())
            raise Refusal("UNKNOWN_USER", "the token is that of nobody in the lobby: enter first", "token")
        check_granted(user.bucket.take(time.monotonic()), self.limits.requests_per_second)
        return user

    def leave(self, user: User) -> None:
        """A user leaves the lobby."""
        if user.stream is not None:
            user.stream.end()
        self._part(user, lost=False)

    def _part(self, user: User, *, lost: bool) -> None:
        if user.deadline is not None:
            user.deadline.cancel()
        self._floor.part(user, lost=lost)

    def _begin_grace(self, user: User) -> None:
        if user.deadline is not None:
            user.deadline.cancel()
        user.deadline = self._later(self.limits.grace_s, partial(self._part, user, lost=True))

    # --- the news ---

    def attend(self, user: User, after: int, *, together: bool) -> Stream:
        """The stream of a user, in the place of the one before. Refusal: too many of them have not ended."""
        if user.stream_count >= MAX_STREAMS:
            message = f"{MAX_STREAMS} streams of this user are still open: read them to their ends, or cancel them"
            raise Refusal("TOO_MANY_REQUESTS", message, retry_s=1.0)
        if user.stream is not None:
            user.stream.end(Refusal("STREAM_REPLACED", "the user has opened another stream"))
        if user.deadline is not None:
            user.deadline.cancel()
            user.deadline = None
        user.stream_count += 1
        news = self._floor.news

        def due(seen: int) -> tuple[int, Sequence[bytes]]:
            return news.last, news.after(seen, user.table, user.since, together=together)

        user.stream = Stream(after, due)
        return user.stream

    def detach(self, user: User, stream: Stream) -> None:
        """A stream is at its end, for whatever reason; its caller may not have read that far."""
        if user.stream is stream:
            user.stream = None
            if not self._closed and self._floor.users.known(user.token) is user:
                self._begin_grace(user)

    def closed(self, user: User) -> None:
        """A stream is no more."""
        user.stream_count -= 1

    # --- tables ---

    def tables(self, game: str, limit: int, before: int | None) -> tuple[list[TableMessage], int | None]:
        """Tables, newest first, and what `before` must be for the next page, if there is one; of one game, if named."""
        found = list(islice(self._matching(game, before), limit + 1))
        cursor = found[limit - 1].number if len(found) > limit else None
        return [table.shown() for table in found[:limit]], cursor

    def _matching(self, game: str, before: int | None) -> Iterator[Table]:
        for table in reversed(self._floor.tables.values()):
            if game in ("", table.game.name) and (before is None or table.number < before):
                yield table

    def create(self, user: User, request: CreateTableRequest) -> TableMessage:
        """A user makes a table and watches it. Refusal: it may not, or what it asks for cannot be."""
        message = table_message(request, user.name)
        if request.name in self._floor.tables:
            raise Refusal("NAME_TAKEN", f"there is a table {request.name} already: choose another name", "name")
        self._check_room(user)
        check_not_playing(user)
        self._numbers += 1
        table = Table(message, user.key, self._numbers, [])
        self._floor.ledger.begin(table)
        self._floor.add(table)
        self._floor.go(user, table)
        return table.shown()

    def _check_room(self, user: User) -> None:
        most, own = self.limits.max_table_count, self.limits.max_owned_count
        if len(self._floor.tables) >= most:
            raise Refusal("LOBBY_FULL", f"the lobby has {most:,} tables, and takes no more: join one of them")
        if self._floor.owned_count(user.name) >= own:
            raise Refusal("LOBBY_FULL", f"a user may own {own} tables: delete one of yours first")

    def watch(self, user: User, name: str) -> TableMessage:
        """A user goes to a table to watch. Refusal: it may not."""
        table = self._table(name)
        if user.table is not table or user.name not in table.watchers:
            check_not_playing(user)
            self._floor.go(user, table)
        return table.shown()

    def join(self, user: User, name: str, link: str) -> TableMessage:
        """A user takes a seat, or changes the link of its seat. Refusal: it may not."""
        table = self._table(name) if name else table_of(user)
        seat = table.seat(user.name) if user.table is table else None
        link = link or f"dial-in:{user.name}"
        if seat is None:
            check_joinable(table)
            check_not_playing(user)
        self._check_link(user, table, link)
        if seat is None:
            self._floor.go(user, table, Seat(user.name, link, user.key))
        elif seat.link != link:
            seat.link = link
            self._floor.ledger.note(table)
        return table.shown()

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
        """A user leaves the table where it is, if it is at one."""
        self._floor.leave(user)

    def delete(self, user: User, name: str) -> None:
        """The owner deletes a table. Refusal: it may not."""
        table = self._table(name)
        if table.owner != user.name:
            raise Refusal("NOT_OWNER", f"the table {name} belongs to {table.owner}, who alone may delete it")
        if table.running and any(seat.name != user.name and not seat.left for seat in table.seats):
            raise Refusal(
                "TABLE_RUNNING", f"others play at the table {name}: it can be deleted when their game is over"
            )
        self._floor.delete(table)
        self._games.stop(table)

    async def start(self, user: User) -> TableMessage:
        """A user starts the game of its table. Refusal: it may not, or the game cannot be played."""
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
        return table.shown()

    def say(self, user: User, text: str) -> None:
        """A user says something at its table. Refusal: it is at none, or the text is not allowed."""
        table = table_of(user)
        spoken = Spoken(table=table.name, speaker=user.name, text=checked_text(text))
        self._floor.news.tell(AttendResponse(spoken=spoken), place=table)
        self._floor.whisper(table)

    def _table(self, name: str) -> Table:
        table = self._floor.tables.get(name)
        if table is None:
            raise Refusal("TABLE_NOT_FOUND", f"there is no table {name[:80]!r}", "table")
        return table

    # --- start and stop of the server ---

    def resume_all(self) -> None:
        """Goes on with the tables of the records. The referee must have resumed its games before."""
        self._floor.expect(self._floor.ledger.unfinished())
        for table in self._floor.tables.values():
            self._numbers += 1
            table.number = self._numbers
            if table.running:
                self._games.resume(table)

    def open(self) -> None:
        """Lets users in: before, somebody else could have the name of one who is expected back."""
        self._closed = ""

    async def close(self) -> None:
        """Ends all streams; from now on nothing changes any more but the games that the referee plays."""
        self._closed = "the server shuts down: ask again when it is back"
        for user in self._floor.users:
            if user.stream is not None:
                user.stream.end(Refusal("SHUTTING_DOWN", self._closed))
        await self._floor.close()

    async def suspend_all(self) -> None:
        """Waits for no game any more. The referee must have suspended them before."""
        await self._games.suspend()

    def _check_open(self) -> None:
        if self._closed:
            raise Refusal("SHUTTING_DOWN", self._closed)
