"""Where `fairplay records` reads from: the store in a directory, or a file that holds one record."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from fairplay.client.errors import UsageError
from fairplay.server.records import files
from fairplay.server.records.consistency import check_filing
from fairplay.server.records.database import Listing
from fairplay.server.records.place import Place
from fairplay.server.records.sqlite import Directory
from fairplay.server.records.store import Store
from fairplay.server.records.verify import Finding
from fairplay.terminal.records.overview import make_listing
from fairplay.v1.record_pb2 import Record

KINDS = ("game", "tournament", "table")
PAGE_SIZE = 100


class Source(Protocol):
    """Records that can be read."""

    @property
    def place(self) -> object:
        """Return what was typed."""

    @property
    def written(self) -> bool:
        """Return whether a server writes here at the moment, so that records without an end may still get one."""

    def listings(self, kinds: Sequence[str] = KINDS, parent: str = "") -> Iterator[Listing]:
        """Iterate over the records, newest first; unless `parent` is empty, only over those of this tournament."""

    def find(self, record_id: str) -> Listing | None:
        """Return the record of this id; None if there is none."""

    def read(self, listing: Listing) -> Record:
        """Return all entries of a record. Raises RecordsError if it is damaged."""

    def must_have_end(self, listing: Listing) -> bool:
        """Return whether a record without its end is damaged."""

    def defects(self) -> Sequence[str]:
        """Return what is wrong beside what is wrong with a record: what is missing, and what belongs to none."""

    def check_filing(self, listing: Listing, record: Record) -> Sequence[Finding]:
        """Return where something is said of an intact record, beside its entries, that does not follow from them."""


@contextmanager
def open_source(place: Place) -> Iterator[Source]:
    """Open the records in a place or a file. Raises UsageError if there are none, RecordsError if they are damaged."""
    path = place.path if isinstance(place, Directory) else None
    if path is None or path.is_dir():
        with Store.read_only(place) as store:
            yield StoreSource(place, store)
    elif path.exists():
        yield FileSource(path, files.load(path))
    else:
        raise UsageError(f"there is no {place}: name what --records named, or an exported record")


class StoreSource:
    """The records of a store."""

    def __init__(self, place: Place, store: Store) -> None:
        self.place = place
        self._store = store

    @property
    def written(self) -> bool:
        """Return whether a server writes to the place."""
        return self.place.in_use

    def listings(self, kinds: Sequence[str] = KINDS, parent: str = "") -> Iterator[Listing]:
        """Iterate over the records, newest first."""
        return heapq.merge(*(self._pages(kind, parent) for kind in kinds), key=lambda each: -each.number)

    def _pages(self, kind: str, parent: str) -> Iterator[Listing]:
        before: int | None = None
        while True:
            page, before = self._store.list(kind, limit=PAGE_SIZE, before=before, parent=parent)
            yield from page
            if before is None:
                return

    def find(self, record_id: str) -> Listing | None:
        """Return the record of this id; None if there is none."""
        return self._store.find(record_id)

    def read(self, listing: Listing) -> Record:
        """Return all entries of a record."""
        return self._store.read(listing.record_id)

    def must_have_end(self, listing: Listing) -> bool:
        """Return whether the record is finished, which a store knows."""
        return listing.finished

    def defects(self) -> Sequence[str]:
        """Check the database as a whole."""
        return self._store.defects()

    def check_filing(self, listing: Listing, record: Record) -> Sequence[Finding]:
        """Compare what the store says of a record with its entries, and a tournament with its games."""
        return check_filing(listing, record, self._store)


class FileSource:
    """The one record of a file."""

    written = False

    def __init__(self, place: Path, record: Record) -> None:
        self.place = place
        self._record = record
        self._listing = make_listing(record)

    def listings(self, kinds: Sequence[str] = KINDS, parent: str = "") -> Iterator[Listing]:
        """Iterate over the record, if it is one of those."""
        if self._listing.kind in kinds and parent in ("", self._listing.parent):
            yield self._listing

    def find(self, record_id: str) -> Listing | None:
        """Return the record if it has this id, else None."""
        return self._listing if self._listing.record_id == record_id else None

    def read(self, listing: Listing) -> Record:
        """Return the record."""
        return self._record

    def must_have_end(self, listing: Listing) -> bool:
        """Return True: only its end tells a whole file from one that was cut off between two entries."""
        return True

    def defects(self) -> Sequence[str]:
        """Return nothing: a file holds one record."""
        return ()

    def check_filing(self, listing: Listing, record: Record) -> Sequence[Finding]:
        """Return nothing: a file holds the entries alone."""
        return ()
