"""`fairplay check`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from fairplay.terminal.commands.options import argument, command
from fairplay.terminal.commands.outcomes import DONE
from fairplay.terminal.commands.parameters import GameName, PlainJson


@command
def check(
    game: GameName,
    kind: Annotated[str | None, argument("KIND", "What is asked. Default: lists the kinds of the game.")] = None,
    folder: Annotated[Path | None, argument("FOLDER", "The folder with N-in.json and N-out.json.")] = None,
    json: PlainJson = False,
) -> int:
    """Check test data of your own against the rules of a game.

    Each N-in.json holds the values of a question one behind the other, N-out.json the expected answer. Where the values
    of a question are to be refused, the expected answer is {"error": ""}, or the part of the sentence that counts.
    Exit code 1: some answers differ.

    Examples:

    \b
      fairplay check fish
      fairplay check fish reach tests/
    """
    from fairplay.terminal.authors.testdata import check_folder, show_kinds

    if kind is not None and folder is not None:
        return check_folder(game, kind, folder, json)
    show_kinds(game, kind, json)
    return DONE
