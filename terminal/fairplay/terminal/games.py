"""`fairplay games`."""

from __future__ import annotations

from typing import Annotated

import typer

from fairplay.terminal.outcomes import outcomes
from fairplay.terminal.parameters import PlainJson, complete_game


def games(
    name: Annotated[
        str | None,
        typer.Argument(metavar="GAME", help="Only this game, in detail.", autocompletion=complete_game),
    ] = None,
    json: PlainJson = False,
) -> None:
    """Show the games: settings, strategies, time limits and rules.

    Examples:

    \b
      fairplay games
      fairplay games fish --json
    """
    with outcomes():
        from fairplay.terminal.catalog import show_games

        show_games(name, json)
