"""Eriantys: what an answer is worth: an action, or a refusal that names the rule it breaks."""

from __future__ import annotations

from typing import Any

from fairplay.v1.misconduct_pb2 import RuleBreak
from games.eriantys import answers, codec, rules
from games.eriantys.rules import Action, ChooseTowers, State
from games.game import FAILURES, Broken, Call, Failure, Level, Slip, broken


def judge_tower(offered: State, seat: int, reply: Any) -> ChooseTowers | Broken | Failure:
    """The colour that a reply chooses out of those offered, or what is wrong with it."""
    if isinstance(reply, FAILURES):
        return reply
    try:
        action = ChooseTowers(answers.tower_color(reply))
    except Broken as malformed:
        return malformed
    rule_id = rules.choice_violation(offered, seat, action.color)
    return Broken(rule_id, answers.described(action)) if rule_id else action


def judge(state: State, reply: Any) -> Action | Broken | Failure:
    """The legal action of a reply, or what is wrong with it."""
    if isinstance(reply, FAILURES):
        return reply
    try:
        action = answers.decided(state, reply)
    except Broken as malformed:
        return malformed
    rule_id = rules.violation(state, action)
    return Broken(rule_id, answers.described(action)) if rule_id else action


def refusal(fault: Broken) -> RuleBreak:
    """Why an answer was refused, for the player."""
    return broken(rules.RULES, fault.rule_id, fault.given)


def misconduct(fault: Broken, state: State, seat: int) -> RuleBreak:
    """The same as evidence, with what would have been legal."""
    return broken(rules.RULES, fault.rule_id, fault.given, answers.legal_replies(state, seat))


def slip(call: Call, reply: Any) -> Slip | None:
    """What is wrong with a reply for which the player is asked again, unless that was its last attempt."""
    request = call.request
    if not call.method.name.startswith("Ask") or isinstance(reply, FAILURES):
        return None
    verdict: Action | Broken | Failure
    if call.method.name == "AskTowerColor":
        verdict = judge_tower(codec.view(request.state, request.settings, request.seat, ()), request.seat, reply)
    else:
        verdict = judge(codec.view(request.state, request.settings, request.state.active_seat, request.hand), reply)
    return Slip(verdict.rule_id, verdict.given, Level.MUST) if isinstance(verdict, Broken) else None
