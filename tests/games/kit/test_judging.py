"""Replies are judged in this order: a failure, what cannot be read, what breaks a rule, what is legal.

Who cannot be notified is eliminated.
"""

from __future__ import annotations

from typing import Any

import pytest
from google.protobuf.wrappers_pb2 import Int64Value

from fairplay.games.kit.judging import MalformedReplyError, judge_reply, notify
from fairplay.games.kit.player_service import START
from fairplay.games.steps import Call, CallKind, Eliminate
from fairplay.v1.misconduct_pb2 import CallError, Overrun, RuleBreak

RULES = {"nim.required": "A number is required.", "nim.range": "Take 1 to 3."}


def judge(reply: Any, legal_count: int = 3) -> Any:
    def read(message: Int64Value) -> int:
        if not message.value:
            raise MalformedReplyError("nim.required", "nothing")
        return message.value

    return judge_reply(
        reply,
        RULES,
        read,
        lambda number: None if 1 <= number <= 3 else "nim.range",
        lambda number: f"the number {number}",
        lambda: (Int64Value(value=number) for number in range(1, legal_count + 1)),
    )


@pytest.mark.parametrize("failure", [Overrun(), CallError(message="it raised")])
def test_a_failure_is_the_cause_itself(failure: Overrun | CallError) -> None:
    assert judge(failure) is failure


def test_a_legal_reply_is_its_action() -> None:
    assert judge(Int64Value(value=2)) == 2


@pytest.mark.parametrize(
    ("value", "rule_id", "explanation"),
    [
        (0, "nim.required", "A number is required. Given: nothing."),
        (4, "nim.range", "Take 1 to 3. Given: the number 4."),
    ],
)
def test_a_reply_that_breaks_a_rule_is_explained_with_what_was_given(
    value: int, rule_id: str, explanation: str
) -> None:
    broken = judge(Int64Value(value=value))
    assert isinstance(broken, RuleBreak)
    assert (broken.rule_id, broken.explanation, broken.legal_reply_count) == (rule_id, explanation, 3)
    assert len(broken.legal_replies) == 3


@pytest.mark.parametrize(("legal_count", "shown"), [(0, 0), (100, 100), (101, 100)])
def test_at_most_a_hundred_legal_replies_are_shown_and_all_are_counted(legal_count: int, shown: int) -> None:
    broken = judge(Int64Value(value=4), legal_count)
    assert (len(broken.legal_replies), broken.legal_reply_count) == (shown, legal_count)


CALL = Call(2, START, START.request(), CallKind.NOTIFICATION)


def test_a_player_that_cannot_be_notified_is_eliminated() -> None:
    failure, notifying = Overrun(), notify(CALL)
    assert next(notifying) is CALL
    assert notifying.send(failure) == Eliminate(2, failure)
    with pytest.raises(StopIteration) as stop:
        notifying.send(None)
    assert stop.value.value is False


def test_a_player_that_answers_stays() -> None:
    notifying = notify(CALL)
    next(notifying)
    with pytest.raises(StopIteration) as stop:
        notifying.send(START.response())
    assert stop.value.value is True
