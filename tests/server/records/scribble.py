"""A process that writes to a store, to be killed (`write`), or to fail on a disk that is full (`fill`)."""

from __future__ import annotations

import asyncio
import resource
import sys
from itertools import count

from fairplay.server.records.errors import RecordsError
from fairplay.server.records.place import Place, parse_place
from fairplay.server.records.store import Store
from fairplay.server.records.writer import Journal

RECORDS_AT_ONCE = 8
ROUNDS_AHEAD = 60
ENTRIES = 150
END = b"the end"


def entry(record_id: str, number: int) -> bytes:
    """Return an entry other than the last of a record: known from its number, from 1, and of many lengths."""
    return f"{record_id} {number} ".encode() * (1 + number * 7 % 40)


def begin(store: Store, number: int) -> Journal:
    record_id = f"r{number}"
    return store.begin("game", record_id, entry(record_id, 1), game="nim", start_time_ns=number)


def go_on(journal: Journal) -> bool:
    """Append an entry, and return whether more follow."""
    if journal.entry_count == ENTRIES:
        journal.finish(END, b"summary", 1)
        return False
    journal.append(entry(journal.listing.record_id, journal.entry_count + 1))
    return True


async def write(place: Place) -> None:
    """Go on with what was left, begin more and more, and print how much of it is saved, always some time ago."""
    store = Store.open(place)
    journals = [store.reopen(listing.record_id) for listing in store.unfinished()]
    numbers = count(len(store.list("game", limit=10**6)[0]) + 1)
    while True:
        counts = " ".join(f"{journal.listing.record_id}:{journal.entry_count}" for journal in journals)
        saved = asyncio.create_task(journals[0].saved() if journals else store.flush())
        await asyncio.sleep(0)
        for _ in range(ROUNDS_AHEAD):
            journals = [journal for journal in journals if go_on(journal)]
            journals += [begin(store, next(numbers)) for _ in range(RECORDS_AT_ONCE - len(journals))]
        await saved
        sys.stdout.write(counts + "\n")
        sys.stdout.flush()


async def fill(place: Place) -> None:
    """Write until the disk is full, and print which calls raise the error."""
    store = Store.open(place)
    journal = begin(store, 1)
    await journal.saved()
    resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))
    waiting = asyncio.create_task(journal.saved())
    try:
        while True:
            go_on(journal) or journal
            journal = journal if not journal.listing.finished else begin(store, journal.listing.number + 1)
            await journal.saved()
    except RecordsError as error:
        reported = [str(error)]
    await waiting
    for ending in (journal.saved, store.flush, store.close):
        try:
            await ending()
        except RecordsError as error:
            reported.append(str(error))
    assert store.failure is not None
    assert journal.behind
    sys.stdout.write("\n".join([str(store.failure), *reported]))


if __name__ == "__main__":
    asyncio.run({"write": write, "fill": fill}[sys.argv[1]](parse_place(sys.argv[2])))
