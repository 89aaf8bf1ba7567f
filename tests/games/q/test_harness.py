"""Test data in the JSON forms of q.md: the worked vectors, whole games with failing and cheating actors, bad forms."""

from __future__ import annotations

import json
from collections.abc import Sequence
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairplay.games.q import rules
from fairplay.games.q import testdata as harness
from fairplay.games.q.rules import PASS, Extension, Settings, State, View
from fairplay.games.q.testdata import CHEATS, METHODS, parse_actor, parse_map, parse_state, play

SIX = Settings(q_bonus=6, finish_bonus=6)
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


def points(state: Any, *actors: Any, settings: Settings = harness.DEFAULTS) -> tuple[int, ...]:
    return rules.scores(play(parse_state(state, settings), [parse_actor(actor) for actor in actors]))


# The worked vectors (section 12)


def test_q1_scores_two_tiles_and_their_run() -> None:
    after = jmap(ONE | {(0, 1): "red square", (0, 2): "red circle"})
    assert harness.score(after, [put(0, 1, "red square"), put(0, 2, "red circle")]) == 5


@pytest.mark.parametrize(("q_bonus", "total"), [(8, 16), (6, 14)])
def test_q2_scores_a_q_without_the_finish_bonus(q_bonus: int, total: int) -> None:
    shapes = ("star", "8star", "square", "circle", "clover", "diamond")
    row = jmap({(0, column): f"red {shape}" for column, shape in enumerate(shapes)})
    assert harness.score(row, [put(0, 4, "red clover"), put(0, 5, "red diamond")], q_bonus) == total


def test_q4_legal_placements_and_requests() -> None:
    assert {"row": 0, "column": 1} in harness.legal_placements(jmap(Q4), jtile("blue star"))
    for name in ("green star", "blue circle", "red circle", "purple star"):
        assert {"row": 0, "column": 1} not in harness.legal_placements(jmap(Q4), jtile(name))
        assert harness.broken_rule(jpub(Q4, name), [put(0, 1, name)]) == "q.extension.fit"
    placed = [put(0, 1, "blue star")]
    assert harness.broken_rule(jpub(Q4, "blue star"), placed) is None
    after = harness.extended(jpub(Q4, "blue star"), placed)
    assert after == jmap(Q4 | {(0, 1): "blue star"})
    assert harness.score(after, placed) == 6


@pytest.mark.parametrize("name", ["dag", "ldasg"])
@pytest.mark.parametrize("bonuses", [harness.DEFAULTS, SIX])
def test_q7_a_whole_game(name: str, bonuses: Settings) -> None:
    actors = [["A", name], ["B", name]]
    assert harness.game(Q7, actors, bonuses) == [["B"], []]
    assert points(Q7, *actors, settings=bonuses) == (3, 4)


@pytest.mark.parametrize(("method", "b"), [("take-turn", 3), ("new-tiles", 4), ("win", 4)])
def test_q7_with_an_exception(method: str, b: int) -> None:
    actors = [["A", "dag", method], ["B", "dag"]]
    assert harness.game(Q7, actors) == [["B"], ["A"]]
    assert points(Q7, *actors)[1] == b


# Questions


def test_legal_placements_are_in_row_column_order() -> None:
    spots = harness.legal_placements(jmap(ONE), jtile("red clover"))
    assert spots == [
        {"row": -1, "column": 0},
        {"row": 0, "column": -1},
        {"row": 0, "column": 1},
        {"row": 1, "column": 0},
    ]
    assert harness.legal_placements(jmap(ONE), jtile("blue clover")) == []


@pytest.mark.parametrize(
    ("request_", "pile", "broken"),
    [
        ("pass", 0, None),
        ("replace", 2, None),
        ("replace", 1, "q.replace.pile"),
        ([], 2, "q.extension.not-empty"),
        ([put(0, 1, "red circle"), put(1, 0, "red circle")], 2, "q.extension.one-line"),
        ([put(0, 2_000_000, "red circle")], 2, "q.coordinate.range"),
        ([put(0, 1, "red diamond")], 2, "q.extension.own-tiles"),
    ],
)
def test_a_request_is_judged(request_: Any, pile: int, broken: str | None) -> None:
    view = jpub(ONE, "red circle, red circle", pile)
    assert harness.broken_rule(view, request_) == broken
    assert harness.extended(view, request_) == (jmap(ONE) if broken is None else False)


