"""`fairplay new` and `fairplay new-game`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fairplay.terminal.commands.options import argument, command, option
from fairplay.terminal.commands.parameters import GameName


@command
def new(
    game: GameName,
    folder: Annotated[Path, argument("DIR", "A new or empty folder.")],
    language: Annotated[str, option("LANGUAGE", "python, or for Fish and Q another one.", "-l")] = "python",
) -> None:
    """Write a project with a player of your own, which certifies as it is.

    It holds a player with legal moves, its build file, a test, and a README. Change the moves.

    Examples:

    \b
      fairplay new fish my-fish
      fairplay new q --language go my-q
    """
    from fairplay.client.inputs import find_game
    from fairplay.terminal.authors.project import write_project

    find_game(game)
    write_project(game, language, folder)
    typer.echo(f"{folder} holds a player of {game}: see {folder / 'README.md'}")


@command
def new_game(
    name: Annotated[str, argument("NAME", "The name of the game: small letters and digits.")],
    folder: Annotated[Path, argument("DIR", "A new or empty folder.")],
) -> None:
    """Write a game of your own, which certifies as it is.

    It is a package with protos, rules, players, pictures, probes and mutations. Change the rules.

    Examples:

    \b
      fairplay new-game oware my-oware
    """
    from fairplay.terminal.authors.project import write_game

    write_game(name, folder)
    typer.echo(f"{folder} holds the game {name}: see {folder / 'README.md'}")
