from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, cast

import pytest

from fairplay.games.bazaar import rules
from fairplay.games.bazaar import testdata as harness
from fairplay.games.bazaar.rules.pieces import parse_card, parse_exchange
from fairplay.games.bazaar.testdata.actors import METHODS, PURCHASE_CHEATS, REQUEST_CHEATS
from fairplay.games.bazaar.testdata.forms import (
    RuleError,
    read_game,
    read_table,
    write_game,
    write_purchase,
    write_request,
)

if TYPE_CHECKING:
    from fairplay.games.bazaar.rules.settings import Bonus

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


@pytest.mark.parametrize("bonus", ["none", "rwb", "sey"])
def test_v12_from_its_json(bonus: Bonus) -> None:
    assert harness.play(V12_EQUATIONS, V12_GAME, [ADAM, EVE], bonus) == [["Adam"], []]
    end = harness.final_state(V12_EQUATIONS, V12_GAME, [ADAM, EVE], bonus)
    assert rules.scores(end) == (6, 3)


def test_v12_answers_of_the_first_turn() -> None:
    shown = harness.turn_of(V12_EQUATIONS, V12_GAME)
    assert harness.answer_request("purchase-points", V12_EQUATIONS, shown) is False
    after = harness.after_request(V12_EQUATIONS, V12_GAME, False)
    shown = cast("Any", harness.turn_of(V12_EQUATIONS, after))
    assert sorted(shown["active"]["wallet"]) == sorted(bag("bbbbbgw"))
    assert shown["bank"] == bag("bbgyy")
    assert harness.answer_purchase("purchase-points", V12_EQUATIONS, shown) == []
    after = cast("Any", harness.after_purchase(V12_EQUATIONS, after, []))
    assert sorted(after["players"][0]["wallet"]) == sorted(bag("rrgbry"))
    assert [sorted(one["pebbles"]) for one in after["visibles"]] == [
        sorted(one["pebbles"]) for one in V12_GAME["visibles"]
    ]


def test_v15_from_json() -> None:
    start = game(player("rrrrr", 12), player("yyyyy", 19), bank="gggg", visible="rrrrr* yyyyy yyyyy yyyyy")
    actors = [["Cat", "purchase-points"], ["Dan", "purchase-points"]]
    assert harness.play([], start, actors) == [["Dan"], []]
    assert rules.scores(harness.final_state([], start, actors)) == (17, 22)


@pytest.mark.parametrize(("bonus", "winner"), [("none", "Bob"), ("rwb", "Ann"), ("sey", "Bob")])
def test_v16_from_json(bonus: Bonus, winner: str) -> None:
    start = game(player("ggggg", 4, "rrwwb"), player("y", 12), bank="g", visible="ggggg")
    actors = [["Ann", "purchase-points"], ["Bob", "purchase-size"]]
    assert harness.play([], start, actors, bonus) == [[winner], []]


@pytest.mark.parametrize(
    ("wallet", "bought", "points"),
    [("rrrrrbbbbb", "rrrrr bbbbb*", 9), ("rrrrrbbbbb", "bbbbb* rrrrr", 7), ("rrrrrbbbbbg", "bbbbb* rrrrr", 5)],
)
def test_v2_the_score_of_a_purchase(wallet: str, bought: str, points: int) -> None:
    assert harness.score(bag(wallet), cards(bought)) == points


def test_a_purchase_that_cannot_be_paid_has_no_score() -> None:
    with pytest.raises(RuleError, match=r"bazaar\.purchase\.wallet"):
        harness.score(bag("rrrr"), cards("rrrrr"))


# --- single questions


def test_what_is_legal_is_listed() -> None:
    assert harness.legal_requests(TABLE, turn("rr", bank="bb")) == [False, [], [exchange("r->bb")]]
    assert harness.legal_requests(TABLE, turn("rr", bank="")) == [[]]
    assert harness.legal_purchases(turn("rrrrr")) == [[], cards("rrrrr")]


@pytest.mark.parametrize(
    ("answer", "broken"),
    [
        (False, None),
        ([], None),
        ([exchange("r->bb")], None),
        ([exchange("r->bb")] * 2, "bazaar.exchange.bank"),
        ([exchange("bb->r")], "bazaar.exchange.wallet"),
        ([exchange("r->b")], "bazaar.exchange.in-table"),
        ([exchange("r->bb"), exchange("bb->r")] * 33, "bazaar.exchange.too-many"),
        (True, "bazaar.request.required"),
        (None, "bazaar.request.required"),
        (0, "bazaar.request.required"),
        ("void", "bazaar.request.required"),
        ({}, "bazaar.request.required"),
        ([7], "bazaar.exchange.sides"),
        ([exchange("r->bb->g")], "bazaar.exchange.sides"),
        ([[bag("r")]], "bazaar.exchange.sides"),
        ([[bag("r"), []]], "bazaar.exchange.sides"),
        ([[["re"], bag("bb")]], "bazaar.pebble.known"),
        ([[[["red"]], bag("bb")]], "bazaar.pebble.known"),
        ([["red", "blue"]], "bazaar.pebble.known"),
        ([[bag("r" * 401), bag("b")]], "bazaar.pebble.counts"),
    ],
)
def test_a_request_is_judged(answer: Any, broken: str | None) -> None:
    assert harness.request_violation(TABLE, turn("rr", bank="bb"), answer) == broken
    assert broken is None or broken in rules.RULES


