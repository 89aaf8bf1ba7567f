"""Arguments and options that several commands have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fairplay.server.records.place import Place
from fairplay.terminal.extras import missing_module

PLAYER_HELP = """A player, [NAME=]LINK; once for each. LINK is grpc://HOST:PORT (it serves; grpcs:// over TLS),
dial-in:NAME (it dials the server), exec:COMMAND (started here) or bot:STRATEGY (built in, e.g. bot:minimax:depth=2)."""


def complete_game(incomplete: str) -> list[str]:
    """Return the names of the installed games that begin like this, for the shell."""
    from fairplay.games.game import registered

    return [name for name in registered() if name.startswith(incomplete)]


GameName = Annotated[
    str, typer.Argument(metavar="GAME", help="The game: see fairplay games.", autocompletion=complete_game)
]
Players = Annotated[list[str], typer.Option("--player", "-p", metavar="SPEC", help=PLAYER_HELP)]
OptionalPlayers = Annotated[list[str] | None, typer.Option("--player", "-p", metavar="SPEC", help=PLAYER_HELP)]
RosterFile = Annotated[
    Path | None, typer.Option("--roster", metavar="FILE", help="Those who enter: see fairplay roster.")
]
ServerAddress = Annotated[
    str | None,
    typer.Option("--server", metavar="HOST:PORT", help="A running server; grpcs:// over TLS. Default: one of its own."),
]
Authorities = Annotated[
    Path | None,
    typer.Option(
        "--ca", metavar="FILE", help="Who vouches for certificates, in PEM. Default: FAIRPLAY_CA, or the system."
    ),
]
Tls = Annotated[
    tuple[Path, Path] | None,
    typer.Option("--tls", metavar="CERT KEY", help="Speak TLS with this certificate and its key, both in PEM."),
]
Assignments = Annotated[
    list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="A setting of the game, e.g. rows=6; repeatable.")
]
SettingsFile = Annotated[Path | None, typer.Option("--settings", metavar="FILE", help="All settings as protobuf-JSON.")]
Seed = Annotated[
    int | None,
    typer.Option("--seed", metavar="N", min=0, max=2**53 - 1, help="The same seed, the same game. Default: drawn."),
]
Limit = Annotated[str | None, typer.Option("--limit", metavar="TIME", help="Time for a call, e.g. 1s or 500ms.")]
FirstLimit = Annotated[
    str | None, typer.Option("--first-limit", metavar="TIME", help="Time for a player's first turn in a game.")
]
Bank = Annotated[str | None, typer.Option("--bank", metavar="TIME", help="Time in reserve for a whole game.")]
StartLimit = Annotated[str, typer.Option("--start-limit", metavar="TIME", help="Time to come up, for each player.")]
SandboxMode = Annotated[
    str,
    typer.Option(
        "--sandbox", metavar="WORD", help="Run programs (exec:) in a sandbox: auto (where it can be), require, off."
    ),
]
ProgramLimits = Annotated[
    str,
    typer.Option(
        "--program-limits", metavar="NAME=N,…", help="What each program may use, e.g. memory=1GiB,processes=64,cpu=10m."
    ),
]
ProgramFolders = Annotated[
    str,
    typer.Option(
        "--program-folders",
        metavar="DIR:DIR",
        help="Folders that programs in a sandbox may read besides their own.",
    ),
]


def parse_records(text: str) -> Place:
    """Return the place of records that was typed. Raises typer.BadParameter if it cannot be one."""
    from fairplay.server.records.errors import RecordsError
    from fairplay.server.records.place import POSTGRESQL, parse_place

    if text.startswith(POSTGRESQL) and (
        sentence := missing_module("psycopg", "a database of PostgreSQL", "postgresql")
    ):
        raise typer.BadParameter(sentence)
    try:
        return parse_place(text)
    except RecordsError as error:
        raise typer.BadParameter(str(error)) from None


RecordsPlace = Annotated[
    Place | None,
    typer.Option(
        "--records",
        metavar="DIR|URL",
        parser=parse_records,
        help="Keep records here: a directory, or postgresql://USER@HOST/DATABASE. Default: nowhere.",
    ),
]
ServerRecords = Annotated[
    Place,
    typer.Option("--records", metavar="DIR|URL", parser=parse_records, help="The records of the server."),
]
RecordsSource = Annotated[
    Place,
    typer.Argument(metavar="SOURCE", parser=parse_records, help="What --records named, or an exported .fairplay file."),
]
StoredRecords = Annotated[Place, typer.Argument(metavar="SOURCE", parser=parse_records, help="What --records named.")]
JsonFile = Annotated[
    str | None, typer.Option("--json", metavar="[FILE]", help="The result as JSON, in a file or (-) printed.")
]
PlainJson = Annotated[bool, typer.Option("--json", help="Print as JSON.")]
OptionalStartLimit = Annotated[
    str | None, typer.Option("--start-limit", metavar="TIME", help="Time to come up, for each player. Default: 10s.")
]
ReportPath = Annotated[
    Path | None,
    typer.Option(
        "--report", metavar="DIR|FILE", help="A page with standings, plots and evidence, in FILE.html or DIR."
    ),
]
GradesFile = Annotated[Path | None, typer.Option("--grades", metavar="FILE", help="Grades as CSV.")]
Grading = Annotated[
    str | None,
    typer.Option(
        "--grading",
        metavar="TEMPLATE",
        help="Points for what: certificate, place, band, points, failure, withdrawn, least, most. Default: "
        "place=100,failure=-2,least=0.",
    ),
]
Certificates = Annotated[
    Path | None,
    typer.Option(
        "--certificates", metavar="DIR", help="What fairplay certify --roster --report wrote, for the grades."
    ),
]
Jobs = Annotated[
    int,
    typer.Option(
        "--jobs", metavar="N", min=1, max=1024, help="Play games in N processes on this machine. Default: in this one."
    ),
]
ClusterAddress = Annotated[
    str | None,
    typer.Option(
        "--cluster", metavar="ADDRESS", help="Play games on a cluster of Ray, HOST:PORT; auto: the one of this machine."
    ),
]
Ship = Annotated[
    bool,
    typer.Option("--ship", help="With --cluster: send the current folder, with the programs in it, to its machines."),
]
WhenLost = Annotated[
    str,
    typer.Option("--when-lost", metavar="WORD", help="If the cluster loses all its workers: wait for others, or end."),
]
