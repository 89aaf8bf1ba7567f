"""`fairplay tournament`."""

from __future__ import annotations

from typing import Annotated

import typer

from fairplay.terminal.outcomes import outcomes
from fairplay.terminal.parameters import (
    Assignments,
    Bank,
    FirstLimit,
    GameName,
    JsonFile,
    Limit,
    Players,
    RecordsDir,
    Seed,
    ServerAddress,
    SettingsFile,
    StartLimit,
)


def tournament(
    game: GameName,
    player: Players,
    server: ServerAddress = None,
    format_: Annotated[str, typer.Option("--format", metavar="NAME", help="knockout")] = "knockout",
    order: Annotated[
        str,
        typer.Option("--order", metavar="WORD", help="dealt: drawn by the seed; given: as named, the youngest first."),
    ] = "dealt",
    plain: Annotated[
        bool, typer.Option("--plain", help="Start from the defaults of the rules, not from those of tournaments.")
    ] = False,
    set_: Assignments = None,
    settings: SettingsFile = None,
    seed: Seed = None,
    limit: Limit = None,
    first_limit: FirstLimit = None,
    bank: Bank = None,
    start_limit: StartLimit = "10s",
    records: RecordsDir = None,
    json: JsonFile = None,
) -> None:
    """Run a tournament.

    Each game has settings for tournaments, which fairplay games GAME shows; --set changes some of them.
    With --records a tournament that was interrupted goes on when the same command is given again.
    Exit code 1: it was cancelled, or nobody is left at its end.

    Examples:

    \b
      fairplay tournament fish -p bot:minimax -p bot:greedy -p bot:random -p me=exec:./my-player
      fairplay tournament fish --server host:50050 -p dial-in:alice -p dial-in:bob --json result.json
    """
    with outcomes():
        from fairplay.terminal.playing.options import Options
        from fairplay.terminal.playing.tournament import play_tournament

        options = Options(
            game=game,
            players=player,
            server=server,
            format=format_,
            order=order,
            plain=plain,
            assignments=set_ or [],
            settings_file=settings,
            seed=seed,
            limit=limit,
            first_limit=first_limit,
            bank=bank,
            start_limit=start_limit,
            records=records,
        )
        raise typer.Exit(play_tournament(options, json))
