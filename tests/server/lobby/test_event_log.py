"""What a reader of the news is sent, from each place where it may have stopped."""

from __future__ import annotations

import time

from hypothesis import given
from hypothesis import strategies as st

from fairplay.server.lobby.event_log import REMEMBERED, EventLog
from fairplay.server.lobby.table import Table
from fairplay.v1.lobby_pb2 import AttendResponse, Lobby, LobbyEvent, Spoken, UserGone
from fairplay.v1.table_pb2 import Table as TableMessage
from fairplay.v1.table_pb2 import User

FIRST = 1_000_000


class FakeLobby:
    """A lobby of users and their tables that tells everything it does."""

    def __init__(self) -> None:
        self.users: dict[str, str] = {}
        self.events = EventLog(self.whole, FIRST)
        self.tables = {name: Table(TableMessage(name=name), b"", 0, []) for name in "tu"}

    def whole(self) -> Lobby:
        return Lobby(users=[User(name=name, table=table) for name, table in sorted(self.users.items())])

    def move(self, name: str, table: str) -> None:
        self.users[name] = table
        self.events.add(LobbyEvent(user=User(name=name, table=table)), ("user", name))

    def go(self, name: str) -> None:
        if self.users.pop(name, None) is not None:
            self.events.add_end(LobbyEvent(user_gone=UserGone(name=name)), ("user", name))

    def say(self, table: str, text: str) -> None:
        self.events.add(LobbyEvent(spoken=Spoken(table=table, text=text)), place=self.tables[table])

    def sent(self, seen: int, place: str = "", since: int = 0) -> list[LobbyEvent]:
        table = self.tables[place] if place else None
        messages = self.events.after(seen, table, since)
        return [event for data in messages for event in AttendResponse.FromString(data).events]


class Reader:
    """What somebody makes of what is sent."""

    def __init__(self) -> None:
        self.seen = 0
        self.users: dict[str, str] = {}

    def take(self, events: list[LobbyEvent]) -> None:
        for event in events:
            assert event.sequence > self.seen
            self.seen = event.sequence
            match event.WhichOneof("event"):
                case "lobby":
                    self.users = {user.name: user.table for user in event.lobby.users}
                case "user":
                    self.users[event.user.name] = event.user.table
                case "user_gone":
                    self.users.pop(event.user_gone.name, None)


actions = st.one_of(
    st.tuples(st.just("move"), st.sampled_from("abc"), st.sampled_from(["", "t", "u"])),
    st.tuples(st.just("go"), st.sampled_from("abc")),
    st.tuples(st.just("say"), st.sampled_from("tu"), st.just("hello")),
)


@given(st.lists(st.tuples(actions, st.booleans()), max_size=40))
def test_whenever_a_reader_reads_it_knows_what_is_so(steps: list[tuple[tuple[str, ...], bool]]) -> None:
    fake, reader = FakeLobby(), Reader()
    for (action, *fields), reads in [*steps, (("go", "a"), True)]:
        getattr(fake, action)(*fields)
        if reads:
            reader.take(fake.sent(reader.seen))
            assert reader.users == fake.users
            assert reader.seen <= fake.events.last


def test_only_the_last_of_several_changes_is_sent_but_every_departure() -> None:
    fake = FakeLobby()
    fake.move("a", "t")
    seen = fake.events.last
    for _ in range(3):
        fake.move("a", "u")
        fake.go("a")
    fake.move("a", "t")
    fake.move("a", "")
    assert [event.WhichOneof("event") for event in fake.sent(seen)] == ["user_gone"] * 3 + ["user"]


def test_of_a_user_who_came_and_went_only_the_departure_is_sent() -> None:
    lobby = FakeLobby()
    lobby.move("ann", "t")
    lobby.move("bob", "t")
    lobby.go("ann")
    assert [event.WhichOneof("event") for event in lobby.sent(FIRST)] == ["user", "user_gone"]
    assert lobby.sent(FIRST)[0].user.name == "bob"


def test_what_is_said_is_for_those_who_are_there_since_before() -> None:
    fake = FakeLobby()
    seen = fake.events.last
    fake.say("t", "one")
    came = fake.events.last
    fake.say("t", "two")
    fake.say("u", "other")

    def received(place: str, since: int) -> list[str]:
        return [event.spoken.text for event in fake.sent(seen, place, since)]

    assert received("t", seen) == ["one", "two"]
    assert received("t", came) == ["two"]
    assert received("", 0) == []
    assert received("u", seen) == ["other"]


