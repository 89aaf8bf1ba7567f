"""Runs a player with a fault as a program, where the environment of an exec: player says."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from fairplay.conformance.zoo.program import run_program
from fairplay.conformance.zoo.registry import kind, kinds
from fairplay.games.game import Game, find, registered

DONE, USAGE = 0, 2


def main(arguments: Sequence[str]) -> int:
    """Does what the arguments say; returns the exit code."""
    parser = _parser()
    chosen = parser.parse_args(arguments)
    game = find(chosen.game)
    if chosen.list or not chosen.fault:
        show(game)
        return DONE
    try:
        found, strategy = kind(game, chosen.fault), chosen.strategy or next(iter(game.strategies))
        game.player(strategy)
        return run_program(found, game, strategy, os.environ, chosen.after, chosen.limit, serves=chosen.serve)
    except ValueError as error:
        parser.error(str(error))


def show(game: Game) -> None:
    """Lists what there is to choose from."""
    found = kinds(game).values()
    width = max(len(each.name) for each in found)
    for each in found:
        sys.stdout.write(f"{each.name:{width}}  {each.sentence}\n")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m fairplay.conformance.zoo", description=__doc__)
    parser.add_argument("game", metavar="GAME", choices=list(registered()), help=", ".join(registered()))
    parser.add_argument("fault", metavar="FAULT", nargs="?", help="its name; see --list")
    parser.add_argument("--list", action="store_true", help="show all faults of the game")
    parser.add_argument("--strategy", help="how the player plays apart from its fault; default: the game's first")
    parser.add_argument("--after", type=int, default=0, metavar="N", help="spare the first N calls")
    parser.add_argument("--serve", action="store_true", help="serve rather than dial in")
    parser.add_argument("--limit", type=float, metavar="SECONDS", help="the limit that late answers miss")
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
