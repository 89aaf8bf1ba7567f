"""The tables of a store, and the queries; in SQLAlchemy Core, for any database that it supports.

A row of `chunks` holds what was appended to many records in a few hundredths of a second. A row of `records` says in
which chunk its record begins and, once it is finished, in which chunks it lies: so that writing an entry never touches
an index, reading a finished record reads its own chunks only, and only what was left unfinished has to be searched for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

import sqlalchemy as sa
from sqlalchemy.exc import InterfaceError, OperationalError, SQLAlchemyError

from fairplay.server.records import formats, sqlite
from fairplay.server.records.chunks import Contents, Found, Item, Row, Trail, join, pack_numbers, split, unpack_numbers
from fairplay.server.records.errors import RecordsError, RecordsUnavailable, first_line
from fairplay.server.records.formats import check_small
from fairplay.server.records.place import Place

PART = "records"
CHUNKS_PER_QUERY = 256

R = TypeVar("R", bound=Sequence[Any])


class Blob(sa.LargeBinary):
    """Bytes, as the driver returns them: SQLAlchemy would make as many zeros of a number that damage has put there."""

    cache_ok = True

    def result_processor(self, dialect: sa.Dialect, coltype: object) -> None:
        """Return no processor."""


class UnsoundValue(Exception):  # noqa: N818 - a verdict on a value
    """A value is not of the type of its column: damage can turn any into a number, a text or NULL."""


TABLES = sa.MetaData()

RECORDS = sa.Table(
    "records",
    TABLES,
    sa.Column("number", sqlite.NUMBER, primary_key=True, autoincrement=False),
    sa.Column("record_id", sa.String(128), nullable=False, unique=True),
    sa.Column("kind", sa.String(16), nullable=False),
    sa.Column("game", sa.String(64), nullable=False),
    sa.Column("parent", sa.String(128), nullable=False),
    sa.Column("start_time_ns", sa.BigInteger, nullable=False),
    sa.Column("end_time_ns", sa.BigInteger),
    sa.Column("header", Blob, nullable=False),
    sa.Column("summary", Blob, nullable=False),
    sa.Column("first_chunk", sa.BigInteger, nullable=False),
    sa.Column("chunks", Blob, nullable=False),
    sa.Index("records_by_kind", "kind", "number"),
    sa.Index("records_by_parent", "parent", "number"),
    sa.Index("records_by_end", "end_time_ns", "number"),
)

CHUNKS = sa.Table(
    "chunks",
    TABLES,
    sa.Column("number", sqlite.NUMBER, primary_key=True, autoincrement=False),
    sa.Column("data", Blob, nullable=False),
)


class Listing(NamedTuple):
    """What is known of a record without reading it."""

    number: int
    """Grows with every record of the store."""
    record_id: str
    kind: str
    """"game", "tournament" or "table"."""
    game: str
    """The name of the game that is played."""
    parent: str
    """The id of the tournament that the record belongs to; empty: none."""
    start_time_ns: int
    """When it began, in nanoseconds since 1970."""
    end_time_ns: int | None
    """When it ended; None: it is not finished."""
    header: bytes
    """The first entry, a serialised fairplay.v1.RecordEntry."""
    summary: bytes
    """A serialised fairplay.v1.Game, Tournament or Table; empty until the record is finished."""

    @property
    def finished(self) -> bool:
        """Return whether the record has its last entry."""
        return self.end_time_ns is not None


@dataclass(frozen=True, slots=True)
class Selection:
    """Which records are wanted: those of a kind that fulfil all conditions. Times are nanoseconds since 1970."""

    kind: str
    parent: str = ""
    """Only those of this tournament; empty: all."""
    game: str = ""
    """Only those of the game of this name; empty: all."""
    from_ns: int | None = None
    """Only those that began then or later; None: all."""
    to_ns: int | None = None
    """Only those that began before; None: all."""
    finished: bool | None = None
    """Only those that are finished, or only those that are not; None: all."""

    def fits(self, listing: Listing) -> bool:
        """Return whether a record is wanted."""
        return (
            listing.kind == self.kind
            and self.parent in ("", listing.parent)
            and self.game in ("", listing.game)
            and (self.from_ns is None or listing.start_time_ns >= self.from_ns)
            and (self.to_ns is None or listing.start_time_ns < self.to_ns)
            and self.finished in (None, listing.finished)
        )

    def conditions(self) -> list[sa.ColumnElement[bool]]:
        """Return the same for the database."""
        columns, found = RECORDS.c, [RECORDS.c.kind == self.kind]
        if self.parent:
            found.append(columns.parent == self.parent)
        if self.game:
            found.append(columns.game == self.game)
        if self.from_ns is not None:
            found.append(columns.start_time_ns >= self.from_ns)
        if self.to_ns is not None:
            found.append(columns.start_time_ns < self.to_ns)
        if self.finished is not None:
            found.append(columns.end_time_ns.is_not(None) if self.finished else columns.end_time_ns.is_(None))
        return found


LISTED = [RECORDS.c[name] for name in Listing._fields]


class Batch(NamedTuple):
    """What is saved in one transaction: a chunk of items, the records that begin in it, and those that end in it."""

    number: int
    items: Sequence[Item]
    begun: Sequence[Listing]
    finished: Sequence[tuple[Trail, Listing]]


class Database:
    """The database of one store, read by the engine `reading`. `writing` None: it is only read."""

    def __init__(self, place: Place, reading: sa.Engine, writing: sa.Engine | None = None) -> None:
        self._place = place
        self.reading = reading
        self._writing = writing
        # Asked and written all the time, by the driver itself: it takes a fifth of what SQLAlchemy adds.
        self._find, self._insert_chunk, self._insert_record, self._finish = (
            str(statement.compile(reading)) for statement in (FIND, sa.insert(CHUNKS), sa.insert(RECORDS), FINISH)
        )

    @classmethod
    @contextmanager
    def writable(cls, place: Place) -> Iterator[Database]:
        """Open and lock the database of a place, made if there is none, until the context is left.

        Raises StoreInUse if another server writes to it, RecordsError if it is not one of ours, damaged, or of another
        format.
        """
        with ExitStack() as closing:
            with saying(f"cannot use the records in {place}", place):
                engine = closing.enter_context(place.writing())
                with engine.begin() as connection:
                    formats.prepare(connection, PART, TABLES, place)
                check_small(place)
            yield closing.enter_context(cls._opened(place, engine))

    @classmethod
    @contextmanager
    def readable(cls, place: Place) -> Iterator[Database]:
        """Open the database of a place for reading, until the context is left.

        Raises RecordsError if there is none, it is not ours, damaged, or of another format.
        """
        with cls._opened(place, None) as database:
            with saying(f"cannot read the records in {place}", place), database.reading.connect() as connection:
                if not formats.is_made(connection, PART, place, TABLES):
                    raise RecordsError(f"there are no records in {place}")
            yield database

    @classmethod
    @contextmanager
    def _opened(cls, place: Place, writing: sa.Engine | None) -> Iterator[Database]:
        reading = place.reading()
        try:
            yield cls(place, reading, writing)
        finally:
            reading.dispose()

    # --- writing, in the writer's thread ---

    def save(self, batch: Batch) -> None:
        """Save a batch, all or nothing. Raises RecordsError if the disk has failed."""
        with self._saying("write"), closing(self._writable().raw_connection()) as connection:
            cursor = connection.cursor()
            cursor.execute(self._insert_chunk, {"number": batch.number, "data": join(batch.items)})
            if batch.begun:
                cursor.executemany(self._insert_record, [_begun(each, batch.number) for each in batch.begun])
            if batch.finished:
                cursor.executemany(self._finish, [_finished(*each) for each in batch.finished])
            connection.commit()

    @property
    def keep_s(self) -> float | None:
        """Return after how many seconds without a batch `keep` is due; None: never."""
        return self._place.keep_s

    def keep(self) -> None:
        """Keep the lock. Raises StoreInUse if another server has it, RecordsError if the database is out of reach."""
        with self._saying("write"), self.writing_transaction() as connection:
            self._place.keep(connection)

    def reclaim(self) -> None:
        """Give back the space of what was removed. Raises RecordsError if the disk has failed."""
        with self._saying("write"), self._writable().connect() as connection:
            connection.execution_options(isolation_level="AUTOCOMMIT").execute(sa.text("VACUUM"))

    def writing_transaction(self) -> AbstractContextManager[sa.Connection]:
        """Return a transaction. Raises RecordsError if the records were opened for reading only."""
        return self._writable().begin()

    def _writable(self) -> sa.Engine:
        if self._writing is None:
            raise RecordsError("the records were opened for reading only")
        return self._writing

    # --- reading, in any thread ---

    def next_numbers(self) -> tuple[int, int]:
        """Return the number of the next record and that of the next chunk."""
        last_record, last_chunk = (
            self._rows(sa.select(sa.func.max(each.c.number)))[0][0] for each in (RECORDS, CHUNKS)
        )
        return (last_record or 0) + 1, (last_chunk or 0) + 1

    def find(self, record_id: str) -> Listing | None:
        """Return the record of this id; None if there is none."""
        with self._saying("read"), closing(self.reading.raw_connection()) as connection:
            cursor = connection.cursor()
            cursor.execute(self._find, {"wanted": record_id})
            row = cursor.fetchone()
            return Listing(*_sound(row, LISTED)) if row is not None else None

    def page(self, wanted: Selection, numbers: range, limit: int, *, oldest_first: bool) -> list[Listing]:
        """Return the wanted records with these numbers, the newest first unless `oldest_first`."""
        number = RECORDS.c.number
        within = number.between(numbers.start, numbers.stop - 1)
        query = sa.select(*LISTED).where(within, *wanted.conditions())
        ordered = query.order_by(number.asc() if oldest_first else number.desc()).limit(limit)
        return [Listing(**row._mapping) for row in self._rows(ordered)]

    def unfinished(self) -> list[Listing]:
        """Return the records without an end, oldest first."""
        query = sa.select(*LISTED).where(RECORDS.c.end_time_ns.is_(None)).order_by(RECORDS.c.number)
        return [Listing(**row._mapping) for row in self._rows(query)]

    def read(self, number: int, chunks: Sequence[int]) -> Iterator[Found]:
        """Yield the entries of a record that lie in these chunks, in order."""
        for at in range(0, len(chunks), CHUNKS_PER_QUERY):
            wanted = CHUNKS.c.number.in_(chunks[at : at + CHUNKS_PER_QUERY])
            for row in self._rows(sa.select(CHUNKS).where(wanted).order_by(CHUNKS.c.number)):
                yield from self._split(row.number, row.data, number)

    def chunks(self, number: int) -> list[int]:
        """Return the chunks in which a record lies; those of one that is not finished are searched for."""
        [row] = self._rows(sa.select(RECORDS).where(RECORDS.c.number == number))
        if row.end_time_ns is None:
            return list(self._search(number, row.first_chunk))
        try:
            return unpack_numbers(row.chunks)
        except ValueError as error:
            raise RecordsError(f"the records in {self._place} are damaged: {error}") from None

    def defects(self) -> list[str]:
        """Return what is wrong with the database as a whole, beside what is wrong within a record."""
        with self._saying("read"), self.reading.connect() as connection:
            damage = self._place.damage(connection)
        if damage:
            return [*damage]  # nothing else that is read from it would tell more
        contents = Contents()
        for row in self._chunks_from(1):
            contents.take(row["number"], row["data"])
        return [*contents.problems, *contents.compare(map(_row, self._rows(ALL_ROWS)))]

    def _search(self, number: int, first: int) -> Iterator[int]:
        for row in self._chunks_from(first):
            if next(self._split(row["number"], row["data"], number), None) is not None:
                yield row["number"]

    def _chunks_from(self, first: int) -> Iterator[dict[str, Any]]:
        with self._saying("read"), self.reading.connect() as connection:
            for rows in batches(connection, CHUNKS, first):
                yield from rows

    def _split(self, chunk: int, data: bytes, number: int) -> Iterator[Found]:
        try:
            yield from split(data, number)
        except ValueError as error:
            problem = f"the records in {self._place} are damaged: chunk {chunk} cannot be read: {error}"
            raise RecordsError(problem) from None

    def _saying(self, what: str) -> AbstractContextManager[None]:
        return saying(f"cannot {what} the records in {self._place}", self._place)

    def _rows(self, query: sa.Select[Any]) -> Sequence[sa.Row[Any]]:
        with self._saying("read"), self.reading.connect() as connection:
            columns = query.selected_columns.values()
            return [_sound(row, columns) for row in connection.execute(query)]


FIND = sa.select(*LISTED).where(RECORDS.c.record_id == sa.bindparam("wanted"))

ROW = ("number", "record_id", "kind", "first_chunk", "end_time_ns", "chunks")
ALL_ROWS = sa.select(*(RECORDS.c[name] for name in ROW)).order_by(RECORDS.c.number)

FINISH = (
    sa.update(RECORDS)
    .where(RECORDS.c.number == sa.bindparam("of"))
    .values({name: sa.bindparam(name) for name in ("end_time_ns", "summary", "chunks")})
)


def _sound(row: R, columns: Sequence[sa.ColumnElement[Any]]) -> R:
    """Return a row whose values are of the types of its columns. Raises UnsoundValue if one is not."""
    for value, column in zip(row, columns, strict=True):
        if not isinstance(value, column.type.python_type) and not (value is None and getattr(column, "nullable", True)):
            raise UnsoundValue(f"there is {value!r:.20} where {column.key} should be")
    return row


def _row(row: sa.Row[Any]) -> Row:
    chunks = None if row.end_time_ns is None else row.chunks
    return Row(row.number, row.record_id, row.kind, row.first_chunk, chunks)


def _begun(listing: Listing, chunk: int) -> dict[str, object]:
    return {**listing._asdict(), "first_chunk": chunk, "chunks": b""}


def _finished(trail: Trail, listing: Listing) -> dict[str, object]:
    return {
        "of": trail.number,
        "end_time_ns": listing.end_time_ns,
        "summary": listing.summary,
        "chunks": pack_numbers(trail.chunks),
    }


def batches(connection: sa.Connection, table: sa.Table, first: int = 1) -> Iterator[Sequence[dict[str, Any]]]:
    """Yield the rows of a table from a number on, in the order of their numbers, a few at a time."""
    from_there = sa.select(table).where(table.c.number >= sa.bindparam("first")).order_by(table.c.number)
    query = from_there.limit(CHUNKS_PER_QUERY)
    columns = table.columns.values()
    while rows := [dict(_sound(row, columns)._mapping) for row in connection.execute(query, {"first": first})]:
        yield rows
        first = rows[-1]["number"] + 1


@contextmanager
def saying(what: str, *places: Place) -> Iterator[None]:
    """Turn the errors of places into one sentence, RecordsError."""
    of_drivers = [error for place in places for error in place.errors]
    failures: tuple[type[Exception], ...] = (SQLAlchemyError, UnsoundValue, *of_drivers)
    try:
        yield
    except failures as error:
        passing = isinstance(error, (OperationalError, InterfaceError, *of_drivers))
        raise (RecordsUnavailable if passing else RecordsError)(f"{what}: {first_line(error)}") from error
