"""Infractions of Webset: how grave they are, judged by what the player was shown."""

from __future__ import annotations

from typing import Any

import pytest

from fairplay.games.conformance import Level, find_conformance
from fairplay.games.steps import Call, CallKind
from fairplay.games.webset import rules
from fairplay.games.webset.protocol import codec
from fairplay.games.webset.protocol.codec import ACT, PICK_CARDS
from fairplay.games.webset.rules import takes
from fairplay.games.webset.rules.state import Act, State, Status, Word
from fairplay.v1.misconduct_pb2 import Overrun
from fairplay.webset.v1.webset_player_pb2 import ActRequest, PickCardsRequest, PickCardsResponse
from tests.games.webset.tables import (
    CALL,
    END_SHOW,
    MORE,
    SHOW,
    answered,
    cards,
    done,
    fresh,
)

MUST, SHOULD = Level.MUST, Level.SHOULD


def to_act(state: State, seat: int = 0, rule: str = "", status: Status | None = None) -> ActRequest:
    """Return the question as the referee asks it."""
    actions = codec.build_actions(rules.possible(state, seat))
    reported = codec.build_status(status)
    return ActRequest(seat=seat, state=codec.build_public(state), actions=actions, rule_id=rule, status=reported)


def to_pick(state: State, seat: int = 0, *, may_skip: bool = False) -> PickCardsRequest:
    return PickCardsRequest(seat=seat, state=codec.build_public(state), may_skip=may_skip)


def to_pick_singly(state: State) -> PickCardsRequest:
    return PickCardsRequest(seat=0, state=codec.build_public(state), one_by_one=True)


def infraction(state: State, request: Any, answer: Any) -> tuple[str, Level] | None:
    method = ACT if isinstance(request, ActRequest) else PICK_CARDS
    call = Call(request.seat, method, request, CallKind.DECISION)
    found = find_conformance("webset").find_infraction(codec.build_settings(state.settings), call, answer)
    return None if found is None else (found.rule, found.level)


# Acts


@pytest.mark.parametrize(
    ("word", "rule"), [(MORE, "webset.more.auto"), (SHOW, "webset.show.enabled"), (END_SHOW, "webset.end.showing")]
)
def test_what_is_not_listed_is_refused_for_the_rule_that_the_referee_names(word: Word, rule: str) -> None:
    assert infraction(fresh(), to_act(fresh()), answered(word)) == (rule, SHOULD)
    assert rules.carry_out(fresh(), Act(0, word)).rule == rule


def test_what_is_listed_may_be_tried_once_and_not_again_after_it_was_refused() -> None:
    state = fresh(more_rule="if_no_set")
    _, status, rule = rules.carry_out(state, Act(0, MORE))
    assert infraction(state, to_act(state), answered(MORE)) is None
    assert infraction(state, to_act(state, 0, str(rule), status), answered(MORE)) == ("webset.more.no-set", SHOULD)
    assert infraction(state, to_act(state, 0, "webset.call.first", Status.ALREADY_CALLED), answered(MORE)) is None


# Cards


def test_cards_of_the_full_deck_are_none_in_the_small_one() -> None:
    state = done(fresh(deck=range(27), aspects=3), (0, CALL))
    assert infraction(state, to_pick(state), PickCardsResponse(cards=(0, 27, 54))) == ("webset.take.card-range", MUST)


def test_no_answer_in_time_is_grave_after_a_call_and_in_a_round_and_no_cards_are_a_pass_there() -> None:
    in_round = fresh(rounds="earliest")
    for window_ms, level in ((3_000, MUST), (1_500, MUST), (1_499, SHOULD)):
        called, asked = done(fresh(window_ms=window_ms), (0, CALL)), fresh(rounds="earliest", window_ms=window_ms)
        for state, may_skip in ((called, False), (asked, True)):
            assert infraction(state, to_pick(state, may_skip=may_skip), Overrun()) == ("webset.take.window", level)
    assert infraction(in_round, to_pick(in_round, may_skip=True), PickCardsResponse()) is None
    assert infraction(in_round, to_pick(in_round, may_skip=True), cards("0000 0001 0011")) == (
        "webset.take.set",
        SHOULD,
    )


# Cards that are picked one by one


def test_one_or_two_cards_that_are_picked_singly_are_no_infraction_unless_they_are_picked_already() -> None:
    state = done(fresh(selection="single"), (0, CALL))
    one, two, again = cards("0000"), cards("0000 0012"), cards("0000")
    assert infraction(state, to_pick_singly(state), one) is None
    assert infraction(state, to_pick_singly(state), two) is None
    picked = takes.select(state, 0, tuple(one.cards))
    assert picked is not None
    assert infraction(picked, to_pick_singly(picked), two) is None
    assert infraction(picked, to_pick_singly(picked), again) == ("webset.take.three", MUST)
    assert infraction(state, to_pick(state), one) == ("webset.take.three", MUST)
