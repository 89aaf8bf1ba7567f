"""Five hundred browsers that watch one game between players who think, beside many games of programs.

    python -m benchmarks.spectators SERVER PAGES FILE

is the browsers' side, and that of the two players: each opens the stream of the game's page. It says when all have a
picture, and writes into FILE a line for each picture that a browser has got: how long after the move, in seconds.
"""

from __future__ import annotations

import asyncio
import os
import re
import sys
import time
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import psutil

from benchmarks.arena import Arena, Load, Sample, arena
from benchmarks.figures import STRATEGY, WATCH_REACH, WATCH_REACH_MS, Figure, Pace, Unmeasurable, figure, measured
from benchmarks.processes import started
from benchmarks.sample import play_sample
from fairplay.games.game import find
from fairplay.player.channels import NO_CREDENTIALS, open_channel
from fairplay.player.dialing import Hosted, dial_in_async
from fairplay.v1.game_pb2 import Player
from fairplay.v1.referee_pb2 import CreateGameRequest, GamePlan
from fairplay.v1.referee_pb2_grpc import RefereeServiceStub

GAME = "fish"
SPECTATOR_COUNT = 500
GAMES = Load(64)
THINKING_S = 0.8
"""How long a player thinks: less than the second that it has."""
SECONDS = 6.0
"""How long at least: some moves must fall into that time."""
PICTURE = b"event: board"
WRITE_S = 0.1


class Watched(NamedTuple):
    """What one repetition gave: the games alone and watched, and what the pages did."""

    alone: Sample
    beside: Sample
    delay_ms: float
    cpu_ms: float


async def measure(pace: Pace) -> list[Figure]:
    """Return how fast games go on while others watch, against how fast they are alone, and how long pictures take."""
    fish = measured(GAME)
    async with arena(fish, play_sample(fish), {GAMES.way}) as here:
        found = [await _watched(here, max(SECONDS, pace.seconds)) for _ in range(pace.repeats)]
    ratios = [(each.beside.turns / each.beside.wall_s) / (each.alone.turns / each.alone.wall_s) for each in found]
    return [
        figure("watch", ratios, WATCH_REACH, game=GAME),
        figure("watch-delay", [each.delay_ms for each in found], WATCH_REACH_MS, game=GAME),
        figure("watch-cpu", [each.cpu_ms for each in found], game=GAME),
    ]


async def _watched(here: Arena, seconds: float) -> Watched:
    alone = await here.run(GAMES, seconds)
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="fairplay-bench-")))
        options = ("--server", here.address, "--listen", "127.0.0.1:0", "--state", str(folder / "state"))
        pages = await stack.enter_async_context(started("fairplay.terminal", "web", *options))
        address = re.search(r"on http://(\S+?)/;", pages.line)
        if address is None:
            raise Unmeasurable(f"the pages do not say where they are, but: {pages.line}")
        file = folder / "delays"
        await stack.enter_async_context(started("benchmarks.spectators", here.address, address[1], str(file)))
        process = psutil.Process(pages.guard).children()[0]
        before, used_s = len(file.read_text().splitlines()), _cpu_s(process)
        beside = await here.run(GAMES, seconds)
        used_s = _cpu_s(process) - used_s
        delays_s = [float(line) for line in file.read_text().splitlines()[before:]]
    if len(delays_s) < SPECTATOR_COUNT:
        raise Unmeasurable(f"only {len(delays_s)} pictures came to {SPECTATOR_COUNT} browsers in {seconds:g} s")
    return Watched(alone, beside, 1e3 * median(delays_s), 1e3 * used_s * SPECTATOR_COUNT / len(delays_s))


def _cpu_s(process: psutil.Process) -> float:
    used = process.cpu_times()
    return float(used.user + used.system)


class Thinker:
    """A player that thinks before each reply, and keeps when it has last replied."""

    game = GAME
    name = "thinker"
    replied_s = 0.0

    def __init__(self) -> None:
        self._player: Any = find(GAME).player(STRATEGY)

    def play_as(self, request: object) -> None:
        """Take the colour."""

    def play_with(self, request: object) -> None:
        """Take the colours of the others."""

    async def setup(self, request: object) -> object:
        """Think, and place a penguin."""
        return await self._think(self._player.setup(request))

    async def take_turn(self, request: object) -> object:
        """Think, and move."""
        return await self._think(self._player.take_turn(request))

    async def _think(self, reply: object) -> object:
        await asyncio.sleep(THINKING_S)
        Thinker.replied_s = time.perf_counter()
        return reply


class Browser(asyncio.Protocol):
    """A browser with the page of the game open."""

    def __init__(self, host: str, game_id: str, delays: list[float], ready: asyncio.Future[None]) -> None:
        self._request = f"GET /live/game/{game_id} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode()
        self._delays = delays
        self._ready = ready

    def connection_made(self, transport: Any) -> None:
        """Open the stream."""
        transport.write(self._request)

    def data_received(self, data: bytes) -> None:
        """Note how long after the move a picture came; the first one shows where the game stands."""
        if PICTURE not in data:
            return
        if self._ready.done():
            self._delays.append(time.perf_counter() - Thinker.replied_s)
        else:
            self._ready.set_result(None)


async def run(server: str, pages: str, file: Path) -> None:
    """Run the browsers' side, and that of the players."""
    game_id, welcome = f"watched-{os.getpid()}", asyncio.Event()
    names = [f"thinker-{os.getpid()}-{number}" for number in range(2)]
    hosted = [Hosted(Thinker(), name, "benchmark") for name in names]
    playing = asyncio.create_task(dial_in_async(hosted, server, on_welcome=lambda _: welcome.set()))
    await welcome.wait()
    plan = GamePlan(game=GAME, seed=1, players=[Player(name=name, link=f"dial-in:{name}") for name in names])
    async with open_channel(server, NO_CREDENTIALS) as channel:
        await RefereeServiceStub(channel).CreateGame(CreateGameRequest(game_id=game_id, plan=plan))
    host, _, port = pages.rpartition(":")
    loop, delays = asyncio.get_running_loop(), list[float]()
    ready = [loop.create_future() for _ in range(SPECTATOR_COUNT)]
    for each in ready:
        await loop.create_connection(partial(Browser, pages, game_id, delays, each), host, int(port))
    await asyncio.gather(*ready)
    with file.open("w", buffering=1) as out:
        print("watching", flush=True)
        while not playing.done():
            await asyncio.sleep(WRITE_S)
            out.writelines(f"{delay}\n" for delay in delays)
            delays.clear()


if __name__ == "__main__":
    asyncio.run(run(sys.argv[1], sys.argv[2], Path(sys.argv[3])))
