"""Options and arguments that several commands have, alone and in groups."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import typer

from fairplay.server.records.place import Place
from fairplay.terminal.commands.extras import missing_module
from fairplay.terminal.commands.options import argument, option

PLAYER_HELP = """A player, [NAME=]LINK; once for each. LINK is grpc://HOST:PORT (it serves; grpcs:// over TLS),
dial-in:NAME (it dials the server), exec:COMMAND (started here) or bot:STRATEGY (built in, e.g. bot:minimax:depth=2)."""
MAX_SEED = 2**53
"""Seeds are below this."""


def complete_game(incomplete: str) -> list[str]:
    """Return the names of the installed games that begin like this, for the shell."""
    from fairplay.games.game import registered

    return [name for name in registered() if name.startswith(incomplete)]


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


GameName = Annotated[str, argument("GAME", "The game: see fairplay games.", autocompletion=complete_game)]
Players = Annotated[list[str], option("SPEC", PLAYER_HELP, "-p")]
OptionalPlayers = Annotated[list[str] | None, option("SPEC", PLAYER_HELP, "-p")]
RosterFile = Annotated[Path | None, option("FILE", "Those who enter: see fairplay roster.")]
ServerAddress = Annotated[
    str | None, option("HOST:PORT", "A running server; grpcs:// over TLS. Default: one of its own.")
]
Authorities = Annotated[
    Path | None, option("FILE", "Who vouches for certificates, in PEM. Default: FAIRPLAY_CA, or the system.")
]
Tls = Annotated[
    tuple[Path, Path] | None, option("CERT KEY", "Speak TLS with this certificate and its key, both in PEM.")
]
StartLimit = Annotated[str, option("TIME", "Time to come up, for each player.")]
SandboxMode = Annotated[str, option("WORD", "Run programs (exec:) in a sandbox: auto (where it can be), require, off.")]
RecordsPlace = Annotated[
    Place | None,
    option(
        "DIR|URL",
        "Keep records here: a directory, or postgresql://USER@HOST/DATABASE. Default: nowhere.",
        parser=parse_records,
    ),
]
ServerRecords = Annotated[Place, option("DIR|URL", "The records of the server.", parser=parse_records)]
RecordsSource = Annotated[
    Place, argument("SOURCE", "What --records named, or an exported .fairplay file.", parser=parse_records)
]
StoredRecords = Annotated[Place, argument("SOURCE", "What --records named.", parser=parse_records)]
JsonFile = Annotated[str | None, option("[FILE]", "The result as JSON, in a file or (-) printed.")]
PlainJson = Annotated[bool, option("", "Print as JSON.")]
Plain = Annotated[bool, option("", "Start from the defaults of the rules, not from those of tournaments.")]
Ship = Annotated[bool, option("", "With --cluster: send the current folder, with the programs in it, to its machines.")]
WhenLost = Annotated[str, option("WORD", "If the cluster loses all its workers: wait for others, or end.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Programs:
    """How programs that a command starts are confined."""

    sandbox: SandboxMode = "auto"
    program_limits: Annotated[
        str, option("NAME=N,…", "What each program may use, e.g. memory=1GiB,processes=64,cpu=10m.")
    ] = ""
    program_folders: Annotated[
        str, option("DIR:DIR", "Folders that programs in a sandbox may read besides their own.")
    ] = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """Where the work of a command is done, if not in its own process."""

    jobs: Annotated[
        int, option("N", "Play games in N processes on this machine. Default: in this one.", min=1, max=1024)
    ] = 1
    cluster: Annotated[
        str | None,
        option("ADDRESS", "Play games on a cluster of Ray, HOST:PORT; auto: the one of this machine."),
    ] = None
    when_lost: WhenLost = "wait"
    ship: Ship = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """How games are set up, and what is kept of them."""

    set_: Annotated[list[str] | None, option("KEY=VALUE", "A setting of the game, e.g. rows=6; repeatable.")] = None
    settings: Annotated[Path | None, option("FILE", "All settings as protobuf-JSON.")] = None
    seed: Annotated[
        int | None, option("N", "The same seed, the same game. Default: drawn.", min=0, max=MAX_SEED - 1)
    ] = None
    limit: Annotated[str | None, option("TIME", "Time for a call, e.g. 1s or 500ms.")] = None
    first_limit: Annotated[str | None, option("TIME", "Time for a player's first turn in a game.")] = None
    bank: Annotated[str | None, option("TIME", "Time in reserve for a whole game.")] = None
    start_limit: Annotated[str | None, option("TIME", "Time to come up, for each player. Default: 10s.")] = None
    programs: Programs
    records: RecordsPlace = None

    def with_limits(self, call: str | None, first: str | None, bank: str | None, start: str | None) -> Setup:
        """Return the same with other limits where none was typed."""
        return replace(
            self,
            limit=self.limit or call,
            first_limit=self.first_limit or first,
            bank=self.bank or bank,
            start_limit=self.start_limit or start,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Files:
    """The files that are made of a tournament."""

    report: Annotated[
        Path | None, option("DIR|FILE", "A page with standings, plots and evidence, in FILE.html or DIR.")
    ] = None
    grades: Annotated[Path | None, option("FILE", "Grades as CSV.")] = None
    grading: Annotated[
        str | None,
        option(
            "TEMPLATE",
            "Points for what: certificate, place, band, points, failure, withdrawn, least, most. Default: "
            "place=100,failure=-2,least=0.",
        ),
    ] = None
    preview: Annotated[bool, option("", "Print the grades: who gets what for what, and how they are spread.")] = False
    certificates: Annotated[
        Path | None, option("DIR", "What fairplay certify --roster --report wrote, for the grades.")
    ] = None
    profile: Annotated[
        str,
        option(
            "NAME",
            "With --examine or --certificates: the profile that is enough, e.g. standard: fairplay games GAME lists "
            "them.",
        ),
    ] = ""
    json: JsonFile = None
