"""A player as a program: it serves, dials in, or does what the server that started it says in the environment."""

from __future__ import annotations

import functools
import os
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from fairplay.games.kit.ending import exit_code
from fairplay.player.channels import Credentials
from fairplay.player.dialing import PATIENCE_S, RESUME_S, DialInError, Hosted, dial_in_async
from fairplay.player.handlers import games_of, snake_case
from fairplay.player.interrupts import run
from fairplay.player.serving import serve_async
from fairplay.player.tls import TlsFiles


class PlayerUsageError(ValueError):
    """The options do not say, or say twice, how the player is reached; one sentence."""


@dataclass(frozen=True, slots=True)
class Reach:
    """How a player is reached: on the address `listen`, or by dialling in to `connect` as `name` with `token`.

    `tls` has the certificate with which it serves, `credentials` are those with which it dials in; None: those of the
    environment.
    """

    listen: str | None = None
    connect: str | None = None
    name: str | None = None
    token: str = ""
    patience_s: float = PATIENCE_S
    resume_s: float = RESUME_S
    tls: TlsFiles | None = None
    credentials: Credentials | None = None


def reach_from(environment: Mapping[str, str], *, serves: bool = False) -> Reach:
    """Return how a player that a server has started is reached, from the environment that the server has given it."""
    needed = "FAIRPLAY_LISTEN" if serves else "FAIRPLAY_CONNECT"
    if needed not in environment:
        raise PlayerUsageError(
            "give --listen HOST:PORT to serve, or --connect HOST:PORT and --name NAME to dial in; "
            "a program of your own reads FAIRPLAY_CONNECT and FAIRPLAY_NAME"
        )
    if serves:
        return Reach(listen=environment["FAIRPLAY_LISTEN"])
    return Reach(
        connect=environment["FAIRPLAY_CONNECT"],
        name=environment.get("FAIRPLAY_NAME"),
        token=environment.get("FAIRPLAY_TOKEN", ""),
    )


def run_player(player: object, reach: Reach | None = None) -> None:
    """Be the program of a player, until it is interrupted or the server that it dialled says goodbye.

    Without `reach` the environment says how the player is reached. Ends the program with one sentence if it cannot be:
    exit code 2 if nothing says how, 1 if that fails.
    """
    try:
        run(reach_player(player, reach or reach_from(os.environ)))
    except (PlayerUsageError, DialInError, OSError) as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(2 if isinstance(error, PlayerUsageError) else 1)
    except KeyboardInterrupt as interrupt:
        sys.exit(exit_code(interrupt))


async def reach_player(player: object, reach: Reach) -> None:
    """Have a player reached until the server that it dialled says goodbye, or this is cancelled.

    Raises PlayerUsageError if options contradict each other, DialInError or OSError if the player cannot be reached in
    this way.
    """
    if reach.listen and reach.connect:
        raise PlayerUsageError("give --listen or --connect, not both")
    if reach.listen:
        await serve_async(player, reach.listen, lambda port: _say(f"the player serves on port {port}"), reach.tls)
        return
    if not reach.connect or not reach.name:
        raise PlayerUsageError("--connect needs --name NAME, under which the player dials in")
    await dial_in_async(
        [Hosted(player, reach.name, reach.token)],
        reach.connect,
        patience_s=reach.patience_s,
        resume_s=reach.resume_s,
        credentials=reach.credentials,
    )


def slowed(player: Any, pause_s: float) -> Any:
    """Make a player take at least `pause_s` seconds for each answer, so that people can follow; return the player."""
    for game in games_of(player):
        for method in game.methods:
            name = snake_case(method.name)
            setattr(player, name, _after(pause_s, getattr(player, name)))
    player.quick = False
    return player


def _after(pause_s: float, method: Callable[[Any], Any]) -> Callable[[Any], Any]:
    @functools.wraps(method)
    def paused(request: Any) -> Any:
        time.sleep(pause_s)
        return method(request)

    return paused


def _say(sentence: str) -> None:
    sys.stdout.write(f"{sentence}\n")
    sys.stdout.flush()
