"""A player with a fault as a program of its own."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
import time
from collections.abc import Mapping

from fairplay.conformance.zoo.habits import Start
from fairplay.conformance.zoo.handling import ZooHandlers
from fairplay.conformance.zoo.kinds import Kind
from fairplay.conformance.zoo.specimen import WAIT_S, World
from fairplay.conformance.zoo.streaming import dial_in
from fairplay.games.game import Game
from fairplay.player.command import Reach, reach_from
from fairplay.player.interrupts import run
from fairplay.player.serving import start_server
from fairplay.server.plans import full_time_control, seconds
from fairplay.v1.game_pb2 import TimeControl


def run_program(
    kind: Kind,
    game: Game,
    strategy: str,
    environment: Mapping[str, str],
    after: int = 0,
    limit_s: float | None = None,
    *,
    serves: bool = False,
) -> int:
    """Runs a player where a server's environment says, and returns its exit code.

    It serves if it is to, or cannot dial in. ValueError: nothing says where; one sentence.
    """
    habits = kind.habits
    if habits.start is Start.EXITS:
        return 1
    if habits.start is Start.SLEEPS:
        time.sleep(WAIT_S)
    if not {"FAIRPLAY_LISTEN", "FAIRPLAY_CONNECT"} & set(environment):
        raise ValueError(f"such players are started by a server: fairplay certify {game.name} exec:COMMAND")
    reach = reach_from(environment, serves=serves or "FAIRPLAY_CONNECT" not in environment)
    harmless = habits.only_served and reach.listen is None
    world = _world(game, limit_s)
    player = kind.make(game, strategy, world, after=10**9 if harmless else after)
    run(_played(ZooHandlers(game, player, habits, _die), reach, kind))
    return 0


async def _played(handlers: ZooHandlers, reach: Reach, kind: Kind) -> None:
    if reach.listen is None:
        await dial_in(handlers, reach, kind.habits, _die)
        return
    server, _ = await start_server(handlers, reach.listen)  # type: ignore[arg-type]  # it calls what both have
    try:
        await server.wait_for_termination()
    finally:
        await asyncio.shield(server.stop(0))


def _world(game: Game, limit_s: float | None) -> World:
    """The limits of a game, unless another one holds for all decisions."""
    control = full_time_control(game, TimeControl())
    decision_s, first_decision_s = seconds(control.decision_limit), seconds(control.first_decision_limit)
    return World(limit_s or decision_s, limit_s or first_decision_s, _die, threading.Event.wait)


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)
