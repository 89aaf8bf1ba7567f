"""Cards and sets: the vectors S1 and S2, and the facts of section 2 that are cheap to see."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairplay.games.webset.rules.cards import (
    CARDS,
    card_name,
    card_of,
    differing,
    digits,
    format_card,
    is_set,
    misfits,
    parse_card,
)
from tests.games.webset.tables import UNSHUFFLED, parse_cards

CARD = st.integers(0, CARDS - 1)


@given(CARD, CARD, CARD)
def test_a_set_is_all_alike_or_all_different_in_each_aspect(one: int, two: int, three: int) -> None:
    aspects = list(zip(digits(one), digits(two), digits(three), strict=True))
    by_words = len({one, two, three}) == 3 and all(len(set(values)) != 2 for values in aspects)
    assert is_set(one, two, three) is by_words
    assert all(sum(values) % 3 == 0 for values in aspects) or not by_words


@given(CARD)
def test_a_card_is_written_with_its_four_digits(card: int) -> None:
    assert parse_card(format_card(card)) == card == card_of(*digits(card))


def test_cards_have_names() -> None:
    assert card_name(parse_card("0000")) == "one red solid oval"
    assert card_name(parse_card("2112")) == "three green striped squiggles"
    assert card_name(parse_card("1221")) == "two purple open diamonds"
    assert len({card_name(card) for card in UNSHUFFLED}) == 81


@pytest.mark.parametrize("text", ["012", "0123"])
def test_what_is_no_card_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="four digits from 0 to 2"):
        parse_card(text)


def test_the_aspects_are_named_in_which_cards_differ_or_do_not_fit() -> None:
    assert differing(parse_cards("0000 0001 0002")) == (3,)
    assert differing(parse_cards("0000 1111 2222")) == (0, 1, 2, 3)
    assert misfits(parse_cards("0000 0001 0011")) == (2, 3)
    assert misfits(parse_cards("0000 0101 0202")) == ()


@given(st.lists(CARD, min_size=3, max_size=3, unique=True))
def test_three_cards_are_a_set_if_no_aspect_does_not_fit(cards: list[int]) -> None:
    assert is_set(*cards) is (not misfits(cards))
