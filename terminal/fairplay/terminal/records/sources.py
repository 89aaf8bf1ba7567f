"""Where records are read from, a store or an exported file, and which of them is meant by the beginning of an id."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from itertools import islice, pairwise, takewhile
from pathlib import Path
from typing import Protocol

from fairplay.client.errors import FailedError, UsageError
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
MAX_NAMED = 10
MAX_COMPARED = 1_000
MIN_ID_CHARS = 9


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


# --- which record is meant ---


def choose(source: Source, wanted: str | None) -> Listing:
    """Return the record of an id, or of the beginning of one; for None the only one.

    Raises UsageError if it is not clear which one is meant, and FailedError if there are no records.
    """
    if wanted is None:
        first = list(islice(source.listings(), 2))
        if not first:
            raise FailedError(f"there are no records in {source.place}")
        if len(first) > 1:
            raise UsageError(
                f"say which record of {source.place}: {_named([each.record_id for each in source.listings()])}"
            )
        return first[0]
    found = source.find(wanted)
    return found if found is not None else _beginning(source, wanted, KINDS)


def choose_game(source: Source, wanted: str | None, why: str) -> Listing:
    """Return the record of a game, chosen likewise. Raises UsageError for another one; `why` says what that lacks."""
    listing = choose(source, wanted)
    if listing.kind != "game":
        games = [game.record_id for game in islice(games_of(source, listing), MAX_NAMED)]
        hint = f"; its games are {', '.join(games)}" if games else ""
        raise UsageError(f"{listing.record_id} is the record of a {listing.kind}, which {why}{hint}")
    return listing


def games_of(source: Source, listing: Listing) -> Iterator[Listing]:
    """Iterate over the games of a tournament or a table."""
    if listing.kind == "tournament":
        yield from source.listings(["game"], listing.record_id)
    elif (game := source.find(f"{listing.record_id}/game")) is not None:
        yield game


def choose_tournament(source: Source, wanted: str) -> str:
    """Return the id of a tournament, given by the id or the beginning of it."""
    found = source.find(wanted)
    if found is not None and found.kind == "tournament":
        return wanted
    return _beginning(source, wanted, ["tournament"]).record_id


def _beginning(source: Source, wanted: str, kinds: Sequence[str]) -> Listing:
    """Return the one record whose id begins like this; a tournament or a table goes before its games."""
    known = [listing.record_id for listing in source.listings(kinds)]
    what = " or ".join([", ".join(kinds[:-1]), kinds[-1]]) if len(kinds) > 1 else kinds[0]
    if not known:
        raise FailedError(f"there is no record of a {what} in {source.place}")
    matching = [record_id for record_id in known if _begins(record_id, wanted)]
    if not matching:
        close = get_close_matches(wanted, known[:MAX_COMPARED])
        others = [record_id for record_id in known if record_id not in close]
        raise UsageError(f"there is no {what} {wanted!r} in {source.place}; it has {_named([*close, *others])}")
    whole = [record_id for record_id in matching if record_id.split("/")[1:] == wanted.split("/")[1:]]
    listing = source.find((whole or matching)[0])
    if listing is None or len(whole or matching) > 1:
        raise UsageError(f"{wanted!r} may be any of {_named(matching)}: give more of the id")
    return listing


def _begins(record_id: str, wanted: str) -> bool:
    """Return whether each part of an id, between slashes, begins with the part of `wanted` in its place."""
    parts, given = record_id.split("/"), wanted.split("/")
    return len(given) <= len(parts) and all(map(str.startswith, parts, given))


def shorten_ids(source: Source, record_ids: Sequence[str]) -> list[str]:
    """Return the ids cut so far that each still means its record: of T/r1g1 the id T of the tournament is cut."""
    known = sorted({listing.record_id.partition("/")[0] for listing in source.listings()})
    needed = dict.fromkeys(known, MIN_ID_CHARS)
    for one, other in pairwise(known):
        common = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False))) + 1
        needed[one], needed[other] = max(needed[one], common), max(needed[other], common)
    parted = (record_id.partition("/") for record_id in record_ids)
    return [first[: needed[first]] + slash + rest for first, slash, rest in parted]


def _named(record_ids: Sequence[str]) -> str:
    more = len(record_ids) - MAX_NAMED
    return ", ".join(record_ids[:MAX_NAMED]) + (f" and {more} more" if more > 0 else "")
