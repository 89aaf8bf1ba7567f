"""`fairplay records export`: whole records as files, or games as tables with a card that explains them."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console
from rich.markup import escape

from fairplay.client.errors import FailedError, UsageError
from fairplay.client.wording import counted, file_name
from fairplay.games.game import find
from fairplay.games.kit.files import Output
from fairplay.server import __version__
from fairplay.server.records import files
from fairplay.server.records.database import Listing
from fairplay.server.records.dataset import CALL_COLUMNS, GAME_COLUMNS, LEGAL_COLUMNS, build_rows
from fairplay.server.records.errors import RecordsError
from fairplay.server.records.place import Place
from fairplay.terminal.printing import make_console, make_directory, say
from fairplay.terminal.records.sources import Source, choose, games_of, open_source
from fairplay.terminal.records.tables import JSONL, PARQUET, check_format, open_table

WHOLE = "fairplay"
"""The format of whole records."""
CARD = "README.md"
MEANINGS = {
    "game_id": "the id of the game",
    "tournament_id": "the tournament that it belongs to; null: none",
    "game": "which game is played",
    "seed": "from which all of its randomness follows",
    "settings": "of the game, with every default filled in, as protobuf-JSON",
    "time_control": "the limits of calls, as protobuf-JSON",
    "players": "the names, by seat",
    "start_time": "when it began, UTC",
    "end_time": "when it ended, UTC; null: it did not",
    "server_version": "which server was its referee",
    "status": "finished, aborted (stopped through no fault of a player), or unfinished",
    "aborted": "why it was aborted",
    "ranks": "by seat: 1 is the best, equals share a rank; null: eliminated, or no result",
    "scores": "by seat: the points by which the game ranks; null likewise",
    "misconducts": "the eliminations: seat, number of the call, kind, id of the broken rule",
    "call_count": "how many calls were made",
    "final_state": "the last state, as protobuf-JSON, hidden things included",
    "chain_hash": "the last hash of its record: who has the record can tell that this row is of it",
    "number": "the number of the call, from 1, in the order in which calls were made",
    "entry": "the number of the entry of the record that has its outcome",
    "seat": "who was asked",
    "player": "its name",
    "method": "what was asked",
    "kind": "decision, first decision or notification: which limit held",
    "state": "the state in which it was asked, as protobuf-JSON, hidden things included",
    "request": "what the player was told, as protobuf-JSON",
    "reply": "what it answered, as protobuf-JSON; null: it failed",
    "failure": "how the call failed: timeout, or what went wrong; null: it was answered",
    "elapsed_ms": "from sending the call to reading its reply, in milliseconds",
    "legal_replies": "what would have been legal, at most 100 (of Q: placements of one tile); null: no list",
    "legal_reply_count": "how many legal replies there are",
}


def export_records(
    place: Place, wanted: str | None, output: Path | None, directory: Path | None, form: str, *, legal: bool
) -> None:
    """Export one record to a file or all to a directory, as they are; or their games to a directory, as tables.

    Raises UsageError if the options do not go together.
    """
    if directory is not None and (wanted is not None or output is not None):
        raise UsageError("--all exports every record: it goes with neither an ID nor --output")
    if form in (JSONL, PARQUET):
        if (target := directory or output) is None:
            raise UsageError("tables are several files: name a directory, with --all for those of all games, or -o")
        export_dataset(place, wanted, target, form, legal=legal)
        return
    if form != WHOLE:
        raise UsageError(f"there is no format {form!r}; the formats are {WHOLE}, {JSONL}, {PARQUET}")
    if legal:
        raise UsageError(f"--legal is a part of tables: add --format {JSONL} or --format {PARQUET}")
    console = make_console()
    with open_source(place) as source:
        if directory is not None:
            _export_all(console, source, directory)
            return
        listing = choose(source, wanted)
        path = output or Path(file_name(listing.record_id, files.SUFFIX))
        _export(console, source, listing, path)


def _export(console: Console, source: Source, listing: Listing, path: Path) -> None:
    record = source.read(listing)
    files.save(record, path)
    note = "" if listing.finished else ", unfinished"
    say(console, escape(f"{path}: {listing.kind} {listing.record_id}, {counted(len(record.entries), 'entry')}{note}"))


def _export_all(console: Console, source: Source, directory: Path) -> None:
    make_directory(directory)
    done = failed = 0
    for listing in source.listings():
        try:
            _export(console, source, listing, directory / file_name(listing.record_id, files.SUFFIX))
            done += 1
        except RecordsError as error:
            failed += 1
            sys.stderr.write(f"fairplay: {listing.record_id}: {error}\n")
    if failed:
        raise FailedError(f"{failed} of {counted(done + failed, 'record')} could not be exported")
    say(console, f"{counted(done, 'record')} exported to {escape(str(directory))}")


# --- games as tables ---


def export_dataset(place: Place, wanted: str | None, directory: Path, form: str, *, legal: bool) -> None:
    """Write the games of a source, or those of one record, to `directory` as tables of a format.

    Raises UsageError if the format needs more than is installed, and FailedError after the last game if some could not
    be read.
    """
    check_format(form)
    make_directory(directory)
    call_columns = {**CALL_COLUMNS, **(LEGAL_COLUMNS if legal else {})}
    counts, failed = Counter[str](), 0
    with (
        open_source(place) as source,
        open_table(directory / f"games.{form}", GAME_COLUMNS) as add_games,
        open_table(directory / f"calls.{form}", call_columns) as add_calls,
    ):
        for listing in _chosen(source, wanted):
            try:
                rows = build_rows(source.read(listing), find, legal=legal)
            except (RecordsError, ValueError) as error:
                failed += 1
                sys.stderr.write(f"fairplay: {listing.record_id}: {error}\n")
                continue
            add_games([rows.game])
            add_calls(rows.calls)
            counts[listing.game] += 1
            counts["calls"] += len(rows.calls)
    call_count = counts.pop("calls", 0)
    Output(directory / CARD).write(_card(form, counts, call_count, call_columns))
    if failed:
        raise FailedError(f"{failed} of {counted(failed + counts.total(), 'game')} could not be exported")
    summary = f"{counted(counts.total(), 'game')} and {counted(call_count, 'call')} exported to {directory}"
    say(make_console(), escape(summary))


def _chosen(source: Source, wanted: str | None) -> Iterator[Listing]:
    if wanted is None:
        yield from source.listings(["game"])
        return
    listing = choose(source, wanted)
    yield from [listing] if listing.kind == "game" else games_of(source, listing)


def _card(form: str, counts: Counter[str], call_count: int, call_columns: Mapping[str, str]) -> str:
    """Return the dataset card: what the tables hold, how they were made, what to beware of."""
    played = ", ".join(f"{counted(count, 'game')} of {game}" for game, count in sorted(counts.items())) or "no games"
    return "\n".join(
        [
            "# Games under a referee",
            "",
            f"{played}; {counted(call_count, 'call')}. Made on {datetime.now(UTC):%Y-%m-%d} by fairplay {__version__}",
            "from records, each of which was played again by the rules before it became rows.",
            "",
            f"`games.{form}` has a row for each game, `calls.{form}` a row for each call, in the order of the answers;",
            "`game_id` and `seat` join them. Messages are protobuf-JSON of the types in the protos of the game.",
            "",
            "**Beware.** States hold what was hidden from players; what a player knew is in `request`. Times are",
            "those of the machine that played. Names are as their players chose them. How players were reached is",
            "left out.",
            "",
            *_described(f"games.{form}", GAME_COLUMNS),
            *_described(f"calls.{form}", call_columns),
        ]
    )


def _described(title: str, columns: Mapping[str, str]) -> list[str]:
    rows = [f"| {name} | {kind} | {MEANINGS[name]} |" for name, kind in columns.items()]
    return [f"## {title}", "", "| column | type | meaning |", "|---|---|---|", *rows, ""]
