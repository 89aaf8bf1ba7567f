"""Runs a broken player as a program: python -m conformance.zoo GAME STRATEGY METHOD FAULT [AFTER]."""

from __future__ import annotations

import sys

from conformance.zoo.faults import FAULTS, broken
from games.game import find
from reference_player.command import run_player


def main(arguments: list[str]) -> int:
    """Runs it where the environment of an exec: player says."""
    if not 4 <= len(arguments) <= 5 or arguments[3] not in FAULTS:
        sys.stderr.write(f"{__doc__}\nFAULT is one of {', '.join(FAULTS)}.\n")
        return 2
    game, strategy, method, fault = arguments[:4]
    after = int(arguments[4]) if arguments[4:] else 0
    player = broken(find(game).player(strategy), method, FAULTS[fault](), after)
    run_player(player)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
