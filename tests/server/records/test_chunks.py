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


@given(st.integers(1, 60))
def test_a_chunk_that_was_cut_is_refused(missing: int) -> None:
    chunk = join([(Trail(1), bytes(32), b"an entry"), (Trail(1), bytes(32), b"another entry")])
    cut = chunk[: len(chunk) - min(missing, 40)]
    with pytest.raises(ValueError, match="it ends within"):
        list(split(cut, 1))


@given(st.lists(st.integers(0, 2**64 - 1)))
def test_chunk_numbers_survive_packing(numbers: list[int]) -> None:
    assert unpack_numbers(pack_numbers(array("Q", numbers))) == numbers


def test_damaged_chunk_numbers_are_refused() -> None:
    with pytest.raises(ValueError, match="damaged"):
        unpack_numbers(b"12345")
