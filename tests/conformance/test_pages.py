"""What the page on writing cases shows works."""

from __future__ import annotations

from typing import Any

from tests.conformance.harness import ROOT
from tests.docs.pages import blocks


def shown() -> list[str]:
    """The Python blocks of the page, in order."""
    text = (ROOT / "docs" / "write-a-case.md").read_text()
    return [block.text for block in blocks(text) if block.language == "python"]


def test_the_case_of_the_page_is_one_that_a_sound_player_passes() -> None:
    from fairplay.conformance.case import case
    from fairplay.conformance.certify import limits_of, make_transport, open_context
    from fairplay.conformance.context import Context
    from fairplay.conformance.engine import judge
    from fairplay.conformance.verdicts import Verdict
    from fairplay.games.game import find

    module: dict[str, Any] = {"case": case, "Context": Context}
    exec(shown()[0], module)
    game = find("fish")
    with open_context(
        game, make_transport(game, "bot:random", "127.0.0.1:0", 1.0), 1, limits_of(game, None, None)
    ) as context:
        judged = judge(module["three_games_at_once"], context, "")
    assert judged.verdict is Verdict.PASS
    assert judged.id == "memory.three-games-at-once"


def test_the_library_call_of_the_page_does_what_the_page_says() -> None:
    exec(shown()[1], {})
