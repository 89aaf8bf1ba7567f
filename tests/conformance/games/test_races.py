"""Games whose calls come in an order."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from fairplay.conformance.games.races import Abreast


async def calls_of(counts: Sequence[int], later_by: int) -> Sequence[tuple[int, int]]:
    """Return the calls that games make, of so many each, as (number of the game, number of the call)."""
    abreast, made = Abreast(len(counts), later_by), list[tuple[int, int]]()

    async def play(number: int) -> None:
        for call in range(counts[number]):
            async with abreast.turn(number):
                made.append((number, call))
        abreast.leave(number)

    async with asyncio.timeout(30):
        await asyncio.gather(*map(play, range(len(counts))))
    return made


async def test_games_abreast_call_at_the_same_moments_and_begin_one_after_another() -> None:
    made = await calls_of([4, 4, 4], later_by=2)
    assert made[:4] == [(0, 0), (0, 1), (0, 2), (1, 0)]
    assert {*made[4:6]} == {(0, 3), (1, 1)}
    assert made[6:8] == [(1, 2), (2, 0)]
    assert {*made[8:10]} == {(1, 3), (2, 1)}
    assert made[10:] == [(2, 2), (2, 3)]


async def test_a_game_begins_at_the_latest_when_no_other_goes_on() -> None:
    assert await calls_of([1, 0, 2], later_by=50) == [(0, 0), (2, 0), (2, 1)]
