"""What a reader of the news is sent, from each place where it may have stopped."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from fairplay.server.lobby.news import REMEMBERED, News
from fairplay.server.lobby.table import Table
from fairplay.v1.lobby_pb2 import AttendResponse, Lobby, Spoken, UserGone
from fairplay.v1.table_pb2 import Table as TableMessage
from fairplay.v1.table_pb2 import User

FIRST = 1_000_000


class House:
    """A lobby of users and their tables that tells everything it does."""

    def __init__(self) -> None:
        self.users: dict[str, str] = {}
        self.news = News(self.whole, FIRST)
        self.tables = {name: Table(TableMessage(name=name), b"", 0, []) for name in "tu"}

    def whole(self) -> Lobby:
        return Lobby(users=[User(name=name, table=table) for name, table in sorted(self.users.items())])

    def move(self, name: str, table: str) -> None:
        self.users[name] = table
        self.news.tell(AttendResponse(user=User(name=name, table=table)), ("user", name))

    def go(self, name: str) -> None:
        if self.users.pop(name, None) is not None:
            self.news.tell_end(AttendResponse(user_gone=UserGone(name=name)), ("user", name))

    def say(self, table: str, text: str) -> None:
        self.news.tell(AttendResponse(spoken=Spoken(table=table, text=text)), place=self.tables[table])

    def sent(self, seen: int, place: str = "", since: int = 0, *, together: bool = False) -> list[AttendResponse]:
        table = self.tables[place] if place else None
        return [AttendResponse.FromString(data) for data in self.news.after(seen, table, since, together=together)]


class Reader:
    """What somebody makes of what is sent."""

    def __init__(self) -> None:
        self.seen = 0
        self.users: dict[str, str] = {}

    def take(self, events: list[AttendResponse]) -> None:
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
                case "events":
                    self.seen = event.events.events[0].sequence - 1
                    assert event.sequence == event.events.events[-1].sequence
                    assert event.time == event.events.events[-1].time
                    self.take(list(event.events.events))


deeds = st.one_of(
    st.tuples(st.just("move"), st.sampled_from("abc"), st.sampled_from(["", "t", "u"])),
    st.tuples(st.just("go"), st.sampled_from("abc")),
    st.tuples(st.just("say"), st.sampled_from("tu"), st.just("hello")),
)


@given(st.lists(st.tuples(deeds, st.booleans()), max_size=40), st.booleans())
def test_whenever_a_reader_reads_it_knows_what_is_so(steps: list[tuple[tuple[str, ...], bool]], together: bool) -> None:
    house, reader = House(), Reader()
    for (deed, *fields), reads in [*steps, (("go", "a"), True)]:
        getattr(house, deed)(*fields)
        if reads:
            reader.take(house.sent(reader.seen, together=together))
            assert reader.users == house.users
            assert reader.seen <= house.news.last


def test_only_the_last_of_several_changes_is_sent_but_every_departure() -> None:
    house = House()
    house.move("a", "t")
    seen = house.news.last
    for _ in range(3):
        house.move("a", "u")
        house.go("a")
    house.move("a", "t")
    house.move("a", "")
    assert [event.WhichOneof("event") for event in house.sent(seen)] == ["user_gone"] * 3 + ["user"]


def test_what_is_said_is_for_those_who_are_there_since_before() -> None:
    house = House()
    seen = house.news.last
    house.say("t", "one")
    came = house.news.last
    house.say("t", "two")
    house.say("u", "other")

    def heard(place: str, since: int) -> list[str]:
        return [event.spoken.text for event in house.sent(seen, place, since)]

    assert heard("t", seen) == ["one", "two"]
    assert heard("t", came) == ["two"]
    assert heard("", 0) == []
    assert heard("u", seen) == ["other"]


def test_several_events_come_in_one_message_where_that_is_asked_for() -> None:
    house = House()
    seen = house.news.last
    house.move("a", "t")
    assert [event.WhichOneof("event") for event in house.sent(seen, together=True)] == ["user"]
    house.move("b", "t")
    [both] = house.sent(seen, together=True)
    assert [event.user.name for event in both.events.events] == ["a", "b"]


def test_what_is_forgotten_is_made_good_by_the_whole_and_nothing_grows() -> None:
    house = House()
    seen = house.news.last
    house.move("early", "t")
    for number in range(5 * REMEMBERED):
        house.move(f"user{number % 7}", f"t{number}")
    assert [event.WhichOneof("event") for event in house.sent(seen)] == ["lobby"]
    assert house.sent(house.news.last) == []
    assert len(house.sent(house.news.last - REMEMBERED)) == 7
    assert len(house.news._events) <= 2 * REMEMBERED
    assert len(house.news._latest) == 7


def test_what_is_the_same_for_many_is_serialised_once() -> None:
    house = House()
    seen = house.news.last
    house.move("a", "t")
    house.say("u", "elsewhere")
    assert house.news.after(seen, None, 0, together=False) is house.news.after(
        seen, house.tables["t"], seen, together=False
    )
