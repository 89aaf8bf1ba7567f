"""Games in which rivals take long: between two of its calls the player hears nothing."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from itertools import count
from typing import TypeAlias

from fairplay.conformance.games.context import Context
from fairplay.conformance.games.trial import Entry, Trial, play_trial
from fairplay.conformance.player.breaker import Breaker
from fairplay.conformance.player.connection import Connection

SILENCE_S = 1.0
"""How long: a certificate must not take much longer for it."""
SILENT_BEFORE = 4
"""The number of the call before which there is silence: the game has begun, and goes on after it."""
DECISIONS = 6
Beginning: TypeAlias = "asyncio.Task[tuple[Connection, Trial]]"
"""A game that is being played, on a connection of its own, while other cases are judged."""


def begin(context: Context) -> Beginning:
    """Begin a game with a silence on a fresh connection, and return without waiting for it."""

    async def play() -> tuple[Connection, Trial]:
        connection = await context.player.open_beside()
        try:
            return connection, await play_silently(context, connection)
        finally:
            await connection.close()

    async def start() -> Beginning:
        return asyncio.ensure_future(play())

    return context.player.loop.run(start())


def finish(context: Context, beginning: Beginning) -> Trial | None:
    """Return the trial of a game that was begun, or None if the player was not there for it."""

    async def wait() -> tuple[Connection, Trial]:
        return await beginning

    connection, found = context.player.loop.run(wait())
    if connection.lost and found.decision_count == 0:
        return None
    found.entry = _entry(context)
    context.trials.append(found)
    return found


def play(context: Context) -> Trial:
    """Return the trial of a game with a silence on a fresh connection, which takes as long."""
    with context.player.fresh(breaker=Breaker()) as connection:
        [found] = context.record(connection, _entry(context))
        return found


def _entry(context: Context) -> Entry:
    def replay(connection: Connection) -> Sequence[Trial]:
        return [context.player.loop.run(play_silently(context, connection))]

    return Entry(replay, f"a game in which the player hears nothing for {SILENCE_S:g} s")


async def play_silently(context: Context, connection: Connection) -> Trial:
    """Play a game with a silence, and return its trial."""
    numbers = count(1)

    @asynccontextmanager
    async def turn() -> AsyncIterator[None]:
        if next(numbers) == SILENT_BEFORE:
            await asyncio.sleep(SILENCE_S)
        yield

    scenario = context.first_scenario(DECISIONS)
    return await play_trial(context.game, connection, scenario, context.limits, context.new_id(), turn=turn)
