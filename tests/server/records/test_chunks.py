from __future__ import annotations

from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairplay.server.records.chunks import Trail, join, pack_numbers, split, unpack_numbers

ITEMS = st.lists(st.tuples(st.integers(1, 4), st.binary(min_size=32, max_size=32), st.binary(max_size=50)))


@given(ITEMS)
def test_each_record_gets_its_own_items_back_in_order(items: list[tuple[int, bytes, bytes]]) -> None:
    trails = {number: Trail(number) for number in range(1, 6)}
    chunk = join((trails[number], digest, entry) for number, digest, entry in items)
    for number in trails:
        found = [(each.record, each.hash, each.entry) for each in split(chunk, number)]
        assert found == [item for item in items if item[0] == number]


def test_a_chunk_that_was_cut_anywhere_is_refused() -> None:
    first = join([(Trail(1), bytes(32), b"an entry")])
    chunk = first + join([(Trail(1), bytes(32), b"another entry")])
    for length in range(1, len(chunk)):
        if length == len(first):
            continue
        whole = first if length > len(first) else b""
        where = "the head of an item" if length < len(whole) + 44 else "an entry"
        with pytest.raises(ValueError, match=f"it ends within {where}"):
            list(split(chunk[:length], 1))


@given(st.lists(st.integers(0, 2**63 - 1)))
def test_chunk_numbers_survive_packing(numbers: list[int]) -> None:
    assert unpack_numbers(pack_numbers(array("Q", numbers))) == numbers
