"""Where `fairplay records` reads from: the store in a directory, or a file that holds one record."""

from __future__ import annotations

import fcntl
import heapq
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from itertools import islice
from pathlib import Path
from typing import Protocol

from fairplay.server.records import files, lock
from fairplay.server.records.database import Listing
from fairplay.server.records.store import Store
from fairplay.terminal.facts import listing_of
from fairplay.terminal.outcomes import FailedError, UsageError
from fairplay.v1.record_pb2 import Record

KINDS = ("game", "tournament", "table")
PAGE_SIZE = 100
MAX_NAMED = 10
MAX_COMPARED = 1_000


class Source(Protocol):
    """Records that can be read."""

    @property
    def place(self) -> Path:
        """What was typed."""

    @property
    def written(self) -> bool:
        """Whether a server writes here at the moment, so that records without an end may yet get one."""

    def listings(self, kinds: Sequence[str] = KINDS, parent: str = "") -> Iterator[Listing]:
        """The records, newest first, read a page at a time; of a tournament unless `parent` is empty."""

    def find(self, record_id: str) -> Listing | None:
        """The record of this id."""

    def read(self, listing: Listing) -> Record:
        """All entries of a record. RecordsError: it is damaged."""

    def whole(self, listing: Listing) -> bool:
        """Whether the record ought to have its end."""


@contextmanager
def opened(place: Path) -> Iterator[Source]:
    """The records in a directory or a file. UsageError: there is none. RecordsError: they cannot be read."""
    if place.is_dir():
        with Store.read_only(place) as store:
            yield StoreSource(place, store)
    elif place.exists():
        yield FileSource(place, files.load(place))
    else:
        raise UsageError(f"there is no {place}: name the directory that --records named, or an exported record")


class StoreSource:
    """The records of a store."""

    def __init__(self, place: Path, store: Store) -> None:
        self.place = place
        self._store = store

    @property
    def written(self) -> bool:
        """Whether a server holds the lock of the directory."""
        try:
            with (self.place / lock.FILE_NAME).open("rb") as file:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        except OSError:
            return False
        return False

    def listings(self, kinds: Sequence[str] = KINDS, parent: str = "") -> Iterator[Listing]:
        """The records, newest first."""
        return heapq.merge(*(self._pages(kind, parent) for kind in kinds), key=lambda each: -each.number)

    def _pages(self, kind: str, parent: str) -> Iterator[Listing]:
        before: int | None = None
        while True:
            page, before = self._store.list(kind, limit=PAGE_SIZE, before=before, parent=parent)
            yield from page
            if before is None:
                return

    def find(self, record_id: str) -> Listing | None:
        """The record of this id."""
        return self._store.find(record_id)

    def read(self, listing: Listing) -> Record:
        """All entries of a record."""
        return self._store.read(listing.record_id)

    def whole(self, listing: Listing) -> bool:
        """A store knows which records are not finished yet."""
        return listing.finished


class FileSource:
    """The one record of a file."""

    written = False

    def __init__(self, place: Path, record: Record) -> None:
        self.place = place
        self._record = record
        self._listing = listing_of(record)

    def listings(self, kinds: Sequence[str] = KINDS, parent: str = "") -> Iterator[Listing]:
        """The record, if it is one of those."""
        if self._listing.kind in kinds and parent in ("", self._listing.parent):
            yield self._listing

    def find(self, record_id: str) -> Listing | None:
        """The record, if it has this id."""
        return self._listing if self._listing.record_id == record_id else None

    def read(self, listing: Listing) -> Record:
        """The record."""
        return self._record

    def whole(self, listing: Listing) -> bool:
        """Nothing but its end tells a whole file from one that was cut off between two entries."""
        return True


# --- choosing ---


def choose(source: Source, wanted: str | None) -> Listing:
    """The record of an id, or of the beginning of one; None: the only one. UsageError: it is not clear which one."""
    if wanted is None:
        return _only(source)
    found = source.find(wanted)
    return found if found is not None else _beginning(source, wanted, KINDS)


def choose_game(source: Source, wanted: str | None, why: str) -> Listing:
    """The record of a game, chosen likewise. UsageError: it is that of something else; `why` says what that lacks."""
    listing = choose(source, wanted)
    if listing.kind != "game":
        games = [game.record_id for game in islice(_games_of(source, listing), MAX_NAMED)]
        hint = f"; its games are {', '.join(games)}" if games else ""
        raise UsageError(f"{listing.record_id} is the record of a {listing.kind}, which {why}{hint}")
    return listing


def _games_of(source: Source, listing: Listing) -> Iterator[Listing]:
    if listing.kind == "tournament":
        yield from source.listings(["game"], listing.record_id)
    elif (game := source.find(f"{listing.record_id}/game")) is not None:
        yield game


def choose_tournament(source: Source, wanted: str) -> str:
    """The id of a tournament, from the id or the beginning of it."""
    found = source.find(wanted)
    if found is not None and found.kind == "tournament":
        return wanted
    return _beginning(source, wanted, ["tournament"]).record_id


def _only(source: Source) -> Listing:
    first = list(islice(source.listings(), 2))
    if not first:
        raise FailedError(f"there are no records in {source.place}")
    if len(first) > 1:
        raise UsageError(
            f"say which record of {source.place}: {_named([each.record_id for each in source.listings()])}"
        )
    return first[0]


def _beginning(source: Source, wanted: str, kinds: Sequence[str]) -> Listing:
    """The one record whose id begins like this; a tournament or a table stands before its games."""
    known = [listing.record_id for listing in source.listings(kinds)]
    what = " or ".join([", ".join(kinds[:-1]), kinds[-1]]) if len(kinds) > 1 else kinds[0]
    if not known:
        raise FailedError(f"there is no record of a {what} in {source.place}")
    matching = [record_id for record_id in known if record_id.startswith(wanted)]
    if not matching:
        close = get_close_matches(wanted, known[:MAX_COMPARED])
        others = [record_id for record_id in known if record_id not in close]
        raise UsageError(f"there is no {what} {wanted!r} in {source.place}; it has {_named([*close, *others])}")
    shortest = min(matching, key=len)
    listing = source.find(shortest)
    if listing is None or any(not each.startswith(f"{shortest}/") for each in matching if each != shortest):
        raise UsageError(f"{wanted!r} may be any of {_named(matching)}: give more of the id")
    return listing


def _named(record_ids: Sequence[str]) -> str:
    more = len(record_ids) - MAX_NAMED
    return ", ".join(record_ids[:MAX_NAMED]) + (f" and {more} more" if more > 0 else "")
