"""Sets of cells as numbers."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from fairplay.games.fish.rules.geometry import outside, set_of


@given(st.integers(1, 625).flatmap(lambda size: st.tuples(st.just(size), st.sets(st.integers(0, size - 1)))))
def test_outside_has_a_byte_for_each_cell_of_the_board(drawn: tuple[int, set[int]]) -> None:
    size, cells = drawn
    assert outside(set_of(cells), size) == bytes(cell not in cells for cell in range(size))
