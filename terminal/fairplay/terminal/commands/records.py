"""Commands about records: list, show, ask, export, replay, verify, copy, prune, drop, picture."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from fairplay.server.records.place import Place
from fairplay.terminal.commands.options import argument, command, group, option
from fairplay.terminal.commands.parameters import PlainJson, RecordsSource, StartLimit, StoredRecords, parse_records

app = group(
    """Look into records: of a store (what --records named) or of an exported file.

    Examples:

    \b
      fairplay records list records/
      fairplay records show records/ GAME_ID --state-at 12
      fairplay records verify game.fairplay"""
)

RecordId = Annotated[
    str | None,
    argument("ID", "Which record; the beginning of its id will do. Default: the only one."),
]


@app.command("list")
@command
def list_records(
    source: RecordsSource,
    tournament: Annotated[str | None, option("ID", "Only the games of this tournament.")] = None,
    limit: Annotated[int, option("N", "At most so many.", min=1)] = 50,
    json: PlainJson = False,
) -> None:
    """List records, the newest first.

    A record without an end is "running" while a server writes there, and "unfinished" otherwise.

    Examples:

    \b
      fairplay records list records/
      fairplay records list records/ --tournament fish-cup --json
    """
    from fairplay.terminal.records.list import list_records as run

    run(source, tournament, limit, json)


@app.command()
@command
def show(
    source: RecordsSource,
    record: RecordId = None,
    state_at: Annotated[
        int | None,
        option("N", "Only the state after entry N, for fairplay game --state."),
    ] = None,
    call: Annotated[int | None, option("N", "Only call N: its request, its reply and the board.")] = None,
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
    from fairplay.terminal.records.show import show_record

    show_record(source, record, json, state_at, call)


@app.command()
@command
def ask(
    source: RecordsSource,
    game: Annotated[str, argument("GAME", "Which game; the beginning of its id will do. Of a file with one: SPEC.")],
    player: Annotated[
        str | None,
        argument(
            "SPEC",
            "Your player: grpc://HOST:PORT (it serves; grpcs:// over TLS), dial-in:NAME (it dials --listen), "
            "exec:COMMAND (started here) or bot:STRATEGY (built in).",
        ),
    ] = None,
    *,
    call: Annotated[int, option("N", "Which call: the number that fairplay records show has for it.", min=1)],
    from_: Annotated[
        int | None, option("N", "Ask all its calls from this one on before. Default: only --call.", min=1)
    ] = None,
    listen: Annotated[str, option("HOST:PORT", "Where players dial in; port 0: any free one.")] = "127.0.0.1:0",
    start_limit: StartLimit = "10s",
) -> int:
    """Ask your player a recorded call again, without a time limit, so that a debugger can stand in it.

    Shows the board, the request, the reply, whether that is legal, and what else would be. It is judged as if it had
    taken as long as the one in the record. Exit code 1: it is not legal, or the call failed.

    Examples:

    \b
      fairplay records ask records/ fish-3f2a --call 17 grpc://localhost:50051
      fairplay records ask records/ fish-3f2a --call 17 --from 1 exec:./my-player
    """
    from fairplay.client.inputs import parse_seconds
    from fairplay.terminal.records.ask import Asking, ask_again

    asking = Asking(call, call if from_ is None else from_, listen, parse_seconds(start_limit, "--start-limit"))
    wanted, spec = (game, player) if player is not None else (None, game)
    return ask_again(source, wanted, spec, asking)


@app.command()
@command
def export(
    source: RecordsSource,
    record: RecordId = None,
    output: Annotated[
        Path | None,
        option("PATH", "The file; of tables the directory. Default: ID.fairplay, with + for /.", "-o"),
    ] = None,
    all_: Annotated[Path | None, option("DIR", "Export every record to this directory.")] = None,
    format_: Annotated[
        str,
        option("FORMAT", "fairplay: whole records. jsonl, parquet: games as tables, a row a game and a row a call."),
    ] = "fairplay",
    legal: Annotated[bool, option("", "In tables: what else each decision might have been. Takes its time.")] = False,
) -> None:
    """Export a record to a file, which the other commands read as well; or games as tables, for research.

    Of a tournament, tables have all its games. A directory of tables has a README.md that explains them.

    Examples:

    \b
      fairplay records export records/ fish-3f2a -o game.fairplay
      fairplay records export records/ --all exported/
      fairplay records export records/ --all tables/ --format parquet
    """
    from fairplay.terminal.records.export import export_records

    export_records(source, record, output, all_, format_, legal=legal)


@app.command()
@command
def replay(
    source: RecordsSource,
    record: RecordId = None,
    pause: Annotated[
        str | None,
        option("TIME", "Between boards. Default: 300ms in a terminal, else 0s."),
    ] = None,
) -> None:
    """Play a recorded game in the terminal, board by board.

    Example:

    \b
      fairplay records replay records/ fish-3f2a --pause 1s
    """
    from fairplay.terminal.records.games import replay_record

    replay_record(source, record, pause)


@app.command()
@command
def verify(source: RecordsSource, record: RecordId = None, json: PlainJson = False) -> int:
    """Check that records are intact and keep the rules.

    Follows the hash chain of every record, or of one, and plays the game again. Exit code 1: something is wrong; the
    entry is named.

    Examples:

    \b
      fairplay records verify records/
      fairplay records verify game.fairplay --json
    """
    from fairplay.terminal.records.verify import verify_records

    return verify_records(source, record, json)


@app.command()
@command
def copy(
    source: StoredRecords,
    target: Annotated[Place, argument("TARGET", "An empty place, as --records names it.", parser=parse_records)],
) -> None:
    """Copy all that a server keeps to another place, e.g. from a directory to PostgreSQL: accounts and secrets too.

    The server must not be running. Nothing is changed in the source.

    Examples:

    \b
      fairplay records copy records/ postgresql://fairplay@db/fairplay
      fairplay records copy postgresql://fairplay@db/fairplay backup/
    """
    from fairplay.terminal.records.upkeep import copy_records

    copy_records(source, target)


@app.command()
@command
def prune(
    source: StoredRecords,
    older: Annotated[str, option("AGE", "Remove what ended longer ago: e.g. 12h, 90d or 8w.")],
    keep: Annotated[
        list[str] | None,
        option("KIND", "Whatever its age: tournaments or tables, and their games."),
    ] = None,
    dry_run: Annotated[bool, option("", "Only say how many there are.")] = False,
) -> None:
    """Remove old records for ever.

    A tournament or a table goes together with its games, once all of them have ended. The server must not be running.

    Examples:

    \b
      fairplay records prune records/ --older 90d --keep tournaments --dry-run
      fairplay records prune records/ --older 90d --keep tournaments
    """
    from fairplay.terminal.records.upkeep import prune_records

    prune_records(source, older, keep or [], dry_run=dry_run)


@app.command()
@command
def drop(
    source: StoredRecords,
    record: Annotated[str, argument("RECORD", "Its id, or the beginning of it.")],
) -> None:
    """Remove a tournament, a game or a table that was interrupted, so that nobody goes on with it.

    It is removed for ever, with its games. The server must not be running.

    Example:

    \b
      fairplay records drop records/ fish-3f2a
    """
    from fairplay.terminal.records.upkeep import drop_record

    drop_record(source, record)


@app.command()
@command
def picture(
    source: RecordsSource,
    record: RecordId = None,
    at: Annotated[int | None, option("N", "The state after entry N. Default: the last.")] = None,
    output: Annotated[Path | None, option("FILE", "Default: ID.svg or ID-N.svg, with + for /.", "-o")] = None,
    all_: Annotated[
        Path | None,
        option("DIR", "Every state, numbered from 0001.svg, to this directory."),
    ] = None,
) -> None:
    """Draw a state of a recorded game as SVG.

    Examples:

    \b
      fairplay records picture records/ fish-3f2a --at 12 -o board.svg
      fairplay records picture game.fairplay --all pictures/
    """
    from fairplay.terminal.records.games import draw_pictures

    draw_pictures(source, record, at, output, all_)
