"""Judging a reply: what is malformed, which rule it breaks, and the evidence of that."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping
from typing import Any, TypeVar

from google.protobuf.message import Message

from fairplay.games.envelopes import pack
from fairplay.games.steps import FAILURES, Call, Cause, Eliminate, Step
from fairplay.v1.misconduct_pb2 import RuleBreak

MAX_LEGAL_REPLIES = 100
CAUSES = (RuleBreak, *FAILURES)
"""The types of Cause, for isinstance."""
Action = TypeVar("Action")


class MalformedReplyError(ValueError):
    """Raised by a codec if a required part of a reply is missing or out of range; caught by conversations.

    `rule_id` names the rule that the reply breaks; `given` describes the reply, for people.
    """

    def __init__(self, rule_id: str, given: str) -> None:
        self.rule_id = rule_id
        self.given = given


def build_rule_break(rules: Mapping[str, str], rule_id: str, given: str, legal: Iterable[Message] = ()) -> RuleBreak:
    """Return the evidence that a reply breaks a rule: its sentence, what was given, and the legal replies."""
    replies = list(legal)
    packed = [pack(reply) for reply in replies[:MAX_LEGAL_REPLIES]]
    return RuleBreak(
        rule_id=rule_id,
        explanation=f"{rules[rule_id]} Given: {given}.",
        legal_replies=packed,
        legal_reply_count=len(replies),
    )


def judge_reply(
    reply: Any,
    rules: Mapping[str, str],
    read: Callable[[Any], Action],
    find_violation: Callable[[Action], str | None],
    describe: Callable[[Action], str],
    list_legal_replies: Callable[[], Iterable[Message]],
) -> Action | Cause:
    """Return the legal action of a reply, or the cause for which its player is eliminated.

    `read` returns the action of a reply or raises MalformedReplyError; `find_violation` returns the id of the rule that
    an action breaks, or None. What is illegal is described for people, and comes with the legal replies.
    """
    if isinstance(reply, FAILURES):
        return reply
    try:
        action = read(reply)
    except MalformedReplyError as malformed:
        return build_rule_break(rules, malformed.rule_id, malformed.given, list_legal_replies())
    if rule_id := find_violation(action):
        return build_rule_break(rules, rule_id, describe(action), list_legal_replies())
    return action


def notify(call: Call) -> Generator[Step, Any, bool]:
    """Make a call that tells a player something, and eliminate the player if it fails. Return whether it succeeded."""
    reply = yield call
    if isinstance(reply, FAILURES):
        yield Eliminate(call.seat, reply)
        return False
    return True
