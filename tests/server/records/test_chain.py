from __future__ import annotations

from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairplay.server.records.chain import chained, first_broken, parsed
from fairplay.server.records.errors import RecordsError
from fairplay.v1.record_pb2 import Record, RecordEntry

ENTRIES = st.lists(st.binary(max_size=40), min_size=1, max_size=12)


def copy(record: Record) -> Record:
    copied = Record()
    copied.CopyFrom(record)
    return copied


def test_a_hash_is_over_the_hash_before_and_the_entry() -> None:
    record = chained([b"one", b"two"])
    first = sha256(bytes(32) + b"one").digest()
    assert [linked.chain_hash for linked in record.entries] == [first, sha256(first + b"two").digest()]


@given(ENTRIES)
def test_a_chain_is_intact_and_so_is_each_beginning_of_it(entries: list[bytes]) -> None:
    record = chained(entries)
    for length in range(len(entries) + 1):
        assert first_broken(record.entries[:length]) is None


@given(ENTRIES, st.data())
def test_a_flipped_bit_in_an_entry_or_a_hash_is_found_there(entries: list[bytes], data: st.DataObject) -> None:
    record = chained(entries)
    index = data.draw(st.integers(0, len(entries) - 1))
    linked = record.entries[index]
    field = data.draw(st.sampled_from(["chain_hash", "entry"] if linked.entry else ["chain_hash"]))
    changed = bytearray(getattr(linked, field))
    changed[data.draw(st.integers(0, len(changed) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    setattr(linked, field, bytes(changed))
    assert first_broken(record.entries) == index + 1


@given(ENTRIES, st.data())
def test_an_entry_left_out_is_found_where_it_was(entries: list[bytes], data: st.DataObject) -> None:
    record = chained([*entries, b"the end"])
    index = data.draw(st.integers(0, len(entries) - 1))
    del record.entries[index]
    assert first_broken(record.entries) == index + 1


@given(ENTRIES, st.data())
def test_a_repeated_entry_is_found_where_it_is_repeated(entries: list[bytes], data: st.DataObject) -> None:
    record = chained(entries)
    index = data.draw(st.integers(0, len(entries) - 1))
    record.entries.insert(index + 1, record.entries[index])
    assert first_broken(record.entries) == index + 2


@given(ENTRIES, st.data())
def test_swapped_entries_are_found_at_the_first_of_them(entries: list[bytes], data: st.DataObject) -> None:
    record = chained([*entries, b"the end"])
    first = data.draw(st.integers(0, len(entries) - 1))
    second = data.draw(st.integers(first + 1, len(entries)))
    swapped = copy(record)
    swapped.entries[first].CopyFrom(record.entries[second])
    swapped.entries[second].CopyFrom(record.entries[first])
    assert first_broken(swapped.entries) == first + 1


def test_an_entry_that_cannot_be_parsed_is_named() -> None:
    record = chained([RecordEntry().SerializeToString(), b"\xff\xff"])
    with pytest.raises(RecordsError, match="entry 2 of the record cannot be parsed"):
        list(parsed(record))
