"""Webset from plain values: what goes in and out is JSON, and what cannot be is refused with a sentence."""

from __future__ import annotations

import json
from typing import Any

import pytest

from fairplay.games.webset import testdata as harness
from tests.games.webset.tables import WORDS

START = harness.dealt(None, 2)
SEED = {"profile": "seed"}


def test_cards_and_sets() -> None:
    assert harness.is_set(["0120", "1201", "2012"])
    assert not harness.is_set(["0000", "0000", "0000"])
    assert not harness.is_set(["0000", "0001"])
    assert harness.third_card("0121", "2011") == "1201"
    assert harness.sets(["0002", "0000", None, "0001", "1111"]) == [["0000", "0001", "0002"]]
    with pytest.raises(ValueError, match="not 2222 twice"):
        harness.third_card("2222", "2222")


def test_s3_and_s4_from_json() -> None:
    assert START["table"][:4] == ["0000", "0001", "0002", "0010"]
    assert len(START["deck"]) == 69
    called = harness.after(START, 1, "call")
    assert called["status"] is None
    assert (called["game"]["phase"], called["game"]["caller"]) == ("called", 1)
    found = harness.after(called["game"], 1, ["take", "0000", "0001", "0002"])
    assert found["status"] == "GotSet"
    assert found["game"]["table"][:3] == ["0110", "0111", "0112"]
    assert found["game"]["players"][1]["points"] == 1
    assert harness.ranking(found["game"]) == [[1], [0]]


@pytest.mark.parametrize(
    ("seat", "message", "status", "rule"),
    [
        (0, "call", "AlreadyCalled", "webset.call.first"),
        (1, ["take", "0000", "0001", "0002"], "NoCall", "webset.take.caller"),
        (0, ["take", "0000", "0001", "0010"], "BadSet", "webset.take.set"),
        (0, ["take", "0000"], "BadSet", "webset.take.three"),
        (0, "expire", "CallExpired", "webset.take.window"),
        (1, "leave", None, None),
        (0, "more", "NotNow", "webset.more.open"),
        (1, "show", "NotNow", "webset.show.open"),
        (1, "end_show", "NotNow", "webset.end.showing"),
    ],
)
def test_messages_during_a_call(seat: int, message: Any, status: str | None, rule: str | None) -> None:
    called = harness.after(START, 0, "call")["game"]
    found = harness.after(called, seat, message)
    assert (found["status"], found["rule"]) == (status, rule)
    assert json.loads(json.dumps(found)) == found


def test_what_is_listed_succeeds() -> None:
    assert harness.legal(START) == [[0, "call"], [1, "call"]]
    assert [0, "show"] in harness.legal(harness.dealt(None, 1, SEED), SEED)
    called = harness.after(START, 0, "call")["game"]
    takes = harness.legal(called)
    assert len(takes) == 13
    assert all(harness.after(called, *each)["status"] == "GotSet" for each in takes)


def test_s10_from_json() -> None:
    assert len(harness.greedy(None)["sets"]) == 27
    seed = harness.greedy(None, SEED)
    assert (len(seed["sets"]), seed["deals"], len(seed["left"])) == (24, 0, 9)


def test_a_greedy_game_counts_the_deals_that_were_asked_for() -> None:
    deals = set()
    for seed in range(12):
        fresh = harness.fresh_game(seed, 2, {"more_rule": "if_no_set"})
        deck = [card for card in fresh["table"] if card] + fresh["deck"]
        game = harness.greedy(deck)
        assert 3 * len(game["sets"]) + len(game["left"]) == 81
        deals.add(game["deals"])
    assert len(deals) > 1


def test_a_fresh_game_can_be_read_again() -> None:
    fresh = harness.fresh_game(5, 3)
    assert fresh == harness.fresh_game(5, 3)
    assert harness.ranking(fresh) == [[0, 1, 2]]
    short = {"table": fresh["table"], "deck": fresh["deck"], "players": [{}, {}]}
    assert harness.legal(short) == [[0, "call"], [1, "call"]]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"table": ["0000"] * 12}, "in two places"),
        ({"deck": []}, "69 of 81 cards"),
        ({"table": [*START["table"][:11], "abcd"]}, "four digits"),
        ({"caller": 0}, "There is a caller if"),
    ],
)
def test_a_game_that_cannot_be_is_refused(change: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        harness.legal({**START, **change})


def test_messages_and_settings_that_cannot_be_are_refused() -> None:
    with pytest.raises(ValueError, match="'jump' is no message"):
        harness.after(START, 0, "jump")
    with pytest.raises(ValueError, match="There is no setting 'speed'"):
        harness.fresh_game(1, 2, {"speed": 3})
    with pytest.raises(ValueError, match="table is 13"):
        harness.fresh_game(1, 2, {"table": 13})
    with pytest.raises(ValueError, match="2 to 8 players, not 1"):
        harness.fresh_game(1, 1)
    with pytest.raises(ValueError, match="of 81 cards are neither"):
        harness.dealt(["0000", "0001", "0002", "0010"], 2)
    assert {word.value for word in WORDS} == {"call", "more", "show", "end_show"}
