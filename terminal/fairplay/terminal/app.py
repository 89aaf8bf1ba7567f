"""The commands and their help. Each one's work is in a module of its own, imported when it runs."""

from __future__ import annotations

import io
import os
import sys
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from fairplay.terminal.outcomes import outcomes

PLAYER_HELP = """A player, [NAME=]LINK; once for each. LINK is grpc://HOST:PORT (it serves), dial-in:NAME (it dials the
server), exec:COMMAND (started here) or bot:STRATEGY (built in, e.g. bot:minimax:depth=2)."""

COMMANDS = "fairplay.commands"
"""The entry points of commands that other packages bring: a function, or a typer.Typer with several, in a module that
loads fast."""


@cache
def _brought() -> dict[str, EntryPoint]:
    """The commands of other packages by name, not loaded yet."""
    return {entry.name: entry for entry in sorted(entry_points(group=COMMANDS), key=lambda entry: entry.name)}


class Commands(TyperGroup):
    """The commands of this module, and those that other packages bring, which are loaded when they are asked for."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Their names, as help shows them."""
        return sorted({*super().list_commands(ctx), *_brought()}, key=[*self.commands, *_brought()].index)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """One of them, or None."""
        if cmd_name not in self.commands and cmd_name in _brought():
            self.add_command(_loaded(_brought()[cmd_name]), cmd_name)
        return super().get_command(ctx, cmd_name)


def _loaded(entry: EntryPoint) -> Any:
    found = entry.load()
    if not isinstance(found, typer.Typer):
        function, found = found, typer.Typer(rich_markup_mode=None, add_completion=False)
        found.command(entry.name)(function)
    return typer.main.get_command(found)


