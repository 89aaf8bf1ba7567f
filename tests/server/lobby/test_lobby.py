"""What the lobby grants and refuses, without connections: users and tables by hand, timers that a test rings."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from google.protobuf.duration_pb2 import Duration

from fairplay.server.game.referee import Referee
from fairplay.server.links.dial_in import Hub
from fairplay.server.links.link import Clock
from fairplay.server.lobby.events import EventStream
from fairplay.server.lobby.lobby import Lobby
from fairplay.server.lobby.table import Table
from fairplay.server.lobby.table_records import to_record
from fairplay.server.lobby.users import LobbyLimits, User
from fairplay.server.net.errors import Refusal
from fairplay.server.records.store import Store
from fairplay.v1.game_pb2 import GameSettings, TimeControl
from fairplay.v1.lobby_pb2 import AttendResponse, CreateTableRequest, LobbyEvent
from fairplay.v1.record_pb2 import RecordEntry
from tests.server.lobby.harness import PATIENT
from tests.server.manager.harness import Stage


class Alarm:
    """A timer that rings when a test says so."""

    def __init__(self, seconds: float, call: Callable[[], None]) -> None:
        self.seconds = seconds
        self.waits = True
        self._call = call

    def cancel(self) -> None:
        self.waits = False

    def ring(self) -> None:
        self.waits = False
        self._call()


class Hall:
    """A lobby with a real referee and real records, whose time is a test's, and so are its timers.

    Players of the users "a" to "e" hold their games up until they are let go.
    """

    def __init__(self, limits: LobbyLimits = PATIENT) -> None:
        self.alarms: list[Alarm] = []
        self.time_s = 100.0
        self.store = Store.open(None)
        clock = Clock()
        self.hub = Hub(clock)
        self.stage = Stage(self.hub, clock)
        self.referee = Referee(self.stage, self.store)
        self.limits = limits
        self.lobby = self.new_lobby()
        self.lobby.open()
        for name in "abcde":
            self.stage.act(name, setup="hold")

    def new_lobby(self) -> Lobby:
        """Return a lobby without users and tables, over the same records."""
        referee, stage, hub, store, limits = self.referee, self.stage, self.hub, self.store, self.limits
        return Lobby(referee, stage, hub, store, limits, later=self.set, now_s=lambda: self.time_s)

    @property
    def users(self) -> dict[str, User]:
        return {user.name: user for user in self.lobby.state.users}

    @property
    def tables(self) -> dict[str, Table]:
        return {table.name: table for table in self.lobby.state.tables}

    @property
    def last(self) -> int:
        return self.lobby.state.events.last

    async def finish(self, table: Table) -> None:
        """Finish the game of a table."""
        actors = [self.stage.actors[seat.name] for seat in table.seats if not seat.bot]
        for actor in actors:
            actor.release.set()
        await self.over(table)
        for actor in actors:
            actor.release.clear()

    async def close(self) -> None:
        await self.lobby.close()
        await self.referee.suspend_all()
        await self.lobby.suspend_all()
        await self.store.close()

    def set(self, seconds: float, call: Callable[[], None]) -> Alarm:
        self.alarms.append(Alarm(seconds, call))
        return self.alarms[-1]

    @property
    def waiting(self) -> list[float]:
        """Return the seconds of all timers that wait."""
        return sorted(each.seconds for each in self.alarms if each.waits)

    def ring(self, seconds: float) -> None:
        """Ring the only timer of so many seconds."""
        [alarm] = [each for each in self.alarms if each.waits and each.seconds == seconds]
        alarm.ring()

    def enter(self, *names: str) -> list[User]:
        return [self.lobby.enter(name, "", "host") for name in names]

    def create(self, user: User, name: str = "t", **fields: Any) -> Table:
        self.lobby.create(user, CreateTableRequest(name=name, **{"game": "fish", **fields}))
        return self.tables[name]

    async def seat(self, table: Table, *users: User) -> None:
        for user in users:
            await self.lobby.join(user, table.name, "bot:first")

    def after(self, seen: int) -> list[LobbyEvent]:
        messages = self.lobby.state.events.after(seen, None, 0)
        return [event for data in messages for event in AttendResponse.FromString(data).events]

    def recorded(self, table: Table) -> bool:
        """Return whether the record of a table ends with the table as it is."""
        assert table.journal is not None
        record_id = table.journal.listing.record_id
        last = RecordEntry.FromString(self.store.read(record_id).entries[-1].entry).table
        return last == to_record(table, record_id)

    async def over(self, table: Table) -> None:
        async with asyncio.timeout(30):
            while table.running:
                await asyncio.sleep(0)

    async def restart(self) -> None:
        """Start the server again: its referee goes on with the games, and its lobby with the tables."""
        await self.lobby.close()
        await self.referee.suspend_all()
        await self.lobby.suspend_all()
        self.referee = Referee(self.stage, self.store)
        self.referee.resume_all()
        self.lobby = self.new_lobby()
        self.lobby.resume_all()
        self.lobby.open()


@pytest.fixture
async def hall() -> AsyncIterator[Hall]:
    async with opened() as made:
        yield made


@asynccontextmanager
async def opened(limits: LobbyLimits = PATIENT) -> AsyncIterator[Hall]:
    made = Hall(limits)
    try:
        yield made
    finally:
        await made.close()


def reason(call: Callable[[], object]) -> str:
    with pytest.raises(Refusal) as refused:
        call()
    return refused.value.reason


async def reason_of(work: Any) -> str:
    with pytest.raises(Refusal) as refused:
        await work
    return refused.value.reason


async def ended(stream: EventStream) -> str:
    """Return the reason with which a stream was ended; empty: its user asked for the end."""

    async def write(_: bytes) -> None:
        """Read everything."""

    try:
        async with asyncio.timeout(30):
            await stream.run(write)
    except Refusal as refusal:
        return refusal.reason
    return ""


# --- entering and leaving ---


async def test_a_lobby_lets_nobody_in_before_it_is_opened_nor_after_it_is_closed(hall: Hall) -> None:
    [ann] = hall.enter("ann")
    other = hall.new_lobby()
    assert reason(lambda: other.enter("bob", "", "host")) == "SHUTTING_DOWN"
    assert reason(lambda: other.user(ann.token, "host")) == "SHUTTING_DOWN"
    await other.close()
    await hall.lobby.close()
    with pytest.raises(Refusal, match="the server shuts down: ask again when it is back"):
        hall.enter("bob")
    assert reason(lambda: hall.lobby.user(ann.token, "host")) == "SHUTTING_DOWN"


async def test_a_stream_that_ends_after_it_was_replaced_or_with_the_server_lets_nobody_be_lost(hall: Hall) -> None:
    [ann] = hall.enter("ann")
    first = hall.lobby.attend(ann, 0)
    second = hall.lobby.attend(ann, 0)
    assert await ended(first) == "STREAM_REPLACED"
    hall.lobby.detach(ann, first)
    assert ann.stream is second
    assert hall.waiting == []
    await hall.lobby.close()
    assert await ended(second) == "SHUTTING_DOWN"
    hall.lobby.detach(ann, second)
    assert hall.waiting == []


async def test_a_host_has_so_many_users_at_once() -> None:
    async with opened(LobbyLimits(max_host_user_count=2, max_user_count=4)) as hall:
        ann, bob = hall.enter("ann", "bob")
        assert reason(lambda: hall.enter("cy")) == "LOBBY_FULL"
        hall.lobby.leave(ann)
        hall.enter("cy")
        assert reason(lambda: hall.enter("dee")) == "LOBBY_FULL"
        hall.lobby.enter("dee", "", "other host")
        hall.lobby.enter("eve", "", "third host")
        with pytest.raises(Refusal, match="the lobby has 4 users, and takes no more"):
            hall.lobby.enter("fay", "", "third host")
        assert hall.lobby.enter("bob", bob.token, "host") is bob, "who is here takes no place"
        for user in [*hall.users.values()]:
            hall.lobby.leave(user)


async def test_requests_are_counted_by_user_and_those_of_strangers_by_host() -> None:
    async with opened(LobbyLimits(requests_per_second=1, burst=2, enter_burst=3)) as hall:
        ann, bob = hall.enter("ann", "bob")
        for _ in range(2):
            assert hall.lobby.user(ann.token, "host") is ann
        assert reason(lambda: hall.lobby.user(ann.token, "host")) == "TOO_MANY_REQUESTS"
        assert hall.lobby.user(bob.token, "host") is bob
        assert reason(lambda: hall.lobby.user("guess", "host")) == "UNKNOWN_USER"
        assert reason(lambda: hall.lobby.user("guess", "host")) == "TOO_MANY_REQUESTS"
        assert reason(lambda: hall.enter("cy")) == "TOO_MANY_REQUESTS"
        assert reason(lambda: hall.lobby.user("guess", "other host")) == "UNKNOWN_USER"
        hall.time_s += 3
        assert hall.lobby.user(ann.token, "host") is ann
        assert reason(lambda: hall.lobby.user("guess", "host")) == "UNKNOWN_USER"
        hall.enter("cy")


# --- tables ---


def pages(hall: Hall, game: str, limit: int) -> list[list[str]]:
    found, before = hall.lobby.tables(game, limit, None)
    made = [[table.name for table in found]]
    while before is not None:
        found, before = hall.lobby.tables(game, limit, before)
        made.append([table.name for table in found])
    return made


async def test_tables_are_listed_as_before_after_a_new_start_and_new_ones_first(hall: Hall) -> None:
    [ann] = hall.enter("ann")
    for name in "abc":
        hall.create(ann, name)
    await hall.restart()
    [bob] = hall.enter("bob")
    hall.create(bob, "d")
    assert pages(hall, "", 1) == [["d"], ["c"], ["b"], ["a"]]
    assert pages(hall, "", 3) == [["d", "c", "b"], ["a"]]


async def test_an_operator_deletes_the_table_of_another_one_for_good(hall: Hall) -> None:
    ann, bob, cy = hall.enter("ann", "bob", "cy")
    table = hall.create(ann)
    hall.lobby.watch(bob, "t")
    hall.lobby.leave(ann)
    hall.lobby.leave_table(bob)
    assert hall.waiting == [10.0, 10.0, 60.0]
    assert reason(lambda: hall.lobby.delete(cy, "t")) == "NOT_OWNER"
    hall.lobby.delete(cy, "t", by_operator=True)
    assert table.deleted
    assert hall.waiting == [10.0, 10.0]
    assert hall.enter("ann"), "her name was kept for the table"


async def test_who_has_left_a_running_game_does_not_come_back_while_it_plays_elsewhere(hall: Hall) -> None:
    a, b, c, d = hall.enter("a", "b", "c", "d")
    first = hall.create(a)
    await hall.seat(first, a, b)
    await hall.lobby.starts.start(a)
    hall.lobby.leave_table(b)
    second = hall.create(c, "u")
    await hall.seat(second, c, b)
    await hall.lobby.starts.start(c)
    assert (first.running, second.running) == (True, True)
    assert await reason_of(hall.lobby.join(b, "t", "")) == "SEATED"
    assert b.table is second
    assert await reason_of(hall.lobby.join(d, "t", "bot:first")) == "TABLE_RUNNING"
    await hall.finish(first)
    await hall.finish(second)


# --- starting ---


async def test_a_table_that_is_deleted_while_its_game_begins_stays_deleted(hall: Hall) -> None:
    ann, bob = hall.enter("ann", "bob")
    table = hall.create(ann)
    await hall.seat(table, ann)
    await hall.lobby.starts.set_bots(ann, 1, "")
    starting = asyncio.create_task(hall.lobby.starts.start(ann))
    while not table.running:
        await asyncio.sleep(0)
    hall.lobby.delete(ann, "t")
    seen = hall.last
    await starting
    assert hall.after(seen) == []
    assert hall.lobby.tables("", 9, None) == ([], None)
    assert bob.table is None


# --- after a new start ---


async def test_seats_are_given_up_a_minute_after_a_new_start_where_nobody_has_come_back(hall: Hall) -> None:
    ann, bob, cy = hall.enter("ann", "bob", "cy")
    table = hall.create(ann)
    await hall.seat(table, ann, bob, cy)
    await hall.lobby.starts.set_bots(ann, 1, "")
    await hall.restart()
    table = hall.tables["t"]
    assert [(seat.name, seat.present) for seat in table.seats] == [
        ("ann", False),
        ("bob", False),
        ("cy", False),
        ("bot-1", True),
    ]
    assert reason(lambda: hall.enter("bob")) == "NAME_TAKEN"
    assert hall.enter("bot1"), "names of bots are not kept"
    again = hall.lobby.enter("cy", cy.token, "host")
    assert again.table is table
    assert again.since == hall.last - 2
    assert [(seat.name, seat.present) for seat in table.seats][2] == ("cy", True)
    seen = hall.last
    hall.ring(60.0)
    assert [seat.name for seat in table.seats] == ["cy", "bot-1"]
    assert hall.recorded(table)
    [event] = hall.after(seen)
    assert [seat.name for seat in event.table.seats] == ["cy", "bot-1"]
    assert hall.enter("bob")[0].token != bob.token, "the name is free"
    assert reason(lambda: hall.enter("ann")) == "NAME_TAKEN", "she owns the table"


@pytest.mark.parametrize("in_time", [True, False])
async def test_whoever_does_not_come_back_keeps_its_seat_until_its_game_is_over(hall: Hall, in_time: bool) -> None:
    """And also afterwards, where the game was over before the time to come back."""
    a, b = hall.enter("a", "b")
    table = hall.create(a)
    await hall.seat(table, a, b)
    await hall.lobby.starts.start(a)
    await hall.restart()
    table = hall.tables["t"]
    hall.lobby.enter("a", a.token, "host")
    if not in_time:
        hall.ring(60.0)
    assert [seat.name for seat in table.seats] == ["a", "b"]
    assert reason(lambda: hall.enter("b")) == "NAME_TAKEN"
    await hall.finish(table)
    assert hall.recorded(table)
    if in_time:
        assert [seat.name for seat in table.seats] == ["a", "b"]
        assert reason(lambda: hall.enter("b")) == "NAME_TAKEN"
    else:
        assert [seat.name for seat in table.seats] == ["a"]
        assert hall.enter("b")[0].token != b.token


async def test_a_game_is_played_as_its_table_says(hall: Hall) -> None:
    [ann, bob] = hall.enter("ann", "bob")
    settings = GameSettings()
    settings.fish.rows = 6
    limits = TimeControl(decision_limit=Duration(seconds=7), first_decision_limit=Duration(seconds=8))
    made: list[tuple[str, dict[str, Any]]] = [("plain", {}), ("own", {"settings": settings, "time_control": limits})]
    for name, fields in made:
        table = hall.create(ann, name, **fields)
        await hall.seat(table, ann, bob)
        await hall.lobby.starts.start(ann)
        assert table.game_id.endswith("/game")
        plan = hall.referee.get(table.game_id).plan
        assert [(player.name, player.link) for player in plan.players] == [("ann", "bot:first"), ("bob", "bot:first")]
        assert (plan.settings.fish.rows == 6) is bool(fields)
        assert (plan.time_control.decision_limit.seconds == 7) is bool(fields)
        await hall.over(table)
        assert table.to_message().result.ranking


# --- games of tables ---


async def test_who_joins_in_the_moment_in_which_a_race_begins_is_let_in(hall: Hall) -> None:
    ann, bob = hall.enter("ann", "bob")
    settings = GameSettings()
    settings.webset.aspects, settings.webset.min_players, settings.webset.late_join = 3, 1, True
    table = hall.create(ann, game="webset", settings=settings)
    await hall.seat(table, ann)
    starting = asyncio.create_task(hall.lobby.starts.start(ann))
    while not table.running:
        await asyncio.sleep(0)
    assert hall.referee.seat_count(table.game_id) is None, "the game is about to begin"
    await hall.seat(table, bob)
    await starting
    assert hall.referee.seat_count(table.game_id) == 2
    await hall.over(table)


async def test_nothing_waits_for_games_that_are_suspended(hall: Hall) -> None:
    a, b = hall.enter("a", "b")
    table = hall.create(a)
    await hall.seat(table, a, b)
    await hall.lobby.starts.start(a)
    suspending = asyncio.create_task(hall.lobby.suspend_all())
    for _ in range(20):
        await asyncio.sleep(0)
    assert not suspending.done(), "the game has not been suspended yet"
    await hall.referee.suspend_all()
    await suspending
    assert table.running, "it goes on after a new start"
