"""How many games this process plays at once, and for whom."""

from __future__ import annotations

import os

from fairplay.server.game.runner import LocalRunner
from fairplay.server.server import Config
from fairplay.v1.game_pb2 import Player
from tests.server.harness import serving


async def test_programs_have_a_processor_each_and_players_elsewhere_have_many_games() -> None:
    async with serving(Config()) as server:
        assert isinstance(server.runner, LocalRunner)
        processors = len(os.sched_getaffinity(0))
        assert server.runner.processors == processors
        assert (server.runner.room(programs=True), server.runner.room(programs=False)) == (processors, 64)
        assert server.runner.has_several(Player(name="a", link="bot:first")) is False


async def test_processors_that_this_process_may_not_use_do_not_count() -> None:
    async with serving(Config()) as server:
        allowed = os.sched_getaffinity(0)
        try:
            os.sched_setaffinity(0, {min(allowed)})
            assert server.runner.processors == 1
        finally:
            os.sched_setaffinity(0, allowed)