def test_the_rule_of_qwirkle_can_be_asked_for() -> None:
    two = {(0, 0): "red star", (0, 1): "red circle"}
    view = jpub(two, "blue circle, red circle")
    assert harness.broken_rule(view, [put(0, 2, "blue circle")]) is None
    assert harness.broken_rule(view, [put(0, 2, "blue circle")], "qwirkle") == "q.extension.fit"
    assert harness.answer("dag", view, "qwirkle") != harness.answer("dag", view)


def test_a_strategy_answers_in_json() -> None:
    view = jpub(ONE, "blue diamond, red square, green square")
    assert harness.answer("dag", view) == [put(-1, 0, "red square"), put(-2, 0, "green square")]
    assert harness.answer("ldasg", jpub(ONE, "blue circle", 1)) == "replace"
    assert harness.answer("ldasg", jpub(ONE, "blue circle", 0)) == "pass"


def test_only_placements_on_the_map_are_scored() -> None:
    with pytest.raises(ValueError, match="must hold the placements"):
        harness.score(jmap(ONE), [put(0, 1, "red star")])


# Whole games with actors that fail


def test_everybody_fails_in_setup() -> None:
    assert harness.game(Q7, [["A", "dag", "setup"], ["B", "dag", "setup"]]) == [[], ["A", "B"]]


def test_a_player_that_fails_in_setup_leaves_its_tiles_to_the_pile() -> None:
    """B places its blue star, draws the green star that was A's, places it too, and can do no more."""
    state = jstate("green star", "yellow circle, blue star")
    assert harness.game(state, [["A", "dag", "setup"], ["B", "dag"]]) == [["B"], ["A"]]
    assert points(state, ["A", "dag", "setup"], ["B", "dag"]) == (0, 3 + 4)


def test_the_ref_trap_ends_with_both_dropped_out() -> None:
    state = jstate("red square, blue circle", "red circle, blue circle", pile="red star")
    assert harness.game(state, [["A", "dag", "new-tiles"], ["B", "dag", "take-turn"]]) == [[], ["A", "B"]]


def test_a_winner_that_fails_in_win_is_no_winner_and_nobody_takes_its_place() -> None:
    assert harness.game(Q7, [["A", "dag"], ["B", "dag", "win"]]) == [[], ["B"]]


def test_winners_are_sorted_by_code_point() -> None:
    state = jstate("blue circle", "green clover", "yellow diamond")
    assert harness.game(state, [["b", "dag"], ["a", "dag"], ["Z", "dag"]]) == [["Z", "a", "b"], []]


def test_drop_outs_are_in_order_of_elimination() -> None:
    state = jstate("red circle, blue star", "red square, blue star", "blue clover", "red 8star", scores=[0, 0, 9, 0])
    actors = [["A", "dag", "win"], ["B", "dag", "new-tiles"], ["C", "dag"], ["D", "dag", "setup"]]
    assert harness.game(state, actors) == [["C"], ["D", "B", "A"]]


@pytest.mark.parametrize(("count", "dropped"), [(1, ["A"]), (2, ["A"]), (3, [])])
def test_a_player_that_hangs_from_some_call_on_is_well_behaved_before(count: int, dropped: list[str]) -> None:
    """In Q7 each player has two turns."""
    assert harness.game(Q7, [["A", "dag", "take-turn", count], ["B", "dag"]]) == [["B"], dropped]
    assert points(Q7, ["A", "dag", "take-turn", count], ["B", "dag"])[0] == (0 if count == 1 else 3)


def test_setup_is_called_once() -> None:
    assert harness.game(Q7, [["A", "dag", "setup", 2], ["B", "dag"]]) == [["B"], []]


def test_a_finishing_player_gets_no_new_tiles() -> None:
    state = jstate("red circle", "red square", pile="red star")
    assert harness.game(state, [["A", "dag", "new-tiles"], ["B", "dag"]]) == [["A"], []]


