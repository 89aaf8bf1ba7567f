"""Whatever users do, in whatever order: what must always hold in a lobby."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from fairplay.server.game.referee import Referee
from fairplay.server.links.dial_in import Hub
from fairplay.server.links.link import Clock
from fairplay.server.lobby.lobby import Lobby
from fairplay.server.lobby.table import Table
from fairplay.server.lobby.table_records import to_record
from fairplay.server.lobby.users import LobbyLimits, User
from fairplay.server.manager.signup import Later
from fairplay.server.net.errors import Refusal
from fairplay.server.records.store import Store
from fairplay.v1.lobby_pb2 import AttendResponse, CreateTableRequest, LobbyEvent
from fairplay.v1.record_pb2 import RecordEntry
from tests.server.lobby.harness import Mirror
from tests.server.manager.harness import Stage

NAMES = "abcde"
LIMITS = LobbyLimits(requests_per_second=1_000_000, burst=1_000_000, enter_burst=1_000_000, max_owned_count=2)


class Deadline:
    """A timer that rings when a test says so."""

    def __init__(self, call: Callable[[], None]) -> None:
        self._call: Callable[[], None] | None = call

    def cancel(self) -> None:
        self._call = None

    def ring(self) -> None:
        call, self._call = self._call, None
        assert call is not None
        call()


class World:
    """A lobby with a real referee and real records; players hold their games up until they are let go."""

    def __init__(
        self,
        limits: LobbyLimits = LIMITS,
        later: Later = lambda _, call: Deadline(call),
        now_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self.store = Store.open(None)
        clock = Clock()
        self.hub = Hub(clock)
        self.stage = Stage(self.hub, clock)
        self.referee = Referee(self.stage, self.store)
        self.limits, self.later, self.now_s = limits, later, now_s
        self.lobby = self.new_lobby()
        self.lobby.open()
        for name in NAMES:
            self.stage.act(name, setup="hold")

    def new_lobby(self) -> Lobby:
        """Return a lobby without users and tables, over the same records."""
        return Lobby(self.referee, self.stage, self.hub, self.store, self.limits, later=self.later, now_s=self.now_s)

    @property
    def users(self) -> dict[str, User]:
        return {user.name: user for user in self.lobby.state.users}

    @property
    def tables(self) -> dict[str, Table]:
        return {table.name: table for table in self.lobby.state.tables}

    @property
    def last(self) -> int:
        return self.lobby.state.events.last

    def read(self, seen: int) -> list[LobbyEvent]:
        messages = self.lobby.state.events.after(seen, None, 0)
        return [event for data in messages for event in AttendResponse.FromString(data).events]

    async def finish(self, table: Table) -> None:
        """Finish the game of a table."""
        actors = [self.stage.actors[seat.name] for seat in table.seats if not seat.bot]
        for actor in actors:
            actor.release.set()
        async with asyncio.timeout(30):
            while table.running:
                await asyncio.sleep(0.001)
        for actor in actors:
            actor.release.clear()

    async def close(self) -> None:
        await self.lobby.close()
        await self.referee.suspend_all()
        await self.lobby.suspend_all()
        await self.store.close()


names = st.sampled_from(NAMES)
tables = st.sampled_from("tu")


class LobbyMachine(RuleBasedStateMachine):
    """Five users, two tables, and a reader that hears of everything a little later."""

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.world = self.run(self.made())
        self.mirror = Mirror()
        self.tokens: dict[str, str] = {}

    @staticmethod
    async def made() -> World:
        return World()

    def run(self, work: Awaitable[Any]) -> Any:
        return self.loop.run_until_complete(work)

    def teardown(self) -> None:
        self.run(self.world.close())
        self.loop.close()

    def act(self, name: str, action: Callable[[User], Any]) -> None:
        """Let a user do something; a refused request must change nothing."""

        async def do() -> None:
            user, before = self.world.users.get(name), self.world.last
            if user is None:
                return
            try:
                done = action(user)
            except Refusal:
                assert self.world.last == before
                return
            if asyncio.iscoroutine(done):
                try:
                    await done
                except Refusal:
                    assert self.world.last == before

        self.run(do())

    # --- what users do ---

    @rule(name=names)
    def enter(self, name: str) -> None:
        async def do() -> None:
            user = self.world.lobby.enter(name, self.tokens.get(name, ""), "peer")
            self.tokens[name] = user.token

        self.run(do())

    @rule(name=names)
    def intrude(self, name: str) -> None:
        kept = name in self.world.users or any(table.needs_name(name) for table in self.world.tables.values())

        async def do() -> None:
            self.world.lobby.enter(name, "", "peer")

        try:
            self.run(do())
        except Refusal as refusal:
            assert refusal.reason == "NAME_TAKEN"
            assert kept
        else:
            assert not kept
            self.tokens[name] = self.world.users[name].token

    @rule(name=names)
    def leave(self, name: str) -> None:
        self.act(name, self.world.lobby.leave)

    @rule(name=names)
    def be_lost(self, name: str) -> None:
        user = self.world.users.get(name)
        if user is not None:
            assert isinstance(user.deadline, Deadline)
            self.ring(user.deadline)

    def ring(self, deadline: Deadline) -> None:
        async def do() -> None:
            deadline.ring()

        self.run(do())

    @rule(name=names, table=tables, seat_count=st.sampled_from([0, 0, 2, 3]))
    def create(self, name: str, table: str, seat_count: int = 0) -> None:
        request = CreateTableRequest(name=table, game="fish", seat_count=seat_count)
        self.act(name, lambda user: self.world.lobby.create(user, request))

    @rule(name=names, table=tables)
    def watch(self, name: str, table: str) -> None:
        self.act(name, lambda user: self.world.lobby.watch(user, table))

    @rule(name=names, table=st.sampled_from(["t", "u", ""]), link=st.sampled_from(["bot:first", "bot:greedy"]))
    def join(self, name: str, table: str, link: str) -> None:
        self.act(name, lambda user: self.world.lobby.join(user, table, link))

    @rule(name=names)
    def leave_table(self, name: str) -> None:
        self.act(name, self.world.lobby.leave_table)

    @rule(name=names, table=tables)
    def delete(self, name: str, table: str) -> None:
        self.act(name, lambda user: self.world.lobby.delete(user, table))

    @rule(name=names)
    def start(self, name: str) -> None:
        self.act(name, self.world.lobby.starts.start)

    @rule(name=names, ready=st.booleans())
    def set_ready(self, name: str, ready: bool) -> None:
        self.act(name, lambda user: self.world.lobby.starts.set_ready(user, ready=ready))

    @rule(name=names, count=st.integers(0, 4), link=st.sampled_from(["", "bot:first", "bot:random"]))
    def set_bots(self, name: str, count: int, link: str) -> None:
        self.act(name, lambda user: self.world.lobby.starts.set_bots(user, count, link))

    @rule(one=names, two=names, table=tables)
    def play(self, one: str, two: str, table: str) -> None:
        """Play a game, which seldom comes about by chance."""
        for name in (one, two):
            if name not in self.world.users:
                self.enter(name)
        self.create(one, table)
        self.join(one, table, "bot:first")
        self.join(two, table, "bot:first")
        self.start(one)

    @rule(name=names)
    def say(self, name: str) -> None:
        self.act(name, lambda user: self.world.lobby.say(user, "hello"))

    @rule(table=tables)
    def finish(self, table: str) -> None:
        found = self.world.tables.get(table)
        if found is not None and found.running:
            self.run(self.world.finish(found))

    @rule(table=tables)
    def stay_empty(self, table: str) -> None:
        found = self.world.tables.get(table)
        if found is not None and found.deadline is not None:
            assert isinstance(found.deadline, Deadline)
            self.ring(found.deadline)
            assert table not in self.world.tables

    @rule()
    def read(self) -> None:
        """Check that the events make the same lobby as the whole."""
        for event in self.world.read(self.mirror.sequence):
            self.mirror.take(event)
        whole = Mirror()
        for event in self.world.read(0):
            whole.take(event)
        assert self.mirror == whole

    # --- what holds ---

    @invariant()
    def users_are_where_tables_say(self) -> None:
        here: dict[str, str] = {}
        for table in self.world.tables.values():
            for name in table.members:
                assert name not in here, "a user is at one table at most"
                here[name] = table.name
        assert here == {name: user.table.name for name, user in self.world.users.items() if user.table is not None}

    @invariant()
    def seats_are_unique_and_not_too_many(self) -> None:
        for table in self.world.tables.values():
            seated = [seat.name for seat in table.seats]
            assert len(set(seated)) == len(seated) <= 4
            assert all(seat.present or (seat.left and table.running) for seat in table.seats)
            assert [seat.bot for seat in table.seats] == sorted(seat.bot for seat in table.seats)
            assert not table.running or not any(seat.ready for seat in table.seats)

    @invariant()
    def only_what_is_deserted_is_about_to_go(self) -> None:
        for table in self.world.tables.values():
            deserted = table.empty and not table.running and table.owner not in self.world.users
            assert (table.deadline is not None) == deserted

    @invariant()
    def what_matters_is_in_the_records(self) -> None:
        for table in self.world.tables.values():
            assert table.journal is not None
            record_id = table.journal.listing.record_id
            [*_, last] = self.world.store.read(record_id).entries
            assert RecordEntry.FromString(last.entry).table == to_record(table, record_id)
        unfinished = [each for each in self.world.store.unfinished() if each.kind == "table"]
        assert len(unfinished) == len(self.world.tables)


TestLobby = LobbyMachine.TestCase
TestLobby.settings = settings(max_examples=30, stateful_step_count=40, deadline=None)
