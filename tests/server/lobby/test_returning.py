"""Users who have left a running game, and come back to it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from fairplay.server.server import Server
from tests.server.harness import ByHand, sound
from tests.server.lobby.harness import LIMIT_S, OVER, Guest, Waiting, guests, lobby, mute


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    async with lobby() as running:
        yield running


@asynccontextmanager
async def hesitating(player: ByHand) -> AsyncIterator[Waiting]:
    """Let a player of Fish answer all but where it places penguins, until it is let go."""
    waiting = Waiting("Setup")
    playing = asyncio.create_task(player.play(waiting))
    try:
        yield waiting
    finally:
        playing.cancel()
        await asyncio.gather(playing, return_exceptions=True)


@asynccontextmanager
async def hesitating_first(
    server: Server, bob: Guest, *others: Guest, seat_count: int = 2
) -> AsyncIterator[tuple[Waiting, ByHand]]:
    """Make a table of Fish where bob is asked first, and hesitates; the others may join."""
    async with mute(server, bob) as [player], hesitating(player) as waiting:
        await bob.ask("CreateTable", name="blue", game="fish", seat_count=seat_count)
        await bob.ask("JoinTable", table="blue")
        for other in others:
            await other.sees(lambda known: "blue" in known.tables)
        yield waiting, player


async def asked(waiting: Waiting) -> None:
    async with asyncio.timeout(LIMIT_S):
        await waiting.asked.wait()


async def test_who_comes_back_before_its_turn_plays_on(server: Server) -> None:
    async with (
        guests(server, "ann", "bob") as [ann, bob],
        hesitating_first(server, bob, ann) as (waiting, player),
        mute(server, ann) as [mine],
    ):
        playing = asyncio.create_task(mine.play(lambda call: [sound()(call)]))
        await ann.ask("JoinTable", table="blue")
        await asked(waiting)
        for _ in range(2):
            await ann.ask("LeaveTable")
            await bob.sees(lambda known: [seat.present for seat in known.table("blue").seats] == [True, False])
            table = (await ann.ask("JoinTable", table="blue")).table
            assert [(seat.name, seat.present) for seat in table.seats] == [("bob", True), ("ann", True)]
            await bob.sees(lambda known: known.table("blue").seats[1].present)
        await player.reply(*waiting.let_go())
        await bob.sees(lambda known: known.table("blue").status == OVER)
        result = bob.mirror.table("blue").result
        assert not result.misconducts
        assert sorted(one.name for group in result.ranking for one in group.players) == ["ann", "bob"]
        playing.cancel()
        await asyncio.gather(playing, return_exceptions=True)


async def test_whose_player_is_out_or_has_another_link_or_is_somebody_else_does_not_come_back(server: Server) -> None:
    async with (
        guests(server, "ann", "bob", "cy", "dee") as [ann, bob, cy, dee],
        hesitating_first(server, bob, ann, cy, dee, seat_count=3) as (waiting, _),
        mute(server, ann) as [player],
        hesitating(player) as next_one,
    ):
        await ann.ask("JoinTable", table="blue")
        await cy.ask("JoinTable", table="blue", link="bot:first")
        await asked(waiting)
        refusal = ("FAILED_PRECONDITION", "TABLE_RUNNING")
        await ann.ask("LeaveTable")
        assert await ann.refused("JoinTable", table="blue", link="bot:greedy") == refusal
        assert await dee.refused("JoinTable", table="blue", link="bot:greedy") == refusal
        await ann.ask("JoinTable", table="blue", link="dial-in:ann")
        await bob.ask("LeaveTable")  # while it is asked: its player is out
        await asked(next_one)
        assert await bob.refused("JoinTable", table="blue") == refusal
