"""Races in trials: the reference players wait for the player under test, but not always."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from random import Random
from typing import Any

from fairplay.conformance.games.races import OUTRUN_EVERY, Races
from fairplay.games.game import find
from fairplay.games.steps import Call, CallKind, Race
from tests.server.quick import in_no_time

METHOD = find("fish").turn
TESTED = 1


class Runners:
    """Calls that are answered when a test says so."""

    def __init__(self) -> None:
        self.asked: list[int] = []
        self.cancelled: list[int] = []
        self.answers: dict[int, asyncio.Future[str]] = {}

    async def ask(self, call: Call) -> str:
        self.asked.append(call.seat)
        self.answers[call.seat] = asyncio.get_running_loop().create_future()
        try:
            return await self.answers[call.seat]
        except asyncio.CancelledError:
            self.cancelled.append(call.seat)
            raise


def call(seat: int) -> Call:
    return Call(seat, METHOD, METHOD.request(), CallKind.DECISION)


def races_of(runners: Runners, tested: int = TESTED, eager: int | None = None) -> Races:
    return Races(runners.ask, tested, Random(1), lambda call: call.seat == eager)


async def turns() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


async def running(races: Races, race: Race) -> asyncio.Task[Any]:
    task = asyncio.ensure_future(races.run(race))
    await turns()
    return task


async def test_the_rivals_wait_for_the_tested_player() -> None:
    runners = Runners()
    races = races_of(runners)
    race = await running(races, Race([call(0), call(1), call(2)]))
    assert runners.asked == [TESTED]
    runners.answers[TESTED].set_result("mine")
    [arrival] = await race
    assert (arrival.seat, arrival.answer) == (TESTED, "mine")
    await turns()
    assert runners.asked == [1, 0, 2]
    races.end()


async def test_rivals_that_are_only_told_something_do_not_wait_and_are_not_raced() -> None:
    runners = Runners()
    races = races_of(runners)
    for _ in range(OUTRUN_EVERY + 1):
        reported = call(0)
        reported.kind = CallKind.NOTIFICATION
        race = await running(races, Race([reported, call(TESTED)]))
        assert runners.asked == [TESTED, 0]
        runners.answers[TESTED].set_result("mine")
        await race
        runners.asked.clear()
    race = await running(races, Race([call(0), call(TESTED)]))
    assert runners.asked == [TESTED]
    race.cancel()
    races.end()


async def test_an_eager_rival_does_not_wait() -> None:
    runners = Runners()
    races = races_of(runners, eager=0)
    race = await running(races, Race([call(0), call(TESTED), call(2)]))
    assert runners.asked == [TESTED, 0]
    runners.answers[0].set_result("his")
    [arrival] = await race
    assert arrival.answer == "his"
    races.end()


async def test_a_call_that_stays_in_the_race_is_not_made_again_and_one_that_is_missing_is_cancelled() -> None:
    runners = Runners()
    races = races_of(runners, tested=9)
    stays, goes = call(0), call(1)
    first = await running(races, Race([stays, goes, call(2)]))
    runners.answers[2].set_result("x")
    assert [arrival.seat for arrival in await first] == [2]
    second = await running(races, Race([stays]))
    assert runners.cancelled == [1]
    runners.answers[0].set_result("y")
    assert [arrival.seat for arrival in await second] == [0]
    assert runners.asked == [0, 1, 2]


async def test_the_player_is_outrun_in_each_fourth_race_in_which_others_decide_too() -> None:
    runners = Runners()
    races = races_of(runners)
    waits: list[bool] = []
    for _ in range(12):
        runners.asked.clear()
        race = await running(races, Race([call(0), call(TESTED)]))
        waits.append(runners.asked == [TESTED])
        alone = call(0)
        alone.kind = CallKind.NOTIFICATION
        runners.answers[TESTED].set_result("mine")
        await race
        race = await running(races, Race([alone, call(TESTED)]))
        runners.answers[TESTED].set_result("mine")
        await race
    assert waits == [True, True, True, False] * 3
    races.end()


async def test_the_others_wait_until_the_answer_of_the_player_counts_or_it_is_out_of_the_race() -> None:
    runners = Runners()
    races = races_of(runners)
    mine = call(TESTED)
    race = await running(races, Race([call(0), mine]))
    assert runners.asked == [TESTED]
    race.cancel()
    race = await running(races, Race([mine, call(2)]))
    assert runners.asked == [TESTED], "the call that is open is still waited for"
    race.cancel()
    race = await running(races, Race([call(0), call(2)]))
    assert runners.asked == [TESTED, 0, 2]
    assert runners.cancelled == [TESTED]
    runners.answers[2].set_result("his")
    await race
    races.end()


async def test_nothing_of_a_game_that_has_ended_counts_in_the_next_race() -> None:
    runners = Runners()
    races = races_of(runners, tested=9)
    stays, waits = call(0), call(1)
    race = await running(races, Race([stays, waits], handicap_s={1: 60.0}))
    runners.answers[1].set_result("too early")
    await turns()
    race.cancel()
    races.end()
    await turns()
    assert runners.cancelled == [0]
    race = await running(races, Race([waits]))
    assert runners.asked == [0, 1, 1]
    runners.answers[1].set_result("x")
    assert [(arrival.seat, arrival.answer) for arrival in await race] == [(1, "x")]
    races.end()


async def test_a_rival_that_joins_the_player_later_waits_for_it_too() -> None:
    runners = Runners()
    races = races_of(runners)
    reported, mine = call(0), call(TESTED)
    reported.kind = CallKind.NOTIFICATION
    race = await running(races, Race([reported, mine]))
    runners.answers[0].set_result("received")
    assert [arrival.seat for arrival in await race] == [0]
    race = await running(races, Race([mine, call(2)]))
    assert runners.asked == [TESTED, 0]
    runners.answers[TESTED].set_result("mine")
    assert [arrival.seat for arrival in await race] == [TESTED]
    races.end()


def in_simulated_time(test: Callable[[Runners, Races], Coroutine[Any, Any, None]]) -> None:
    async def run() -> None:
        runners = Runners()
        races = races_of(runners, tested=9)
        await asyncio.sleep(64.0)
        await test(runners, races)
        races.end()
        assert asyncio.get_running_loop().time() < 256.0

    in_no_time(run())


def answer_after(runners: Runners, seat: int, after_s: float) -> None:
    asyncio.get_running_loop().call_later(after_s, lambda: runners.answers[seat].set_result(f"of {seat}"))


def test_an_arrival_says_how_long_its_answer_took() -> None:
    async def test(runners: Runners, races: Races) -> None:
        race = await running(races, Race([call(0), call(1)]))
        answer_after(runners, 1, 1 / 3)
        assert [(each.seat, each.answer, each.elapsed_s) for each in await race] == [(1, "of 1", 0.333333333)]
        race = await running(races, Race([call(1)]))
        answer_after(runners, 1, 0.5)
        assert [each.elapsed_s for each in await race] == [0.5]

    in_simulated_time(test)


def test_answers_count_when_the_hold_and_the_handicap_are_over_and_not_before() -> None:
    async def test(runners: Runners, races: Races) -> None:
        clock = asyncio.get_running_loop().time
        for seats, after_s, wanted, takes_s in (
            ([0, 1], {0: 1.0, 1: 4.0}, [0], 8.0),
            ([0], {0: 9.0}, [0], 16.0),
            ([1], {1: 9.0}, [1], 9.0),
            ([0, 1], {0: 1.0, 1: 2.0}, [1], 2.0),
        ):
            hold_s, handicap = (8.0, {}) if takes_s == 8.0 else (0.0, {0: 7.0})
            began = clock()
            race = await running(races, Race([call(seat) for seat in seats], hold_s=hold_s, handicap_s=handicap))
            for seat, seconds in after_s.items():
                answer_after(runners, seat, seconds)
            arrivals = await race
            assert {each.seat for each in arrivals} >= {*wanted}
            assert clock() - began == takes_s
            races.end()
            await turns()

    in_simulated_time(test)
