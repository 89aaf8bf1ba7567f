"""The sequence of calls of the Q game: who is called, when, with what; and what happens to those that fail."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairplay.games.kit.testdata import Actor, Script, kebab_case
from fairplay.games.q import rules
from fairplay.games.q.game import GAME
from fairplay.games.q.players import strategy
from fairplay.games.q.protocol import codec
from fairplay.games.q.rules.board import tile_name
from fairplay.games.q.rules.state import PASS, Action, Settings, State, invariant
from fairplay.games.q.testdata import CHEATS
from fairplay.v1.misconduct_pb2 import CallError
from tests.games.playing import Played, play_steps
from tests.games.q.playing import (
    DEFAULTS,
    extension,
    failing,
    resumed,
    sound,
    table,
    tiles,
    turn_request,
)

METHODS = ("Setup", "TakeTurn", "NewTiles", "Win")


# The order of calls


# The worked game Q7 (section 12)


def q7(answer: Any, settings: Settings = DEFAULTS) -> Played:
    pile = "green clover, blue diamond, red clover"
    return resumed(table("red square, blue circle", "blue circle, red 8star", pile=pile, settings=settings), answer)


def result(played: Played) -> tuple[list[int], list[int], dict[int, int]]:
    """Seats of the winners, of those that are out, and the points of those in the ranking."""
    points = {seat: score for group in played.outcome.ranking for seat, score in group}
    return played.won, [step.seat for step in played.out], points


@pytest.mark.parametrize("spec", ["dag", "ldasg"])
def test_q7_is_played_as_worked_out(spec: str) -> None:
    played = q7(sound(spec), Settings(q_bonus=6, finish_bonus=6))
    assert result(played) == ([1], [], {0: 3, 1: 4})
    turns = [(shown.last.action, shown.last.points) for shown in played.shown if shown.last]
    assert turns == [(extension((-1, 0, "red square")), 3), (extension((-2, 0, "red 8star")), 4), (PASS, 0), (PASS, 0)]
    drawn = [tile_name(codec.read_tiles(request.tiles)[0]) for request in played.requests("NewTiles")]
    assert drawn == ["green clover", "blue diamond"]
    assert played.asked[:2] == [(0, "Setup"), (1, "Setup")]
    assert played.asked[2:6] == [(0, "TakeTurn"), (0, "NewTiles"), (1, "TakeTurn"), (1, "NewTiles")]
    assert played.asked[6:] == [(0, "TakeTurn"), (1, "TakeTurn"), (1, "Win"), (0, "Win")]


# Elimination (section 5)


# Going on from a state


def test_tiles_that_were_not_delivered_yet_are_told_by_setup() -> None:
    state = rules.apply(
        table("red square, blue clover", "red star", pile="green star"), extension((0, 1, "red square"))
    )
    assert state.delivery is not None
    played = resumed(state, sound())
    assert played.asked[:3] == [(0, "Setup"), (1, "Setup"), (1, "TakeTurn")]
    assert codec.read_tiles(played.requests("Setup")[0].tiles) == bytes(tiles("green star, blue clover"))
    assert resumed(state, failing(0, "Setup", CallError())).states[-1].lost == tiles("green star")
    again = resumed(state, lambda call: CallError() if call.method.name == "TakeTurn" else played.answers[1])
    assert again.states[-1].lost == ()


def test_a_game_that_is_over_is_told_to_be_over() -> None:
    over = rules.apply(table("red square", "red star"), extension((0, 1, "red square")))
    played = resumed(over, sound())
    assert played.asked == [(0, "Setup"), (1, "Setup"), (0, "Win"), (1, "Win")]
    assert played.ranking == [[0], [1]]


# Any game


@st.composite
def scripts(draw: st.DrawFn) -> list[Script]:
    """Players, some of which fail in the n-th call of a method or cheat."""
    found = []
    for name in "abcd"[: draw(st.integers(2, 4))]:
        method = draw(st.sampled_from(["", *map(kebab_case, METHODS)]))
        cheat = draw(st.sampled_from(["", "", *CHEATS]))
        spec = draw(st.sampled_from(["first", "random", "dag", "ldasg"]))
        found.append(Script(name, spec, method, draw(st.integers(1, 7)), cheat=cheat))
    return found


def acted(players: list[Script]) -> Any:
    """Answers as these actors give them."""
    actors = [Actor(script, GAME.player(script.strategy), CHEATS) for script in players]
    return lambda call: actors[call.seat].answer(call)


def played_by_rules(state: State, players: list[Script]) -> State:
    """The state at the end of a game between these actors, from the rules and strategies alone."""
    calls: Counter[tuple[int, str]] = Counter()

    def succeeds(seat: int, method: str) -> bool:
        calls[seat, method] += 1
        return players[seat].method != method or calls[seat, method] < players[seat].from_call

    for seat in range(len(players)):
        if not succeeds(seat, "setup"):
            state = rules.eliminate(state, seat)
    while (seat := state.mover) is not None:  # type: ignore[assignment]
        action = decide(players[seat], state, seat)
        if not succeeds(seat, "take-turn") or rules.violation(state, action) is not None:
            state = rules.eliminate(state, seat)
            continue
        state = rules.apply(state, action)
        if state.delivery is not None:
            state = rules.delivered(state) if succeeds(seat, "new-tiles") else rules.eliminate(state, seat)
    for seat, _ in rules.notifications(state):
        if not succeeds(seat, "win"):
            state = rules.eliminate(state, seat)
    return state


def decide(script: Script, state: State, seat: int) -> Action:
    """The cheat of an actor if it has one that is possible, else what its strategy says."""
    wrong: Any = CHEATS[script.cheat].mutate(turn_request(state, seat), None, Random(0)) if script.cheat else None
    return strategy(script.strategy)(rules.view(state, seat)) if wrong is None else codec.read_reply(wrong)


@settings(max_examples=60, deadline=None)
@given(scripts(), st.integers(1, 3), st.sampled_from(["lost", "return"]), st.integers(0, 2**32))
def test_any_mix_of_players_has_the_result_that_the_rules_alone_give(
    players: list[Script], copies: int, undelivered: str, seed: int
) -> None:
    chosen = Settings(copies_per_kind=copies, undelivered_tiles=undelivered, hand_size=4)  # type: ignore[arg-type]
    expected = played_by_rules(rules.initial(chosen, len(players), Random(seed)), players)
    names = [script.name for script in players]
    played = play_steps(GAME.play("g", codec.build_settings(chosen), names, Random(seed), None), acted(players))
    assert tuple(step.seat for step in played.out) == expected.eliminated
    assert tuple(map(tuple, played.ranking)) == rules.ranking(expected)
    assert tuple(played.won) == rules.winners(expected) or not played.won
    assert all(invariant(shown.state) is None for shown in played.shown)
