"""Games of Fish between bots in the server's own process: what a referee and its records can do without any player."""

from __future__ import annotations

import asyncio
import time

from benchmarks.figures import STRATEGY
from fairplay.games.game import find
from fairplay.server.server import Config, Server
from fairplay.v1.game_pb2 import Player
from fairplay.v1.referee_pb2 import GamePlan

GAME = "fish"
AT_ONCE = 16


async def games_per_s(config: Config, seconds: float) -> float:
    """Return how many games a second a server plays between bots in this process."""
    server = await Server.start(config)
    try:
        began, played = time.perf_counter(), 0
        while time.perf_counter() - began < seconds:
            await asyncio.gather(*(server.referee.play(_plan(played + number)) for number in range(AT_ONCE)))
            played += AT_ONCE
        return played / (time.perf_counter() - began)
    finally:
        await server.stop()


def _plan(seed: int) -> GamePlan:
    players = [Player(name=name, link=f"bot:{STRATEGY}") for name in ("ann", "bob")]
    return GamePlan(game=find(GAME).name, players=players, seed=seed)
