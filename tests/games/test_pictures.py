"""Pictures of every game load and run nothing, and no name of a stranger breaks or steers them."""

from __future__ import annotations

import re
from functools import cache
from xml.etree import ElementTree

import pytest
from google.protobuf.message import Message
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.text import Text

from fairplay.games.game import find
from fairplay.games.kit.pictures import DARK
from fairplay.games.steps import Outcome, Show
from tests.games.test_seats import GAMES, asked, played

SVG = "{http://www.w3.org/2000/svg}"
NAMES = ["Ann", "Bob", "Cid", "Dora", "Eve", "Fay", "Gil", "Hal"]
HOSTILE = ('<&"[bold]', "</title>", "\\\\[/b]", ":smile:", "\x1b[31m")


@cache
def states(name: str) -> list[Message]:
    """Return the first states of a game and its last one, as the referee and as spectators have them."""
    game = find(name)
    steps = [step for step in played(name, asked(game, "first")) if not isinstance(step, Outcome)]
    shown = [step.state for step, _ in steps if isinstance(step, Show)]
    return [build(state) for state in (*shown[:9:4], shown[-1]) for build in (game.full_state, game.public_state)]


def lines(name: str, state: Message, names: list[str]) -> list[str]:
    return Text.from_markup(find(name).text(state, names)).plain.split("\n")


@pytest.mark.parametrize("name", GAMES)
def test_nothing_is_loaded_from_elsewhere_and_nothing_runs(name: str) -> None:
    for state in states(name):
        root = ElementTree.fromstring(find(name).svg(state, NAMES))
        ids = {element.get("id") for element in root.iter()} - {None}
        assert all(str(each).startswith(f"{name}-") for each in ids)
        assert [style.text for style in root.iter(f"{SVG}style")] == [DARK]
        assert not re.search("url|import|@font", DARK)
        for element in root.iter():
            assert element.tag.removeprefix(SVG) not in {"script", "image", "foreignObject"}
            assert not any(attribute.startswith("on") for attribute in element.attrib)
            href = element.get("href")
            assert href is None or href.removeprefix("#") in ids


@pytest.mark.parametrize("hostile", HOSTILE)
@pytest.mark.parametrize("name", GAMES)
def test_a_hostile_name_is_shown_as_it_is(name: str, hostile: str) -> None:
    names, shown = [hostile, *NAMES[1:]], "".join(filter(str.isprintable, hostile))
    for state in states(name):
        document = find(name).svg(state, names)
        assert shown in "".join(ElementTree.fromstring(document).itertext())
        found = lines(name, state, names)
        assert any(shown in line for line in found)
        assert "\x1b" not in document + "".join(found)


@pytest.mark.parametrize("name", GAMES)
@given(hostile=st.text(max_size=60))
@settings(max_examples=25, deadline=None)
def test_no_name_breaks_a_picture(name: str, hostile: str) -> None:
    state = states(name)[-1]
    ElementTree.fromstring(find(name).svg(state, [hostile, *NAMES[1:]]))
    found, usual = lines(name, state, [hostile, *NAMES[1:]]), lines(name, state, NAMES)
    assert len(found) == len(usual)
    assert max(map(cell_len, found)) <= max(80, *map(cell_len, usual))
