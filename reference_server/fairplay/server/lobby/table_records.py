"""The records of tables, from which a server that is restarted goes on with them.

A record of a table reaches from the end of one game there to the end of the next. So unfinished records, which a
restarted server looks for, are never much older than unfinished games.
"""

from __future__ import annotations

import logging
import time
import uuid
from collections.abc import Iterator

from fairplay.games.game import find
from fairplay.server.links.secrets import Secrets
from fairplay.server.lobby.table import Seat, Table
from fairplay.server.net.text import fold
from fairplay.server.records.chain import parsed
from fairplay.server.records.database import Listing
from fairplay.server.records.errors import RecordsError
from fairplay.server.records.store import Store
from fairplay.server.records.writer import Journal
from fairplay.v1.record_pb2 import RecordedTable, RecordEntry
from fairplay.v1.table_pb2 import Table as TableMessage

log = logging.getLogger("fairplay.lobby")

KIND = "table"


class TableRecords:
    """Records tables, and keeps the secrets of their seats apart from the records.

    Its methods raise RecordsError if the disk has failed or the store is closed.
    """

    def __init__(self, store: Store, secrets: Secrets) -> None:
        self._store = store
        self._secrets = secrets

    def begin(self, table: Table) -> None:
        """Begin the record of a table."""
        table.journal = self._begun(table)

    def _begun(self, table: Table) -> Journal:
        record_id = f"table-{uuid.uuid4().hex}"
        entry = RecordEntry(table=to_record(table, record_id)).SerializeToString()
        journal = self._store.begin(KIND, record_id, entry, game=table.game.name, start_time_ns=time.time_ns())
        self._secrets.replace(record_id, secrets_of(table))
        return journal

    def record(self, table: Table) -> None:
        """Record a table that has changed."""
        journal = _journal(table)
        record_id = journal.listing.record_id
        journal.append(RecordEntry(table=to_record(table, record_id)).SerializeToString())
        self._secrets.replace(record_id, secrets_of(table))

    def continue_table(self, table: Table) -> None:
        """End the record of a table after a game, and begin another one."""
        finished, table.journal = _journal(table), self._begun(table)  # in this order, or a crash could lose the table
        self._finish(table, finished, continued_by=table.journal.listing.record_id)

    def delete(self, table: Table) -> None:
        """End the record of a table that is deleted."""
        self._finish(table, _journal(table), deleted=True)

    def _finish(self, table: Table, journal: Journal, *, deleted: bool = False, continued_by: str = "") -> None:
        last = to_record(table, journal.listing.record_id)
        last.deleted, last.continued_by = deleted, continued_by
        entry = RecordEntry(table=last).SerializeToString()
        journal.finish(entry, last.table.SerializeToString(), time.time_ns())
        self._secrets.forget(journal.listing.record_id)

    def unfinished(self) -> Iterator[Table]:
        """Yield the tables of an earlier run, the oldest first; users with seats there are expected back."""
        found: dict[str, Table] = {}
        for listing in self._store.unfinished():
            if listing.kind == KIND:
                try:
                    table = self._reopened(listing)
                except (RecordsError, ValueError) as error:  # this one has to wait, the others have not
                    log.error("the table of record %s cannot go on: %s", listing.record_id, error)
                else:
                    older = found.pop(fold(table.name), None)
                    if older is not None:  # a crash came after the newer record was begun
                        self._finish(older, _journal(older), continued_by=_journal(table).listing.record_id)
                    found[fold(table.name)] = table
        yield from found.values()

    def _reopened(self, listing: Listing) -> Table:
        journal = self._store.reopen(listing.record_id)
        last = [entry.table for entry in parsed(self._store.read(listing.record_id)) if entry.HasField("table")][-1]
        find(last.table.game)
        table = from_record(last, listing.number)
        table.journal = journal
        for seat in table.seats:
            seat.secret = self._secrets.of(listing.record_id, seat.name)
        return table


def _journal(table: Table) -> Journal:
    assert table.journal is not None
    return table.journal


def secrets_of(table: Table) -> dict[str, str]:
    """Return the secrets of the seats that have one, by name."""
    return {seat.name: seat.secret for seat in table.seats if seat.secret}


def to_record(table: Table, record_id: str) -> RecordedTable:
    """Return a table for its record: with links and token hashes, which nobody else may see.

    Who watches and who is ready is not recorded: that ends with the server.
    """
    message = TableMessage()
    message.CopyFrom(table.to_message())
    del message.watchers[:]
    for seat, shown in zip(table.seats, message.seats, strict=True):
        shown.present, shown.ready = not seat.left, False
    return RecordedTable(
        table=message,
        links=[seat.link for seat in table.seats],
        table_id=record_id,
        owner_key=table.owner_key,
        seat_keys=[seat.key for seat in table.seats],
    )


def from_record(last: RecordedTable, number: int) -> Table:
    """Return the table of a record. Raises ValueError if the record does not hold one."""
    message = last.table
    seats = [
        Seat(seat.name, link, key, present=bool(seat.bot), left=not seat.present, bot=bool(seat.bot))
        for seat, link, key in zip(message.seats, last.links, last.seat_keys, strict=True)
    ]
    return Table(message, last.owner_key, number, seats)
