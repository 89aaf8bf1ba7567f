"""`fairplay records list`, `export` and `verify`. See showing.py for `show`, playback.py for `replay` and `picture`."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import Console
from rich.markup import escape

from fairplay.server.manager.history import check_tournament
from fairplay.server.records import files
from fairplay.server.records.database import Listing
from fairplay.server.records.errors import RecordsError
from fairplay.server.records.verify import CHECKS, Finding, verify
from fairplay.terminal.facts import ABORTED, CANCELLED, DAMAGED, FINISHED, RUNNING, UNFINISHED, Facts, facts_of, local
from fairplay.terminal.outcomes import DONE, FAILED, FailedError, UsageError
from fairplay.terminal.saying import counted, file_name, make_directory, print_json, say
from fairplay.terminal.sources import KINDS, Source, choose, choose_tournament, opened
from fairplay.v1.record_pb2 import Record

HEADINGS = ("ID", "KIND", "GAME", "STATUS", "WINNERS", "WHEN", "ENTRIES", "TOURNAMENT", "PLAYERS")
STYLES = {FINISHED: "default", RUNNING: "green", UNFINISHED: "yellow", ABORTED: "yellow", CANCELLED: "yellow"}
ALL_CHECKS = {**CHECKS, "tournament": check_tournament}


# --- list ---


def list_records(place: Path, tournament: str | None, limit: int, as_json: bool) -> None:
    """Lists the newest records, one at a time in memory."""
    with opened(place) as source:
        parent = choose_tournament(source, tournament) if tournament is not None else ""
        listings = source.listings(["game"] if parent else KINDS, parent)
        rows = list(_rows(source, islice(listings, limit)))
        more = next(listings, None) is not None
    if as_json:
        print_json([_row_json(row) for row in rows])
        return
    console = Console(highlight=False)
    if not rows:
        say(console, escape(f"there are no records {f'of {parent}' if parent else f'in {place}'}"))
        return
    for line in _lines(rows):
        say(console, line)
    if more:
        say(console, f"and older ones: give --limit more than {limit}")


def _rows(source: Source, listings: Iterable[Listing]) -> Iterator[Facts]:
    endless = RUNNING if source.written else UNFINISHED
    for listing in listings:
        try:
            facts = facts_of(source.read(listing))
        except RecordsError:
            yield _damaged(listing)
        else:
            yield replace(facts, status=facts.status or endless)


def _damaged(listing: Listing) -> Facts:
    """What is left to say of a record that cannot be read."""
    return Facts(listing.record_id, listing.kind, listing.game, 0, (), DAMAGED, (), None, None, 0, listing.parent)


def _row_json(row: Facts) -> dict[str, Any]:
    """A record at a glance, as plain values; times as in protobuf-JSON."""
    return {
        "id": row.record_id,
        "kind": row.kind,
        "game": row.game,
        "players": row.players,
        "status": row.status,
        "winners": list(row.winners),
        "startTime": _time_json(row.start),
        "endTime": _time_json(row.end),
        "entries": row.entry_count,
        "tournament": row.tournament or None,
    }


def _time_json(time: datetime | None) -> str | None:
    return time.isoformat().replace("+00:00", "Z") if time is not None else None


def _lines(rows: Sequence[Facts]) -> Iterator[str]:
    """A table in rich's markup, as wide as it gets: an id that is folded or cut could not be copied."""
    cells = [_cells(row) for row in rows]
    widths = [max(map(len, column)) for column in zip(HEADINGS, *cells, strict=True)]
    yield f"[bold]{escape(_aligned(HEADINGS, widths))}[/]"
    for row, line in zip(rows, cells, strict=True):
        yield f"[{STYLES.get(row.status, 'red')}]{escape(_aligned(line, widths))}[/]"


def _cells(row: Facts) -> tuple[str, ...]:
    winners, players = ", ".join(row.winners) or "-", ", ".join(row.players)
    when, entries = local(row.start), f"{row.entry_count:,}"
    return row.record_id, row.kind, row.game, row.status, winners, when, entries, row.tournament or "-", players


def _aligned(cells: Sequence[str], widths: Sequence[int]) -> str:
    return "  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip()


# --- export ---


def export_record(place: Path, wanted: str | None, output: Path | None, directory: Path | None) -> None:
    """Exports one record to a file, or all to a directory."""
    if directory is not None and (wanted is not None or output is not None):
        raise UsageError("--all exports every record: it goes with neither an ID nor --output")
    console = Console(highlight=False)
    with opened(place) as source:
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


# --- verify ---


class Verdict(NamedTuple):
    """What verifying a record has shown. Nothing in `findings`: it is intact."""

    record_id: str
    kind: str
    finished: bool
    entry_count: int
    findings: Sequence[Finding]

    @property
    def word(self) -> str:
        """The verdict in a word: "ok", "unfinished" (and intact so far) or "wrong"."""
        if self.findings:
            return "wrong"
        return "ok" if self.finished else "unfinished"


def verify_records(place: Path, wanted: str | None, as_json: bool) -> int:
    """Verifies one record or all; returns the exit code."""
    console = Console(highlight=False)
    counts = dict.fromkeys(("ok", "unfinished", "wrong"), 0)
    found = []
    with opened(place) as source:
        for verdict in _verdicts(source, wanted):
            counts[verdict.word] += 1
            if as_json:
                found.append(_verdict_json(verdict))
            else:
                _show_verdict(console, verdict)
    if as_json:
        print_json({"ok": not counts["wrong"], "records": found})
    elif not sum(counts.values()):
        raise FailedError(f"there are no records in {place}")
    else:
        details = ", ".join(f"{count} {word}" for word, count in counts.items() if count)
        say(console, f"{counted(sum(counts.values()), 'record')}: {details}")
    return FAILED if counts["wrong"] else DONE


def _verdicts(source: Source, wanted: str | None) -> Iterator[Verdict]:
    for listing in [choose(source, wanted)] if wanted is not None else source.listings():
        try:
            record = source.read(listing)
        except RecordsError as error:
            yield Verdict(listing.record_id, listing.kind, listing.finished, 0, [Finding(0, str(error))])
        else:
            findings = verify(record, finished=source.whole(listing), checks=ALL_CHECKS) or _mislaid(listing, record)
            yield Verdict(listing.record_id, listing.kind, listing.finished, len(record.entries), findings)


def _mislaid(listing: Listing, record: Record) -> list[Finding]:
    """Whether an intact record is the one that the store says it is."""
    recorded_id = facts_of(record).record_id
    if recorded_id != listing.record_id:
        return [Finding(1, f"it is the record of {recorded_id!r}")]
    return []


def _show_verdict(console: Console, verdict: Verdict) -> None:
    style = {"ok": "green", "unfinished": "yellow", "wrong": "red"}[verdict.word]
    problem = "; ".join(map(str, verdict.findings)) or (
        counted(verdict.entry_count, "entry") + ("" if verdict.finished else ", intact so far")
    )
    say(console, f"[{style}]{verdict.word:<10}[/]  {escape(f'{verdict.record_id}  {problem}')}")


def _verdict_json(verdict: Verdict) -> dict[str, Any]:
    return {
        "id": verdict.record_id,
        "kind": verdict.kind,
        "status": verdict.word,
        "entries": verdict.entry_count,
        "findings": [finding._asdict() for finding in verdict.findings],
    }
