from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairplay.server.links.link import Clock
from fairplay.server.records.errors import Diverged
from fairplay.server.records.replay import Replayer
from fairplay.v1.referee_pb2 import GameStatus
from tests.server.played import Played, played, turned, until
from tests.server.quick import in_no_time, quick_clock
from tests.server.snap import Rounds, everybody, first_of, window


@asynccontextmanager
async def table(rounds: Rounds, seat_count: int, seed: int = 1, clock: Clock | None = None) -> AsyncIterator[Played]:
    """Begin a game."""
    async with played(rounds, seat_count, seed=seed, clock=clock) as at:
        at.begin()
        yield at


async def test_what_comes_in_one_turn_of_the_loop_comes_together_and_the_lot_orders_it() -> None:
    orders = set()
    for seed in range(20):
        async with table(everybody([0, 1, 2]), 3, seed) as at:
            for hand in at.hands:
                hand.say("snap")
            await at.running.over
            assert len(at.snap.received) == 1
            assert at.snap.received == at.replayed()
            orders.add(tuple(seat for seat, _ in at.snap.received[0]))
    assert len(orders) > 3


def test_answers_that_are_held_count_together_at_the_end_of_the_time() -> None:
    assert {in_no_time(first_of_two_held(seed)) for seed in range(8)} == {0, 1}


async def first_of_two_held(seed: int) -> int:
    """Return which of two seats counts as first, whose answers come while answers are held."""
    async with table(first_of([0, 1], 1, hold_s=4.0, handicap_s={}), 2, seed, quick_clock()) as at:
        at.hands[0].say("first")
        await turned()
        assert at.snap.received == []
        at.hands[1].say("second")
        await at.running.over
        assert [len(received) for received in at.snap.received] == [2]
        assert at.snap.received == at.replayed()
        first, _ = at.snap.received[0][0]
        return first


async def test_the_rules_may_set_the_limit_of_a_call() -> None:
    async with table(window(1, 0.02), 2) as at:
        at.hands[1].say("snap")
        await at.running.over
        assert at.hands[1].limit_s == 0.02
        assert at.snap.received == at.replayed() == [[(1, "snap")], [(1, "Overrun")]]
        assert at.running.machine.transcript.misconducts == []


@settings(max_examples=30, deadline=None)
@given(st.lists(st.sampled_from("012rt"), max_size=12), st.integers(0, 3))
def test_a_record_replays_to_the_same_game_however_answers_restarts_and_turns_mix(moves: list[str], seed: int) -> None:
    async def play() -> None:
        async with table(everybody([0, 1, 2]), 3, seed) as at:
            for move in [*moves, "0", "1", "2", "t"]:
                if at.running.message.status != GameStatus.GAME_STATUS_RUNNING:
                    break
                if move == "r":
                    at.again()
                elif move == "t":
                    await turned()
                else:
                    at.hands[int(move)].say(move)
            await until(at.running.over.done)
            assert sorted(seat for received in at.snap.received for seat, _ in received) == [0, 1, 2]
            assert at.snap.received == at.replayed()

    asyncio.run(play())


async def test_a_record_that_says_more_came_when_nothing_could_is_refused() -> None:
    async with table(first_of([0], 1, handicap_s={}), 1) as at:
        at.hands[0].say("alone")
        await at.running.over
        header, entry, *_ = at.entries()
        entry.call.more_follow = True
        replayer = Replayer(header, lambda _: None, at.snap.find)
        with pytest.raises(Diverged, match="same moment"):
            replayer.feed(entry)
