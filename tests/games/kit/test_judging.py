"""A reply that breaks a rule is explained, and shown with legal ones."""

from __future__ import annotations

from typing import Any

import pytest
from google.protobuf.wrappers_pb2 import Int64Value

from fairplay.games.kit.judging import MalformedReplyError, judge_reply
from fairplay.v1.misconduct_pb2 import RuleBreak

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


@pytest.mark.parametrize(("legal_count", "shown"), [(0, 0), (101, 100)])
def test_at_most_a_hundred_legal_replies_are_shown_and_all_are_counted(legal_count: int, shown: int) -> None:
    broken = judge(Int64Value(value=4), legal_count)
    assert (len(broken.legal_replies), broken.legal_reply_count) == (shown, legal_count)
