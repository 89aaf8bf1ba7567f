"""Which case a misconduct belongs to, and the evidence that is shown of it."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from fairplay.conformance import owners
from fairplay.conformance.attribution import (
    breaks_rule,
    evidence,
    owning_case,
    owning_case_of,
    same,
    signature,
)
from fairplay.conformance.rivals import Departure
from fairplay.conformance.trial import Exchange, Scenario, Trial
from fairplay.fish.v1.fish_player_pb2 import SetupResponse
from fairplay.games.conformance import Situation
from fairplay.games.game import find
from fairplay.games.steps import CallKind
from fairplay.server.links.link import call_error, disconnected, duration, too_large
from fairplay.v1.misconduct_pb2 import CallError, CallErrorReason, Misconduct, MisconductKind, Overrun, RuleBreak
from tests.conformance.harness import player, trial_of

FISH = find("fish")
METHODS = {method.name: method for method in FISH.methods}
NOTIFIED, DECIDED, FIRST = CallKind.NOTIFICATION, CallKind.DECISION, CallKind.FIRST_DECISION
STATUS = CallErrorReason.CALL_ERROR_REASON_STATUS
LATE = Misconduct(kind=MisconductKind.MISCONDUCT_KIND_TIMEOUT, overrun=Overrun(limit=duration(1.0)))
BROKEN = Misconduct(kind=MisconductKind.MISCONDUCT_KIND_RULE_VIOLATION, rule_break=RuleBreak(rule_id="fish.a"))


def failed(error: CallError) -> Misconduct:
    return Misconduct(kind=MisconductKind.MISCONDUCT_KIND_EXCEPTION, call_error=error)


def unreadable(reason: CallErrorReason.ValueType) -> Misconduct:
    return failed(call_error(reason, "no"))


RAISED = failed(call_error(STATUS, "it raised", code=2))


@pytest.mark.parametrize(
    ("misconduct", "kind", "first", "owner"),
    [
        (BROKEN, DECIDED, False, "rules.whole-game"),
        (LATE, DECIDED, True, "time.first-answer"),
        (LATE, DECIDED, False, "time.every-answer"),
        (LATE, NOTIFIED, False, "time.every-answer"),
        (unreadable(CallErrorReason.CALL_ERROR_REASON_UNPARSABLE), DECIDED, False, "contract.replies-readable"),
        (failed(too_large(2)), DECIDED, False, "contract.replies-readable"),
        (failed(disconnected("gone")), DECIDED, True, "exceptions.stays-alive"),
        (unreadable(CallErrorReason.CALL_ERROR_REASON_LIMIT_EXCEEDED), NOTIFIED, False, "exceptions.stays-alive"),
        (failed(call_error(STATUS, "", code=12)), DECIDED, False, "contract.every-method"),
        (failed(call_error(STATUS, "", code=11)), DECIDED, False, "exceptions.whole-games"),
        (failed(call_error(STATUS, "", code=13)), NOTIFIED, False, "contract.void-methods-return"),
        (RAISED, FIRST, True, "exceptions.whole-games"),
        (RAISED, NOTIFIED, False, "contract.void-methods-return"),
    ],
)
def test_each_misconduct_belongs_to_a_case(misconduct: Misconduct, kind: CallKind, first: bool, owner: str) -> None:
    assert owning_case_of(misconduct, kind, first=first) == owner


def trial(misconduct: Misconduct | None, *kinds: CallKind, method: str = "Setup", **scenario: Any) -> Trial:
    """Return a trial of seat 1 of 3 whose calls have these kinds."""
    exchanges = [
        Exchange(METHODS[method], METHODS[method].request(game_id="g").SerializeToString(), kind, 3.0, 0.25, b"")  # type: ignore[arg-type]
        for kind in kinds
    ]
    if misconduct is not None:
        copy = Misconduct()
        copy.CopyFrom(misconduct)
        copy.method_name = METHODS[method].path
        misconduct = copy
    situation = Situation(FISH.full_settings(scenario.pop("settings", FISH.settings_type())), 3, 1)
    return Trial(Scenario("x", situation, 7, **scenario), exchanges, misconduct, shown=last_shown())


@cache
def last_shown() -> Any:
    """Return the last state of a game."""
    return trial_of(FISH, FISH.player("first")).shown


@pytest.mark.parametrize(
    ("kinds", "owner"),
    [
        ((NOTIFIED, DECIDED), "time.first-answer"),
        ((DECIDED, DECIDED), "time.every-answer"),
        ((DECIDED, FIRST), "time.first-answer"),
        ((DECIDED, NOTIFIED), "time.every-answer"),
        ((NOTIFIED,), "time.every-answer"),
    ],
)
def test_the_first_answer_is_the_first_decision_or_has_its_limit(kinds: tuple[CallKind, ...], owner: str) -> None:
    assert owning_case(trial(LATE, *kinds)) == owner


def test_a_broken_rule_belongs_to_the_whole_game_of_the_seat() -> None:
    assert owning_case(trial(BROKEN, DECIDED)) == "rules.whole-game.seat-1-of-3"
    assert breaks_rule(trial(BROKEN, DECIDED))
    assert not breaks_rule(trial(RAISED, DECIDED))
    assert not breaks_rule(trial(None, DECIDED))


def test_trials_show_the_same_if_the_method_the_kind_and_the_case_or_rule_are_the_same() -> None:
    kind = "MISCONDUCT_KIND_EXCEPTION"
    assert signature(trial(RAISED, DECIDED)) == (METHODS["Setup"].path, kind, "exceptions.whole-games")
    assert signature(trial(BROKEN, DECIDED)) == (
        METHODS["Setup"].path,
        "MISCONDUCT_KIND_RULE_VIOLATION",
        "fish.a",
    )
    assert signature(trial(None, DECIDED)) is None
    gone = failed(disconnected("it has ended"))
    assert signature(trial(gone, DECIDED)) == signature(trial(gone, NOTIFIED, method="TakeTurn")) == (owners.ALIVE,)
    assert same(trial(RAISED, DECIDED), trial(RAISED, NOTIFIED, DECIDED))
    assert same(trial(None), trial(None))
    assert not same(trial(RAISED, DECIDED), trial(None, DECIDED))
    assert not same(trial(RAISED, DECIDED), trial(RAISED, DECIDED, method="TakeTurn"))
    assert not same(trial(RAISED, DECIDED), trial(RAISED, NOTIFIED))


# Evidence


def test_evidence_of_a_failed_call_says_in_which_game_it_was() -> None:
    found = evidence(FISH, trial(RAISED, NOTIFIED, DECIDED))
    assert found.sentence == "Setup failed: status 2: it raised"
    assert found.rules == ()
    assert [title for title, _ in found.sections] == ["Game", "Call", "Request", "Cause", "Time"]
    sections = dict(found.sections)
    assert sections["Game"] == "x: seat 1 of 3, seed 7"
    assert sections["Request"] == 'game_id: "g"'
    assert sections["Time"] == "0.250 s of 3 s"


def test_evidence_of_a_broken_rule_has_its_sentence() -> None:
    rule = next(iter(FISH.rules))
    broken = Misconduct(kind=MisconductKind.MISCONDUCT_KIND_RULE_VIOLATION, rule_break=RuleBreak(rule_id=rule))
    found = evidence(FISH, trial(broken, DECIDED))
    assert found.sentence == f"Setup broke a rule: {rule}: {FISH.rules[rule]}"
    assert list(found.rules) == [rule]
    assert evidence(FISH, trial(LATE, DECIDED)).sentence == "Setup did not answer in time: No answer within 1 s."


def test_evidence_names_settings_that_are_unusual_and_rivals_that_leave() -> None:
    departures = (Departure(0, 1), Departure(2))
    found = evidence(FISH, trial(RAISED, DECIDED, settings=FISH.settings_type(rows=7), departures=departures))
    sections = dict(found.sections)
    assert sections["Settings"] == "rows: 7"
    assert sections["Rivals that leave"].splitlines() == [str(each) for each in departures]
    assert [title for title, _ in found.sections][:4] == ["Game", "Settings", "Rivals that leave", "Call"]


def test_evidence_shows_what_the_player_wrote_and_the_position() -> None:
    found = trial_of(FISH, player(take_turn=lambda sound, request: SetupResponse()))
    found.output = "what it wrote"
    shown = evidence(FISH, found)
    assert dict(shown.sections)["Output of the player"] == "what it wrote"
    assert "state {" in dict(shown.sections)["Request"], "the last one, and not that with which the game began"
    assert shown.picture.startswith("<svg")
    assert "tested" in shown.board
    situation = found.scenario.situation._replace(state=found.shown)
    found.scenario = found.scenario._replace(situation=situation)
    assert "tested" not in evidence(FISH, found).board, "seats may be numbered anew there"
