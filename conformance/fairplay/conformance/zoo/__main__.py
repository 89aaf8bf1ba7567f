"""Run a mutant as a program, where the environment of an exec: player says."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from fairplay.conformance.zoo.program import run_program
from fairplay.conformance.zoo.registry import find_mutant, find_mutants
from fairplay.games.game import Game, find, registered

DONE = 0


def main(arguments: Sequence[str]) -> int:
    """Run the command and return its exit code. Raises SystemExit if the arguments are invalid."""
    parser = _parser()
    chosen = parser.parse_args(arguments)
    game = find(chosen.game)
    if chosen.list or not chosen.mutant:
        show(game)
        return DONE
    try:
        mutant, strategy = find_mutant(game, chosen.mutant), chosen.strategy or next(iter(game.strategies))
        game.player(strategy)
        return run_program(mutant, game, strategy, os.environ, chosen.after, chosen.limit, serves=chosen.serve)
    except ValueError as error:
        parser.error(str(error))


def show(game: Game) -> None:
    """Print the name and sentence of each mutant of a game."""
    mutants = find_mutants(game).values()
    width = max(len(each.name) for each in mutants)
    try:
        sys.stdout.writelines(f"{each.name:{width}}  {each.sentence}\n" for each in mutants)
        sys.stdout.flush()
    except BrokenPipeError:  # whoever reads it has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m fairplay.conformance.zoo", description=__doc__)
    parser.add_argument("game", metavar="GAME", choices=list(registered()), help=", ".join(registered()))
    parser.add_argument("mutant", metavar="MUTANT", nargs="?", help="its name; see --list")
    parser.add_argument("--list", action="store_true", help="show all mutants of the game")
    parser.add_argument("--strategy", help="how the mutant plays apart from its defect; default: the game's first")
    parser.add_argument("--after", type=int, default=0, metavar="N", help="spare the first N calls")
    parser.add_argument("--serve", action="store_true", help="serve rather than dial in")
    parser.add_argument("--limit", type=float, metavar="SECONDS", help="the limit that late answers miss")
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