def test_the_bonuses_can_decide_a_game() -> None:
    state = jstate("red circle", "red square", scores=[0, 8])
    assert harness.game(state, [["A", "dag"], ["B", "dag"]], SIX) == [["A"], []]
    assert harness.game(state, [["A", "dag"], ["B", "dag"]]) == [["B"], []]


def test_every_player_needs_an_actor() -> None:
    with pytest.raises(ValueError, match="2 players, but 1 actors"):
        harness.game(Q7, [["A", "dag"]])


@st.composite
def actors_of(draw: st.DrawFn, name: str) -> Any:
    spec = draw(st.sampled_from(["dag", "ldasg", "first", "random"]))
    extra: list[Any] = draw(
        st.one_of(
            st.just([]),
            st.sampled_from(METHODS).map(lambda method: [method]),
            st.tuples(st.sampled_from(METHODS), st.integers(1, 7)).map(list),
            st.sampled_from(sorted(CHEATS)).map(lambda cheat: ["a cheat", cheat]),
        )
    )
    return [name, spec, *extra]


@settings(deadline=None)
@given(st.integers(2, 4).flatmap(lambda n: st.tuples(*map(actors_of, NAMES[:n]))), st.integers(0, 2**32))
def test_any_mix_of_actors_ends_with_a_sound_result(jactors: Sequence[Any], seed: int) -> None:
    start = rules.initial(Settings(copies_per_kind=2), len(jactors), Random(seed))
    actors = [parse_actor(json.loads(json.dumps(jactor))) for jactor in jactors]
    end = play(start, actors)
    assert rules.turn(end) is None
    assert rules.invariant(end) is None
    assert play(start, actors) == end
    for seat, actor in enumerate(actors):
        if seat in end.eliminated:
            assert actor.fails_in or actor.cheat
        if actor.fails_in in ("setup", "win") and actor.fails_from == 1:
            assert seat in end.eliminated
        if actor.cheat == "non-adjacent-coordinate" and start.hands[seat] and end.finisher is None:
            assert seat in end.eliminated


# Cheats (section 9)


def view_of(tiles: dict[tuple[int, int], str], hand: Sequence[str], pile: int = 0) -> View:
    return harness.parse_public(jpub(tiles, ", ".join(hand), pile))


def judged(cheat: str, view: View) -> str | None:
    """The rule that an actor with this cheat breaks; None: the cheat is impossible and the actor is dag."""
    actor = parse_actor(["A", "dag", "a cheat", cheat])
    action = harness.decide(actor, view)
    broken = rules.breach(view.board, view.hand, view.pile_count, action)
    assert broken or action == actor.strategy(view)
    return broken


EVERY_KIND = [f"{color} {shape}" for color in rules.COLORS for shape in rules.SHAPES]


@pytest.mark.parametrize(
    ("cheat", "hand", "pile", "broken"),
    [
        ("non-adjacent-coordinate", ["red circle"], 0, "q.extension.adjacent"),
        ("non-adjacent-coordinate", [], 0, "q.extension.own-tiles"),
        ("tile-not-owned", ["red circle"], 0, "q.extension.own-tiles"),
        ("tile-not-owned", [], 0, "q.extension.own-tiles"),
        ("tile-not-owned", EVERY_KIND[1:], 0, "q.extension.own-tiles"),
        ("tile-not-owned", EVERY_KIND, 0, None),
        ("not-a-line", ["red circle", "red circle"], 0, "q.extension.one-line"),
        ("not-a-line", ["red circle", "blue circle"], 0, None),  # the blue one fits beside the red one only
        ("not-a-line", ["red circle", "blue circle", "blue clover"], 0, "q.extension.one-line"),
        ("not-a-line", ["red circle", "blue clover"], 0, None),
        ("not-a-line", ["red circle"], 0, None),
        ("bad-ask-for-tiles", ["red circle"], 0, "q.replace.pile"),
        ("bad-ask-for-tiles", ["red circle"], 1, None),
        ("no-fit", ["red circle", "blue clover"], 0, "q.extension.fit"),
        ("no-fit", ["red circle", "red clover"], 0, None),
        ("no-fit", [], 0, None),
    ],
)
def test_a_cheat_breaks_its_rule_or_is_impossible(cheat: str, hand: list[str], pile: int, broken: str | None) -> None:
    assert judged(cheat, view_of(ONE, hand, pile)) == broken


