"""Standings while a tournament runs."""

from __future__ import annotations

from itertools import combinations

from tests.server.manager.harness import environment, plan


async def test_each_game_counts_as_soon_as_it_is_over() -> None:
    async with environment() as here:
        made = plan("abcd", link="bot:random")
        made.format.round_robin.cycle_count = 2
        made.concurrent_game_limit = 1
        await here.manager.create("t", made)
        events = here.manager.watch("t")
        await anext(events)
        await here.manager.start("t")
        seen = [
            ((await here.manager.standings("t", 10, 0))[0].game_count, here.manager.get("t").game_count)
            async for event in events
            if event.HasField("game_finished")
        ]
        assert [standings for standings, _ in seen] == [games for _, games in seen]
        assert seen[-1][0] == 2 * len([*combinations("abcd", 2)])
