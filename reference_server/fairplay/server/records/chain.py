"""The hash chain of a record: record.proto, LinkedEntry.chain_hash.

Whoever has the last hash of a record can tell whether anything in it was changed, left out, repeated or moved.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import sha256

from google.protobuf.message import DecodeError

from fairplay.server.records.errors import RecordsError
from fairplay.v1.record_pb2 import LinkedEntry, Record, RecordEntry

HASH_BYTES = 32
START = bytes(HASH_BYTES)
"""What stands for the hash before the first entry."""


def link(previous: bytes, entry: bytes) -> bytes:
    """Return the hash of an entry: SHA-256 over the hash of the entry before, then the serialised RecordEntry."""
    return sha256(previous + entry).digest()


def first_broken(entries: Iterable[LinkedEntry]) -> int | None:
    """Return the number, from 1, of the first entry whose hash does not follow from what is before it; None: intact."""
    previous = START
    for number, linked in enumerate(entries, start=1):
        if link(previous, linked.entry) != linked.chain_hash:
            return number
        previous = linked.chain_hash
    return None


def chained(entries: Iterable[bytes]) -> Record:
    """Return a record of serialised entries, with their hashes."""
    record = Record()
    previous = START
    for entry in entries:
        previous = link(previous, entry)
        record.entries.add(entry=entry, chain_hash=previous)
    return record


def parsed(record: Record) -> Iterator[RecordEntry]:
    """Yield the entries of a record, in order. Raises RecordsError, which names the entry, if one cannot be parsed."""
    for number, linked in enumerate(record.entries, start=1):
        try:
            yield RecordEntry.FromString(linked.entry)
        except DecodeError:
            raise RecordsError(f"entry {number} of the record cannot be parsed") from None
