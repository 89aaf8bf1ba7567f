"""Pictures of every game: what they say, that they load and run nothing, and that no stranger's name steers them.

What pictures say of some games is kept in `pictures`, a file a game: the text as a terminal shows it, and the words of
the drawing. `python -m tests.games.test_pictures` writes the files anew, which is right only where a change is wanted.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from google.protobuf.message import Message
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.text import Text

from fairplay.games.game import find
from fairplay.games.kit.pictures import DARK
from fairplay.games.steps import Call, Outcome, Show
from fairplay.v1.misconduct_pb2 import CallError
from tests.games.test_seats import GAMES, asked, played

SVG = "{http://www.w3.org/2000/svg}"
NAMES = ["Ann", "Bob", "Cid", "Dora", "Eve", "Fay", "Gil", "Hal"]
KEPT = Path(__file__).with_name("pictures")
WORD = re.compile(r"\b(?![rwbgy]+\b)[A-Za-z]{3,}")
"""Letters, but for pebbles."""
EVENTFUL: dict[str, dict[str, Any]] = {
    "fish": {"rows": 4, "columns": 4},
    "q": {"copies_per_kind": 1},
    "bazaar": {"bonus": "BONUS_RWB"},
    "eriantys": {"on_disconnect": "ON_DISCONNECT_ELIMINATE", "explicit_end_turn": True},
}
"""Settings under which more comes to be said."""
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


def told(name: str) -> str:
    """Return what pictures say of a game, of the states in which they say a new word.

    Three players of it are lost, one of them as it is told that the game is over.
    """
    game, sound, lost_in = find(name), asked(find(name), "random"), {1: 6, 2: 30}

    def answer(call: Call) -> Any:
        lost_in[call.seat] = lost_in.get(call.seat, 1_000) - 1
        last = call.method == game.methods[-1] and call.seat == 0
        return CallError() if last or lost_in[call.seat] == 0 else sound(call)

    steps = [step for step in played(name, answer, **EVENTFUL.get(name, {})) if not isinstance(step, Outcome)]
    shown = [step.state for step, _ in steps if isinstance(step, Show)]
    states = [build(state) for state in shown for build in (game.public_state, game.full_state)]
    known, kept = set[str](), list[str]()
    for pictures in ([*said(name, state), ""] for state in states):
        if not (words := set(WORD.findall("\n".join(pictures)))) <= known:
            known |= words
            kept += pictures
    return "\n".join(kept)


def said(name: str, state: Message) -> list[str]:
    """Return the lines of the text of a state, and the words of each part of its drawing in a line."""
    parts = ElementTree.fromstring(find(name).svg(state, NAMES))
    words = [" ".join("".join(part.itertext()).split()) for part in parts if part.tag != f"{SVG}style"]
    return [line.rstrip() for line in lines(name, state, NAMES)] + ["--"] + [each for each in words if each]


@pytest.mark.parametrize("name", GAMES)
def test_pictures_say_what_is_kept(name: str) -> None:
    assert told(name) == (KEPT / f"{name}.txt").read_text("utf-8")


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


if __name__ == "__main__":
    KEPT.mkdir(exist_ok=True)
    for each in GAMES:
        (KEPT / f"{each}.txt").write_text(told(each), "utf-8")
