"""Pictures of Webset: they show what a state shows and no more, and nothing in a name gets out of hand."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from rich.cells import cell_len
from rich.text import Text

from fairplay.games.webset.game import GAME
from fairplay.games.webset.protocol import codec
from fairplay.games.webset.rules.cards import EMPTY, card_name
from fairplay.games.webset.rules.state import State, solutions
from fairplay.games.webset.views import svg, text
from fairplay.webset.v1 import webset_pb2
from tests.games.webset.tables import MORE, SHOW, UNSHUFFLED, done, fresh

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


def test_empty_slots_are_drawn_as_such_and_more_columns_widen_the_picture() -> None:
    wide = done(fresh(3, profile="seed"), (0, MORE), (0, MORE))
    assert len(groups(drawn(wide), "slot")) == 18
    assert int(drawn(wide).get("width", "")) > int(drawn(fresh(3)).get("width", ""))
    holes = wide._replace(table=(0, EMPTY, 2, *[EMPTY] * 18))
    assert len(groups(drawn(holes), "slot")) == 12
    assert len(titles(drawn(holes))) == 2


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


# Text
