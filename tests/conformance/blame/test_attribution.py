"""What a broken rule is charged to, and with what evidence; that each defect is named is shown by the zoo."""

from __future__ import annotations

import pytest

from fairplay.certificate import Verdict
from tests.conformance.harness import judged, player, raises

DRAWN_STATES = "rules.drawn-states,exceptions.drawn-states,time.drawn-states"


@pytest.mark.parametrize("method", ["setup", "take_turn"])
def test_drawn_states_are_not_tested_for_a_player_that_raises_in_all_of_them(method: str) -> None:
    report = judged(lambda: player(**{method: raises}), f"{DRAWN_STATES},exceptions.whole-games", level="must")
    drawn = {each.id: each for each in report.judged if "drawn" in each.id}
    for case_id in ("rules.drawn-states", "time.drawn-states"):
        assert drawn[case_id].verdict is Verdict.NOT_TESTED
        assert drawn[case_id].see == "exceptions.whole-games"
    assert "exceptions.whole-games" in report.failed()
    assert drawn["exceptions.drawn-states"].verdict in (Verdict.FAIL, Verdict.NOT_TESTED)


def test_drawn_states_are_not_tested_for_other_failures_where_all_answers_break_a_rule() -> None:
    report = judged(lambda: player(take_turn=lambda sound, request: type(sound(request))()), DRAWN_STATES)
    assert report.failed() == ["rules.drawn-states"]
    others = [each for each in report.judged if each.id != "rules.drawn-states"]
    assert [(each.verdict, each.see) for each in others] == [(Verdict.NOT_TESTED, "rules.drawn-states")] * 2
