"""Chunks, which hold what was appended to many records, and whether all that is in them belongs together.

A chunk is a row of items: the number of the record (8 bytes) and the length of the entry (4 bytes), little-endian,
the hash (32 bytes), and the serialised entry.

The chain of a record vouches for its entries. That a record is there at all, and is found, is checked here: records and
chunks are numbered without gaps, and the chunks of a record are those that hold an entry of it.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from struct import Struct, pack, unpack
from typing import NamedTuple, TypeAlias

from fairplay.server.records.chain import HASH_BYTES

HEAD = Struct("<QI")
OVERHEAD = HEAD.size + HASH_BYTES
MAX_NUMBER = 2**63 - 1
"""The largest number that databases keep."""

KINDS = frozenset({"game", "tournament", "table"})


class Trail:
    """Where the entries of one record lie: the record's number, and the numbers of its chunks, growing."""

    __slots__ = ("chunks", "number")

    def __init__(self, number: int, chunks: Iterable[int] = ()) -> None:
        self.number = number
        self.chunks = array("Q", chunks)


Item: TypeAlias = tuple[Trail, bytes, bytes]
"""The trail of a record, the hash of an entry, the serialised entry. A plain tuple: one is made for every entry."""


class Found(NamedTuple):
    """An entry that was read from a chunk."""

    record: int
    hash: bytes
    entry: bytes


def join(items: Iterable[Item]) -> bytes:
    """Return the chunk of these items."""
    pieces: list[bytes] = []
    for trail, digest, entry in items:
        pieces += (HEAD.pack(trail.number, len(entry)), digest, entry)
    return b"".join(pieces)


def split(chunk: bytes, record: int) -> Iterator[Found]:
    """Yield the items of one record in a chunk. Raises ValueError if the chunk is damaged."""
    for number, entry_at, entry_end in _items(chunk):
        if number == record:
            yield Found(number, chunk[entry_at - HASH_BYTES : entry_at], chunk[entry_at:entry_end])


def record_numbers(chunk: bytes) -> set[int]:
    """Return the numbers of the records that have entries in a chunk. Raises ValueError if the chunk is damaged."""
    return {number for number, _, _ in _items(chunk)}


def renumber(chunk: bytes, numbers: Mapping[int, int]) -> bytes:
    """Return a chunk with other numbers of records, without the items of records that are not among them.

    Raises ValueError if the chunk is damaged.
    """
    pieces: list[bytes] = []
    for number, entry_at, entry_end in _items(chunk):
        if number in numbers:
            pieces += (HEAD.pack(numbers[number], entry_end - entry_at), chunk[entry_at - HASH_BYTES : entry_end])
    return b"".join(pieces)


def _items(chunk: bytes) -> Iterator[tuple[int, int, int]]:
    """Yield the record number of each item, and where its entry begins and ends."""
    at, end = 0, len(chunk)
    while at < end:
        if end - at < OVERHEAD:
            raise ValueError("it ends within the head of an item")
        number, length = HEAD.unpack_from(chunk, at)
        entry_at = at + OVERHEAD
        at = entry_at + length
        if at > end:
            raise ValueError("it ends within an entry")
        yield number, entry_at, at


def pack_numbers(numbers: Sequence[int]) -> bytes:
    """Pack chunk numbers as they are kept with a finished record: 8 bytes each, little-endian."""
    return pack(f"<{len(numbers)}Q", *numbers)


def unpack_numbers(data: bytes) -> list[int]:
    """Return the chunk numbers that `pack_numbers` packed. Raises ValueError if they are damaged."""
    numbers = unpack(f"<{len(data) // 8}Q", data) if len(data) % 8 == 0 else (MAX_NUMBER + 1,)
    if max(numbers, default=0) > MAX_NUMBER:
        raise ValueError("the list of chunks is damaged")
    return list(numbers)


class Row(NamedTuple):
    """What the database says of a record: the chunk in which it begins, and all in which it lies, packed.

    `chunks` None: it is not finished.
    """

    number: int
    record_id: str
    kind: str
    first: int
    chunks: bytes | None


class Contents:
    """What the chunks hold. All chunks are taken first, then the rows: a server may add both meanwhile."""

    def __init__(self) -> None:
        self.problems: list[str] = []
        self._chunks: defaultdict[int, list[int]] = defaultdict(list)
        self._last = 0

    def take(self, number: int, data: bytes) -> None:
        """Take the next chunk, in the order of their numbers."""
        self.problems += _gap("chunk", self._last, number)
        self._last = number
        try:
            for record in record_numbers(data):
                self._chunks[record].append(number)
        except ValueError as error:
            self.problems.append(f"chunk {number} cannot be read: {error}")

    def compare(self, rows: Iterable[Row]) -> Iterator[str]:
        """Yield what is wrong with the rows, in the order of their numbers, and the chunks together."""
        last = 0
        for row in rows:
            yield from _gap("record", last, row.number)
            last = row.number
            held = self._chunks.pop(row.number, [])
            if row.kind not in KINDS:
                yield f"the record {row.record_id!r} is of the unknown kind {row.kind!r}"
            if held and row.first != held[0]:
                yield f"the record {row.record_id!r} begins in another chunk than the store says"
            if row.chunks is not None and [each for each in _unpacked(row.chunks) if each <= self._last] != held:
                yield f"the record {row.record_id!r} has entries in other chunks than the store says"
        for number, chunks in sorted(self._chunks.items()):
            yield f"chunk {chunks[0]} has entries of record number {number}, which is missing"


def _gap(what: str, last: int, number: int) -> Sequence[str]:
    if number == last + 1:
        return ()
    return (f"{what} number {last + 1} is missing: after {last} comes {number}",)


def _unpacked(chunks: bytes) -> list[int]:
    try:
        return unpack_numbers(chunks)
    except ValueError:
        return []
