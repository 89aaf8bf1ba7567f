"""Copies of everything that a server keeps, from one place to another: records, accounts, secrets of players."""

from __future__ import annotations

import sqlalchemy as sa

from fairplay.server.records import formats
from fairplay.server.records.database import CHUNKS, RECORDS, Database, batches, saying
from fairplay.server.records.errors import RecordsError
from fairplay.server.records.parts import SMALL, opened
from fairplay.server.records.place import Place


def copy(source: Place, target: Place) -> int:
    """Copy everything to an empty place, and return the number of records; both places are locked meanwhile.

    Raises StoreInUse if a server writes to one of them, RecordsError if the target is not empty, or something cannot
    be read or written; then the target has no records.
    """
    if str(source) == str(target):
        raise RecordsError(f"{source} cannot be copied to itself: name an empty place")
    _check_target(target)
    source.reading().dispose()  # says if there are no records, before a place that is locked would be made
    with Database.writable(source) as old, Database.writable(target) as new:
        if new.next_numbers() != (1, 1):
            raise RecordsError(f"there are records in {target} already: name an empty place")
        with saying(f"cannot copy {source} to {target}", source, target):
            for part, tables in SMALL.items():
                if source.has(part):
                    _copy_small(source, target, part, tables)
            with old.reading.connect() as reading, new.writing_transaction() as writing:
                for table in (CHUNKS, RECORDS):
                    for rows in batches(reading, table):
                        writing.execute(sa.insert(table), rows)
        return new.next_numbers()[0] - 1


def _check_target(target: Place) -> None:
    if any(target.has(part) for part in SMALL):
        raise RecordsError(f"there are accounts or secrets in {target} already: name an empty place")


def _copy_small(source: Place, target: Place, part: str, tables: sa.MetaData) -> None:
    with opened(source, part) as reading, opened(target, part) as writing:
        formats.prepare(writing, part, tables, target)
        for table in tables.sorted_tables:
            if rows := [dict(row._mapping) for row in reading.execute(sa.select(table))]:
                writing.execute(sa.insert(table), rows)
