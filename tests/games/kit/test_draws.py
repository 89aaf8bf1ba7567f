"""Drawn numbers are those of splitmix64, whose first ones are published, and as proto/SPECIFICATION.md says."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairplay.games.bazaar import rules as bazaar
from fairplay.games.bazaar.rules.pieces import unpack
from fairplay.games.bazaar.rules.state import PEBBLE, Settings
from fairplay.games.eriantys.rules.board import draw_one
from fairplay.games.kit.draws import draw_below
from fairplay.games.webset import rules
from fairplay.games.webset.rules import takes
from fairplay.games.webset.rules.settings import settings_of
from fairplay.games.webset.rules.state import Status

WHOLE = 1 << 64
PEBBLES = ("red", "white", "blue", "green", "yellow")
STUDENTS = ("green", "red", "yellow", "pink", "blue")
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


# What proto/SPECIFICATION.md says of draws, for programs in other languages

PAGE = (Path(__file__).parents[3] / "proto" / "SPECIFICATION.md").read_text("utf-8").partition("\n## Draws\n")[2]
VECTORS = re.findall(r"^\| `([0-9a-f]{16})` \| (\d+) \| (\d+) \| `([0-9a-f]{16})` \|$", PAGE, re.MULTILINE)


def test_the_page_has_draws_to_try() -> None:
    assert len(VECTORS) == 8


@pytest.mark.parametrize(("before", "bound", "number", "after"), VECTORS)
def test_the_draws_of_the_page_are_those_of_the_games(before: str, bound: str, number: str, after: str) -> None:
    assert draw_below(int(before, 16), int(bound)) == (int(after, 16), int(number))


def test_three_pebbles_of_bazaar_are_those_of_the_page() -> None:
    state = bazaar.initial(Settings(), 2, Random(1))._replace(draw_state=0)
    bank, drawn = unpack(state.bank), []
    for _ in range(3):
        state = bazaar.apply(bazaar.apply(state, PEBBLE), ())
        left = unpack(state.bank)
        drawn += [
            color for color, before, after in zip(PEBBLES, bank, left, strict=True) for _ in range(before - after)
        ]
        bank = left
    assert f"are a {drawn[0]}, a {drawn[1]} and a {drawn[2]} one; three\nstudents" in PAGE


def test_three_students_of_eriantys_are_those_of_the_page() -> None:
    bag: tuple[int, ...] = (24,) * 5
    draw_state, drawn = 0, []
    for _ in range(3):
        draw_state, color, bag = draw_one(draw_state, bag, "uniform_student")
        drawn.append(STUDENTS[color])
    assert f"24 of each colour are a {drawn[0]}, a {drawn[1]} and a {drawn[2]} one" in PAGE


def test_a_drawn_colour_is_one_of_those_in_the_bag() -> None:
    _, color, bag = draw_one(0x0123_4567_89AB_CDEF, (0, 3, 0, 1, 0), "uniform_color")
    assert (color, bag) == (1, (0, 2, 0, 1, 0)), "number 0 of 2"


def test_the_take_that_counts_is_that_of_the_page() -> None:
    table = (0, 1, 2, 9, 10, 11, 18, 19, 20, 3, 4, 5)
    deck = (*table, *[card for card in range(81) if card not in table])
    state = rules.dealt(settings_of(rounds="lot"), deck, 4)
    answers = [(2, (0, 1, 2)), (0, (0, 1, 3)), (3, (9, 10, 11)), (1, (18, 19, 20))]
    verdicts = takes.play_round(state, answers).verdicts
    assert [seat for seat, said in verdicts.items() if said.status is Status.GOT_SET] == [1]
    assert "of three sets the last one counts" in PAGE
