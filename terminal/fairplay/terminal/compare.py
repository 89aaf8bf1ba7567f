"""`fairplay compare`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fairplay.terminal.outcomes import outcomes
from fairplay.terminal.parameters import (
    Assignments,
    Bank,
    ClusterAddress,
    FirstLimit,
    GameName,
    Jobs,
    JsonFile,
    Limit,
    ProgramFolders,
    ProgramLimits,
    RecordsPlace,
    SandboxMode,
    Seed,
    SettingsFile,
    Ship,
    StartLimit,
    WhenLost,
)


def compare(
    game: GameName,
    new: Annotated[str, typer.Argument(metavar="NEW", help="The player that may be better, [NAME=]LINK.")],
    old: Annotated[str, typer.Argument(metavar="OLD", help="The player that it is compared with, [NAME=]LINK.")],
    with_: Annotated[
        list[str] | None,
        typer.Option("--with", metavar="SPEC", help="Another player of every game, [NAME=]LINK; repeatable."),
    ] = None,
    roster: Annotated[
        Path | None, typer.Option("--roster", metavar="FILE", help="NEW, OLD and --with may be names of this roster.")
    ] = None,
    elo0: Annotated[float, typer.Option("--elo0", metavar="N", help="Better by so much or less is not better.")] = 0.0,
    elo1: Annotated[float, typer.Option("--elo1", metavar="N", help="Better by so much or more is better.")] = 50.0,
    error: Annotated[float, typer.Option("--error", metavar="P", help="How often an answer may be wrong.")] = 0.05,
    games: Annotated[
        int, typer.Option("--games", metavar="N", min=1, max=1_000_000, help="The most games to play.")
    ] = 2_000,
    concurrency: Annotated[
        int, typer.Option("--concurrency", metavar="N", min=0, max=256, help="Games at once. 0: one for each core.")
    ] = 0,
    jobs: Jobs = 1,
    cluster: ClusterAddress = None,
    when_lost: WhenLost = "wait",
    ship: Ship = False,
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
    sandbox: SandboxMode = "auto",
    program_limits: ProgramLimits = "",
    program_folders: ProgramFolders = "",
    records: RecordsPlace = None,
    json: JsonFile = None,
) -> None:
    """Find out whether one player is better than another one, with as few games as that takes.

    Both play the same deals from every seat. Exit code 0: NEW is better; 1: it is not; 3: still undecided after the
    most games.

    Examples:

    \b
      fairplay compare fish bot:minimax bot:greedy
      fairplay compare fish "exec:python new.py" "exec:python old.py" --elo1 30 --games 5000
      fairplay compare q exec:./new exec:./old --with bot:best --with bot:dag --json result.json
    """
    with outcomes():
        from fairplay.terminal.playing.compare import compare_players
        from fairplay.terminal.playing.comparison import Question
        from fairplay.terminal.playing.options import Options

        options = Options(
            game=game,
            players=(new, old, *(with_ or ())),
            server=None,
            assignments=set_ or [],
            settings_file=settings,
            seed=seed,
            limit=limit,
            first_limit=first_limit,
            bank=bank,
            start_limit=start_limit,
            sandbox=sandbox,
            program_limits=program_limits,
            program_folders=program_folders,
            records=records,
            plain=plain,
            jobs=jobs,
            cluster=cluster,
            when_lost=when_lost,
            ship=ship,
        )
        question = Question(elo0=elo0, elo1=elo1, error=error, max_games=games, concurrency=concurrency, roster=roster)
        raise typer.Exit(compare_players(options, question, json))
