"""Drawn numbers are those of splitmix64, whose first ones are published."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairplay.games.kit.draws import draw_below

WHOLE = 1 << 64
OF_SEED_0 = [0xE220_A839_7B1D_CDAF, 0x6E78_9E6A_A1B9_65F4, 0x06C4_5D18_8009_454F]
OF_SEED_1234567 = [6457827717110365317, 3203168211198807973, 9817491932198370423]


@pytest.mark.parametrize(("seed", "numbers"), [(0, OF_SEED_0), (1234567, OF_SEED_1234567)])
def test_the_numbers_are_those_of_splitmix64(seed: int, numbers: list[int]) -> None:
    drawn = []
    for _ in numbers:
        seed, number = draw_below(seed, WHOLE)
        drawn.append(number)
    assert drawn == numbers


@given(st.integers(0, WHOLE - 1), st.integers(1, 100))
def test_a_number_is_below_its_bound_and_its_share_of_the_whole(state: int, bound: int) -> None:
    after, number = draw_below(state, bound)
    assert 0 <= after < WHOLE
    assert number == draw_below(state, WHOLE)[1] * bound // WHOLE
    assert 0 <= number < bound
