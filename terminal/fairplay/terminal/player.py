"""`fairplay player`."""

from __future__ import annotations

import logging
import os

from fairplay.player.command import Reach, reach_from, run_player, slowed
from fairplay.player.dialing import DialInError
from fairplay.terminal.options import address, seconds
from fairplay.terminal.options import game as find_game
from fairplay.terminal.outcomes import FailedError, UsageError


def play(
    game: str,
    strategy: str,
    listen: str | None,
    serves: bool,
    connect: str | None,
    name: str | None,
    token: str,
    patience: str,
    resume: str,
    pause: str,
) -> None:
    """Runs a reference player until it is interrupted or told goodbye."""
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    try:
        player: object = find_game(game).player(strategy)
        if pause_s := seconds(pause, "--pause"):
            player = slowed(player, pause_s)
        for given, option in ((listen, "--listen"), (connect, "--connect")):
            if given is not None:
                address(given, option)
        reach = Reach(listen, connect, name, token, seconds(patience, "--patience"), seconds(resume, "--resume"))
        run_player(player, reach if listen or connect else reach_from(os.environ, serves=serves))
    except ValueError as error:
        raise UsageError(str(error)) from None
    except DialInError as error:
        raise FailedError(str(error)) from None
