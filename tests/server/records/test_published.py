from __future__ import annotations

import pytest

from fairplay.server.records.published import MAX_PART_BYTES, OVERHEAD_BYTES, parts
from fairplay.v1.record_pb2 import LinkedEntry, Record


def entry_of(size: int) -> LinkedEntry:
    """Return an entry that counts as so many bytes of a part."""
    entry = LinkedEntry(entry=b"x" * (size - OVERHEAD_BYTES))
    entry.entry = entry.entry[: len(entry.entry) - (entry.ByteSize() + OVERHEAD_BYTES - size)]
    assert entry.ByteSize() + OVERHEAD_BYTES == size
    return entry


@pytest.mark.parametrize(
    ("sizes", "counts"),
    [
        ([], []),
        ([MAX_PART_BYTES // 2, MAX_PART_BYTES // 2], [2]),
        ([MAX_PART_BYTES // 2, MAX_PART_BYTES // 2 + 1], [1, 1]),
        ([MAX_PART_BYTES + 1, 1_000, MAX_PART_BYTES - 1_000, 1_000], [1, 2, 1]),
    ],
)
def test_as_many_entries_come_together_as_fit(sizes: list[int], counts: list[int]) -> None:
    record = Record(entries=map(entry_of, sizes))
    found = list(parts(record))
    assert [len(part) for part in found] == counts
    assert [entry for part in found for entry in part] == list(record.entries)
