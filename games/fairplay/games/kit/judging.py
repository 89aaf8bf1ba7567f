"""Judging a reply: what is malformed, and the evidence that a reply breaks a rule."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from google.protobuf.message import Message

from fairplay.games.envelopes import pack
from fairplay.v1.misconduct_pb2 import RuleBreak

MAX_LEGAL_REPLIES = 100


class MalformedReplyError(ValueError):
    """Raised by a codec if a required part of a reply is missing or out of range; caught by conversations.

    `rule_id` names the rule that the reply breaks; `given` describes the reply, for people.
    """

    def __init__(self, rule_id: str, given: str) -> None:
        super().__init__(rule_id, given)
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
