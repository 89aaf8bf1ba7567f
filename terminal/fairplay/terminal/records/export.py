"""`fairplay records export`."""

from __future__ import annotations

import sys
from pathlib import Path

from rich.console import Console
from rich.markup import escape

from fairplay.client.errors import FailedError, UsageError
from fairplay.client.text import counted, file_name
from fairplay.server.records import files
from fairplay.server.records.database import Listing
from fairplay.server.records.errors import RecordsError
from fairplay.server.records.place import Place
from fairplay.terminal.printing import make_console, make_directory, say
from fairplay.terminal.records.choosing import choose
from fairplay.terminal.records.dataset import export_dataset
from fairplay.terminal.records.sources import Source, open_source
from fairplay.terminal.records.tables import JSONL, PARQUET

WHOLE = "fairplay"
"""The format of whole records."""


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
