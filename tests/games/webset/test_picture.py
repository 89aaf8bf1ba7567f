"""Pictures of Webset: they show what a state shows and no more, and nothing in a name gets out of hand."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from rich.cells import cell_len
from rich.text import Text

from fairplay.games.webset import rules
from fairplay.games.webset.game import GAME
from fairplay.games.webset.protocol import codec
from fairplay.games.webset.rules.cards import EMPTY, card_name, parse_card
from fairplay.games.webset.rules.state import State, solutions
from fairplay.games.webset.views import svg, text
from fairplay.webset.v1 import webset_pb2
from tests.games.webset.tables import CALL, MORE, SHOW, UNSHUFFLED, act, done, fresh, taken

NAMES = ["Ann", "bob", "Cyd"]
SVG = "{http://www.w3.org/2000/svg}"


def drawn(state: State, names: list[str] | None = None) -> ElementTree.Element:
    return ElementTree.fromstring(GAME.svg(codec.build_public(state), NAMES if names is None else names))


def groups(root: ElementTree.Element, css_class: str) -> list[ElementTree.Element]:
    return [group for group in root.iter(f"{SVG}g") if group.get("class") == css_class]


def words(root: ElementTree.Element) -> str:
    return " ".join("".join(each.itertext()).strip() for each in root.iter(f"{SVG}text"))


def titles(root: ElementTree.Element) -> list[str]:
    return [title.text or "" for slot in groups(root, "slot") for title in slot.iter(f"{SVG}title")]


def written(state: State, names: list[str] | None = None) -> str:
    return Text.from_markup(GAME.text(codec.build_public(state), NAMES if names is None else names)).plain


def test_empty_slots_are_drawn_as_such_and_more_columns_widen_the_picture() -> None:
    wide = done(fresh(3, profile="seed"), (0, MORE), (0, MORE))
    assert len(groups(drawn(wide), "slot")) == 18
    assert int(drawn(wide).get("width", "")) > int(drawn(fresh(3)).get("width", ""))
    holes = wide._replace(table=(0, EMPTY, 2, *[EMPTY] * 18))
    assert len(groups(drawn(holes), "slot")) == 12
    assert len(titles(drawn(holes))) == 2


def test_who_has_called_is_said_and_marked() -> None:
    root = drawn(done(fresh(3), (1, CALL)))
    assert "bob calls SET" in words(root)
    marked = [
        "".join(player.itertext())
        for player in groups(root, "player")
        if any(rect.get("stroke-width") == "3" for rect in player.iter(f"{SVG}rect"))
    ]
    assert len(marked) == 1
    assert "has called" in marked[0]


def test_the_solution_that_is_displayed_is_marked() -> None:
    state = done(fresh(3, profile="seed"), (0, SHOW), (0, SHOW))
    root = drawn(state)
    assert "solution 2 of 13" in words(root)
    marked = [
        title
        for slot, title in zip(groups(root, "slot"), titles(root), strict=True)
        if any(rect.get("stroke-width") == "5" for rect in slot.iter(f"{SVG}rect"))
    ]
    assert marked == [card_name(card) for card in solutions(state)[1]]


def test_players_are_drawn_with_points_sets_penalties_and_their_last_set() -> None:
    state = taken(fresh(3), "0000 0001 0002")
    state = rules.apply(done(state, (1, CALL)), act(1, "0010 0010 0010"))
    state = rules.expired(done(state, (1, CALL)), 3).state
    rows = ["".join(player.itertext()).split() for player in groups(drawn(state), "player")]
    assert rows[0][:4] == ["Ann", "1", "set", "1"]
    said = " ".join(rows[1])
    assert "bob" in said
    assert "1 wrong and 1 late" in said
    assert "-2" in said
    cards = [title.text for title in groups(drawn(state), "player")[0].iter(f"{SVG}title")]
    assert cards == ["one red solid oval", "one red open oval", "one red striped oval"]


def test_what_is_hidden_is_not_needed_and_not_drawn() -> None:
    state = fresh(3)
    assert GAME.svg(codec.build_state(state), NAMES) == GAME.svg(codec.build_public(state), NAMES)
    assert GAME.text(codec.build_state(state), NAMES) == GAME.text(codec.build_public(state), NAMES)


def test_states_without_players_or_cards_are_drawn_too() -> None:
    empty = webset_pb2.State()
    ElementTree.fromstring(GAME.svg(empty, []))
    assert GAME.text(empty, [])
    called = webset_pb2.State(phase=webset_pb2.PHASE_CALLED, caller=3)
    ElementTree.fromstring(GAME.svg(called, []))
    showing = webset_pb2.State(phase=webset_pb2.PHASE_SHOWING, slots=[200, 5])
    ElementTree.fromstring(GAME.svg(showing, []))


# Single cards


@pytest.mark.parametrize("card", [0, 40, 80])
def test_every_card_can_be_drawn_on_its_own(card: int) -> None:
    root = ElementTree.fromstring(svg.card_svg(card))
    uses = list(root.iter(f"{SVG}use"))
    assert len(uses) == card // 27 + 1
    title = root.find(f"{SVG}title")
    assert title is not None
    assert title.text == card_name(card)
    assert 1 <= cell_len(Text.from_markup(text.card_text(card)).plain) <= 5


def test_all_cards_look_different_in_both_kinds_of_picture() -> None:
    assert len({svg.card_svg(card).partition("</title>")[2] for card in UNSHUFFLED}) == 81
    assert len({text.card_text(card) for card in UNSHUFFLED}) == 81


def test_a_card_in_a_box_has_three_lines_of_seven_cells() -> None:
    for card in UNSHUFFLED:
        lines = [Text.from_markup(line).plain for line in text.card_lines(card, "12")]
        assert [cell_len(line) for line in lines] == [7, 7, 7]
    assert [Text.from_markup(line).plain for line in text.card_lines(parse_card("2020"), "7")] == [
        "╭──7──╮",
        "│◆ ◆ ◆│",
        "╰─────╯",
    ]


# Text


def test_the_text_numbers_the_slots_column_by_column_and_is_not_too_wide() -> None:
    state = done(fresh(3, profile="seed", max_table=27), *[(0, MORE)] * 5)
    lines = written(state).splitlines()
    assert max(map(cell_len, lines)) <= 76
    assert [part.strip("╭─╮") for part in lines[1].split()] == [str(slot) for slot in range(1, 28, 3)]
    assert lines[0] == "open  54 cards in the deck"
