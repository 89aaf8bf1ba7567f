"""`fairplay tournament`."""

from __future__ import annotations

from typing import Annotated

import typer

from fairplay.terminal.outcomes import outcomes
from fairplay.terminal.parameters import (
    Assignments,
    Authorities,
    Bank,
    Certificates,
    ClusterAddress,
    FirstLimit,
    GameName,
    GradesFile,
    Grading,
    Jobs,
    JsonFile,
    Limit,
    OptionalPlayers,
    OptionalStartLimit,
    ProgramFolders,
    ProgramLimits,
    RecordsPlace,
    ReportPath,
    RosterFile,
    SandboxMode,
    Seed,
    ServerAddress,
    SettingsFile,
    Ship,
    WhenLost,
)


def tournament(
    game: GameName,
    player: OptionalPlayers = None,
    roster: RosterFile = None,
    server: ServerAddress = None,
    ca: Authorities = None,
    format_: Annotated[
        str,
        typer.Option(
            "--format",
            metavar="FORMAT",
            help="A format with its settings, e.g. 'swiss rounds=7': see fairplay formats.",
        ),
    ] = "knockout",
    deals: Annotated[
        int,
        typer.Option(
            "--deals", metavar="N", min=0, max=1000, help="Each group plays N deals, each with all rotations of seats."
        ),
    ] = 0,
    failures_allowed: Annotated[
        int | None,
        typer.Option(
            "--failures-allowed", metavar="N", min=0, help="With one more a player is withdrawn. Default: the format's."
        ),
    ] = None,
    concurrency: Annotated[
        int, typer.Option("--concurrency", metavar="N", min=0, max=1000, help="Games at once. Default: as suits.")
    ] = 0,
    jobs: Jobs = 1,
    cluster: ClusterAddress = None,
    when_lost: WhenLost = "wait",
    ship: Ship = False,
    title: Annotated[str, typer.Option("--title", metavar="TEXT", help="What people call it.")] = "",
    order: Annotated[
        str,
        typer.Option("--order", metavar="WORD", help="dealt: drawn by the seed; given: as named, the youngest first."),
    ] = "dealt",
    examine: Annotated[
        bool,
        typer.Option("--examine", help="Have the server run the conformance suite on each player; who fails is out."),
    ] = False,
    plain: Annotated[
        bool, typer.Option("--plain", help="Start from the defaults of the rules, not from those of tournaments.")
    ] = False,
    set_: Assignments = None,
    settings: SettingsFile = None,
    seed: Seed = None,
    limit: Limit = None,
    first_limit: FirstLimit = None,
    bank: Bank = None,
    start_limit: OptionalStartLimit = None,
    sandbox: SandboxMode = "auto",
    program_limits: ProgramLimits = "",
    program_folders: ProgramFolders = "",
    records: RecordsPlace = None,
    report: ReportPath = None,
    grades: GradesFile = None,
    grading: Grading = None,
    certificates: Certificates = None,
    json: JsonFile = None,
) -> None:
    """Run a tournament.

    Each game has settings for tournaments, which fairplay games GAME shows; --set changes some of them.
    With --records a tournament that was interrupted goes on when the same command is given again.
    Exit code 1: it was cancelled, nobody is left at its end, or nobody has finished a game.

    Examples:

    \b
      fairplay tournament fish -p bot:minimax -p bot:greedy -p bot:random -p me=exec:./my-player
      fairplay tournament fish --roster roster.toml --format 'swiss rounds=7' --deals 1 --records cup --report cup.html
      fairplay tournament fish --server host:50050 -p dial-in:alice -p dial-in:bob --json result.json
    """
    with outcomes():
        from fairplay.terminal.playing.options import Options
        from fairplay.terminal.playing.tournament import play_tournament
        from fairplay.terminal.reports.wanted import wanted_outputs
        from fairplay.terminal.rosters.reading import read_roster
        from fairplay.terminal.rosters.roster import TimeLimits

        listed = read_roster(roster) if roster is not None else None
        limits = listed.limits if listed is not None else TimeLimits()
        options = Options(
            game=game,
            players=player or [],
            roster=listed,
            server=server,
            ca=ca,
            format=format_,
            order=order,
            plain=plain,
            assignments=set_ or [],
            settings_file=settings,
            seed=seed,
            limit=limit or limits.call,
            first_limit=first_limit or limits.first,
            bank=bank or limits.bank,
            start_limit=start_limit or limits.start or "10s",
            sandbox=sandbox,
            program_limits=program_limits,
            program_folders=program_folders,
            records=records,
            deals=deals,
            failures_allowed=failures_allowed,
            concurrency=concurrency,
            jobs=jobs,
            cluster=cluster,
            when_lost=when_lost,
            ship=ship,
            examine=examine,
            title=title,
        )
        outputs = wanted_outputs(
            game,
            [each.name for each in options.entrants()],
            listed,
            json=json,
            report=report,
            grades=grades,
            grading=grading,
            certificates=certificates,
        )
        raise typer.Exit(play_tournament(options, outputs))
