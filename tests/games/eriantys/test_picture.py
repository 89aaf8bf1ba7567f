"""Pictures of Eriantys: they show what a state shows and no more, and nothing in a name gets out of hand."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree

from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from fairplay.eriantys.v1 import eriantys_pb2
from fairplay.games.eriantys.protocol import codec
from fairplay.games.eriantys.rules.characters import character_cost
from fairplay.games.eriantys.rules.state import NOBODY, Settings, State
from fairplay.games.eriantys.views.svg import svg
from fairplay.games.eriantys.views.text import text
from fairplay.games.eriantys.views.words import INITIALS
from tests.games.drawing import SVG, Drawing, place, shown_lines
from tests.games.eriantys.playing import a_middle
from tests.games.eriantys.tables import expert, fresh

NAMES = ("Ann", "Bob", "Cleo", "Dan")
some_states = st.builds(
    a_middle,
    st.sampled_from([Settings(), expert(1, 7, 11), expert(5, 10, 12, on_disconnect="skip_turns")]),
    st.integers(2, 4),
    st.integers(0, 2**32),
)


def pieces(drawing: Drawing, kind: str) -> list[list[str]]:
    """Return what is drawn of the artwork in each element of a kind."""
    return [list(map(piece, element.iter(f"{SVG}use"))) for element in drawing.of(kind)]


def piece(use: ElementTree.Element) -> str:
    return use.get("href", "").removeprefix("#eriantys-")


def initials(counts: Sequence[int]) -> list[str]:
    return [initial for initial, count in zip(INITIALS, counts, strict=True) for _ in range(count)]


def drawn(state: eriantys_pb2.State, players: Sequence[str] = NAMES) -> Drawing:
    return Drawing(svg(state, players))


def lines(state: eriantys_pb2.State, players: Sequence[str] = NAMES) -> list[str]:
    """Return the lines of the text picture as a console shows them."""
    return shown_lines(text(state, players))


# The document


@given(some_states)
@settings(max_examples=60, deadline=None)
def test_everything_of_a_state_is_drawn(state: State) -> None:
    drawing = drawn(codec.build_public(state))
    assert pieces(drawing, "entrance") == [initials(entrance) for entrance in state.entrances]
    seated = [initial * count for room in state.dining_rooms for initial, count in zip(INITIALS, room, strict=True)]
    assert ["".join(found) for found in pieces(drawing, "table")] == seated
    assert pieces(drawing, "cloud") == [["cloud", *initials(cloud)] for cloud in state.clouds]
    held = [card.students for card in state.cards]
    tiles = [["no-entry"] * card.no_entry for card in state.cards]
    for shown, counts, blocked in zip(pieces(drawing, "character"), held, tiles, strict=True):
        assert shown == ["coin", *initials(counts), *blocked]
    assert drawing.texts("cost") == [str(character_cost(card)) for card in state.cards]
    assert len(drawing.of("professor")) == sum(owner >= 0 for owner in state.professors)
    assert drawing.texts("name") == list(NAMES[: len(state.sides)])
    assert len(drawing.of("coins")) == (len(state.sides) if state.cards else 0)


@given(some_states)
@settings(max_examples=60, deadline=None)
def test_islands_are_drawn_with_their_groups_students_and_towers(state: State) -> None:
    drawing = drawn(codec.build_public(state))
    colors = {NOBODY: 0, **{side: color + 1 for side, color in enumerate(state.tower_colors)}}
    assert len(drawing.of("island")) == 12
    for element, group in zip(drawing.of("group"), state.groups, strict=True):
        found = list(map(piece, element.iter(f"{SVG}use")))
        students = [each for each in element.iter() if each.get("class") == "students"]
        numbers = [int("".join(each.itertext())) for each in students]
        assert numbers == [count for count in group.students if count]
        assert found.count("island") == len(group.tiles)
        towers = [name for name in found if name.startswith("tower")]
        assert towers == ([f"tower{colors[group.tower]}"] * len(group.tiles) if group.tower >= 0 else [])
        assert ("no-entry" in found) == bool(group.no_entry)
    (mother,) = [place for place, element in enumerate(drawing.of("group")) if "mother-nature" in kinds(element)]
    assert mother == state.mother_nature


def kinds(element: ElementTree.Element) -> set[str]:
    return {each.get("class", "") for each in element.iter()}


@given(some_states)
@settings(max_examples=30, deadline=None)
def test_all_is_drawn_within_its_frame(state: State) -> None:
    drawn(codec.build_state(state)).check_frames()


def test_islands_never_overlap() -> None:
    for settings_ in (Settings(), expert(1, 2, 3)):
        places = []
        for element in drawn(codec.build_public(fresh(settings_))).of("island"):
            places.append(complex(*place(element)))
        assert min(abs(one - other) for at, one in enumerate(places) for other in places[:at]) >= 116


# Text


@given(some_states)
@settings(max_examples=60, deadline=None)
def test_the_text_has_a_line_for_everything_and_stays_narrow(state: State) -> None:
    found = lines(codec.build_public(state), ["m" * 30] * 4)
    assert all(cell_len(line) <= 76 for line in found)
    shown = "\n".join(found)
    for seat in range(len(state.sides)):
        assert f"{len(state.hands[seat])} in hand" in shown
    assert shown.count("dining room") == len(state.sides)
    assert shown.count("costs") == len(state.cards)
    assert f"bag        {sum(state.bag)}" in shown
    for counts in state.entrances:
        words = " ".join(f"{initial}{count}" for initial, count in zip(INITIALS, counts, strict=True) if count)
        assert f"entrance   {words or '-'}" in shown
