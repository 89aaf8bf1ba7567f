"""`fairplay check`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fairplay.terminal.outcomes import outcomes
from fairplay.terminal.parameters import GameName, PlainJson


def check(
    game: GameName,
    kind: Annotated[
        str | None, typer.Argument(metavar="KIND", help="What is asked. Default: lists the kinds of the game.")
    ] = None,
    folder: Annotated[
        Path | None, typer.Argument(metavar="FOLDER", help="The folder with N-in.json and N-out.json.")
    ] = None,
    json: PlainJson = False,
) -> None:
    """Check test data of your own against the rules of a game.

    Each N-in.json holds the values of a question one behind the other, N-out.json the expected answer. Where the values
    of a question are to be refused, the expected answer is {"error": ""}, or the part of the sentence that counts.
    Exit code 1: some answers differ.

    Examples:

    \b
      fairplay check fish
      fairplay check fish reach tests/
    """
    with outcomes():
        from fairplay.terminal.checking import check_folder, show_kinds

        if kind is None or folder is None:
            show_kinds(game, kind, json)
        else:
            raise typer.Exit(check_folder(game, kind, folder, json))