@pytest.mark.parametrize(
    ("answer", "broken"),
    [
        ([], None),
        (cards("rrrrr"), None),
        ([{"pebbles": bag("rrrrr"), "face?": False, "age": 3}], None),
        (cards("bbbbb*"), "bazaar.purchase.wallet"),
        (cards("rrrrr*"), "bazaar.purchase.visible"),
        (cards("rrrrr rrrrr"), "bazaar.purchase.visible"),
        (False, "bazaar.purchase.required"),
        (None, "bazaar.purchase.required"),
        ([exchange("r->bb")], "bazaar.card.five-pebbles"),
        (cards("rrrr"), "bazaar.card.five-pebbles"),
        ([{"face?": True}], "bazaar.card.five-pebbles"),
        ([{"pebbles": bag("rrrrr"), "face": False}], "bazaar.card.face"),
        ([{"pebbles": bag("rrrrr"), "face?": 0}], "bazaar.card.face"),
        ([{"pebbles": ["re"] * 5, "face?": False}], "bazaar.pebble.known"),
        ([{"pebbles": "rrrrr", "face?": False}], "bazaar.pebble.known"),
    ],
)
def test_a_purchase_is_judged(answer: Any, broken: str | None) -> None:
    assert harness.purchase_violation(turn("rrrrrr"), answer) == broken
    assert broken is None or broken in rules.RULES


START = game(
    player("rr"), player("b"), player("g"), bank="bbbby", visible="rrrrr rrrrr rrrrr rrrrr", pile="wwwww yyyyy"
)


def test_an_answer_is_applied() -> None:
    after = cast("Any", harness.after_request(TABLE, START, [exchange("r->bb")]))
    assert after["players"][0]["wallet"] == bag("rbb")
    assert after["bank"] == bag("rbby")
    assert after["cards"] == cards("wwwww")
    after = cast("Any", harness.after_purchase(TABLE, after, []))
    assert [one["wallet"] for one in after["players"]] == [bag("b"), bag("g"), bag("rbb")]
    with pytest.raises(RuleError, match=r"bazaar\.exchange\.in-table: An exchange is an equation of the table"):
        harness.after_request(TABLE, START, [exchange("g->bb")])
    with pytest.raises(RuleError, match=r"bazaar\.purchase\.wallet"):
        harness.after_purchase(TABLE, START, cards("rrrrr"))


def test_an_elimination_is_applied() -> None:
    after = cast("Any", harness.after_elimination(TABLE, START))
    assert [one["wallet"] for one in after["players"]] == [bag("b"), bag("g")]
    assert after["bank"] == START["bank"]


def test_the_end_is_told() -> None:
    assert not harness.is_over(TABLE, START)
    assert harness.is_over(TABLE, game(player("rr", 20), bank="b", visible="rrrrr"))
    assert harness.is_over(TABLE, game(player("rr"), bank="", visible="rrrrr"))


@pytest.mark.parametrize("seats", [2, 6])
def test_a_fresh_game_can_be_written_read_and_played(seats: int) -> None:
    equations, fresh = cast("Any", harness.fresh_game(5, seats))
    assert harness.fresh_game(5, seats) == [equations, fresh]
    state = read_game(fresh, read_table(equations), rules.Settings())
    assert write_game(state) == fresh
    actors = [[f"P{seat}", ["purchase-points", "purchase-size", "random:seed=3"][seat % 3]] for seat in range(seats)]
    won, out = cast("Any", harness.play(equations, fresh, actors))
    assert won and not out
    assert json.loads(json.dumps([won, out])) == harness.play(equations, fresh, actors)


def test_answers_are_written_as_they_are_read() -> None:
    assert write_request(rules.PEBBLE) is False
    assert write_request((parse_exchange("rr->b"),)) == [exchange("rr->b")]
    assert write_purchase((parse_card("rwbgy*"),)) == [card("rwbgy*")]


def test_bought_cards_may_be_missing() -> None:
    start = json.loads(json.dumps(V12_GAME))
    for one in start["players"]:
        del one["cards"]
    assert harness.play(V12_EQUATIONS, start, [ADAM, EVE]) == [["Adam"], []]


@pytest.mark.parametrize(
    ("change", "hint"),
    [
        ({"bank": None}, "bank is missing"),
        ({"bank": bag("r" * 100)}, "at most 100 pebbles"),
        ({"visibles": cards("rrrrr")}, "no hidden card is left"),
        ({"players": {}}, "players is an array"),
        ({"players": [player("")] * 7}, "at most 6 players"),
        ({"players": [player("", -1)]}, "number from 0"),
        ({"players": [{"score": 1}]}, "wallet is missing"),
    ],
)
def test_a_game_that_cannot_be_is_refused(change: Any, hint: str) -> None:
    with pytest.raises(ValueError, match=hint):
        harness.play(TABLE, {**START, **change}, [["A", "purchase-size"]])


