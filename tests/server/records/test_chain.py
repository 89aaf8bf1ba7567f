from __future__ import annotations

from hashlib import sha256

from hypothesis import given
from hypothesis import strategies as st

from fairplay.server.records.chain import chained, first_broken
from fairplay.v1.record_pb2 import Record

ENTRIES = st.lists(st.binary(max_size=40), min_size=1, max_size=12)


def copy(record: Record) -> Record:
    copied = Record()
    copied.CopyFrom(record)
    return copied


def test_a_hash_is_over_the_hash_before_and_the_entry() -> None:
    record = chained([b"one", b"two"])
    first = sha256(bytes(32) + b"one").digest()
    assert [linked.chain_hash for linked in record.entries] == [first, sha256(first + b"two").digest()]


@given(ENTRIES, st.data())
def test_swapped_entries_are_found_at_the_first_of_them(entries: list[bytes], data: st.DataObject) -> None:
    record = chained([*entries, b"the end"])
    first = data.draw(st.integers(0, len(entries) - 1))
    second = data.draw(st.integers(first + 1, len(entries)))
    swapped = copy(record)
    swapped.entries[first].CopyFrom(record.entries[second])
    swapped.entries[second].CopyFrom(record.entries[first])
    assert first_broken(swapped.entries) == first + 1
