"""Test data in the JSON forms of q.md: the worked vectors, whole games with failing and cheating actors, bad forms."""

from __future__ import annotations

import json
from collections.abc import Sequence
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairplay.games.q import forms, rules, testdata
from fairplay.games.q.rules.state import PASS, Extension, Settings, State

NAMES = "ABCD"


def jtile(name: str) -> Any:
    color, shape = name.split()
    return {"color": color, "shape": shape}


def jtiles(names: str) -> list[Any]:
    return [jtile(name.strip()) for name in names.split(",") if name.strip()]


def jmap(tiles: dict[tuple[int, int], str]) -> list[Any]:
    rows = sorted({row for row, _ in tiles})
    return [
        [row, *([column, jtile(name)] for (at, column), name in sorted(tiles.items()) if at == row)] for row in rows
    ]


def jpub(tiles: dict[tuple[int, int], str], hand: str, pile: int = 0) -> Any:
    me = {"score": 0, "name": "me", "tile*": jtiles(hand)}
    return {"map": jmap(tiles), "tile*": pile, "players": [me, 3]}


def jstate(
    *hands: str, pile: str = "", tiles: dict[tuple[int, int], str] | None = None, scores: Sequence[int] | None = None
) -> Any:
    players = [
        {"score": score, "name": name, "tile*": jtiles(hand)}
        for hand, name, score in zip(hands, NAMES, scores or [0] * len(hands), strict=False)
    ]
    return {"map": jmap(tiles or ONE), "tile*": jtiles(pile), "players": players}


def put(row: int, column: int, name: str) -> Any:
    return {"coordinate": {"row": row, "column": column}, "1tile": jtile(name)}


ONE = {(0, 0): "red star"}
Q4 = {(0, 0): "red star", (0, 2): "blue star", (1, 0): "red circle", (1, 1): "blue circle", (1, 2): "blue clover"}
Q7 = jstate("red square, blue circle", "blue circle, red 8star", pile="green clover, blue diamond, red clover")


# The worked vectors (section 12)


def test_q4_legal_placements_and_requests() -> None:
    assert {"row": 0, "column": 1} in testdata.legal(jmap(Q4), jtile("blue star"))
    for name in ("green star", "blue circle", "red circle", "purple star"):
        assert {"row": 0, "column": 1} not in testdata.legal(jmap(Q4), jtile(name))
        assert testdata.refusal(jpub(Q4, name), [put(0, 1, name)]) == "q.extension.fit"
    placed = [put(0, 1, "blue star")]
    assert testdata.refusal(jpub(Q4, "blue star"), placed) is None
    after = testdata.apply(jpub(Q4, "blue star"), placed)
    assert after == jmap(Q4 | {(0, 1): "blue star"})
    assert testdata.score(after, placed) == 6


# Questions


def test_legal_placements_are_in_row_column_order() -> None:
    spots = testdata.legal(jmap(ONE), jtile("red clover"))
    assert spots == [
        {"row": -1, "column": 0},
        {"row": 0, "column": -1},
        {"row": 0, "column": 1},
        {"row": 1, "column": 0},
    ]
    assert testdata.legal(jmap(ONE), jtile("blue clover")) == []


@pytest.mark.parametrize(
    ("request_", "pile", "broken"),
    [("replace", 2, None), ("replace", 1, "q.replace.pile"), ([put(0, 1, "red diamond")], 2, "q.extension.own-tiles")],
)
def test_a_request_is_judged(request_: Any, pile: int, broken: str | None) -> None:
    view = jpub(ONE, "red circle, red circle", pile)
    assert testdata.refusal(view, request_) == broken
    assert testdata.apply(view, request_) == (jmap(ONE) if broken is None else False)


def test_the_rule_of_qwirkle_can_be_asked_for() -> None:
    two = {(0, 0): "red star", (0, 1): "red circle"}
    view = jpub(two, "blue circle, red circle")
    assert testdata.refusal(view, [put(0, 2, "blue circle")]) is None
    assert testdata.refusal(view, [put(0, 2, "blue circle")], "qwirkle") == "q.extension.fit"
    assert testdata.plan("dag", view, "qwirkle") != testdata.plan("dag", view)


def test_the_first_step_of_a_strategy_is_one_placement() -> None:
    view = jpub(ONE, "blue diamond, red square, green square")
    assert testdata.step("dag", view) == put(-1, 0, "red square")
    assert testdata.step("ldasg", jpub(Q4, "blue star")) == put(0, 1, "blue star")
    assert testdata.step("dag", jpub(Q4, "blue clover")) == put(-1, 2, "blue clover")
    assert testdata.step("dag", jpub(ONE, "blue circle", 1)) == "replace"
    assert testdata.step("ldasg", jpub(ONE, "blue circle", 0)) == "pass"
    with pytest.raises(ValueError, match="must be one of dag, ldasg"):
        testdata.step("best", view)


def test_only_placements_on_the_map_are_scored() -> None:
    with pytest.raises(ValueError, match="must hold the placements"):
        testdata.score(jmap(ONE), [put(0, 1, "red star")])


# Whole games with actors that fail


# JSON forms (section 8)


@pytest.mark.parametrize(
    ("bad", "sentence"),
    [
        ([[0, [0, jtile("red star")], [0, jtile("red star")]]], "each column once"),
        ([[0, [0, jtile("red star")]], [2, [0, jtile("red star")]]], "without a gap"),
        ([[1_000_001, [0, jtile("red star")]]], "row is 1000001: it must be -1000000 to 1000000"),
    ],
)
def test_a_bad_map_is_refused(bad: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        forms.read_map(bad)


def test_a_state_without_its_parts_is_refused() -> None:
    for part in ("map", "tile*", "players"):
        with pytest.raises(ValueError, match="JState"):
            forms.read_state({key: value for key, value in Q7.items() if key != part}, Settings())
    with pytest.raises(ValueError, match="JPlayer"):
        forms.read_state(Q7 | {"players": [{"score": 1}]}, Settings())
    with pytest.raises(ValueError, match="score is 1000001: it must be 0 to 1000000"):
        forms.read_state(jstate("red star", "red star", scores=[0, 1_000_001]), Settings())


@given(st.integers(0, 2**32), st.integers(0, 40))
def test_maps_and_requests_survive_the_round_trip(seed: int, turns: int) -> None:
    rng = Random(seed)
    state: State = rules.initial(Settings(copies_per_kind=2), 2, rng)
    for _ in range(turns):
        if rules.turn(state) is None:
            break
        action = rng.choice(rules.legal(state))
        assert forms.read_request(json.loads(json.dumps(forms.write_request(action)))) == action
        state = rules.apply(state, action)
    assert forms.read_map(json.loads(json.dumps(forms.write_map(state.board)))) == state.board
    assert forms.read_request("pass") is PASS
    assert isinstance(forms.read_request([]), Extension)
