"""What a person does in a real lobby, without a screen."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from fairplay.client.lobby import keys
from fairplay.client.lobby.client import LobbyClient
from fairplay.client.lobby.controller import LobbyController, TableView
from fairplay.games.webset.rules.cards import EMPTY, sets_among
from fairplay.games.webset.views.words import letter
from fairplay.server.server import Server
from fairplay.v1.connection_pb2 import GoodbyeReason
from fairplay.v1.referee_pb2 import WatchGameRequest
from fairplay.v1.referee_pb2_grpc import RefereeServiceStub
from fairplay.v1.table_pb2 import Table
from fairplay.webset.v1 import webset_pb2
from tests.server.harness import ByHand
from tests.server.lobby.harness import guests, lobby
from tests.server.lobby.test_returning import hesitating_first

LIMIT_S = 60.0


class Visitor:
    """A controller, and a way to wait for what is to be seen at it."""

    def __init__(self, address: str) -> None:
        self._news = asyncio.Event()
        self.client = LobbyClient(address, self._follow)
        self.controller = LobbyController(self.client, self._news.set)

    def _follow(self) -> None:
        self.controller.follow()

    async def until(self, is_so: Callable[[Visitor], bool]) -> None:
        try:
            async with asyncio.timeout(LIMIT_S):
                while not is_so(self):
                    await self._news.wait()
                    self._news.clear()
        except TimeoutError:
            raise AssertionError(self.controller.table_view(), self.client.lobby) from None

    @property
    def view(self) -> TableView:
        view = self.controller.table_view()
        assert view is not None
        return view

    @property
    def keys(self) -> list[str]:
        view = self.controller.table_view()
        return [key.name for key in view.keys] if view is not None else []

    def table(self, name: str = "blue") -> Table:
        return self.client.lobby.tables[name]

    def sees(self, text: str) -> bool:
        view = self.controller.table_view()
        return view is not None and text in "\n".join([view.board.plain, view.side.plain, view.talk.plain])

    async def do(self, *requests: str) -> None:
        for refusal in requests:
            assert refusal == ""


@asynccontextmanager
async def visitors(server: Server, *names: str) -> AsyncIterator[list[Visitor]]:
    made = [Visitor(server.address) for _ in names]
    attending = []
    for visitor, name in zip(made, names, strict=True):
        assert await visitor.client.enter(name) == ""
        attending.append(asyncio.create_task(visitor.client.attend()))
    for visitor in made:
        await visitor.until(lambda each: set(names) <= set(each.client.lobby.users))
    try:
        yield made
    finally:
        for visitor in made:
            await visitor.controller.close()
        for task in attending:
            task.cancel()
        await asyncio.gather(*attending, return_exceptions=True)


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    async with lobby() as running:
        yield running


async def at_blue(host: Visitor, *others: Visitor, game: str = "webset", settings: str = "") -> None:
    assert await host.controller.make_table(game, "blue", settings, "30s") == ""
    for other in others:
        await other.until(lambda each: "blue" in each.client.lobby.tables)
        assert await other.client.watch("blue") == ""
    for visitor in (host, *others):
        await visitor.until(lambda each: each.client.lobby.table is not None)


# --- tables ---


async def test_a_table_that_cannot_be_is_refused_with_a_sentence(server: Server) -> None:
    for game, settings, limit, sentence in [
        ("fish", "rows", "", "has no '='"),
        ("fish", "colour=red", "", "no setting 'colour'"),
        ("fish", "rows=many", "", "rows=many: rows is a whole number"),
        ("fish", "", "soon", "'soon' is not a duration"),
        ("fish", "rows=0", "", "rows"),
        ("chess", "", "", "there is no game 'chess'"),
    ]:
        async with visitors(server, "ann") as [ann]:
            assert sentence in await ann.controller.make_table(game, "blue", settings, limit)


async def test_who_has_a_new_name_plays_by_hand_under_it(server: Server) -> None:
    async with visitors(server, "ann", "bob") as [ann, bob]:
        await at_blue(ann, bob)
        assert await ann.controller.join(ann.table(), "") == ""
        assert "bob is in the lobby already" in await ann.controller.rename("bob")
        assert await ann.controller.rename(" ") == "Give a name."
        assert await ann.controller.rename(" eve ") == ""
        await bob.until(lambda each: each.sees("ann is called eve now.") and each.sees("1 eve"))
        async with asyncio.timeout(LIMIT_S):
            while not server.hub.here("eve"):
                await asyncio.sleep(0.01)
        assert await bob.controller.join(bob.table(), "bot:first") == ""
        assert await ann.client.start() == ""
        await ann.until(lambda each: "space" in each.keys)
        assert "you play at the table blue under this name" in await ann.controller.rename("ann")


async def test_who_has_left_a_running_game_returns_to_it(server: Server) -> None:
    async with (
        visitors(server, "ann") as [ann],
        guests(server, "bob") as [bob],
        hesitating_first(server, bob) as (waiting, player),
    ):
        await ann.until(lambda each: "blue" in each.client.lobby.tables)
        assert await ann.controller.join(ann.table(), "") == ""
        await waiting.until_asked()
        assert await ann.client.leave_table() == ""
        await ann.until(lambda each: each.client.lobby.table is None)
        offered = [(key.name, key.label) for key in keys.in_lobby(ann.client.lobby, ann.table())]
        assert ("j", "return to the game") in offered
        assert await ann.client.watch("blue") == ""
        await ann.until(lambda each: "j" in each.keys)
        assert ann.client.lobby.seat is None
        assert await ann.controller.join(ann.table(), "") == ""
        await player.reply(*waiting.let_go())
        await ann.until(lambda each: "Place a penguin, 4 to go:" in each.view.status.plain)
        assert not ann.sees("ann is out of the game")


# --- playing ---


async def test_a_person_plays_against_a_program_until_the_person_leaves(server: Server) -> None:
    async with visitors(server, "ann", "bob") as [ann, bob]:
        await at_blue(ann, bob, settings="show_enabled=true table=21")  # 21 cards always hold a set
        assert await ann.controller.join(ann.table(), "") == ""
        assert await bob.controller.join(bob.table(), "bot:solver:reaction=60") == ""
        await ann.until(lambda each: "g" in each.keys)
        assert await ann.client.start() == ""
        await ann.until(lambda each: "space" in each.keys)
        assert ann.controller.press("s")
        await ann.until(lambda each: "r" in each.keys)
        await bob.until(lambda each: each.view.status.plain.startswith("Solution 1 of "))
        assert ann.controller.press("r")
        await ann.until(lambda each: "space" in each.keys)
        assert ann.controller.press("space")
        await ann.until(lambda each: each.view.takes_letters)
        assert not {"q", "l", "g"} & set(ann.keys)
        await bob.until(lambda each: each.view.status.plain == "ann calls ---S-E-T---")
        assert [ann.controller.press(key) for key in "qaz"] == [True] * 3
        await ann.until(lambda each: each.sees("ann BadSet") or each.sees("ann GotSet"))
        assert await ann.client.leave_table() == ""
        await bob.until(lambda each: each.sees("ann is out of the game"))


async def state_of(player: Visitor) -> webset_pb2.State:
    """Return what spectators see of the game."""
    stream: Any = RefereeServiceStub(player.client.channel).WatchGame(WatchGameRequest(game_id=player.table().game_id))
    state: webset_pb2.State = (await stream.read()).state.webset
    stream.cancel()
    return state


def is_asked_or_done(player: Visitor) -> bool:
    return "space" in player.keys or player.view.status.plain.startswith("GameOver")


async def take_a_set(player: Visitor) -> None:
    """Call, and pick the first set on the table by the keys of its cards."""
    table = await state_of(player)
    cards = next(iter(sets_among(tuple(card for card in table.slots if card != EMPTY))))
    assert player.controller.press("space")
    await player.until(lambda each: each.view.takes_letters)
    for card in cards:
        player.controller.press(letter(list(table.slots).index(card)))
    await player.until(is_asked_or_done)


async def test_a_whole_game_by_hand_ends_with_its_result_and_can_be_started_again(server: Server) -> None:
    async with visitors(server, "ann", "bob") as [ann, bob]:
        await at_blue(ann, bob, settings="aspects=3")
        for visitor in (ann, bob):
            assert await visitor.controller.join(visitor.table(), "") == ""
        await ann.until(lambda each: "g" in each.keys)
        for _ in range(2):
            assert await ann.client.start() == ""
            for visitor in (ann, bob):
                await visitor.until(lambda each: "space" in each.keys)
            while "space" in ann.keys:
                await take_a_set(ann)
            await ann.until(lambda each: each.view.status.plain == "GameOver: you have won!" and "g" in each.keys)
            await bob.until(lambda each: each.view.status.plain == "GameOver: you are number 2.")
            await bob.until(lambda each: each.sees("The game is over, won by ann"))


async def test_joining_in_a_full_or_running_game_leaves_no_player_behind(server: Server) -> None:
    async with visitors(server, "ann", "bob", "cy") as [ann, bob, cy]:
        await at_blue(ann, bob, cy)
        for visitor in (ann, bob):
            assert await visitor.controller.join(visitor.table(), "bot:solver:reaction=60") == ""
        assert await ann.client.start() == ""
        assert "goes on" in await cy.controller.join(cy.table(), "")
        assert not cy.controller.press("space")
        await cy.until(lambda each: each.sees("cards in the deck"))


async def test_a_seat_that_the_user_has_already_gets_its_player_as_after_a_new_start(server: Server) -> None:
    async with visitors(server, "ann", "bob") as [ann, bob], ByHand(server, "ann", token=ann.client.token) as former:
        await at_blue(ann, bob)
        await former.say_hello()
        assert await ann.client.join("blue") == ""
        assert (await former.frame()).goodbye.reason == GoodbyeReason.GOODBYE_REASON_REPLACED
        assert await bob.controller.join(bob.table(), "bot:solver:reaction=60") == ""
        await ann.until(lambda each: "g" in each.keys)
        assert await ann.client.start() == ""
        await ann.until(lambda each: "space" in each.keys)
