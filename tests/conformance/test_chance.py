"""Whether misconduct is due to circumstances or comes by chance: how often it has to show, how often it is tried."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from fairplay.conformance.chance import answers_differ, due_to_circumstances, probability
from fairplay.conformance.trial import Exchange, Scenario, Trial
from fairplay.fish.v1.fish_player_pb2 import SetupResponse
from fairplay.games.conformance import Situation
from fairplay.games.game import find
from fairplay.games.steps import CallKind, Method

FISH = find("fish")
[SETUP] = [method for method in FISH.methods if method.name == "Setup"]


class Shows:
    """Says whether misconduct shows this time, by a text: + where it does; the last sign holds for all later times."""

    def __init__(self, signs: str) -> None:
        self.count = 0
        self._signs = signs

    def __call__(self) -> bool:
        sign = self._signs[min(self.count, len(self._signs) - 1)]
        self.count += 1
        return sign == "+"


@pytest.mark.parametrize(
    ("with_them", "without", "due", "counts"),
    [
        ("+", "-", True, (3, 2)),
        ("-", "-", False, (4, 3)),
        ("+", "+", False, (1, 1)),
        ("+", "-+", False, (2, 2)),
        ("+-", "-", False, (8, 7)),
        ("---+", "-", True, (7, 6)),
        ("+-+++", "-", True, (5, 4)),
        ("+-+-+--+", "-", True, (8, 7)),
        ("+-+-+---", "-", False, (8, 7)),
    ],
)
def test_it_is_tried_until_it_is_clear_and_at_most_eight_times(
    with_them: str, without: str, due: bool, counts: tuple[int, int]
) -> None:
    tries = Shows(with_them), Shows(without)
    assert due_to_circumstances(*tries) is due
    assert (tries[0].count, tries[1].count) == counts


@pytest.mark.parametrize(
    ("shown", "rounds", "wanted"), [(0, 4, 1), (1, 1, 1 / 2), (1, 8, 1 / 2), (3, 3, 1 / 20), (4, 5, 5 / 210)]
)
def test_what_shows_only_with_the_circumstances_is_the_less_probable_the_more_often(
    shown: int, rounds: int, wanted: float
) -> None:
    assert probability(shown, rounds) == pytest.approx(wanted)


def trial(*exchanges: tuple[Method, Any, Any]) -> Trial:
    """Return a trial with calls: the method, the request and the answer of each."""
    made = [
        Exchange(method, request.SerializeToString(), CallKind.DECISION, 1.0, 0.1, answer)
        for method, request, answer in exchanges
    ]
    return Trial(Scenario("x", Situation(FISH.settings_type(), 2, 0), 1), made)


def setup(game_id: str = "a", place: int = 0, columns: int = 5) -> tuple[Method, Any, Any]:
    request: Any = SETUP.request(game_id=game_id)
    request.state.columns = columns
    return SETUP, request, SetupResponse(place=place)


def turn(game_id: str = "a") -> tuple[Method, Any, Any]:
    return FISH.turn, FISH.turn.request(game_id=game_id), FISH.turn.response()


def pairs() -> Iterator[tuple[Trial, Trial, bool]]:
    yield trial(setup()), trial(setup()), False
    yield trial(setup()), trial(setup("b")), False
    yield trial(setup()), trial(setup("b", place=1)), True
    yield trial(setup()), trial(setup("b", place=1, columns=7)), False
    yield trial(setup()), trial(turn()), False
    yield trial(setup(), setup(columns=7)), trial(setup(), setup(columns=7, place=1)), True
    yield trial(setup(columns=5), setup(columns=7)), trial(setup(columns=6), setup(columns=7, place=1)), False
    yield trial(setup(), setup()), trial(setup()), False
    yield trial(turn(), setup()), trial(turn("b"), setup("b", place=1)), True
    yield trial(), trial(setup()), False


@pytest.mark.parametrize(("one", "other", "differ"), list(pairs()))
def test_answers_differ_where_the_same_was_asked_and_something_else_was_answered(
    one: Trial, other: Trial, differ: bool
) -> None:
    assert answers_differ(one, other) is differ
