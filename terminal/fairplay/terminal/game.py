"""`fairplay game`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fairplay.terminal.outcomes import outcomes
from fairplay.terminal.parameters import (
    Assignments,
    Authorities,
    Bank,
    FirstLimit,
    GameName,
    JsonFile,
    Limit,
    Players,
    ProgramFolders,
    ProgramLimits,
    RecordsPlace,
    SandboxMode,
    Seed,
    ServerAddress,
    SettingsFile,
    StartLimit,
)


def game(
    game: GameName,
    player: Players,
    server: ServerAddress = None,
    ca: Authorities = None,
    set_: Assignments = None,
    settings: SettingsFile = None,
    state: Annotated[
        Path | None, typer.Option("--state", metavar="FILE", help="A state to start from, as protobuf-JSON.")
    ] = None,
    seed: Seed = None,
    limit: Limit = None,
    first_limit: FirstLimit = None,
    bank: Bank = None,
    start_limit: StartLimit = "10s",
    sandbox: SandboxMode = "auto",
    program_limits: ProgramLimits = "",
    program_folders: ProgramFolders = "",
    records: RecordsPlace = None,
    json: JsonFile = None,
) -> None:
    """Play one game. The players sit in the order in which they are named.

    Exit code 1: the game was aborted, or nobody is left at its end.

    Examples:

    \b
      fairplay game fish --player bot:minimax --player bot:random --seed 1
      fairplay game fish --player me=exec:./my-player --player bot:greedy --set rows=6 --json result.json
    """
    with outcomes():
        from fairplay.terminal.playing.game import play_game
        from fairplay.terminal.playing.options import Options

        options = Options(
            game=game,
            players=player,
            server=server,
            ca=ca,
            assignments=set_ or [],
            settings_file=settings,
            state=state,
            seed=seed,
            limit=limit,
            first_limit=first_limit,
            bank=bank,
            start_limit=start_limit,
            sandbox=sandbox,
            program_limits=program_limits,
            program_folders=program_folders,
            records=records,
        )
        raise typer.Exit(play_game(options, json))
