"""`fairplay games`."""

from __future__ import annotations

from typing import Annotated

from fairplay.terminal.commands.options import argument, command
from fairplay.terminal.commands.parameters import PlainJson, complete_game


@command
def games(
    name: Annotated[
        str | None,
        argument("GAME", "Only this game, in detail.", autocompletion=complete_game),
    ] = None,
    json: PlainJson = False,
) -> None:
    """Show the games: settings, strategies, time limits and rules.

    Examples:

    \b
      fairplay games
      fairplay games fish --json
    """
    from fairplay.terminal.authors.catalog import show_games

    show_games(name, json)
