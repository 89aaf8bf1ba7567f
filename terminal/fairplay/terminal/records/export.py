"""`fairplay records export`."""

from __future__ import annotations

import sys
from pathlib import Path

from rich.console import Console
from rich.markup import escape

from fairplay.server.records import files
from fairplay.server.records.database import Listing
from fairplay.server.records.errors import RecordsError
from fairplay.terminal.outcomes import FailedError, UsageError
from fairplay.terminal.printing import counted, file_name, make_directory, say
from fairplay.terminal.records.choosing import choose
from fairplay.terminal.records.sources import Source, open_source


def export_record(place: Path, wanted: str | None, output: Path | None, directory: Path | None) -> None:
    """Export one record to a file, or all to a directory."""
    if directory is not None and (wanted is not None or output is not None):
        raise UsageError("--all exports every record: it goes with neither an ID nor --output")
    console = Console(highlight=False)
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
