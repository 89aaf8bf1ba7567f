"""Test data of Webset: what goes in and out is JSON, and what cannot be is refused with a sentence."""

from __future__ import annotations

import json
from typing import Any

import pytest

from fairplay.games.webset import testdata
from fairplay.games.webset.rules.cards import EMPTY, format_card

START = testdata.deal(None, 2)
SEED = {"profile": "PROFILE_SEED"}
LOT = {"rounds": "ROUNDS_LOT"}
CALL, MORE, SHOW = ({"action": f"ACTION_{name}"} for name in ("CALL_SET", "MORE_CARDS", "SHOW_SOLUTIONS"))
TAKE = {"cards": [0, 1, 2]}


def test_cards_and_sets() -> None:
    assert testdata.is_set(["0120", "1201", "2012"])
    assert not testdata.is_set(["0000", "0000", "0000"])
    with pytest.raises(ValueError, match="cards has 2 values: it must have 3"):
        testdata.is_set(["0000", "0001"])
    assert testdata.third_card("0121", "2011") == "1201"
    assert testdata.sets(["0002", "0000", None, "0001", "1111"]) == [["0000", "0001", "0002"]]
    with pytest.raises(ValueError, match="not 2222 twice"):
        testdata.third_card("2222", "2222")


@pytest.mark.parametrize(
    ("seat", "message", "status", "rule"),
    [
        (0, CALL, "AlreadyCalled", "webset.call.first"),
        (0, {"cards": [0, 1, 3]}, "BadSet", "webset.take.set"),
        (0, "expire", "CallExpired", "webset.take.window"),
        (1, "leave", None, None),
        (0, MORE, "NotNow", "webset.more.open"),
    ],
)
def test_messages_during_a_call(seat: int, message: Any, status: str | None, rule: str | None) -> None:
    called = testdata.apply(START, 0, CALL)["game"]
    found = testdata.apply(called, seat, message)
    assert (found["status"], found["rule"]) == (status, rule)
    assert json.loads(json.dumps(found)) == found


def test_what_is_listed_succeeds() -> None:
    assert testdata.legal(START) == [[0, CALL], [1, CALL]]
    assert [0, SHOW] in testdata.legal(testdata.deal(None, 1, SEED), SEED)
    called = testdata.apply(START, 0, CALL)["game"]
    takes = testdata.legal(called)
    assert len(takes) == 13
    assert all(testdata.apply(called, *each)["status"] == "GotSet" for each in takes)


def test_a_greedy_game_counts_the_deals_that_were_asked_for() -> None:
    deals = set()
    for seed in range(12):
        fresh = testdata.start(seed, 2, {"more_rule": "MORE_RULE_IF_NO_SET"})
        deck = [card for card in fresh["slots"] if card != EMPTY] + fresh["deck"]
        game = testdata.greedy([format_card(card) for card in deck])
        assert 3 * len(game["sets"]) + len(game["left"]) == 81
        deals.add(game["deals"])
    assert len(deals) > 1


def test_a_fresh_game_can_be_read_again() -> None:
    fresh = testdata.start(5, 3)
    assert fresh == testdata.start(5, 3)
    assert testdata.ranking(fresh) == [[0, 1, 2]]
    short = {"slots": fresh["slots"], "deck": fresh["deck"], "players": [{}, {}]}
    assert testdata.legal(short) == [[0, CALL], [1, CALL]]


def test_scores_and_ties_as_the_price_of_penalties_breaks_them() -> None:
    players = [{"penalty_count": 1}, {"penalty_count": 1, "expiry_count": 1}, {}]
    game = {**START, "players": players}
    assert testdata.scores(game) == [0, 0, 0]
    assert testdata.ranking(game) == [[2], [0, 1]]
    assert testdata.ranking(game, SEED) == [[0, 1, 2]]
    assert testdata.ranking(game, {"penalty_expired": 0}) == [[1, 2], [0]]


def test_one_step_of_a_strategy() -> None:
    assert testdata.step("first", START, 1) == CALL
    called = testdata.apply(START, 1, CALL)["game"]
    assert testdata.step("first", called, 1) == TAKE
    assert testdata.step("first", called, 0) is None
    assert testdata.step("first", testdata.deal(None, 2, LOT), 0, LOT) == TAKE
    with pytest.raises(ValueError, match="There is no strategy 'worst' for Webset"):
        testdata.step("worst", START, 0)


def test_a_plan_is_a_whole_game_of_one_strategy() -> None:
    plan = testdata.plan("first", START)
    assert plan[:3] == [[0, CALL], [0, TAKE], [0, CALL]]
    game = START
    for seat, message in plan:
        game = testdata.apply(game, seat, message)["game"]
    assert game["phase"] == "PHASE_OVER"
    assert testdata.scores(game) == [27, 0]
    assert testdata.plan("solver:error=1", testdata.deal(None, 2, LOT), LOT) == []


@pytest.mark.parametrize(
    ("script", "eliminated", "points"),
    [
        (["cy", "first"], [], 0),
        (["cy", "first", "deal"], ["cy"], 0),
        (["cy", "first", "act", 2], ["cy"], 0),
        (["cy", "first", "game-over"], ["cy"], 0),
        (["cy", "first", "a cheat", "unknown-act"], ["cy"], 0),
    ],
)
def test_a_whole_game_in_which_one_leaves(script: Any, eliminated: list[str], points: int) -> None:
    played = testdata.game([["ann", "first"], ["bob", "first"], script], None)
    assert played["eliminated"] == eliminated
    ranked = [["ann", 27]], [["bob", 0], *([] if eliminated else [["cy", 0]])]
    assert played["ranking"] == list(ranked)
    assert played["game"]["players"][2]["points"] == points
    assert json.loads(json.dumps(played)) == played


def test_messages_and_settings_that_cannot_be_are_refused() -> None:
    for message, sentence in [
        ("jump", "message is 'jump': it must be an object"),
        ({}, "it has no action"),
        ({"action": "ACTION_NOTHING"}, "it must do something"),
        ({"action": "ACTION_JUMP"}, "ACTION_JUMP"),
    ]:
        with pytest.raises(ValueError, match=sentence):
            testdata.apply(START, 0, message)
    with pytest.raises(ValueError, match="table is 13"):
        testdata.start(1, 2, {"table": 13})
    with pytest.raises(ValueError, match="2 to 8 players, not 1"):
        testdata.start(1, 1)
    with pytest.raises(ValueError, match="of 81 cards are neither"):
        testdata.deal(["0000", "0001", "0002", "0010"], 2)
