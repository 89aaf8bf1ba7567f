"""The store of a server: all its records in one database, written off the hot path.

Methods are for the thread of the event loop; those that only read may run in any. Appending never touches the disk;
beginning, listing and reading a record do, and wait for nobody else.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from operator import attrgetter
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType

from fairplay.server.records.chain import first_broken, parsed
from fairplay.server.records.chunks import Trail
from fairplay.server.records.database import Database, Listing, Selection
from fairplay.server.records.errors import RecordExists, RecordsError
from fairplay.server.records.place import Place, at
from fairplay.server.records.published import ended_game
from fairplay.server.records.writer import Journal, Writer
from fairplay.v1.record_pb2 import LinkedEntry, Record

MAX_SEARCHED = 20_000
"""How many records one page looks at: more would keep others waiting."""


class Store:
    """The records of a place. `failure` is what has made writing impossible, if anything has."""

    def __init__(self, database: Database, writer: Writer | None, next_number: int, closing: ExitStack) -> None:
        self._database = database
        self._writer = writer
        self._next_number = next_number
        self._closing = closing
        if writer is not None:
            closing.callback(writer.stop)
        self._journals: dict[str, Journal] = {}
        self._ended: deque[tuple[int, str]] = deque()

    @classmethod
    def open(cls, place: Place | Path | None) -> Store:
        """Open a place for a server, made if there is none; None: a private directory that is removed with the store.

        Raises StoreInUse if another server has it, RecordsError, which says why, if it cannot be used.
        """
        with ExitStack() as closing:
            if place is None:
                place = Path(closing.enter_context(TemporaryDirectory(prefix="fairplay-records-")))
            database = closing.enter_context(Database.writable(at(place)))
            record, chunk = database.next_numbers()
            database.keep()
            writer = Writer(database.save, chunk, keep=database.keep, keep_s=database.keep_s)
            return cls(database, writer, record, closing.pop_all())

    @classmethod
    def read_only(cls, place: Place | Path) -> Store:
        """Open a place for reading, also while a server writes there. Raises RecordsError if it cannot be read."""
        with ExitStack() as closing:
            database = closing.enter_context(Database.readable(at(place)))
            return cls(database, None, 0, closing.pop_all())

    def __enter__(self) -> Store:
        """Return the store, for reading: `with Store.read_only(directory) as store`."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        """Close everything."""
        self._closing.close()

    # --- writing ---

    @property
    def failure(self) -> RecordsError | None:
        """Return why nothing can be written any more; None if all is well. A new start helps, once the disk is well."""
        return self._writer.failure if self._writer is not None else None

    @property
    def unsaved_count(self) -> int:
        """Return how many entries of records are not on disk yet."""
        return self._writer.unsaved_count if self._writer is not None else 0

    def on_failure(self, call: Callable[[], object]) -> None:
        """Have a function called, in another thread, when nothing can be written any more."""
        if self._writer is not None:
            self._writer.failed = call

    def begin(
        self, kind: str, record_id: str, entry: bytes, *, game: str, parent: str = "", start_time_ns: int
    ) -> Journal:
        """Begin a record, a "game", a "tournament" or a "table", with its header.

        Raises RecordExists if there is one of this id, RecordsError if the disk has failed.
        """
        writer = self._writing()
        if self.find(record_id) is not None:
            raise RecordExists(f"there is a record {record_id!r} already")
        listing = Listing(self._next_number, record_id, kind, game, parent, start_time_ns, None, entry, b"")
        journal = Journal(writer, listing, Trail(listing.number), self._ended)
        journal.begin(entry)
        self._next_number += 1
        self._journals[record_id] = journal
        return journal

    def take(self, record: Record) -> Journal:
        """Take the whole record of a game that was played elsewhere, which is on disk as a whole or not at all.

        Raises RecordExists if there is one of its id, RecordsError if it is damaged or has no end, or the disk has
        failed.
        """
        writer, entries = self._writing(), list(parsed(record))
        if not entries or not entries[0].HasField("game") or not entries[-1].HasField("result"):
            raise RecordsError("this is not the whole record of a game")
        header, end = entries[0].game, entries[-1].result
        if self.find(header.game_id) is not None:
            raise RecordExists(f"there is a record {header.game_id!r} already")
        start_time_ns, first = header.start_time.ToNanoseconds(), record.entries[0].entry
        listing = Listing(
            self._next_number,
            header.game_id,
            "game",
            header.plan.game,
            header.tournament_id,
            start_time_ns,
            None,
            first,
            b"",
        )
        journal = Journal(writer, listing, Trail(listing.number), self._ended)
        summary = ended_game(entries).SerializeToString()
        journal.take(record.entries, summary, end.end_time.ToNanoseconds())
        self._next_number += 1
        self._journals[header.game_id] = journal
        return journal

    def reopen(self, record_id: str) -> Journal:
        """Go on with a record that a server left unfinished; one that is open already stays the same journal.

        Raises RecordsError if it is missing, finished, or damaged, or the disk has failed.
        """
        writer = self._writing()
        listing = self._listed(record_id)
        if listing.finished:
            raise RecordsError(f"the record {record_id!r} is finished")
        if record_id in self._journals:
            return self._journals[record_id]
        chunks = self._database.chunks(listing.number)
        record = self._read(listing.number, chunks)
        broken = first_broken(record.entries)
        if broken is not None:
            raise RecordsError(f"the record {record_id!r} is damaged: its chain is broken at entry {broken}")
        journal = Journal(writer, listing, Trail(listing.number, chunks), self._ended)
        journal.resume(record.entries)
        self._journals[record_id] = journal
        return journal

    async def flush(self) -> None:
        """Write at once, and return when all that was appended so far is on disk.

        Raises RecordsError if the disk failed.
        """
        if self._writer is not None:
            await asyncio.wrap_future(self._writer.saved(hurry=True))

    async def close(self) -> None:
        """Save what is left and close everything. Raises RecordsError if something could not be saved."""
        await asyncio.to_thread(self._closing.close)
        if self.failure is not None:
            raise RecordsError(str(self.failure))

    def _writing(self) -> Writer:
        if self._writer is None:
            raise RecordsError("the records were opened for reading only")
        self._writer.check()
        while self._ended and self._writer.is_saved(self._ended[0][0]):
            self._journals.pop(self._ended.popleft()[1], None)
        return self._writer

    # --- reading ---

    def find(self, record_id: str) -> Listing | None:
        """Return the listing of a record; None if there is none of this id."""
        journal = self._journals.get(record_id)
        return journal.listing if journal is not None else self._database.find(record_id)

    def has_open(self, record_id: str) -> bool:
        """Return whether there is a record of this id that is not finished; there is none of an empty one."""
        listing = self.find(record_id) if record_id else None
        return listing is not None and not listing.finished

    def list(
        self, kind: str, *, limit: int, before: int | None = None, parent: str = ""
    ) -> tuple[Sequence[Listing], int | None]:
        """Return at most `limit` records of a kind, newest first, and `before` for the next page, None at the end.

        `parent`: only those of this tournament; empty: all.
        """
        return self.select(Selection(kind, parent), limit=limit, cursor=before)

    def select(
        self, wanted: Selection, *, limit: int, cursor: int | None = None, oldest_first: bool = False
    ) -> tuple[Sequence[Listing], int | None]:
        """Return at most `limit` wanted records, newest first or oldest first, and the cursor of the next page.

        The cursor is the number of a record, after which the next page begins in that order; None at the end. At most
        MAX_SEARCHED records are looked at, or `limit` if that is more: a page may be short, or empty, and yet not be
        the last one.
        """
        known, reach = self._in_memory(), max(limit, MAX_SEARCHED)
        end = max([self._database.next_numbers()[0], *(each.number + 1 for each in known)])
        if oldest_first:
            first = 1 if cursor is None else cursor + 1
            numbers = range(first, min(end, first + reach))
            left, last_searched = numbers.stop < end, numbers.stop - 1
        else:
            last = end if cursor is None else min(cursor, end)
            numbers = range(max(1, last - reach), last)
            left, last_searched = numbers.start > 1, numbers.start
        saved = self._database.page(wanted, numbers, limit + 1, oldest_first=oldest_first)
        merged = _merged(saved, [each for each in known if each.number in numbers])
        found = [each for each in (merged if oldest_first else merged[::-1]) if wanted.fits(each)]
        if len(found) > limit:
            return found[:limit], found[limit - 1].number
        return found, last_searched if left else None

    def unfinished(self) -> Sequence[Listing]:
        """Return the records without an end, oldest first: those being written, and those that a server left."""
        known = self._in_memory()
        return [each for each in _merged(self._database.unfinished(), known) if not each.finished]

    def read(self, record_id: str) -> Record:
        """Return a whole record, with what is not on disk yet.

        Raises RecordsError if there is none, or it is damaged.
        """
        journal = self._journals.get(record_id)
        if journal is not None:
            return journal.record(self._database)
        number = self._listed(record_id).number
        return self._read(number, self._database.chunks(number))

    def last_hash(self, record_id: str) -> bytes:
        """Return the chain hash of the last entry of a record.

        Raises RecordsError if there is no such record, or it is damaged.
        """
        journal = self._journals.get(record_id)
        if journal is not None:
            return journal.last_hash
        entries = self.read(record_id).entries
        return entries[-1].chain_hash if entries else b""

    def defects(self) -> Sequence[str]:
        """Return what is wrong with the database as a whole: what is missing from it, and what belongs to nothing."""
        return self._database.defects()

    def _listed(self, record_id: str) -> Listing:
        listing = self.find(record_id)
        if listing is None:
            raise RecordsError(f"there is no record {record_id!r}")
        return listing

    def _read(self, number: int, chunks: Sequence[int]) -> Record:
        found = self._database.read(number, chunks)
        return Record(entries=[LinkedEntry(entry=each.entry, chain_hash=each.hash) for each in found])

    def _in_memory(self) -> Sequence[Listing]:
        # Taken before the database is asked: what is saved in between is then in both, never in none.
        return [journal.listing for journal in [*self._journals.values()]]


def _merged(saved: Iterable[Listing], known: Iterable[Listing]) -> list[Listing]:
    """Return records by number; what memory knows is newer than what is on disk."""
    listings = {each.number: each for each in (*saved, *known)}
    return sorted(listings.values(), key=attrgetter("number"))
