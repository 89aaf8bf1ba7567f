"""What the test data of all games share: questions, readers of values, actors and scripted tournaments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from fairplay.fish.v1.fish_player_pb2 import PlayAsRequest, SetupRequest, SetupResponse
from fairplay.games.conformance import Mutation
from fairplay.games.fish import protocol
from fairplay.games.kit import testdata
from fairplay.games.kit.testdata import Actor, Json, Script, question
from fairplay.games.steps import Call, CallKind
from fairplay.v1.misconduct_pb2 import CallError, Overrun

SETUP, PLAY_AS = protocol.SETUP, protocol.PLAY_AS
METHODS = tuple(protocol.METHODS.values())


class Player:
    """Places its first penguin on cell 0, and knows no second place."""

    def __init__(self) -> None:
        self.asked = 0

    def play_as(self, request: PlayAsRequest) -> None:
        pass

    def setup(self, request: SetupRequest) -> SetupResponse:
        self.asked += 1
        if self.asked > 1:
            raise ValueError("no tile is free")
        return SetupResponse(place=0)


def call(method: Any = SETUP) -> Call:
    return Call(0, method, method.request(), CallKind.DECISION)


def actor(*defect: Json, lie: SetupResponse | None = None) -> Actor:
    (script,) = testdata.read_scripts([["Ann", "first", *defect]], "actors", METHODS, ["lie"])
    return Actor(script, Player(), {"lie": Mutation("lie", "Lies.", "Setup", "", (), lambda *_: lie)})


# Actors


def test_a_sound_actor_answers_as_its_player_does() -> None:
    ann = actor()
    assert ann.answer(call()) == SetupResponse(place=0)
    assert ann.answer(call(PLAY_AS)) == PLAY_AS.response()


def test_a_player_that_raises_has_failed() -> None:
    ann = actor()
    ann.answer(call())
    failed = ann.answer(call())
    assert isinstance(failed, CallError)
    assert failed.message == "no tile is free"


def test_an_actor_raises_in_every_call_of_its_method_and_in_no_other() -> None:
    ann = actor("setup")
    assert [type(ann.answer(call())) for _ in range(2)] == [CallError, CallError]
    assert ann.answer(call(PLAY_AS)) == PLAY_AS.response()


def test_an_actor_hangs_from_its_call_on() -> None:
    bob = actor("play-as", 3)
    assert [type(bob.answer(call(PLAY_AS))) for _ in range(4)] == [PLAY_AS.response] * 2 + [Overrun] * 2


def test_a_cheat_is_tried_in_its_method_and_played_soundly_where_it_is_impossible() -> None:
    for lie, place in ((SetupResponse(place=99), 99), (None, 0)):
        ann = actor("a cheat", "lie", lie=lie)
        assert ann.answer(call(PLAY_AS)) == PLAY_AS.response()
        assert ann.answer(call()).place == place


def test_scripts_are_read_with_what_they_do() -> None:
    given = [["a", "first"], ["b", "first", "setup"], ["c", "first", "take-turn", 2], ["d", "first", "a cheat", "lie"]]
    assert testdata.read_scripts(given, "actors", METHODS, ["lie"]) == [
        Script("a", "first"),
        Script("b", "first", "setup"),
        Script("c", "first", "take-turn", 2, hangs=True),
        Script("d", "first", cheat="lie"),
    ]


def test_no_actor_begins_to_fail_later_than_is_allowed() -> None:
    with pytest.raises(ValueError, match=r"actors\[0\]\[3\] is 8: it must be 1 to 7"):
        testdata.read_scripts([["a", "first", "setup", 8]], "actors", METHODS, most_calls=7)


# Questions and readers


@question
def first_of_two(left: Json, right: Json = 1) -> Json:
    """Give the first value.

    The second does not matter.
    """
    return left


def test_questions_are_named_after_their_functions() -> None:
    (asked,) = testdata.collect_questions({"first_of_two": first_of_two, "other": len}).values()
    assert (asked.name, asked.sentence) == ("first-of-two", "Give the first value.")
    assert [parameter.name for parameter in asked.parameters] == ["left", "right"]
    assert asked.answer(7) == 7


def test_a_game_without_test_data_answers_no_questions() -> None:
    assert testdata.find_questions("chess") == {}


@pytest.mark.parametrize(
    ("read", "complaint"),
    [
        (lambda: testdata.read_list({}, "it"), "it is {}: it must be an array"),
        (lambda: testdata.read_object({"b": 1}, "it", ["a"]), "it has the names b: it must have a"),
        (lambda: testdata.read_int(True, "it"), "it is True: it must be a whole number"),
        (lambda: testdata.read_int(3.0, "it"), "it is 3.0: it must be a whole number, without a point or an exponent"),
        (lambda: testdata.read_int(3, "it", 1, 2), "it is 3: it must be 1 to 2"),
    ],
)
def test_a_value_of_another_form_is_named_with_what_is_allowed(read: Callable[[], object], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        read()