app = typer.Typer(
    name="fairplay",
    cls=Commands,
    help="Refereed games between programs written by strangers.",
    epilog="Start with: fairplay demo",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
records = typer.Typer(
    help="""Look into records: of a store (the directory that --records named) or of an exported file.

    Examples:

    \b
      fairplay records list records/
      fairplay records show records/ GAME_ID --state-at 12
      fairplay records verify game.fairplay""",
    no_args_is_help=True,
    rich_markup_mode=None,
)
app.add_typer(records, name="records")


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        sys.stdout.write(f"fairplay {version('fairplay')}\n")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Refereed games between programs written by strangers."""


GameName = Annotated[str, typer.Argument(metavar="GAME", help="The game: see fairplay games.")]
Players = Annotated[list[str], typer.Option("--player", "-p", metavar="SPEC", help=PLAYER_HELP)]
ServerAddress = Annotated[
    str | None, typer.Option("--server", metavar="HOST:PORT", help="A running server. Default: one of its own.")
]
Settings = Annotated[
    list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="A setting of the game, e.g. rows=6; repeatable.")
]
SettingsFile = Annotated[Path | None, typer.Option("--settings", metavar="FILE", help="All settings as protobuf-JSON.")]
Seed = Annotated[
    int | None,
    typer.Option("--seed", metavar="N", min=0, max=2**64 - 1, help="The same seed, the same game. Default: drawn."),
]
Limit = Annotated[str | None, typer.Option("--limit", metavar="TIME", help="Time for a call, e.g. 1s or 500ms.")]
FirstLimit = Annotated[
    str | None, typer.Option("--first-limit", metavar="TIME", help="Time for a player's first turn in a game.")
]
Bank = Annotated[str | None, typer.Option("--bank", metavar="TIME", help="Time in reserve for a whole game.")]
StartLimit = Annotated[str, typer.Option("--start-limit", metavar="TIME", help="Time to come up, for each player.")]
RecordsDir = Annotated[
    Path | None, typer.Option("--records", metavar="DIR", help="Keep records here. Default: nowhere.")
]
JsonFile = Annotated[
    str | None, typer.Option("--json", metavar="[FILE]", help="The result as protobuf-JSON, in a file or (-) printed.")
]
Listen = Annotated[str, typer.Option("--listen", metavar="HOST:PORT", help="Where to listen; port 0: any free one.")]


RecordsSource = Annotated[
    Path, typer.Argument(metavar="SOURCE", help="A directory with records, or an exported .fairplay file.")
]
RecordId = Annotated[
    str | None,
    typer.Argument(metavar="ID", help="Which record; the beginning of its id will do. Default: the only one."),
]
PlainJson = Annotated[bool, typer.Option("--json", help="Print as JSON.")]


@app.command()
def serve(
    listen: Listen = "127.0.0.1:50050",
    records: RecordsDir = None,
    allow_exec: Annotated[
        bool, typer.Option("--allow-exec", help="Let callers have this server start programs (exec: links).")
    ] = False,
    start_limit: StartLimit = "10s",
    grace: Annotated[
        str, typer.Option("--grace", metavar="TIME", help="How long a user of the lobby may be away before it is lost.")
    ] = "10s",
    max_users: Annotated[
        int, typer.Option("--max-users", metavar="N", min=1, help="The most users that the lobby takes.")
    ] = 5_000,
    max_tables: Annotated[
        int, typer.Option("--max-tables", metavar="N", min=1, help="The most tables that the lobby takes.")
    ] = 1_000,
    requests: Annotated[
        int, typer.Option("--requests", metavar="N", min=1, help="Requests a second of a user of the lobby.")
    ] = 20,
) -> None:
    """Run the reference server until Ctrl-C.

    With --records it goes on after a crash where it was.

    Example:

    \b
      fairplay serve --listen 0.0.0.0:50050 --records records/
    """
    with outcomes():
        from fairplay.terminal.serving import LobbyWish
        from fairplay.terminal.serving import serve as run

        run(listen, records, allow_exec, start_limit, LobbyWish(grace, max_users, max_tables, requests))


@app.command()
def game(
    game: GameName,
    player: Players,
    server: ServerAddress = None,
    set_: Settings = None,
    settings: SettingsFile = None,
    state: Annotated[
        Path | None, typer.Option("--state", metavar="FILE", help="A state to start from, as protobuf-JSON.")
    ] = None,
    seed: Seed = None,
    limit: Limit = None,
    first_limit: FirstLimit = None,
    bank: Bank = None,
    start_limit: StartLimit = "10s",
    records: RecordsDir = None,
    json: JsonFile = None,
) -> None:
    """Play one game. The players sit in the order in which they are named.

    Examples:

    \b
      fairplay game fish --player bot:minimax --player bot:random --seed 1
      fairplay game fish --player me=exec:./my-player --player bot:greedy --set rows=6 --json result.json
    """
    with outcomes():
        from fairplay.terminal.playing import Wish, play_game

        wish = Wish(game, player, server, set_, settings, state, seed, limit, first_limit, bank, start_limit, records)
        raise typer.Exit(play_game(wish, json))


@app.command()
def tournament(
    game: GameName,
    player: Players,
    server: ServerAddress = None,
    format_: Annotated[str, typer.Option("--format", metavar="NAME", help="knockout")] = "knockout",
    set_: Settings = None,
    settings: SettingsFile = None,
    seed: Seed = None,
    limit: Limit = None,
    first_limit: FirstLimit = None,
    bank: Bank = None,
    start_limit: StartLimit = "10s",
    records: RecordsDir = None,
    json: JsonFile = None,
) -> None:
    """Run a tournament. The players are named youngest first.

    With --records a tournament that was interrupted goes on when the same command is given again.

    Examples:

    \b
      fairplay tournament fish -p bot:minimax -p bot:greedy -p bot:random -p me=exec:./my-player
      fairplay tournament fish --server host:50050 -p dial-in:alice -p dial-in:bob --json result.json
    """
    with outcomes():
        from fairplay.terminal.playing import Wish, play_tournament

        wish = Wish(game, player, server, set_, settings, None, seed, limit, first_limit, bank, start_limit, records)
        raise typer.Exit(play_tournament(wish, format_, json))


@app.command()
def player(
    game: GameName,
    strategy: Annotated[str, typer.Option("--strategy", "-s", metavar="NAME", help="See fairplay games.")] = "first",
    listen: Annotated[str | None, typer.Option("--listen", metavar="HOST:PORT", help="Serve on this address.")] = None,
    connect: Annotated[
        str | None, typer.Option("--connect", metavar="HOST:PORT", help="Dial in to this server.")
    ] = None,
    serve: Annotated[
        bool, typer.Option("--serve", help="Serve where the server that starts this says (exec:).")
    ] = False,
    name: Annotated[str | None, typer.Option("--name", metavar="NAME", help="The name to dial in under.")] = None,
    token: Annotated[str, typer.Option("--token", metavar="SECRET", help="Protects the name.")] = "",
    patience: Annotated[
        str, typer.Option("--patience", metavar="TIME", help="How long to try to reach the server.")
    ] = "30s",
    resume: Annotated[
        str, typer.Option("--resume", metavar="TIME", help="How long calls wait for a lost connection to come back.")
    ] = "0s",
    pause: Annotated[
        str, typer.Option("--pause", metavar="TIME", help="Take at least so long to answer, for people to follow.")
    ] = "0s",
) -> None:
    """Run a reference player until Ctrl-C, or until the server says goodbye.

    Started by a server (exec:), it finds where to go in its environment and needs neither --listen nor --connect.

    Examples:

    \b
      fairplay player fish --strategy minimax --listen 127.0.0.1:50051
      fairplay player fish --strategy greedy --connect host:50050 --name alice
    """
    with outcomes():
        from fairplay.terminal.player import play

        play(game, strategy, listen, serve, connect, name, token, patience, resume, pause)


@app.command()
def games(
    name: Annotated[str | None, typer.Argument(metavar="GAME", help="Only this game, with its rule ids.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
) -> None:
    """Show the games: settings with their defaults, strategies, time limits and rule ids.

    Examples:

    \b
      fairplay games
      fairplay games fish --json
    """
    with outcomes():
        from fairplay.terminal.listing import show_games

        show_games(name, json)


@app.command()
def demo(
    game: Annotated[str, typer.Option("--game", metavar="GAME", help="The game to show.")] = "fish",
    records: Annotated[
        Path | None, typer.Option("--records", metavar="DIR", help="Keep the records here. Default: a new directory.")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", metavar="N", min=0, max=2**64 - 1)] = 1,
    json: JsonFile = None,
) -> None:
    """Watch a tournament: ten players in processes of their own, three of them broken, over real gRPC.

    Example:

    \b
      fairplay demo
    """
    with outcomes():
        from fairplay.terminal.demo import run_demo

        raise typer.Exit(run_demo(game, records, seed, json))


@records.command("list")
def list_records(
    source: RecordsSource,
    tournament: Annotated[
        str | None, typer.Option("--tournament", metavar="ID", help="Only the games of this tournament.")
    ] = None,
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, help="At most so many.")] = 50,
    json: PlainJson = False,
) -> None:
    """List records, the newest first.

    A record without an end is "running" while a server writes to the directory, and "unfinished" otherwise.

    Examples:

    \b
      fairplay records list records/
      fairplay records list records/ --tournament fish-cup --json
    """
    with outcomes():
        from fairplay.terminal.records import list_records as run

        run(source, tournament, limit, json)


@records.command()
def show(
    source: RecordsSource,
    record: RecordId = None,
    state_at: Annotated[
        int | None,
        typer.Option("--state-at", metavar="N", help="Only the state after entry N, for fairplay game --state."),
    ] = None,
    call: Annotated[
        int | None, typer.Option("--call", metavar="N", help="Only call N: its request, its reply and the board.")
    ] = None,
    json: PlainJson = False,
) -> None:
    """Show a record: its entries, a call or a state.

    Each entry is a line; an elimination is followed by its rule and evidence.

    Examples:

    \b
      fairplay records show records/ fish-3f2a
      fairplay records show game.fairplay --call 17
      fairplay records show game.fairplay --state-at 12 > state.json
    """
    with outcomes():
        from fairplay.terminal.showing import show_record

        show_record(source, record, json, state_at, call)


@records.command()
def export(
    source: RecordsSource,
    record: RecordId = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Default: ID.fairplay, with + for /.")
    ] = None,
    all_: Annotated[
        Path | None, typer.Option("--all", metavar="DIR", help="Export every record to this directory.")
    ] = None,
) -> None:
    """Export a record to a file, which the other commands read as well.

    Examples:

    \b
      fairplay records export records/ fish-3f2a -o game.fairplay
      fairplay records export records/ --all exported/
    """
    with outcomes():
        from fairplay.terminal.records import export_record

        export_record(source, record, output, all_)


@records.command()
def replay(
    source: RecordsSource,
    record: RecordId = None,
    pause: Annotated[
        str | None,
        typer.Option("--pause", metavar="TIME", help="Between boards. Default: 300ms in a terminal, else 0s."),
    ] = None,
) -> None:
    """Play a recorded game in the terminal, board by board.

    Example:

    \b
      fairplay records replay records/ fish-3f2a --pause 1s
    """
    with outcomes():
        from fairplay.terminal.playback import replay_record

        replay_record(source, record, pause)


@records.command()
def verify(source: RecordsSource, record: RecordId = None, json: PlainJson = False) -> None:
    """Check that records are intact and keep the rules.

    Follows the hash chain of every record, or of one, and plays the game again. Exit code 1: something is wrong; the
    entry is named.

    Examples:

    \b
      fairplay records verify records/
      fairplay records verify game.fairplay --json
    """
    with outcomes():
        from fairplay.terminal.records import verify_records

        raise typer.Exit(verify_records(source, record, json))


@records.command()
def picture(
    source: RecordsSource,
    record: RecordId = None,
    at: Annotated[
        int | None, typer.Option("--at", metavar="N", help="The state after entry N. Default: the last.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Default: ID.svg or ID-N.svg, with + for /.")
    ] = None,
    all_: Annotated[
        Path | None,
        typer.Option("--all", metavar="DIR", help="Every state, numbered from 0001.svg, to this directory."),
    ] = None,
) -> None:
    """Draw a state of a recorded game as SVG.

    Examples:

    \b
      fairplay records picture records/ fish-3f2a --at 12 -o board.svg
      fairplay records picture game.fairplay --all pictures/
    """
    with outcomes():
        from fairplay.terminal.playback import draw

        draw(source, record, at, output, all_)


def main() -> None:
    """Runs the command line."""
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")  # what goes wrong is said by us, in one sentence
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that cannot show a character is no reason to fail
    app(args=with_json_file(sys.argv[1:]))


def with_json_file(arguments: list[str]) -> list[str]:
    """`--json` without a file, in commands where it may have one, prints: it is given the file "-"."""
    if not arguments or arguments[0] not in ("game", "tournament", "demo", "certify"):
        return arguments
    given: list[str] = []
    for index, argument in enumerate(arguments):
        given.append(argument)
        following = arguments[index + 1 : index + 2]
        if argument == "--json" and (not following or (following[0].startswith("-") and following[0] != "-")):
            given.append("-")
    return given
