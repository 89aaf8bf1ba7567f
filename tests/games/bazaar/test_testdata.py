from __future__ import annotations

import json
from typing import Any, cast

import pytest

from fairplay.games.bazaar import rules, testdata
from fairplay.games.bazaar.forms import (
    RuleError,
    read_game,
    read_table,
    write_game,
)
from fairplay.games.bazaar.rules.state import Settings

NAMES = {"r": "red", "w": "white", "b": "blue", "g": "green", "y": "yellow"}

V12_EQUATIONS = json.loads('[[["red","blue"],["green","green","green"]],[["green","white"],["red","red","yellow"]]]')
V12_GAME = json.loads("""
{"bank":["white","blue","blue","green","yellow","yellow"],
 "visibles":[{"pebbles":["blue","blue","blue","green","green"],"face?":false},
             {"pebbles":["blue","green","red","red","red"],"face?":true},
             {"pebbles":["blue","blue","green","red","red"],"face?":false},
             {"pebbles":["green","red","yellow","yellow","yellow"],"face?":true}],
 "cards":[{"pebbles":["blue","green","red","red","yellow"],"face?":false},
          {"pebbles":["blue","blue","blue","red","red"],"face?":false}],
 "players":[{"wallet":["blue","blue","blue","blue","green","blue"],"score":0,"cards":[]},
            {"wallet":["red","red","green","blue","red","yellow"],"score":0,"cards":[]}]}
""")
ADAM, EVE = ["Adam", "purchase-points"], ["Eve", "purchase-size"]


def bag(text: str) -> Any:
    return [NAMES[letter] for letter in text]


def card(text: str) -> Any:
    return {"pebbles": bag(text.rstrip("*")), "face?": text.endswith("*")}


def cards(text: str) -> Any:
    return list(map(card, text.split()))


def exchange(text: str) -> Any:
    return list(map(bag, text.split("->")))


def player(wallet: str, score: int = 0, bought: str = "") -> Any:
    return {"wallet": bag(wallet), "score": score, "cards": cards(bought)}


def game(*players: Any, bank: str, visible: str, pile: str = "") -> Any:
    return {"bank": bag(bank), "visibles": cards(visible), "cards": cards(pile), "players": list(players)}


def turn(wallet: str, bank: str = "rwbgy", visible: str = "rrrrr bbbbb*") -> Any:
    active = {"wallet": bag(wallet), "score": 3}
    return {"bank": bag(bank), "cards": cards(visible), "active": active, "scores": [1, 2]}


TABLE = [exchange("r->bb")]


# --- the worked examples as data


def test_v12_answers_of_the_first_turn() -> None:
    shown = testdata.turn(V12_EQUATIONS, V12_GAME)
    assert testdata.request_step("purchase-points", V12_EQUATIONS, shown) is False
    after = testdata.apply_request(V12_EQUATIONS, V12_GAME, False)
    shown = cast("Any", testdata.turn(V12_EQUATIONS, after))
    assert sorted(shown["active"]["wallet"]) == sorted(bag("bbbbbgw"))
    assert shown["bank"] == bag("bbgyy")
    assert testdata.purchase_step("purchase-points", V12_EQUATIONS, shown) == []
    after = cast("Any", testdata.apply_purchase(V12_EQUATIONS, after, []))
    assert sorted(after["players"][0]["wallet"]) == sorted(bag("rrgbry"))
    assert [sorted(one["pebbles"]) for one in after["visibles"]] == [
        sorted(one["pebbles"]) for one in V12_GAME["visibles"]
    ]


def test_a_purchase_that_cannot_be_paid_has_no_score() -> None:
    with pytest.raises(RuleError, match=r"bazaar\.purchase\.wallet"):
        testdata.score(bag("rrrr"), cards("rrrrr"))


# --- single questions


def test_what_is_legal_is_listed() -> None:
    assert testdata.legal_requests(TABLE, turn("rr", bank="bb")) == [False, [], [exchange("r->bb")]]
    assert testdata.legal_requests(TABLE, turn("rr", bank="")) == [[]]
    assert testdata.legal_purchases(turn("rrrrr")) == [[], cards("rrrrr")]


@pytest.mark.parametrize(
    ("answer", "broken"),
    [
        ([exchange("r->bb")], None),
        ([exchange("r->bb")] * 2, "bazaar.exchange.bank"),
        (True, "bazaar.request.required"),
        ({}, "bazaar.request.required"),
        ([exchange("r->bb->g")], "bazaar.exchange.sides"),
        ([[["re"], bag("bb")]], "bazaar.pebble.known"),
        ([[bag("r" * 401), bag("b")]], "bazaar.pebble.counts"),
    ],
)
def test_a_request_is_judged(answer: Any, broken: str | None) -> None:
    assert testdata.request_refusal(TABLE, turn("rr", bank="bb"), answer) == broken
    assert broken is None or broken in rules.RULES


