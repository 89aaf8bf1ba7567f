"""Infractions of Webset: how grave they are, judged by what the player was shown."""

from __future__ import annotations

from typing import Any

import pytest

from fairplay.games.conformance import Level
from fairplay.games.webset import rules
from fairplay.games.webset.conformance import infractions
from fairplay.games.webset.protocol import codec
from fairplay.games.webset.rules import Act, State, Status, Word
from fairplay.v1.misconduct_pb2 import CallError, Overrun
from fairplay.webset.v1.webset_player_pb2 import ActRequest, ActResponse, PickCardsRequest, PickCardsResponse
from tests.games.webset.tables import (
    CALL,
    END_SHOW,
    MORE,
    SHOW,
    answered,
    cards,
    deck_with,
    done,
    fresh,
    without_sets,
)

NO_SET = deck_with(without_sets(12))
MUST, SHOULD = Level.MUST, Level.SHOULD


def to_act(state: State, seat: int = 0, rule: str = "", status: Status | None = None) -> ActRequest:
    """Return the question as the referee asks it."""
    actions = codec.action_list(rules.possible(state, seat))
    reported = codec.status(status)
    return ActRequest(seat=seat, state=codec.public_message(state), actions=actions, rule_id=rule, status=reported)


def to_pick(state: State, seat: int = 0, *, may_skip: bool = False) -> PickCardsRequest:
    return PickCardsRequest(seat=seat, state=codec.public_message(state), may_skip=may_skip)


def to_pick_singly(state: State) -> PickCardsRequest:
    return PickCardsRequest(seat=0, state=codec.public_message(state), one_by_one=True)


def infraction(state: State, request: Any, answer: Any) -> tuple[str, Level] | None:
    found = infractions.infraction_in(state.settings, request, answer)
    return None if found is None else (found.rule, found.level)


# Acts


@pytest.mark.parametrize("word", [None, CALL])
def test_what_is_listed_and_carried_out_is_no_infraction(word: Word | None) -> None:
    assert infraction(fresh(), to_act(fresh()), answered(word)) is None


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


def test_what_was_refused_may_be_tried_again_when_something_has_happened() -> None:
    state = fresh(more_rule="if_no_set")
    request = to_act(state, 0, "webset.more.no-set", Status.NOT_NOW)
    assert infraction(state, request, answered(MORE)) == ("webset.more.no-set", SHOULD)
    request.events.add()
    assert infraction(state, request, answered(MORE)) is None


def test_who_was_outrun_may_call_again() -> None:
    request = to_act(fresh(), 0, "webset.call.first", Status.ALREADY_CALLED)
    assert infraction(fresh(), request, answered(CALL)) is None


def test_an_act_that_is_none_is_misconduct_and_no_infraction() -> None:
    for action in (0, 6, -1):
        assert infraction(fresh(), to_act(fresh()), ActResponse(action=action)) is None  # type: ignore[arg-type]


def test_a_deck_of_unknown_cards_is_as_good_as_any_for_what_may_be_asked() -> None:
    state = fresh(deck=NO_SET, more_rule="anyone")
    assert infraction(state, to_act(state), answered(MORE)) is None
    full = done(state, (0, MORE), (0, MORE), (0, MORE))
    assert infraction(full, to_act(full), answered(MORE)) == ("webset.more.cards", SHOULD)


# Cards


@pytest.mark.parametrize(
    ("picked", "found"),
    [
        ((0, 1, 2), None),
        ((0, 1, 3), ("webset.take.set", SHOULD)),
        ((), ("webset.take.three", SHOULD)),
        ((0, 1), ("webset.take.three", MUST)),
        ((0, 1, 2, 3), ("webset.take.three", MUST)),
        ((0, 1, 1), ("webset.take.distinct", MUST)),
        ((0, 1, 81), ("webset.take.card-range", MUST)),
        ((78, 79, 80), ("webset.take.on-table", MUST)),
    ],
)
def test_cards_that_can_be_no_set_are_graver_than_those_that_are_none(
    picked: tuple[int, ...], found: tuple[str, Level] | None
) -> None:
    state = done(fresh(), (0, CALL))
    assert infraction(state, to_pick(state), PickCardsResponse(cards=picked)) == found


def test_cards_of_the_full_deck_are_none_in_the_small_one() -> None:
    state = done(fresh(deck=range(27), aspects=3), (0, CALL))
    assert infraction(state, to_pick(state), PickCardsResponse(cards=(0, 27, 54))) == ("webset.take.card-range", MUST)


def test_no_cards_in_time_are_grave_after_a_call_and_a_pass_in_a_round() -> None:
    called, in_round = done(fresh(), (0, CALL)), fresh(rounds="earliest")
    assert infraction(called, to_pick(called), Overrun()) == ("webset.take.window", MUST)
    for passing in (Overrun(), PickCardsResponse()):
        assert infraction(in_round, to_pick(in_round, may_skip=True), passing) is None
    assert infraction(in_round, to_pick(in_round, may_skip=True), cards("0000 0001 0011")) == (
        "webset.take.set",
        SHOULD,
    )


def test_failures_that_eliminate_are_no_infractions() -> None:
    called = done(fresh(), (0, CALL))
    assert infraction(called, to_pick(called), CallError()) is None
    assert infraction(fresh(), to_act(fresh()), Overrun()) is None


# Cards that are picked one by one


def test_one_or_two_cards_that_are_picked_singly_are_no_infraction_unless_they_are_picked_already() -> None:
    state = done(fresh(selection="single"), (0, CALL))
    one, two, again = cards("0000"), cards("0000 0012"), cards("0000")
    assert infraction(state, to_pick_singly(state), one) is None
    assert infraction(state, to_pick_singly(state), two) is None
    picked = rules.select(state, 0, tuple(one.cards))
    assert picked is not None
    assert infraction(picked, to_pick_singly(picked), two) is None
    assert infraction(picked, to_pick_singly(picked), again) == ("webset.take.three", MUST)
    assert infraction(state, to_pick(state), one) == ("webset.take.three", MUST)
