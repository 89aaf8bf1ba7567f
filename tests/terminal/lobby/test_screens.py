"""The screens, driven with keys, in a real lobby."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import grpc
import pytest
from textual.pilot import Pilot
from textual.widgets import Input, Select, Static

from fairplay.server.server import Server
from fairplay.terminal.lobby.app import LobbyApp
from fairplay.terminal.lobby.forms import Answers, Field, Form, Help, Question
from fairplay.v1.lobby_pb2 import Spoken
from fairplay.v1.table_pb2 import Table, User
from tests.client.lobby.fake import fake_lobby
from tests.client.lobby.test_controller import Visitor, visitors
from tests.server.lobby.harness import lobby
from tests.slow import SLOW

LIMIT_S = 60.0
SIZE = (80, 24)


class Person:
    """Somebody before the screen."""

    def __init__(self, app: LobbyApp, pilot: Pilot[str]) -> None:
        self.app = app
        self.pilot = pilot

    @property
    def lines(self) -> list[str]:
        """Return what is on the screen."""
        strips = self.app.screen._compositor.render_strips()
        return ["".join(segment.text for segment in strip).rstrip() for strip in strips]

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    @property
    def bar(self) -> str:
        """Return the key bar at the bottom."""
        return self.lines[-1].strip()

    async def sees(self, text: str) -> None:
        await self.until(lambda: text in self.text)

    async def sees_bar(self, keys: str) -> None:
        await self.until(lambda: self.bar == keys)

    async def until(self, is_so: Callable[[], bool]) -> None:
        try:
            async with asyncio.timeout(LIMIT_S):
                while not is_so():
                    await self.pilot.pause(0.02)
        except TimeoutError:
            raise AssertionError(self.text) from None

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)

    async def submit(self) -> None:
        """Send the form, and wait until it has gone: what is behind it is seen before, but gets no keys yet."""
        form = self.app.screen
        await self.press("enter")
        await self.until(lambda: self.app.screen is not form)

    async def type(self, text: str) -> None:
        await self.pilot.press(*text)


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    async with lobby() as running:
        yield running


@asynccontextmanager
async def screen(address: str, name: str, *, notifications: bool = False) -> AsyncIterator[Person]:
    app = LobbyApp(address, name)
    async with app.run_test(size=SIZE, notifications=notifications) as pilot:
        yield Person(app, pilot)
    await app.controller.close()


@asynccontextmanager
async def ann_and_bob(server: Server) -> AsyncIterator[tuple[Person, Visitor]]:
    """Let Ann enter with a screen, and Bob without one."""
    async with visitors(server, "bob") as [bob], screen(server.address, "ann") as ann:
        await ann.sees("2 here")
        await bob.until(lambda each: "ann" in each.client.lobby.users)
        yield ann, bob


async def at_bobs_table(ann: Person, bob: Visitor, game: str = "webset", settings: str = "") -> None:
    assert await bob.controller.make_table(game, "blue", settings, "5m") == ""
    await ann.sees("blue")
    await ann.press("enter")
    await ann.sees(f"blue: {game}")


async def join(person: Person) -> None:
    """Take a seat with keys, to play by hand."""
    await person.press("j")
    await person.until(lambda: isinstance(person.app.screen, Form))
    await person.submit()
    await person.sees("1 ann")


# --- entering and leaving ---


async def test_a_name_is_asked_until_it_is_taken_and_the_reason_is_said(server: Server) -> None:
    async with visitors(server, "bob"), screen(server.address, "bob") as ann:
        await ann.sees("bob is in the lobby already")
        ann.app.screen.query_one("#name", Input).value = "no name"
        await ann.press("enter")
        await ann.sees("'no name'")
        ann.app.screen.query_one("#name", Input).value = "ann"
        await ann.submit()
        await ann.sees("you are ann")


async def test_without_a_name_it_is_asked_for_and_escape_leaves(server: Server) -> None:
    async with screen(server.address, "") as ann:
        await ann.sees("Under which name do you enter?")
        await ann.press("escape")
        await ann.until(lambda: not ann.app.is_running)
        assert ann.app.return_value == ""


@pytest.mark.parametrize("key", ["q", "ctrl+c", "ctrl+q"])
async def test_these_keys_leave_the_lobby(server: Server, key: str) -> None:
    async with visitors(server, "bob") as [bob]:
        async with screen(server.address, "ann") as ann:
            await ann.sees("2 here")
            await ann.press(key)
            await ann.until(lambda: not ann.app.is_running)
        await bob.until(lambda each: "ann" not in each.client.lobby.users)
        assert bob.client.lobby.notice == "ann has left."


async def test_who_has_a_seat_is_asked_before_quitting(server: Server) -> None:
    async with ann_and_bob(server) as (ann, bob):
        await at_bobs_table(ann, bob)
        await join(ann)
        await ann.press("q")
        await ann.until(lambda: isinstance(ann.app.screen, Question))
        await ann.press("n")
        await ann.until(lambda: not isinstance(ann.app.screen, Question))
        await ann.sees("blue: webset")
        await ann.press("q")
        await ann.until(lambda: isinstance(ann.app.screen, Question))
        await ann.press("y")
        await ann.until(lambda: not ann.app.is_running)


# --- the list ---


async def test_the_list_shows_tables_and_users_and_what_happens(server: Server) -> None:
    async with ann_and_bob(server) as (ann, bob):
        await ann.sees("No table yet")
        await ann.sees_bar("n new table  c change name  ? help  q quit")
        assert await bob.controller.make_table("fish", "blue", "", "") == ""
        await ann.sees("bob makes blue.")
        await ann.sees("bob  watches blue")
        await ann.sees("blue               fish       open      0 of 2-4")
        await ann.sees_bar("n new table  Enter go there  j join  c change name  ? help  q quit")


async def test_a_name_is_changed_and_a_taken_one_asked_again(server: Server) -> None:
    async with ann_and_bob(server) as (ann, bob):
        await ann.press("c")
        await ann.until(lambda: isinstance(ann.app.screen, Form))
        line = ann.app.screen.query_one("#name", Input)
        assert line.value == "ann"
        line.value = "bob"
        await ann.press("enter")
        await ann.sees("bob is in the lobby already")
        line.value = "eve"
        await ann.submit()
        await ann.sees("you are eve")
        await bob.until(lambda each: each.client.lobby.notice == "ann is called eve now.")


async def test_the_cursor_stays_on_its_table_when_others_come(server: Server) -> None:
    async with ann_and_bob(server) as (ann, bob):
        assert await bob.controller.make_table("fish", "one", "", "") == ""
        await ann.sees("At one: ")
        for name in ("two", "three"):
            assert await bob.controller.make_table("fish", name, "", "") == ""
        await ann.sees("bob makes three.")
        await ann.sees("At one: ")
        await ann.press("up")
        await ann.sees("At two: ")
        assert await bob.controller.make_table("fish", "four", "", "") == ""
        await ann.sees("four")
        await ann.sees("At two: ")
        assert await bob.client.delete("two") == ""
        await ann.sees("two was deleted.")
        await ann.sees("At four: ")


async def test_a_table_is_made_and_a_taken_name_asked_again(server: Server) -> None:
    async with ann_and_bob(server) as (ann, bob):
        assert await bob.controller.make_table("fish", "blue", "", "") == ""
        await ann.sees("blue")
        await ann.press("n")
        await ann.until(lambda: isinstance(ann.app.screen, Form))
        await ann.type("blue")
        await ann.press("enter")
        await ann.sees("blue")
        await ann.until(lambda: str(ann.app.screen.query_one("#refusal", Static).content) != "")
        await ann.type("2")
        await ann.submit()
        await ann.sees("blue2: bazaar, open")
        limits = ann.app.controller.client.lobby.tables["blue2"].time_control
        assert limits.decision_limit.seconds == 120


async def test_a_form_is_sent_once_however_often_enter_is_pressed() -> None:
    sent, answered = [], asyncio.Event()

    async def send(answers: Answers) -> str:
        sent.append(answers["name"])
        await answered.wait()
        return "taken" if len(sent) == 1 else ""

    async with fake_lobby() as (_, address), screen(address, "ann") as ann:
        ann.app.push_screen(Form("A table", [Field("name", "Name", "blue")], send))
        await ann.press("enter", "enter")
        answered.set()
        await ann.sees("taken")
        assert sent == ["blue"]
        await ann.submit()  # a refused one is sent again
        assert sent == ["blue", "blue"]


async def test_help_is_shown_and_goes_away(server: Server) -> None:
    async with ann_and_bob(server) as (ann, bob):
        await at_bobs_table(ann, bob)
        await ann.press("question_mark")
        await ann.until(lambda: isinstance(ann.app.screen, Help))
        await ann.sees("Space calls a set")
        await ann.press("down", "x")
        await ann.until(lambda: not isinstance(ann.app.screen, Help))


# --- at a table ---


async def test_talk_goes_both_ways_and_keys_are_text_while_talking(server: Server) -> None:
    async with ann_and_bob(server) as (ann, bob):
        await at_bobs_table(ann, bob)
        await ann.press("t")
        await ann.type("quit? [red]no[/red]")
        await ann.press("enter")
        await bob.until(lambda each: each.sees("ann: quit? [red]no[/red]"))
        await ann.sees("ann: quit? [red]no[/red]")
        await ann.press("escape", "l")
        await ann.sees("you are ann")


async def test_deleting_is_asked_for_and_only_offered_to_the_owner(server: Server) -> None:
    async with ann_and_bob(server) as (ann, bob):
        await at_bobs_table(ann, bob)
        assert "delete" not in ann.bar
        await ann.press("d", "l")
        await ann.sees("you are ann")
        assert "blue" in bob.client.lobby.tables
        await ann.press("n")
        await ann.until(lambda: isinstance(ann.app.screen, Form))
        await ann.type("red")
        await ann.submit()
        await ann.sees("red: bazaar")
        await ann.press("d")
        await ann.sees("Delete the table red?")
        await ann.press("y")
        await ann.sees("you are ann")
        await bob.until(lambda each: "red" not in each.client.lobby.tables)


@pytest.mark.parametrize(
    ("game", "settings", "first", "last"),
    [
        ("bazaar", "pebbles_per_color=3 cards_total=3 visible=2", "Ask for a pebble, or exchange:", "The game is over"),
        pytest.param("eriantys", "", "Choose your towers: black towers.", "Round 2", marks=SLOW),
        pytest.param("fish", "rows=3 columns=4", "Place a penguin, 4 to go:", "The game is over", marks=SLOW),
        pytest.param(
            "q", "hand_size=1 copies_per_kind=1", "Choose a tile, replace or pass:", "The game is over", marks=SLOW
        ),
    ],
)
async def test_games_are_played_with_keys(server: Server, game: str, settings: str, first: str, last: str) -> None:
    async with ann_and_bob(server) as (ann, bob):
        await at_bobs_table(ann, bob, game=game, settings=settings)
        await join(ann)
        assert await bob.controller.join(bob.table(), "bot:random") == ""
        await ann.sees("go: start")
        await ann.press("g")
        await ann.sees(first)
        await ann.press("right", "enter", "backspace")
        await ann.sees(first)
        while last not in ann.text:
            await ann.until(lambda: last in ann.text or "Enter" in ann.bar)
            await ann.press("enter")
        assert "eliminated" not in ann.text


async def test_a_person_plays_alone_against_bots(server: Server) -> None:
    async with screen(server.address, "ann") as ann:
        await ann.sees("you are ann")
        assert await ann.app.controller.make_table("fish", "blue", "rows=3 columns=4 holes=0", "5m") == ""
        await ann.sees("blue: fish")
        await join(ann)
        await ann.press("b")
        await ann.until(lambda: isinstance(ann.app.screen, Form))
        assert ann.app.screen.query_one("#count", Input).value == "1"
        assert ann.app.screen.query_one("#strategy", Input).value == "greedy"
        ann.app.screen.query_one("#count", Input).value = "two"
        await ann.press("enter")
        await ann.sees("The number of bots is two: it must be a whole number, e.g. 1.")
        ann.app.screen.query_one("#count", Input).value = "2"
        ann.app.screen.query_one("#strategy", Input).value = "greddy"
        await ann.press("enter")
        await ann.sees("greedy, minimax")
        ann.app.screen.query_one("#strategy", Input).value = "greedy"
        await ann.submit()
        await ann.sees("3 bot-2")
        await ann.press("g")
        await ann.sees("Place a penguin")


async def test_a_key_that_does_nothing_is_answered_with_those_that_do_something(server: Server) -> None:
    async with screen(server.address, "ann", notifications=True) as ann:
        await ann.sees("you are ann")
        await ann.press("x")
        await ann.sees("x does nothing now. Keys: n new")


async def test_a_set_is_called_and_picked_with_keys(server: Server) -> None:
    async with ann_and_bob(server) as (ann, bob):
        await at_bobs_table(ann, bob, settings="window=60s")
        await join(ann)
        assert await bob.controller.join(bob.table(), "") == ""
        await ann.sees("g go: start")
        await ann.press("g")
        await ann.sees("Space SET!")
        await ann.sees("╭──q──╮")
        await ann.press("space")
        await ann.sees("Three cards:")
        await ann.until(lambda: "q quit" not in ann.bar)
        await ann.press("q", "a", "z")
        await ann.until(lambda: "ann BadSet" in ann.text or "ann GotSet" in ann.text)
        assert bob.controller.press("space")
        await ann.sees("bob calls ---S-E-T---  █")
        assert await bob.client.leave_table() == ""
        await ann.sees("bob is out of the game")


async def test_a_table_for_a_number_of_players_is_made_filled_with_bots_and_starts(server: Server) -> None:
    async with ann_and_bob(server) as (ann, bob):
        await ann.press("n")
        await ann.until(lambda: isinstance(ann.app.screen, Form))
        form = ann.app.screen
        form.query_one("#game", Select).value = "fish"
        await ann.until(lambda: "rows" in form.query_one("#settings", Input).value)
        form.query_one("#name", Input).value = "blue"
        form.query_one("#players", Input).value = "many"
        form.query_one("#name", Input).focus()
        await ann.press("enter")
        await ann.sees("'many' is not a number of players")
        form.query_one("#players", Input).value = "3"
        await ann.submit()
        await ann.sees("Then the game starts by itself.")
        await join(ann)
        await ann.press("r")
        await ann.sees("1 ann (ready)")
        await bob.until(lambda each: each.table("blue").seats[0].ready)
        await ann.press("b")
        await ann.until(lambda: "Bots at blue" in ann.text)
        await ann.submit()
        await ann.sees("The game begins.")
        assert [seat.name for seat in bob.table("blue").seats] == ["ann", "bot-1", "bot-2"]


# --- trouble ---


async def test_a_lost_connection_is_said_and_goes_away_again() -> None:
    async with fake_lobby() as (fake, address), screen(address, "ann") as ann:
        await ann.until(lambda: bool(fake.streams))
        fake.end_streams(grpc.StatusCode.UNAVAILABLE)
        await ann.sees("the connection is lost")
        assert len(ann.lines) == 24
        await ann.sees_bar("n new table  c change name  ? help  q quit")
        await ann.until(lambda: "the connection is lost" not in ann.text)


async def test_a_visit_that_goes_on_elsewhere_ends_here() -> None:
    async with fake_lobby() as (fake, address), screen(address, "ann") as ann:
        await ann.until(lambda: bool(fake.streams))
        fake.end_streams(grpc.StatusCode.ABORTED)
        await ann.until(lambda: not ann.app.is_running)
        assert "goes on elsewhere" in str(ann.app.return_value)


async def test_words_of_strangers_steer_no_terminal_also_where_a_server_lets_them_pass() -> None:
    hostile, harmless = "[red]x[/]:smile:\x1b[2J\u202e", "[red]x[/]:smile:\N{REPLACEMENT CHARACTER}[2J"
    async with fake_lobby() as (fake, address), screen(address, "ann") as ann:
        await ann.until(lambda: bool(fake.streams))
        fake.tell(user=User(name=hostile, table=hostile))
        fake.tell(table=Table(name=hostile, game="[b]fish\x1b", owner=hostile, watchers=[hostile]))
        await ann.sees(f"{harmless[:20]}")
        await ann.sees("[b]fish\N{REPLACEMENT CHARACTER}")
        fake.tell(user=User(name="ann", table=hostile))
        await ann.sees(f"{harmless}\N{REPLACEMENT CHARACTER}: ")
        fake.tell(spoken=Spoken(table=hostile, speaker=hostile, text=f"{hostile} says"))
        await ann.sees(f"{harmless}\N{REPLACEMENT CHARACTER} says")
        assert not {"\x1b", "\u202e"} & set(ann.text)
