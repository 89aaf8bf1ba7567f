"""What an answer in Eriantys is worth: an action, or a refusal that names the rule that it breaks."""

from __future__ import annotations

from typing import Any

from fairplay.games.eriantys import rules
from fairplay.games.eriantys.protocol import answers
from fairplay.games.eriantys.rules import Action, ChooseTowers, State
from fairplay.games.kit.judging import MalformedReplyError, build_rule_break
from fairplay.games.steps import FAILURES, Failure
from fairplay.v1.misconduct_pb2 import RuleBreak


def judge_tower(offered: State, seat: int, reply: Any) -> ChooseTowers | MalformedReplyError | Failure:
    """Return the colour that a reply chooses out of those offered, or what is wrong with it."""
    if isinstance(reply, FAILURES):
        return reply
    try:
        action = ChooseTowers(answers.tower_color(reply))
    except MalformedReplyError as malformed:
        return malformed
    rule_id = rules.choice_violation(offered, seat, action.color)
    return MalformedReplyError(rule_id, answers.described(action)) if rule_id else action


def judge(state: State, reply: Any) -> Action | MalformedReplyError | Failure:
    """Return the legal action of a reply, or what is wrong with it."""
    if isinstance(reply, FAILURES):
        return reply
    try:
        action = answers.decided(state, reply)
    except MalformedReplyError as malformed:
        return malformed
    rule_id = rules.violation(state, action)
    return MalformedReplyError(rule_id, answers.described(action)) if rule_id else action


def refusal(wrong: MalformedReplyError) -> RuleBreak:
    """Return why an answer was refused, for the player."""
    return build_rule_break(rules.RULES, wrong.rule_id, wrong.given)


def misconduct(wrong: MalformedReplyError, state: State) -> RuleBreak:
    """Return the evidence of a wrong answer, with what would have been legal."""
    return build_rule_break(rules.RULES, wrong.rule_id, wrong.given, answers.legal_replies(state))
