"""What the test data of all games share: questions, readers of values, actors and scripted tournaments."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from fairplay.games.fish import protocol
from fairplay.games.kit import testdata
from fairplay.games.kit.testdata import Json, question

SETUP, PLAY_AS = protocol.SETUP, protocol.PLAY_AS
METHODS = tuple(protocol.METHODS.values())


# Actors


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
