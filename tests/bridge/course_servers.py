"""Runs of our server of a course with the course's client of these tests."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from fairplay.bridge.serving import CourseServer, Played
from fairplay.games.game import find
from fairplay.games.kit.course import Config
from fairplay.server.server import Config as ServerConfig
from fairplay.server.server import Server
from tests.bridge.playing import CLIENT, face_of

RECORD = "course"
Client = Callable[[int], Awaitable[Any]]
"""Port -> runs until the server needs it no longer."""


class Run(NamedTuple):
    """How a run went: its end, what was said meanwhile, and the order of the players in the record."""

    played: Played
    said: Sequence[str]
    order: Sequence[str]


def program(game: str, *words: str) -> Client:
    """Return a client that is a process, with words behind its port: NAME [FAULT]."""

    async def client(port: int) -> None:
        command = (sys.executable, CLIENT, game, str(port), *words)
        process = subprocess.Popen(command, stderr=subprocess.DEVNULL)  # noqa: ASYNC220 - asyncio's leaves warnings
        try:
            await asyncio.to_thread(process.wait)
        finally:
            process.kill()
            process.wait()

    return client


async def serve(
    name: str,
    clients: Sequence[Client],
    *,
    seats: int = 0,
    wait_s: float = 20.0,
    records: Path | None = None,
    seed: int = 1,
    **config: Any,
) -> Run:
    """Run the server for so many seats, as many as there are clients by default.

    The clients dial in their order: each once the server has said something of the one before it.
    """
    game = find(name)
    seats = seats or len(clients)
    policy = type(game.sign_up)()
    policy.CopyFrom(game.sign_up)
    policy.max_entrant_count, policy.min_entrant_count = seats, min(2, seats)
    said, heard, port = list[str](), asyncio.Event(), asyncio.get_running_loop().create_future()

    def say(sentence: str) -> None:
        said.append(sentence)
        heard.set()

    async def dial() -> None:
        running = list[asyncio.Future[Any]]()
        try:
            for client in clients:
                heard.clear()
                running.append(asyncio.ensure_future(client(await port)))
                await heard.wait()
            await asyncio.gather(*running)
        finally:
            for each in running:
                each.cancel()
            await asyncio.gather(*running, return_exceptions=True)

    async with AsyncExitStack() as stack:
        server = await Server.start(ServerConfig(records=records, resume=None))
        stack.push_async_callback(server.stop)
        chosen = Config(**{"settings": game.settings_type(), "wait_s": wait_s, **config})
        course = CourseServer(server, replace(game, sign_up=policy), face_of(name), chosen, seed, RECORD, say)
        dialing = asyncio.create_task(dial())
        try:
            played = await course.run("127.0.0.1", 0, policy.name_pattern, port.set_result)
            await asyncio.wait({dialing}, timeout=5)  # so that clients see the end of their connections
        finally:
            dialing.cancel()
            await asyncio.gather(dialing, return_exceptions=True)
        entrants = played.game.plan.players if played.game is not None else server.manager.get(RECORD).entrants
        return Run(played, said, [player.name for player in entrants])
