"""A mutant as a program of its own."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
import time
from collections.abc import Mapping

import psutil

from fairplay.conformance.zoo.dialing import dial_in
from fairplay.conformance.zoo.handlers import MutantHandlers
from fairplay.conformance.zoo.mutant_player import WAIT_S, Environment
from fairplay.conformance.zoo.mutants import Mutant
from fairplay.conformance.zoo.program_behaviour import Start
from fairplay.games.game import Game
from fairplay.player.command import Reach, reach_from
from fairplay.player.interrupts import run
from fairplay.player.serving import start_server
from fairplay.server.game.plans import full_time_control, seconds
from fairplay.v1.game_pb2 import TimeControl


def run_program(
    mutant: Mutant,
    game: Game,
    strategy: str,
    variables: Mapping[str, str],
    after: int = 0,
    limit_s: float | None = None,
    *,
    serves: bool = False,
) -> int:
    """Run a mutant where the variables that a server gives to its programs say, and return the exit code.

    The program serves if `serves` is set or if it cannot dial in. Raises ValueError if no variable says where.
    """
    behaviour = mutant.behaviour
    if behaviour.start is Start.EXITS:
        return 1
    if behaviour.start is Start.SLEEPS or (behaviour.start is Start.ALONE and _runs_already()):
        time.sleep(WAIT_S)
    if not {"FAIRPLAY_LISTEN", "FAIRPLAY_CONNECT"} & set(variables):
        raise ValueError(f"such players are started by a server: fairplay certify {game.name} exec:COMMAND")
    reach = reach_from(variables, serves=serves or "FAIRPLAY_CONNECT" not in variables)
    harmless = behaviour.only_served and reach.listen is None
    player = mutant.make(game, strategy, _environment(game, limit_s), after=10**9 if harmless else after)
    run(_play(game, MutantHandlers(game, player, behaviour, _die), reach, mutant))
    return 0


async def _play(game: Game, handlers: MutantHandlers, reach: Reach, mutant: Mutant) -> None:
    if reach.listen is None:
        await dial_in(handlers, reach, mutant.behaviour, _die)
        return
    server, _ = await start_server(handlers, reach.listen)
    try:
        await server.wait_for_termination()
    finally:
        await asyncio.shield(server.stop(0))


def _runs_already() -> bool:
    """Return whether the server that has started this program has started it before, and that process still runs."""
    own = psutil.Process()
    server = own.parents()[1]
    return any(
        other.pid != own.pid and other.cmdline() == own.cmdline() and other.create_time() < own.create_time()
        for other in server.children(recursive=True)
    )


def _environment(game: Game, limit_s: float | None) -> Environment:
    """Return the limits of a game, or `limit_s` for all decisions if it is given."""
    control = full_time_control(game, TimeControl())
    decision_s, first_decision_s = seconds(control.decision_limit), seconds(control.first_decision_limit)
    return Environment(limit_s or decision_s, limit_s or first_decision_s, _die, threading.Event.wait)


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)