def test_who_is_at_a_table_is_sent_what_is_said_there_among_what_everybody_is_sent() -> None:
    fake = FakeLobby()
    seen = fake.events.last
    fake.move("a", "t")
    fake.say("t", "hello")
    fake.move("b", "u")
    assert [event.WhichOneof("event") for event in fake.sent(seen, "t", seen)] == ["user", "spoken", "user"]
    assert [event.WhichOneof("event") for event in fake.sent(seen, "t", seen + 2)] == ["user", "user"]


def test_several_events_come_in_one_message() -> None:
    lobby = FakeLobby()
    seen = lobby.events.last
    lobby.move("a", "t")
    lobby.move("b", "t")
    [both] = lobby.events.after(seen, None, 0)
    events = AttendResponse.FromString(both).events
    assert [event.user.name for event in events] == ["a", "b"]
    assert all(event.time.seconds > 0 for event in events)


def test_what_is_forgotten_is_made_good_by_the_whole_and_nothing_grows() -> None:
    fake = FakeLobby()
    seen = fake.events.last
    fake.move("early", "t")
    for number in range(5 * REMEMBERED):
        fake.move(f"user{number % 7}", f"t{number}")
    assert [event.WhichOneof("event") for event in fake.sent(seen)] == ["lobby"]
    assert fake.sent(fake.events.last) == []
    assert len(fake.sent(fake.events.last - REMEMBERED)) == 7
    assert len(fake.events._events) <= 2 * REMEMBERED
    assert len(fake.events._latest) == 7


def test_the_numbers_begin_with_the_time_in_microseconds() -> None:
    before = time.time_ns() // 1_000
    log = EventLog(Lobby)
    assert before <= log.last <= time.time_ns() // 1_000


def test_the_last_thousand_events_are_remembered_and_up_to_another_thousand() -> None:
    fake = FakeLobby()

    def is_whole(behind: int) -> bool:
        [first, *_] = fake.sent(fake.events.last - behind)
        return first.HasField("lobby")

    for number in range(2_000):
        fake.move(f"user{number}", "t")
    assert not is_whole(2_000)
    assert is_whole(2_001)
    fake.move("one more", "t")
    assert not is_whole(1_001)
    assert is_whole(1_002)


def test_a_number_of_the_future_is_answered_with_the_whole() -> None:
    fake = FakeLobby()
    fake.move("a", "t")
    assert [event.WhichOneof("event") for event in fake.sent(fake.events.last + 1)] == ["lobby"]


def test_readers_at_one_place_are_each_sent_what_is_new_when_they_read() -> None:
    fake = FakeLobby()
    seen = fake.events.last
    fake.move("a", "t")
    assert [event.user.name for event in fake.sent(seen)] == ["a"]
    fake.move("b", "t")
    assert [event.user.name for event in fake.sent(seen)] == ["a", "b"]


def test_the_whole_is_made_once_for_all_readers_until_it_changes() -> None:
    fake = FakeLobby()
    fake.move("a", "t")
    [one] = fake.events.after(0, None, 0)
    [other] = fake.events.after(0, None, 0)
    assert one is other
    fake.move("b", "t")
    [whole] = fake.sent(0)
    assert [user.name for user in whole.lobby.users] == ["a", "b"]
    assert whole.sequence == fake.events.last
    assert whole.time.seconds > 0


def test_who_has_heard_all_that_was_said_at_its_table_is_sent_what_everybody_is() -> None:
    fake = FakeLobby()
    fake.say("t", "hello")
    seen = fake.events.last
    fake.move("a", "t")
    everybody = fake.events.after(seen, None, 0)
    assert fake.events.after(seen, fake.tables["t"], 0) is everybody
    assert fake.events.after(seen, fake.tables["t"], seen) is everybody


def test_what_is_the_same_for_many_is_serialised_once() -> None:
    fake = FakeLobby()
    seen = fake.events.last
    fake.move("a", "t")
    fake.say("u", "elsewhere")
    assert fake.events.after(seen, None, 0) is fake.events.after(seen, fake.tables["t"], seen)
