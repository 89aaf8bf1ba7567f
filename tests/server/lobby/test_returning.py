"""Users who have left a running game, and come back to it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import NamedTuple

from fairplay.client.inputs import parse_settings
from fairplay.games.game import find
from fairplay.server.server import Server
from fairplay.v1.result_pb2 import GameResult
from tests.server.harness import Answer, ByHand, sound
from tests.server.lobby.harness import OVER, Guest, Waiting, guests, lobby, mute
from tests.server.lobby.test_games import LONG
from tests.server.lobby.test_restart import again


class Kept(NamedTuple):
    """The first question of a game that a player keeps waiting, and settings with which the game is soon over."""

    method: str
    settings: Sequence[str] = ()


IN_TURN: Mapping[str, Kept] = {
    "eriantys": Kept("AskAssistantCard", ("first_player=first_seat",)),
    "fish": Kept("Setup", ("rows=4", "columns=4", "holes=0")),
}
"""Games whose players are asked in turn."""


@asynccontextmanager
async def hesitating(player: ByHand, game: str = "fish") -> AsyncIterator[Waiting]:
    """Let a player answer all but one question, until it is let go."""
    waiting = Waiting(IN_TURN[game].method, game)
    async with player.answering(waiting):
        yield waiting


@asynccontextmanager
async def hesitating_first(
    server: Server, bob: Guest, *others: Guest, seat_count: int = 2, game: str = "fish"
) -> AsyncIterator[tuple[Waiting, ByHand]]:
    """Make a table where bob is asked first, and hesitates; the others may join."""
    settings = parse_settings(find(game), IN_TURN[game].settings, None, None)
    async with mute(server, bob) as [player], hesitating(player, game) as waiting:
        await bob.ask(
            "CreateTable", name="blue", game=game, settings=settings, time_control=LONG, seat_count=seat_count
        )
        await bob.ask("JoinTable", table="blue")
        for other in others:
            await other.sees(lambda known: "blue" in known.tables)
        yield waiting, player


def sound_to(game: str) -> Answer:
    """Return what answers every call of a game at once."""
    answer = sound(game=game)
    return lambda call: [answer(call)]


def check_played_to_its_end(result: GameResult) -> None:
    assert not result.misconducts
    assert sorted(one.name for group in result.ranking for one in group.players) == ["ann", "bob"]


async def test_who_has_left_comes_back_also_after_a_new_start_of_the_server(tmp_path: Path) -> None:
    game = "fish"
    async with (
        lobby(records=tmp_path) as server,
        guests(server, "ann", "bob") as before,
        hesitating_first(server, before[1], before[0], game=game) as (waiting, _),
        mute(server, before[0]) as [mine],
        mine.answering(sound_to(game)),
    ):
        await before[0].ask("JoinTable", table="blue")
        await waiting.until_asked()
        await before[0].ask("LeaveTable")
        await server.stop()
    async with (
        lobby(records=tmp_path) as server,
        again(server, *before) as [ann, bob],
        mute(server, ann, bob) as [mine, other],
        mine.answering(sound_to(game)),
    ):
        assert ann.mirror.user("ann").table == ""
        table = (await ann.ask("JoinTable", table="blue")).table
        assert [(seat.name, seat.present) for seat in table.seats] == [("bob", True), ("ann", True)]
        async with other.answering(sound_to(game)):
            await bob.sees(lambda known: known.table("blue").status == OVER)
        check_played_to_its_end(bob.mirror.table("blue").result)


async def test_who_leaves_a_game_that_asks_all_at_the_same_time_is_out_of_it(server: Server) -> None:
    async with AsyncExitStack() as stack:
        everybody = await stack.enter_async_context(guests(server, "ann", "bob", "cy"))
        kept = [Waiting("Act", "webset") for _ in everybody]
        for player, waiting in zip(await stack.enter_async_context(mute(server, *everybody)), kept, strict=True):
            await stack.enter_async_context(player.answering(waiting))
        ann, bob, _ = everybody
        await ann.ask("CreateTable", name="blue", game="webset", time_control=LONG, seat_count=3)
        for guest in everybody:
            await guest.ask("JoinTable", table="blue")
        for waiting in kept:
            await waiting.until_asked()
        await ann.ask("LeaveTable")
        await bob.sees(lambda known: [seat.present for seat in known.table("blue").seats] == [False, True, True])
        assert await ann.refused("JoinTable", table="blue") == ("FAILED_PRECONDITION", "TABLE_RUNNING")


async def test_whose_player_is_out_or_has_another_link_or_is_somebody_else_does_not_come_back(server: Server) -> None:
    async with (
        guests(server, "ann", "bob", "cy", "dee") as [ann, bob, cy, dee],
        hesitating_first(server, bob, ann, cy, dee, seat_count=3) as (waiting, _),
        mute(server, ann) as [player],
        hesitating(player) as next_one,
    ):
        await ann.ask("JoinTable", table="blue")
        await cy.ask("JoinTable", table="blue", link="bot:first")
        await waiting.until_asked()
        refusal = ("FAILED_PRECONDITION", "TABLE_RUNNING")
        await ann.ask("LeaveTable")
        assert await ann.refused("JoinTable", table="blue", link="bot:greedy") == refusal
        assert await dee.refused("JoinTable", table="blue", link="bot:greedy") == refusal
        await ann.ask("JoinTable", table="blue", link="dial-in:ann")
        await bob.ask("LeaveTable")  # while it is asked: its player is out
        await next_one.until_asked()
        assert await bob.refused("JoinTable", table="blue") == refusal
