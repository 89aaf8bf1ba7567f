"""`fairplay records list`."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from rich.markup import escape

from fairplay.games.kit.printable import UNPRINTABLE
from fairplay.server.records.database import Listing
from fairplay.server.records.errors import RecordsError
from fairplay.server.records.place import Place
from fairplay.terminal.printing import make_console, print_json, say, timestamp
from fairplay.terminal.records.overview import (
    ABORTED,
    CANCELLED,
    DAMAGED,
    FINISHED,
    RUNNING,
    UNFINISHED,
    Overview,
    show_time,
    summarize,
)
from fairplay.terminal.records.sources import KINDS, Source, choose_tournament, open_source, shorten_ids

HEADINGS = ("ID", "KIND", "GAME", "STATUS", "WINNERS", "WHEN", "ENTRIES", "PLAYERS")
DISPENSABLE = ("PLAYERS", "ENTRIES", "KIND", "WHEN", "GAME", "WINNERS", "STATUS")
"""The columns that a narrow terminal goes without, in this order."""
MAX_NAMES_CHARS = 20
"""How long the winners may be where there is not enough room for everything."""
GAP = "  "
STYLES = {FINISHED: "default", RUNNING: "green", UNFINISHED: "yellow", ABORTED: "yellow", CANCELLED: "yellow"}


def list_records(place: Place, tournament: str | None, limit: int, as_json: bool) -> None:
    """List the newest records, in lines that fit the terminal."""
    console = make_console()
    with open_source(place) as source:
        parent = choose_tournament(source, tournament) if tournament is not None else ""
        listings = source.listings(["game"] if parent else KINDS, parent)
        rows = list(_rows(source, islice(listings, limit)))
        more = next(listings, None) is not None
        if as_json:
            print_json([_row_json(row) for row in rows])
            return
        table: Table = dict(zip(HEADINGS, zip(*map(_cells, rows), strict=True), strict=True)) if rows else {}
        width = console.width if console.is_terminal or "COLUMNS" in os.environ else None
        if width is not None and _too_wide(table, width):
            table = _fit(table, width, shorten_ids(source, [row.record_id for row in rows]))
    if not rows:
        say(console, escape(f"there are no records {f'of {parent}' if parent else f'in {place}'}"))
        return
    for line, style in zip(_lines(table), ["bold", *(STYLES.get(row.status, "red") for row in rows)], strict=True):
        say(console, f"[{style}]{escape(line)}[/]")
    if more:
        say(console, f"and older ones: give --limit more than {limit}")


def _rows(source: Source, listings: Iterable[Listing]) -> Iterator[Overview]:
    endless = RUNNING if source.written else UNFINISHED
    for listing in listings:
        try:
            overview = summarize(source.read(listing))
        except RecordsError:
            yield _damaged(listing)
        else:
            yield replace(overview, status=overview.status or endless)


def _damaged(listing: Listing) -> Overview:
    """Return what is known of a record that cannot be read."""
    return Overview(listing.record_id, listing.kind, listing.game, 0, (), DAMAGED, (), None, None, 0, listing.parent)


def _row_json(row: Overview) -> dict[str, Any]:
    """Return a record at a glance as plain values; times as in protobuf-JSON."""
    return {
        "id": row.record_id,
        "kind": row.kind,
        "game": row.game,
        "players": row.players,
        "status": row.status,
        "winners": list(row.winners),
        "startTime": timestamp(row.start),
        "endTime": timestamp(row.end),
        "entries": row.entry_count,
        "tournament": row.tournament or None,
    }


# --- the table ---

Table = Mapping[str, Sequence[str]]
"""The cells of each column, by its heading."""


def _cells(row: Overview) -> tuple[str, ...]:
    winners, players = ", ".join(row.winners) or "-", ", ".join(row.players)
    cells = (
        row.record_id,
        row.kind,
        row.game,
        row.status,
        winners,
        show_time(row.start),
        f"{row.entry_count:,}",
        players,
    )
    return tuple(cell.translate(UNPRINTABLE) for cell in cells)


def _fit(table: Table, width: int, short_ids: Sequence[str]) -> Table:
    """Return a table with short ids and winners, and without the dispensable columns for which there is no room."""
    table = {**table, "ID": short_ids, "WINNERS": [_cut(names) for names in table["WINNERS"]]}
    for heading in DISPENSABLE:
        if _too_wide(table, width):
            table = {name: cells for name, cells in table.items() if name != heading}
    return table


def _cut(names: str) -> str:
    return names if len(names) <= MAX_NAMES_CHARS else f"{names[: MAX_NAMES_CHARS - 1]}…"


def _too_wide(table: Table, width: int) -> bool:
    return any(len(line) > width for line in _lines(table))


def _lines(table: Table) -> Iterator[str]:
    """Yield the heading and the rows of a table, aligned."""
    columns = [[heading, *cells] for heading, cells in table.items()]
    widths = [max(map(len, column)) for column in columns]
    for cells in zip(*columns, strict=True):
        yield GAP.join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip()
