"""What is done with a place as a whole while no server writes there: it is copied, and old records are removed.

Records and chunks are numbered without gaps, so that a missing one is noticed (chunks.py): what stays moves up.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import closing
from typing import Any, NamedTuple

import sqlalchemy as sa

from fairplay.server.records import accounts, formats, secrets
from fairplay.server.records.chunks import pack_numbers, renumber, unpack_numbers
from fairplay.server.records.database import CHUNKS, RECORDS, Database, batches, saying
from fairplay.server.records.errors import RecordsError
from fairplay.server.records.formats import opened
from fairplay.server.records.place import Place

TABLES_OF = {accounts.PART: accounts.TABLES, secrets.PART: secrets.TABLES}

LIGHT = [RECORDS.c[name] for name in ("number", "record_id", "kind", "parent", "end_time_ns")]


def copy(source: Place, target: Place) -> int:
    """Copy everything to an empty place, and return the number of records; both places are locked meanwhile.

    Raises StoreInUse if a server writes to one of them, RecordsError if the target is not empty, or something cannot
    be read or written; then the target has no records.
    """
    if str(source) == str(target):
        raise RecordsError(f"{source} cannot be copied to itself: name an empty place")
    if any(target.has(part) for part in TABLES_OF):
        raise RecordsError(f"there are accounts or secrets in {target} already: name an empty place")
    source.reading().dispose()  # says if there are no records, before a place that is locked would be made
    with Database.writable(source) as old, Database.writable(target) as new:
        if new.next_numbers() != (1, 1):
            raise RecordsError(f"there are records in {target} already: name an empty place")
        with saying(f"cannot copy {source} to {target}", source, target):
            for part, tables in TABLES_OF.items():
                if source.has(part):
                    _copy_small(source, target, part, tables)
            with old.reading.connect() as reading, new.writing_transaction() as writing:
                for table in (CHUNKS, RECORDS):
                    for rows in batches(reading, table):
                        writing.execute(sa.insert(table), rows)
        return new.next_numbers()[0] - 1


def _copy_small(source: Place, target: Place, part: str, tables: sa.MetaData) -> None:
    with opened(source, part) as reading, opened(target, part) as writing:
        formats.prepare(writing, part, tables, target)
        for table in tables.sorted_tables:
            if rows := [dict(row._mapping) for row in reading.execute(sa.select(table))]:
                writing.execute(sa.insert(table), rows)


class Pruned(NamedTuple):
    """What was removed, or would be, and what stays."""

    removed: Sequence[str]
    """The ids of records, the oldest first."""
    left_count: int


def prune(place: Place, before_ns: int, kept_kinds: Collection[str] = (), *, only_say: bool = False) -> Pruned:
    """Remove the records that ended before a time, in nanoseconds since 1970, or none of them if something fails.

    A tournament or a table goes together with its games, once all of them have ended. Records of the kinds to be kept
    stay, with their games. With `only_say` nothing is removed. Raises StoreInUse if a server writes there,
    RecordsError if there are no records, they are damaged, or they cannot be written.
    """

    def staying(records: Sequence[sa.Row[Any]]) -> set[str]:
        return {_family(row) for row in records if not _is_old(row, before_ns) or row.kind in kept_kinds}

    return _keep(place, staying, only_say=only_say)


def drop(place: Place, record_id: str) -> Pruned:
    """Remove a game, a tournament or a table with all of its games, whether it has ended or not. Raises as `prune`."""
    return _keep(place, lambda records: {_family(row) for row in records} - {record_id}, only_say=False)


def _keep(place: Place, staying_of: Callable[[Sequence[sa.Row[Any]]], set[str]], *, only_say: bool) -> Pruned:
    """Remove all records but those of the families that stay."""
    place.reading().dispose()  # says if there are no records, before a place that is locked would be made
    with Database.writable(place) as database, saying(f"cannot remove records from {place}", place):
        if defects := database.defects():
            raise RecordsError(f"the records in {place} are damaged, and stay as they are: {defects[0]}")
        with database.writing_transaction() as connection:
            records = connection.execute(sa.select(*LIGHT).order_by(RECORDS.c.number)).all()
            staying = staying_of(records)
            left = [row.number for row in records if _family(row) in staying]
            removed = [row.record_id for row in records if _family(row) not in staying]
            if removed and not only_say:
                _rewrite(connection, {number: new for new, number in enumerate(left, start=1)})
        if removed and not only_say:
            _forget(place, {*removed})
            database.reclaim()
    return Pruned(removed, len(left))


def _is_old(row: sa.Row[Any], before_ns: int) -> bool:
    return row.end_time_ns is not None and row.end_time_ns < before_ns


def _family(row: sa.Row[Any]) -> str:
    """Return the id of the tournament or the table that a record belongs to, or its own."""
    return str(row.parent or row.record_id.partition("/")[0])


def _rewrite(connection: sa.Connection, numbers: Mapping[int, int]) -> None:
    """Give the records of these numbers new ones, which are no larger, and remove all others."""
    chunks = dict(_rewritten_chunks(connection, numbers))
    for rows in batches(connection, RECORDS):
        _replace(connection, RECORDS, rows, [_moved(row, numbers, chunks) for row in rows if row["number"] in numbers])


def _rewritten_chunks(connection: sa.Connection, numbers: Mapping[int, int]) -> Iterator[tuple[int, int]]:
    """Rewrite the chunks, and yield the old and the new number of each that is not empty now."""
    new = 0
    for rows in batches(connection, CHUNKS):
        left: list[dict[str, Any]] = []
        for row in rows:
            if data := renumber(row["data"], numbers):
                new += 1
                left.append({"number": new, "data": data})
                yield row["number"], new
        _replace(connection, CHUNKS, rows, left)


def _moved(row: Mapping[str, Any], numbers: Mapping[int, int], chunks: Mapping[int, int]) -> dict[str, Any]:
    return {
        **row,
        "number": numbers[row["number"]],
        "first_chunk": chunks[row["first_chunk"]],
        "chunks": pack_numbers([chunks[each] for each in unpack_numbers(row["chunks"])]),
    }


def _replace(
    connection: sa.Connection,
    table: sa.Table,
    rows: Sequence[Mapping[str, Any]],
    others: Sequence[Mapping[str, Any]],
) -> None:
    """Replace rows by others, whose numbers are free by then."""
    connection.execute(sa.delete(table).where(table.c.number.between(rows[0]["number"], rows[-1]["number"])))
    if others:
        connection.execute(sa.insert(table), others)


def _forget(place: Place, record_ids: Collection[str]) -> None:
    """Forget whose the records were, and the secrets of their players."""
    if place.has(accounts.PART):
        with closing(accounts.AccountsDatabase(place)) as owning:
            for kind, record_id in owning.owners():
                if record_id in record_ids:
                    owning.remove_owner(kind, record_id)
    with closing(secrets.SecretsDatabase(place)) as kept:
        if gone := [key for key in kept.all() if key[0] in record_ids]:
            kept.remove(gone)
