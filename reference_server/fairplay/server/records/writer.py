"""The one thread that writes what is appended, a batch at a time, and the journals that append to it.

Appending only puts an item into a queue: no disk, no lock, no event loop. The first item of a batch wakes the
thread, which lets the batch grow for a few hundredths of a second and saves it in one transaction; while the disk is
busy the next batch grows longer. After a failure nothing more is written, and all waiting callers get the error.
"""

from __future__ import annotations

import asyncio
import logging
import math
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from threading import Event, Lock, Thread
from typing import NamedTuple

from fairplay.server.records.chain import START, chained, first_broken, link
from fairplay.server.records.chunks import Item, Trail
from fairplay.server.records.database import Batch, Database, Listing
from fairplay.server.records.errors import RecordsError, RecordsUnavailable, StoreInUse
from fairplay.v1.record_pb2 import LinkedEntry, Record

log = logging.getLogger("fairplay.server")

DELAY_S = 0.02
BEHIND_S = 0.25
HURRY_ITEMS = 256
LATE_BEATS = 2
"""After so many of its intervals without a sign of life a writer counts as behind."""


class Unsaved(NamedTuple):
    """What of a record is on disk, by the numbers of its chunks, and the items that are not, in order."""

    chunks: list[int]
    items: list[Item]


class Writer:
    """The writer: it hands batches to `save`, which runs in its thread and returns when a batch is on disk.

    `chunk` is the number of the first batch. `failed` is called, in the writer's thread, when writing has failed.
    A batch waits `delay_s` for more after its first item; the writer is
    `behind` while one has waited for longer than `behind_s`. Where nothing is to be written for `keep_s`, `keep` is
    called in the thread: StoreInUse, which it raises if another server writes there by now, is a failure.
    `now_s` is a clock that never goes back.
    """

    def __init__(
        self,
        save: Callable[[Batch], None],
        chunk: int,
        *,
        delay_s: float = DELAY_S,
        behind_s: float = BEHIND_S,
        keep: Callable[[], None] | None = None,
        keep_s: float | None = None,
        now_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self.failure: RecordsError | None = None
        self.failed: Callable[[], object] = _ignore_failure
        self._save = save
        self._keep = keep
        self._keep_s = keep_s
        self._now_s = now_s
        self._kept_at = now_s()
        self._delay_s = delay_s
        self._behind_s = behind_s
        self._lock = Lock()
        self._wake = Event()
        self._hurry = Event()
        self._awake = False
        self._stopped = False
        self._since: float | None = None
        self._items: deque[Item] = deque()
        self._begun: list[Listing] = []
        self._finished: list[tuple[Trail, Listing]] = []
        self._batch = Batch(chunk - 1, [], [], [])
        self._taken_count = 0
        self._saved_count = 0
        self._waiting: list[tuple[int, Future[None]]] = []
        self._thread = Thread(target=self._run, name="fairplay-records", daemon=True)
        self._thread.start()

    @property
    def behind(self) -> bool:
        """Return whether the disk does not keep up, or has failed. Callers that can wait should await `saved`."""
        since, now = self._since, self._now_s()
        # Who stood still for long may have lost the lock meanwhile, which the next batch will tell.
        late = self._keep_s is not None and now - self._kept_at > LATE_BEATS * self._keep_s
        return late or (since is not None and now - since > self._behind_s)

    @property
    def unsaved_count(self) -> int:
        """Return how many items are not on disk yet."""
        return self._taken_count - self._saved_count + len(self._items)

    def put(self, item: Item) -> None:
        """Append an item. Raises RecordsError if the writer is stopped."""
        self._items.append(item)
        if not self._awake:
            self._rouse()

    def begin(self, item: Item, listing: Listing) -> None:
        """Append the first item of a new record, with the record's row in the same batch."""
        with self._lock:
            self._items.append(item)
            self._begun.append(listing)
        self._rouse()

    def finish(self, item: Item, listing: Listing) -> int:
        """Append the last item of a record, with its row in the same batch; return the number that `is_saved` takes."""
        with self._lock:
            self._items.append(item)
            self._finished.append((item[0], listing))
            position = self._taken_count + len(self._items)
        self._rouse()
        return position

    def take(self, trail: Trail, items: Sequence[Item], begun: Listing, finished: Listing) -> int:
        """Append all items of a new record, with its rows, in one batch; return the number that `is_saved` takes."""
        with self._lock:
            self._items.extend(items)
            self._begun.append(begun)
            self._finished.append((trail, finished))
            position = self._taken_count + len(self._items)
        self._rouse()
        return position

    def is_saved(self, position: int) -> bool:
        """Return whether all up to this position is on disk."""
        return self._saved_count >= position

    def saved(self, *, hurry: bool = False) -> Future[None]:
        """Return a future that is done when all that was appended so far is on disk, and fails with RecordsError.

        With `hurry` a small batch is written at once; a large one is not worth cutting short.
        """
        future: Future[None] = Future()
        with self._lock:
            position = self._taken_count + len(self._items)
            if self.failure is not None:
                future.set_exception(RecordsUnavailable(str(self.failure)))
            elif self._saved_count >= position:
                future.set_result(None)
            else:
                self._waiting.append((position, future))
                if hurry and len(self._items) < HURRY_ITEMS:
                    self._hurry.set()
        return future

    def unsaved(self, trail: Trail) -> Unsaved:
        """Return the chunks of a record that are on disk, and its items that are not, at one instant."""
        with self._lock:
            batch = self._batch
            items = [item for item in (*batch.items, *self._items) if item[0] is trail]
            return Unsaved([number for number in trail.chunks if number < batch.number or not batch.items], items)

    def stop(self) -> None:
        """Save what is left and end the thread; return when it has ended."""
        self._stopped = True
        self._hurry.set()
        self._wake.set()
        self._thread.join()

    def check(self) -> None:
        """Raise RecordsError if nothing can be written any more."""
        if self.failure is not None:
            raise RecordsUnavailable(str(self.failure))
        self._check_open()

    def _check_open(self) -> None:
        if self._stopped:
            raise RecordsError("the store is closed")

    def _rouse(self) -> None:
        self._check_open()
        self._awake = True
        self._wake.set()

    # --- in the thread ---

    def _run(self) -> None:
        while self._turn():
            pass

    def _turn(self) -> bool:
        if not self._wake.wait(self._keep_s):
            return self._kept()
        self._since = self._now_s()
        self._hurry.wait(self._delay_s)
        self._wake.clear()
        self._hurry.clear()
        stopping = self._stopped
        # From here on whoever appends wakes the thread again; what was appended before is taken now.
        self._awake = False
        batch = self._take()
        try:
            if batch.items:
                self._save(batch)
        except Exception as error:
            self._end(error if isinstance(error, RecordsError) else RecordsError(f"cannot write records: {error}"))
            return False
        self._end(None)
        return not stopping

    def _kept(self) -> bool:
        """Keep what is not written to at the moment. Return whether it is still ours to write to."""
        assert self._keep is not None
        try:
            self._keep()
            self._kept_at = self._now_s()
        except StoreInUse as taken:
            self._end(taken)
            return False
        except RecordsError as error:  # it may be there again when something has to be saved
            log.warning("%s", error)
        return True

    def _take(self) -> Batch:
        with self._lock:
            items = [self._items.popleft() for _ in range(len(self._items))]
            number = self._batch.number + bool(items)
            for trail in {item[0] for item in items}:
                trail.chunks.append(number)
            self._batch = Batch(number, items, self._begun, self._finished)
            self._begun, self._finished = [], []
            self._taken_count += len(items)
            return self._batch

    def _end(self, failure: RecordsError | None) -> None:
        with self._lock:
            if failure is None:
                self._since = None
                self._kept_at = self._now_s()
                self._saved_count = self._taken_count
                self._batch = Batch(self._batch.number, [], [], [])
            else:
                # What is lost now counts as late for ever: nobody goes on as if it were saved.
                self._since = -math.inf
                self.failure = failure
            settled = [each for each in self._waiting if failure or each[0] <= self._saved_count]
            self._waiting = [] if failure else [each for each in self._waiting if each[0] > self._saved_count]
        for _, future in settled:
            _settle(future, failure)
        if failure is not None:
            self.failed()


def _ignore_failure() -> None:
    """Do nothing: nobody waits for the news that writing has failed."""


def _settle(future: Future[None], failure: RecordsError | None) -> None:
    if not future.set_running_or_notify_cancel():
        return
    if failure is None:
        future.set_result(None)
    else:
        future.set_exception(RecordsUnavailable(str(failure)))


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
        listing = self.listing._replace(summary=summary, end_time_ns=end_time_ns)
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
        begun, self.listing = self.listing, self.listing._replace(summary=summary, end_time_ns=end_time_ns)
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
