"""Sound players pass everything, quickly, and the same seed asks the same."""

from __future__ import annotations

import threading
from functools import partial
from typing import Any

import pytest

from fairplay.certificate import Verdict
from fairplay.certificate.terms import LONGEST_S, default_limits_ms
from fairplay.conformance.cases import cases
from fairplay.conformance.games.rivals import rival_names
from fairplay.conformance.run.plan import limits_of
from fairplay.games.conformance import Level
from fairplay.games.game import find, registered
from tests.conformance.harness import Method, judged, player

SOUND = {Verdict.PASS, Verdict.NOT_APPLICABLE}


@pytest.mark.slow
@pytest.mark.parametrize("game", registered())
def test_the_reference_players_pass_every_case(game: str) -> None:
    for strategy in rival_names(find(game)):
        report = judged(partial(find(game).player, strategy), game=game)
        wrong = {each.id: each.sentence for each in report.judged if each.verdict not in SOUND}
        assert wrong == {}, strategy
        assert report.exit_code == 0


def test_every_case_says_why_it_matters() -> None:
    for game in registered():
        for case in cases(find(game)):
            assert case.why.endswith("."), case.id
            assert case.id.count(".") >= 1, case.id


def asked(seed: int) -> list[bytes]:
    """Return all requests to a player in a run, without the ids of games, which nobody can foresee."""
    requests: list[bytes] = []

    def note(sound: Method, request: Any) -> Any:
        copy = type(request).FromString(request.SerializeToString())
        copy.ClearField("game_id")
        requests.append(copy.SerializeToString())
        return sound(request)

    judged(lambda: player(setup=note, take_turn=note), "rules.whole-game,rules.drawn-states", seed=seed)
    return requests


def test_the_same_seed_asks_the_same_and_another_one_something_else() -> None:
    first = asked(1)
    assert first == asked(1)
    assert first != asked(2)


def test_a_drawn_state_is_shrunk() -> None:
    def wrong(sound: Method, request: Any) -> Any:
        return type(sound(request))() if sum(fish == 0 for fish in request.state.fish) >= 3 else sound(request)

    report = judged(lambda: player(take_turn=wrong), "rules.drawn-states", examples=40)
    [found] = report.judged
    assert found.verdict is Verdict.FAIL
    assert found.evidence is not None
    where = dict(found.evidence.sections)["Game"]
    assert "of 2" in where
    assert dict(found.evidence.sections)["Request"].count(" 0") <= 8


@pytest.mark.slow
def test_a_player_that_hangs_in_every_call_is_given_up_soon() -> None:
    hung: list[Any] = []
    released = threading.Event()

    def hangs(sound: Method, request: Any) -> Any:
        hung.append(request)
        released.wait()

    everything = ("describe", "start", "end", "play_as", "play_with", "setup", "take_turn")
    report = judged(lambda: player(**dict.fromkeys(everything, hangs)), limit_s=0.5, first_limit_s=0.5)
    released.set()
    assert len(hung) < 60  # each case would take several limits; some ask 25 games at once, or whether it still hangs
    there = ("contract.reachable", "identity.reached-again")
    verdicts = {each.verdict for each in report.judged if each.level is Level.MUST and each.id not in there}
    assert verdicts <= {Verdict.FAIL, Verdict.NOT_TESTED, Verdict.NOT_APPLICABLE}
    assert report.counts[Verdict.SUITE_ERROR] == 0
    assert any("not called any more" in each.sentence for each in report.judged)


def test_no_limit_is_one_for_people_unless_it_is_asked_for() -> None:
    for name in list(registered()):
        limits = limits_of(find(name), None, None)
        assert max(limits.notification_s, limits.decision_s, limits.first_decision_s) <= LONGEST_S
        assert default_limits_ms(name) == limits.in_ms
        assert limits_of(find(name), 60.0, 90.0).first_decision_s == 90.0
