"""Infractions are no misconduct in a game, but the suite reports them by their level."""

from __future__ import annotations

import re
from typing import Any

import pytest

from fairplay.certificate import Verdict
from fairplay.conformance.games.trial import MAX_INFRACTIONS
from fairplay.conformance.run.engine import run
from fairplay.conformance.run.options import Options
from fairplay.conformance.run.report import Report
from fairplay.games.game import find

WHOLE_GAME = "rules.whole-game.seat-0-of-2"


class Careless:
    """A player of Webset that always picks the same cards."""

    def __init__(self, *cards: int) -> None:
        sound: Any = find("webset").player("first")
        self.game, self.name = "webset", "careless"
        self.deal, self.act, self.report, self.game_over = sound.deal, sound.act, sound.report, sound.game_over
        self._cards = cards

    def pick_cards(self, request: Any) -> Any:
        return find("webset").methods[2].response(cards=self._cards)


def judged(make: Any, only: str) -> Report:
    return run(Options("webset", make, only=only, limit_s=5.0, first_limit_s=5.0))


def test_a_player_that_picks_wrong_cards_now_and_then_is_warned_and_certified() -> None:
    report = judged("bot:solver:error=0.4", "webset")
    assert report.exit_code == 0
    assert report.counts[Verdict.WARN] > 0


def test_a_player_that_never_picks_a_set_cannot_play() -> None:
    report = judged("bot:solver:error=1", WHOLE_GAME)
    [found] = report.judged
    assert found.verdict is Verdict.FAIL
    assert "webset.take.set" in found.sentence
    assert found.evidence is not None
    number = re.search(r"call ([0-9]+)", dict(found.evidence.sections)["Call"])
    assert number is not None
    assert int(number[1]) > 2 * MAX_INFRACTIONS, "each wrong take is an act and a take"


@pytest.mark.parametrize(
    ("cards", "rule"),
    [((0, 1), "webset.take.three"), ((5, 5, 5), "webset.take.distinct"), ((0, 1, 81), "webset.take.card-range")],
)
def test_cards_that_can_be_no_set_fail_at_once(cards: tuple[int, ...], rule: str) -> None:
    report = judged(lambda: Careless(*cards), f"{WHOLE_GAME},webset.set.only-one,webset.resume.own-call")
    verdicts = {each.id: each.verdict for each in report.judged}
    assert verdicts == {
        WHOLE_GAME: Verdict.FAIL,
        "webset.set.only-one": Verdict.WARN,
        "webset.resume.own-call": Verdict.FAIL,
    }
    assert all(rule in each.sentence for each in report.judged)


def test_no_cards_at_all_are_no_more_than_a_warning() -> None:
    report = judged(Careless, "webset.set.only-one,webset.resume.own-call")
    verdicts = {each.id: each.verdict for each in report.judged}
    assert verdicts == {"webset.set.only-one": Verdict.WARN, "webset.resume.own-call": Verdict.PASS}
