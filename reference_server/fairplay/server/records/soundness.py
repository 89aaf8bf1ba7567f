"""Soundness of a database as a whole: nothing is missing between its records, and nothing in it belongs to none.

The chain of a record vouches for its entries. That a record is there at all, and is found, is checked here: records and
chunks are numbered without gaps, and the chunks of a record are those that hold an entry of it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from fairplay.server.records.chunks import record_numbers, unpack_numbers

KINDS = frozenset({"game", "tournament", "table"})


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
