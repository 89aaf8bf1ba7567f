"""Tables in records: what a server that is started again needs to go on with them.

A record of a table reaches from the end of one game there to the end of the next. So the records that are not finished,
which a new start has to look for, are never much older than the games that are not.
"""

from __future__ import annotations

import logging
import uuid
from collections.abc import Iterator

from google.protobuf.timestamp_pb2 import Timestamp

from fairplay.games.game import find
from fairplay.server.lobby.table import Seat, Table
from fairplay.server.records.chain import parsed
from fairplay.server.records.database import Listing
from fairplay.server.records.errors import RecordsError
from fairplay.server.records.journal import Journal
from fairplay.server.records.store import Store
from fairplay.v1.record_pb2 import RecordedTable, RecordEntry
from fairplay.v1.table_pb2 import Table as TableMessage

log = logging.getLogger("fairplay.lobby")

KIND = "table"


class Ledger:
    """Writes down what becomes of tables. RecordsError: the disk has failed, or the store is closed."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def begin(self, table: Table) -> None:
        """A table is new, or goes on after a game."""
        table.journal = self._begun(table)

    def _begun(self, table: Table) -> Journal:
        now = Timestamp()
        now.GetCurrentTime()
        record_id = f"table-{uuid.uuid4().hex}"
        entry = RecordEntry(table=recorded(table, record_id)).SerializeToString()
        return self._store.begin(KIND, record_id, entry, game=table.game.name, start_time_ns=now.ToNanoseconds())

    def note(self, table: Table) -> None:
        """A table has changed."""
        journal = _journal(table)
        entry = RecordEntry(table=recorded(table, journal.listing.record_id))
        journal.append(entry.SerializeToString())

    def turn_over(self, table: Table) -> None:
        """A game is over: its record of the table ends, and another one begins."""
        finished, table.journal = _journal(table), self._begun(table)  # in this order, or a crash could lose the table
        self._finish(table, finished, continued_by=table.journal.listing.record_id)

    def delete(self, table: Table) -> None:
        """A table is gone."""
        self._finish(table, _journal(table), deleted=True)

    def _finish(self, table: Table, journal: Journal, *, deleted: bool = False, continued_by: str = "") -> None:
        last = recorded(table, journal.listing.record_id)
        last.deleted, last.continued_by = deleted, continued_by
        now = Timestamp()
        now.GetCurrentTime()
        entry = RecordEntry(table=last).SerializeToString()
        journal.finish(entry, last.table.SerializeToString(), now.ToNanoseconds())

    def unfinished(self) -> Iterator[Table]:
        """The tables that a server left, oldest first; those present then are expected back."""
        found: dict[str, Table] = {}
        for listing in self._store.unfinished():
            if listing.kind == KIND:
                try:
                    table = self._reopened(listing)
                except (RecordsError, ValueError) as error:  # this one has to wait, the others have not
                    log.error("the table of record %s cannot go on: %s", listing.record_id, error)
                else:
                    self._replace(found.pop(table.name, None), table)
                    found[table.name] = table
        yield from found.values()

    def _reopened(self, listing: Listing) -> Table:
        journal = self._store.reopen(listing.record_id)
        last = [entry.table for entry in parsed(self._store.read(listing.record_id)) if entry.HasField("table")][-1]
        find(last.table.game)
        table = restored(last, listing.number)
        table.journal = journal
        return table

    def _replace(self, older: Table | None, newer: Table) -> None:
        """A crash came between the beginning of one record and the end of the one before."""
        if older is not None:
            self._finish(older, _journal(older), continued_by=_journal(newer).listing.record_id)


def _journal(table: Table) -> Journal:
    assert table.journal is not None
    return table.journal


def recorded(table: Table, record_id: str) -> RecordedTable:
    """A table as it is written down: without watchers, and with links and keys, which nobody else may see."""
    message = TableMessage()
    message.CopyFrom(table.shown())
    del message.watchers[:]
    for seat, shown in zip(table.seats, message.seats, strict=True):
        shown.present = not seat.left
    return RecordedTable(
        table=message,
        links=[seat.link for seat in table.seats],
        table_id=record_id,
        owner_key=table.owner_key,
        seat_keys=[seat.key for seat in table.seats],
    )


def restored(last: RecordedTable, number: int) -> Table:
    """A table as it was written down. ValueError: what was is not one."""
    message = last.table
    seats = [
        Seat(seat.name, link, key, present=False, left=not seat.present)
        for seat, link, key in zip(message.seats, last.links, last.seat_keys, strict=True)
    ]
    return Table(message, last.owner_key, number, seats)