def test_a_cheat_stays_off_the_greatest_coordinates() -> None:
    edge = {(1_000_000, 0): "red star"}
    assert judged("non-adjacent-coordinate", view_of(edge, ["red star"])) == "q.extension.adjacent"


def test_a_cheater_is_eliminated_once_its_cheat_is_possible() -> None:
    state = jstate("red circle, blue clover", "red square, blue diamond", pile="green star, green star, green star")
    actors = [["A", "dag", "a cheat", "bad-ask-for-tiles"], ["B", "dag"]]
    assert harness.game(state, actors) == [["B"], ["A"]]
    assert points(state, *actors)[0] == 3  # a legal turn, while the pile lasted


# JSON forms (section 8)


@pytest.mark.parametrize(
    ("bad", "sentence"),
    [
        ([], "JMap"),
        ([[]], "row of a JMap"),
        ([[0]], "must hold tiles"),
        ([[0, [0, jtile("red star")], [0, jtile("red star")]]], "each column once"),
        ([[0, [0, jtile("red star")]], [0, [1, jtile("red star")]]], "each column once"),
        ([[0, [0, jtile("red star")]], [2, [0, jtile("red star")]]], "without a gap"),
        ([[0, [0]]], "column and a JTile"),
        ([[0, [0, {"color": "pink", "shape": "star"}]]], "pink"),
        ([[0, [0, {"color": "red"}]]], "JTile"),
        ([[0, [0.5, jtile("red star")]]], "whole number"),
        ([[True, [0, jtile("red star")]]], "whole number"),
        ([[1_000_001, [0, jtile("red star")]]], "between"),
    ],
)
def test_a_bad_map_is_refused(bad: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        parse_map(bad)


@pytest.mark.parametrize(
    "bad",
    [
        "skip",
        3,
        None,
        {},
        [{"coordinate": {"row": 0.5, "column": 0}, "1tile": jtile("red star")}],
        [{"coordinate": {"row": 0}}],
    ],
)
def test_a_bad_request_is_refused(bad: Any) -> None:
    with pytest.raises(ValueError):
        harness.broken_rule(jpub(ONE, "red star"), bad)


@pytest.mark.parametrize(
    "bad",
    [
        ["A"],
        ["A", "wise"],
        [1, "dag"],
        ["A", "dag", "sleep"],
        ["A", "dag", "take-turn", 0],
        ["A", "dag", "take-turn", 8],
        ["A", "dag", "a cheat"],
        ["A", "dag", "a cheat", "bribe"],
        {},
    ],
)
def test_a_bad_actor_is_refused(bad: Any) -> None:
    with pytest.raises(ValueError):
        parse_actor(bad)


def test_a_state_without_its_parts_is_refused() -> None:
    for part in ("map", "tile*", "players"):
        with pytest.raises(ValueError, match="JState"):
            parse_state({key: value for key, value in Q7.items() if key != part})
    with pytest.raises(ValueError, match="JPlayer"):
        parse_state(Q7 | {"players": [{"score": 1}]})
    with pytest.raises(ValueError, match="between 0 and 1000000"):
        parse_state(jstate("red star", "red star", scores=[0, 1_000_001]))


@given(st.integers(0, 2**32), st.integers(0, 40))
def test_maps_and_requests_survive_the_round_trip(seed: int, turns: int) -> None:
    rng = Random(seed)
    state: State = rules.initial(Settings(copies_per_kind=2), 2, rng)
    for _ in range(turns):
        if rules.turn(state) is None:
            break
        action = rng.choice(rules.legal(state))
        assert harness.parse_request(json.loads(json.dumps(harness.request_of(action)))) == action
        state = rules.apply(state, action)
    assert parse_map(json.loads(json.dumps(harness.jmap_of(state.board)))) == state.board
    assert harness.parse_request("pass") is PASS
    assert isinstance(harness.parse_request([]), Extension)