@pytest.mark.parametrize(
    ("answer", "broken"),
    [
        (cards("rrrrr"), None),
        ([{"pebbles": bag("rrrrr"), "face?": False, "age": 3}], None),
        (cards("bbbbb*"), "bazaar.purchase.wallet"),
        (False, "bazaar.purchase.required"),
        (cards("rrrr"), "bazaar.card.five-pebbles"),
        ([{"pebbles": bag("rrrrr"), "face": False}], "bazaar.card.face"),
        ([{"pebbles": "rrrrr", "face?": False}], "bazaar.pebble.known"),
    ],
)
def test_a_purchase_is_judged(answer: Any, broken: str | None) -> None:
    assert testdata.purchase_refusal(turn("rrrrrr"), answer) == broken
    assert broken is None or broken in rules.RULES


START = game(
    player("rr"), player("b"), player("g"), bank="bbbby", visible="rrrrr rrrrr rrrrr rrrrr", pile="wwwww yyyyy"
)


def test_an_answer_is_applied() -> None:
    after = cast("Any", testdata.apply_request(TABLE, START, [exchange("r->bb")]))
    assert after["players"][0]["wallet"] == bag("rbb")
    assert after["bank"] == bag("rbby")
    assert after["cards"] == cards("wwwww")
    after = cast("Any", testdata.apply_purchase(TABLE, after, []))
    assert [one["wallet"] for one in after["players"]] == [bag("b"), bag("g"), bag("rbb")]
    with pytest.raises(RuleError, match=r"bazaar\.exchange\.in-table: An exchange is an equation of the table"):
        testdata.apply_request(TABLE, START, [exchange("g->bb")])
    with pytest.raises(RuleError, match=r"bazaar\.purchase\.wallet"):
        testdata.apply_purchase(TABLE, START, cards("rrrrr"))


def test_a_fresh_game_can_be_written_read_and_played() -> None:
    equations, fresh = cast("Any", testdata.start({}, 6, 5))
    assert testdata.start({}, 6, 5) == [equations, fresh]
    state = read_game(fresh, read_table(equations), Settings())
    assert write_game(state) == fresh
    actors = [[f"P{seat}", ["purchase-points", "purchase-size", "random:seed=3"][seat % 3]] for seat in range(6)]
    won, out = cast("Any", testdata.game(equations, fresh, actors))
    assert won and not out
    assert json.loads(json.dumps([won, out])) == testdata.game(equations, fresh, actors)


@pytest.mark.parametrize(
    ("change", "hint"),
    [
        ({"bank": None}, "bank is missing"),
        ({"bank": bag("r" * 100)}, "at most 100 pebbles"),
        ({"players": {}}, "players is {}: it must be an array"),
        ({"players": [player("", -1)]}, "score is -1: it must be at least 0"),
    ],
)
def test_a_game_that_cannot_be_is_refused(change: Any, hint: str) -> None:
    with pytest.raises(ValueError, match=hint):
        testdata.game(TABLE, {**START, **change}, [["A", "purchase-size"]])


def test_a_turn_that_cannot_be_is_refused() -> None:
    with pytest.raises(ValueError, match="scores is 3: it must be an array"):
        testdata.legal_purchases({**turn("r"), "scores": 3})
    with pytest.raises(RuleError, match=r"bazaar\.exchange\.sides"):
        testdata.legal_requests("none", turn("r"))


# --- strategies, settings and scores


def test_a_plan_is_the_exchanges_and_the_purchases_of_a_turn() -> None:
    shown = turn("rrrr", bank="bbbbbbbb", visible="bbbbb")
    assert testdata.plan("purchase-points", TABLE, shown) == [[exchange("r->bb")] * 3, cards("bbbbb")]
    assert testdata.plan("purchase-points", TABLE, shown, 2) == [[], []]
    assert testdata.request_step("purchase-points", TABLE, shown) == [exchange("r->bb")] * 3
    with pytest.raises(ValueError, match="policy is 'best'"):
        testdata.plan("best", TABLE, turn("r"))


def test_a_start_follows_its_settings() -> None:
    equations, fresh = testdata.start({"equations": 2, "visible": 1, "pebbles_per_color": 1}, 2)
    assert (len(equations), len(fresh["visibles"]), len(fresh["bank"])) == (2, 1, 5)
    for settings, sentence in (
        ({"visible": 7}, "visible is 7: it must be between 1 and 6"),
        ({"colour": 1}, "settings are {.*}: they must be an object with some of"),
        ({"visible": True}, "visible is True: it must be a whole number"),
        ([], "settings are .*: they must be an object"),
    ):
        with pytest.raises(ValueError, match=sentence):
            testdata.start(settings, 2)
