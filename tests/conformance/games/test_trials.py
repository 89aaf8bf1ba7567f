"""Games with the player under test: names and ids, failed calls, infractions, rivals that leave."""

from __future__ import annotations

import re
from collections.abc import Callable
from threading import Event
from typing import Any

import pytest

from fairplay.certificate import Verdict
from fairplay.conformance.evidence import Evidence, without_ids
from fairplay.conformance.games.rivals import Departure
from fairplay.conformance.games.trial import MAX_INFRACTIONS, Scenario, Trial
from fairplay.conformance.player.names import new_game_id, new_tournament_id
from fairplay.conformance.run.engine import run
from fairplay.conformance.run.options import Options
from fairplay.conformance.run.report import Report
from fairplay.eriantys.v1 import eriantys_settings_pb2
from fairplay.games.conformance import Situation
from fairplay.games.game import find, registered
from fairplay.server.game.plans import ID
from fairplay.server.links.link import duration
from fairplay.v1.misconduct_pb2 import MisconductKind
from fairplay.webset.v1 import webset_pb2
from tests.conformance.harness import raises, trial_of


def test_ids_are_valid_and_never_the_same() -> None:
    ids = [make("fish") for make in (new_tournament_id, new_game_id) for _ in range(50)]
    assert all(ID.fullmatch(each) for each in ids)
    assert len({*ids}) == len(ids)


def test_what_differs_in_ids_only_is_the_same_evidence() -> None:
    digests = {Evidence("it failed", sections=[("Request", f'game_id: "{new_game_id("q")}"')]).digest for _ in range(9)}
    assert len(digests) == 1
    assert Evidence("it failed").digest not in digests


def test_only_ids_are_left_out() -> None:
    text = f'game_id: "{new_game_id("fish")}" {new_tournament_id("q")} seed 12345678 x/r1g1 cafe'
    assert without_ids(text) == 'game_id: "ID" ID seed 12345678 x/r1g1 cafe'


SKIP_TURNS = eriantys_settings_pb2.Settings(on_disconnect=eriantys_settings_pb2.ON_DISCONNECT_SKIP_TURNS)
ROUNDS = webset_pb2.Settings(rounds=webset_pb2.ROUNDS_EARLIEST, window=duration(0.1))


def played(name: str, settings: Any, method: str, wrong: Callable[[Any], Any], decisions: int = 4) -> Trial:
    game = find(name)
    player: Any = game.player("random")
    player.quick = False
    setattr(player, method, wrong)
    situation = Situation(game.full_settings(settings), 2, 1, turn_count=decisions)
    return trial_of(game, player, Scenario("failing", situation, seed=1))


@pytest.mark.parametrize(
    "method", ["ask_assistant_card", "ask_action", "start_game", "update_game_board", "ask_tower_color"]
)
def test_an_exception_is_misconduct_although_the_game_skips_the_turns_of_a_player_that_fails(method: str) -> None:
    found = played("eriantys", SKIP_TURNS, method, lambda request: raises(lambda _: None, request))
    assert found.misconduct is not None
    assert found.misconduct.kind == MisconductKind.MISCONDUCT_KIND_EXCEPTION
    assert found.misconduct.method_name.rpartition("/")[2] == "".join(map(str.title, method.split("_")))


def test_no_answer_in_time_is_a_pass_where_the_rules_of_the_game_set_the_limit() -> None:
    released = Event()
    try:
        found = played("webset", ROUNDS, "pick_cards", lambda _: released.wait(60), decisions=2)
    finally:
        released.set()
    assert found.misconduct is None
    assert found.decision_count == 2


def test_an_exception_is_misconduct_there_as_well() -> None:
    found = played("webset", ROUNDS, "pick_cards", lambda request: raises(lambda _: None, request))
    assert found.misconduct is not None
    assert found.misconduct.kind == MisconductKind.MISCONDUCT_KIND_EXCEPTION


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


@pytest.mark.slow
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


def test_any_game_goes_on_or_ends_when_all_rivals_leave() -> None:
    for name in registered():
        game = find(name)
        count = game.seats.stop - 1
        departures = tuple(Departure(seat, after=seat % 3) for seat in range(1, count))
        found = trial_of(game, game.player("first"), count=count, departures=departures)
        assert found.misconduct is None
