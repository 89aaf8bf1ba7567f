"""What the page on writing cases shows works."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conformance.harness import ROOT
from tests.docs.pages import blocks


def shown() -> list[str]:
    """The Python blocks of the page, in order."""
    text = (ROOT / "docs" / "write-a-case.md").read_text()
    return [block.text for block in blocks(text) if block.language == "python"]


def test_the_case_of_the_page_is_one_that_a_sound_player_passes() -> None:

    from fairplay.certificate import Verdict
    from fairplay.conformance.blame.judge import judge_condition
    from fairplay.conformance.case import case
    from fairplay.conformance.games.context import Context
    from fairplay.conformance.run.judge import Judge
    from fairplay.conformance.run.options import Options
    from fairplay.conformance.run.plan import make_plan

    module: dict[str, Any] = {"case": case, "Context": Context, "judge_condition": judge_condition}
    exec(shown()[0], module)
    with Judge(make_plan(Options("fish", "bot:random"))) as judge:
        judged = judge.judge(module["three_games_at_once"]).judged
    assert judged.verdict is Verdict.PASS
    assert judged.id == "memory.three-games-at-once"


@pytest.mark.slow
def test_the_library_call_of_the_page_does_what_the_page_says() -> None:
    exec(shown()[1], {})
