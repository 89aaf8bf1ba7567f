"""The Python of the page about learning runs as it stands there."""

from __future__ import annotations

from typing import Any

from tests.docs.pages import blocks
from tools.docs_research import PAGE, with_numbers


def test_the_page_about_learning_says_what_every_game_has() -> None:
    assert PAGE.read_text() == with_numbers(PAGE.read_text()), "run: python -m tools.docs_research"


def test_the_code_of_the_page_about_learning_runs(capsys: Any) -> None:
    names: dict[str, Any] = {}
    pieces = [block.text for block in blocks(PAGE.read_text()) if block.language == "python"]
    assert len(pieces) == 3
    for piece in pieces:
        exec(piece.replace("10_000", "10"), names)
    assert names["environment"].agents == []
    assert 0 < names["first"] <= 10
    assert names["rules"].turn(names["state"]) is None