def test_a_turn_that_cannot_be_is_refused() -> None:
    with pytest.raises(ValueError, match="array of numbers"):
        harness.legal_purchases({**turn("r"), "scores": 3})
    with pytest.raises(RuleError, match=r"bazaar\.exchange\.sides"):
        harness.legal_requests("none", turn("r"))


# --- actors


@pytest.mark.parametrize("method", METHODS)
def test_an_actor_can_raise_in_any_method(method: str) -> None:
    assert harness.play(V12_EQUATIONS, V12_GAME, [ADAM, [*EVE, method]]) == [["Adam"], ["Eve"]]


def test_a_winner_that_fails_when_told_leaves_no_winner() -> None:
    assert harness.play(V12_EQUATIONS, V12_GAME, [[*ADAM, "win"], EVE]) == [[], ["Adam"]]
    assert harness.play(V12_EQUATIONS, V12_GAME, [[*ADAM, "win"], [*EVE, "win"]]) == [[], ["Adam", "Eve"]]


def test_a_game_in_which_all_fail_at_set_up_has_no_winner() -> None:
    assert harness.play(V12_EQUATIONS, V12_GAME, [[*ADAM, "setup"], [*EVE, "setup"]]) == [[], ["Adam", "Eve"]]


@pytest.mark.parametrize(
    ("method", "call", "result"),
    [
        ("request-pebble-or-trades", 3, [["Eve"], ["Adam"]]),
        ("request-pebble-or-trades", 4, [["Adam"], []]),
        ("request-cards", 3, [["Eve"], ["Adam"]]),
        ("request-cards", 4, [["Adam"], []]),
        ("setup", 2, [["Adam"], []]),
        ("win", 7, [["Adam"], []]),
    ],
)
def test_an_actor_can_hang_from_a_later_call_on(method: str, call: int, result: Any) -> None:
    assert harness.play(V12_EQUATIONS, V12_GAME, [[*ADAM, method, call], EVE]) == result


def test_an_actor_that_fails_at_its_second_call_leaves_its_exchanges() -> None:
    end = harness.final_state(V12_EQUATIONS, V12_GAME, [[*ADAM, "request-cards"], EVE])
    assert end.players[0].standing is rules.Standing.OUT
    assert rules.winners(end) == (1,)


@pytest.mark.parametrize("cheat", [*REQUEST_CHEATS, *PURCHASE_CHEATS])
def test_a_cheat_is_found_out(cheat: str) -> None:
    start = game(player("rrrrr"), player("r"), bank="rrrbb", visible="rrrrr yyyyy yyyyy yyyyy", pile="yyyyy")
    equations = [exchange("r->bb"), exchange("g->y")]
    actors = [["Cheater", "purchase-points", "a cheat", cheat], EVE]
    assert harness.play(equations, start, actors) == [["Eve"], ["Cheater"]]


@pytest.mark.parametrize(
    ("cheat", "equations", "wallet"),
    [
        ("bank-cannot-trade", [], "rrrrr"),
        ("wallet-cannot-trade", [], "rrrrr"),
        ("wallet-cannot-buy-card", [], "rrrrr"),
        ("bank-cannot-trade", [exchange("r->b")], "rrrrr"),
        ("wallet-cannot-trade", [exchange("r->b")], "rrrrrb"),
    ],
)
def test_a_cheat_that_is_not_possible_is_normal_play(cheat: str, equations: Any, wallet: str) -> None:
    start = game(player(wallet), bank="rbb", visible="rrrrr")
    actors = [["Cheater", "purchase-points", "a cheat", cheat]]
    assert harness.play(equations, start, actors) == [["Cheater"], []]


@pytest.mark.parametrize(
    "actor",
    [
        "Adam",
        ["Adam"],
        ["Adam Smith", "purchase-size"],
        ["A" * 21, "purchase-size"],
        ["", "purchase-size"],
        ["Adam", "purchase-all"],
        ["Adam", "purchase-size", "name"],
        ["Adam", "purchase-size", "a cheat", "steal"],
        ["Adam", "purchase-size", "win", 0],
        ["Adam", "purchase-size", "win", 8],
        ["Adam", "purchase-size", "win", True],
        ["Adam", "purchase-size", "win", 1, 1],
    ],
)
def test_an_actor_that_cannot_be_is_refused(actor: Any) -> None:
    with pytest.raises(ValueError, match=r"actor|strategy"):
        harness.play(V12_EQUATIONS, V12_GAME, [actor, EVE])


def test_actors_fit_the_players() -> None:
    with pytest.raises(ValueError, match="same name"):
        harness.play(V12_EQUATIONS, V12_GAME, [ADAM, ADAM])
    with pytest.raises(ValueError, match="2 players need as many actors, not 1"):
        harness.play(V12_EQUATIONS, V12_GAME, [ADAM])
    with pytest.raises(ValueError, match="actors are an array"):
        harness.play(V12_EQUATIONS, V12_GAME, "Adam")
