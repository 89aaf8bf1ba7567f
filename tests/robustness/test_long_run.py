"""A server that plays games for days: what a game used is gone when it is over."""

from __future__ import annotations

import asyncio
import gc
import threading
from collections.abc import AsyncIterator
from typing import NamedTuple

import psutil
import pytest

from fairplay.games.game import find
from fairplay.player.handlers import Handlers
from fairplay.player.serving import start_server
from fairplay.server.server import Config, Server
from tests.robustness.harness import exec_player
from tests.server.harness import dialled_in, plan, serving
from tests.slow import SLOW

GAMES = 25
SPREAD = 4
"""What may come and go by itself, e.g. the threads of gRPC."""


class Used(NamedTuple):
    """Return how many things a server holds, by kind."""

    threads: int
    tasks: int
    files: int
    children: int


def used() -> Used:
    gc.collect()
    process = psutil.Process()
    return Used(threading.active_count(), len(asyncio.all_tasks()), process.num_fds(), len(process.children()))


def more(now: Used, before: Used) -> bool:
    return any(one > other + SPREAD for one, other in zip(now, before, strict=True))


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    async with serving(Config(allow_exec=True, start_limit_s=20.0)) as running:
        yield running


async def check(server: Server, *links: str, games: int = GAMES) -> None:
    await server.referee.play(plan(*links, seed=0))
    before = used()
    for seed in range(1, games + 1):
        game = await server.referee.play(plan(*links, seed=seed))
        assert not game.result.misconducts
    give_up = asyncio.get_running_loop().time() + 60
    while more(used(), before):
        assert asyncio.get_running_loop().time() < give_up, (before, used())
        await asyncio.sleep(0.02)


async def test_bots_leave_nothing(server: Server) -> None:
    await check(server, "bot:minimax", "bot:minimax:depth=2", "bot:greedy")


async def test_players_that_dialled_in_leave_nothing(server: Server) -> None:
    async with dialled_in(server, ("x", find("fish").player("minimax")), ("y", find("fish").player("first"))):
        await check(server, "dial-in:x", "dial-in:y")


async def test_players_that_are_dialled_leave_nothing(server: Server) -> None:
    grpc_server, port = await start_server(Handlers(find("fish").player("first")), "127.0.0.1:0")
    await check(server, f"grpc://127.0.0.1:{port}", "bot:first")
    await grpc_server.stop(0)


@pytest.mark.parametrize("way", [pytest.param("", id="dials in"), pytest.param("--serve", id="serves", marks=SLOW)])
async def test_players_that_are_started_leave_nothing(server: Server, way: str) -> None:
    await check(server, exec_player(*way.split()), "bot:first", games=3)
