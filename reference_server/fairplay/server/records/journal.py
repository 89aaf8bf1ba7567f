"""A record that is being written: what the referee and the manager append to."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import replace

from fairplay.server.records.chain import START, chained, first_broken, link
from fairplay.server.records.chunks import Item, Trail
from fairplay.server.records.database import Database, Listing
from fairplay.server.records.errors import RecordsError
from fairplay.server.records.writer import Writer
from fairplay.v1.record_pb2 import LinkedEntry, Record


class Journal:
    """A record that is being written. Made by Store.begin and Store.reopen."""

    __slots__ = ("_ended", "_hash", "_put", "_trail", "_writer", "entry_count", "listing")

    def __init__(self, writer: Writer, listing: Listing, trail: Trail, ended: deque[tuple[int, str]]) -> None:
        self.entry_count = 0
        self.listing = listing
        self._writer = writer
        self._put: Callable[[Item], None] = writer.put
        self._trail = trail
        self._hash = START
        self._ended = ended

    def append(self, entry: bytes) -> None:
        """Append a serialised RecordEntry. Raises RecordsError if the record is finished.

        It never waits and never touches the disk: a disk that fails makes the journal `behind`, and saved() fail.
        """
        digest = link(self._hash, entry)
        self._put((self._trail, digest, entry))
        self._hash = digest
        self.entry_count += 1

    def finish(self, entry: bytes, summary: bytes, end_time_ns: int) -> None:
        """Append the last entry, and keep a summary for listings, a serialised fairplay.v1.Game, Tournament or Table.

        Raises RecordsError if the record is finished already. saved() reports a disk that fails.
        """
        if self.listing.finished:
            _refuse((self._trail, START, entry))
        listing = replace(self.listing, summary=summary, end_time_ns=end_time_ns)
        position = self._writer.finish(self._next(entry), listing)
        self.listing = listing
        self._put = _refuse
        self._ended.append((position, listing.record_id))

    @property
    def last_hash(self) -> bytes:
        """Return the chain hash of the last entry."""
        return self._hash

    @property
    def behind(self) -> bool:
        """Return whether the disk does not keep up, or has failed: whoever can should await saved() before going on."""
        return self._writer.behind

    async def saved(self, *, hurry: bool = False) -> None:
        """Return when all that was appended so far is on disk. Raises RecordsError if the disk has failed.

        With `hurry` the caller waits for nothing else.
        """
        await asyncio.wrap_future(self._writer.saved(hurry=hurry))

    def begin(self, entry: bytes) -> None:
        """Append the header, for the store."""
        self._writer.begin(self._next(entry), self.listing)

    def take(self, entries: Sequence[LinkedEntry], summary: bytes, end_time_ns: int) -> None:
        """Append a whole record at once, which is on disk as a whole or not at all; for the store.

        Raises RecordsError, and appends nothing, if its chain is broken.
        """
        broken = first_broken(entries)
        if broken is not None:
            raise RecordsError(
                f"the record {self.listing.record_id!r} is damaged: its chain is broken at entry {broken}"
            )
        begun, self.listing = self.listing, replace(self.listing, summary=summary, end_time_ns=end_time_ns)
        items = [(self._trail, each.chain_hash, each.entry) for each in entries]
        position = self._writer.take(self._trail, items, begun, self.listing)
        self.resume(entries)
        self._put = _refuse
        self._ended.append((position, self.listing.record_id))

    def resume(self, entries: Sequence[LinkedEntry]) -> None:
        """Go on after these entries, which are on disk; for the store."""
        self.entry_count = len(entries)
        self._hash = entries[-1].chain_hash if entries else START

    def _next(self, entry: bytes) -> Item:
        self._hash = link(self._hash, entry)
        self.entry_count += 1
        return self._trail, self._hash, entry

    def record(self, database: Database) -> Record:
        """Return all entries so far, for the store."""
        saved, items = self._writer.unsaved(self._trail)
        kept = database.read(self._trail.number, saved)
        found = [LinkedEntry(entry=each.entry, chain_hash=each.hash) for each in kept]
        return Record(entries=[*found, *(LinkedEntry(entry=entry, chain_hash=digest) for _, digest, entry in items)])


class MemoryJournal:
    """The record of a game that is played for somebody else, who takes it when the game is over."""

    behind = False

    def __init__(self, header: bytes) -> None:
        self._entries = [header]
        self.append: Callable[[bytes], None] = self._entries.append

    def finish(self, entry: bytes, summary: bytes, end_time_ns: int) -> None:
        """Append the last entry; whoever takes the record makes its summary."""
        self._entries.append(entry)

    async def saved(self, **_: object) -> None:
        """Return at once: there is no disk."""

    def record(self) -> Record:
        """Return all entries so far."""
        return chained(self._entries)


def _refuse(_: Item) -> None:
    raise RecordsError("the record is finished: nothing can be appended to it")
