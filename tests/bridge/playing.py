"""Whole games between bots and programs of a course that a bridge has started."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random
from typing import Any

from fairplay.bridge.player import CoursePlayer
from fairplay.bridge.pool import Pool, Settings
from fairplay.games.game import find
from fairplay.games.kit.course import Face, find_face
from fairplay.games.machine import GameMachine
from fairplay.games.steps import Arrival, Call, calls_in, join_answers
from fairplay.player.handlers import CALL, CallFailed, CallInfo, reply_of, snake_case
from fairplay.v1.misconduct_pb2 import CallError, CallErrorReason

CLIENT = str(Path(__file__).with_name("course_client.py"))


def face_of(game: str) -> Face:
    """Return the face of a game that has one."""
    face = find_face(game)
    assert face is not None
    return face


@asynccontextmanager
async def bridged(
    game: str, *words: str, command: tuple[str, ...] = (), **settings: Any
) -> AsyncIterator[CoursePlayer]:
    """Yield a player of programs: by default the course's client of these tests, with these words behind its port."""
    found = find(game)
    command = command or (sys.executable, CLIENT, game, "{port}", *words)
    pattern = found.sign_up.name_pattern
    pool = Pool(Settings(command=command, **{"name_pattern": pattern, **settings}), os.environ)
    try:
        player = CoursePlayer(found, face_of(game), pool, await pool.fill())
        yield player
        player.close()
    finally:
        await pool.close()


async def play(
    player: Any, strategy: str, *, seed: int = 1, game_id: str = "g", limit_s: float | None = None
) -> tuple[Any, str]:
    """Play a game of the player, in seat 0, and a bot; return its outcome, and why the player failed, if it did.

    The player is an object with the name of its game, and with a coroutine for each method.
    """
    CALL.set(lambda: CallInfo(limit_s, {}))
    game = find(player.game)
    bot = game.player(strategy)
    machine = GameMachine(game.play(game_id, game.tournament_settings, ["a", "b"], Random(seed), None))
    failure = ""

    async def answer(call: Call) -> Any:
        nonlocal failure
        if call.seat:
            return reply_of(bot, call)
        try:
            return await getattr(player, snake_case(call.method.name))(call.request)
        except CallFailed as failed:
            failure = failed.message
            return CallError(reason=CallErrorReason.CALL_ERROR_REASON_STATUS, message=failed.message)

    machine.begin()
    while (step := machine.step) is not None:
        arrivals = [Arrival(call.seat, await answer(call), 0.0) for call in calls_in(step)]
        machine.answer(join_answers(step, arrivals))
    return machine.outcome, failure
