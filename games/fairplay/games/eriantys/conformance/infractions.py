"""Wrong answers in Eriantys after which the player is asked again: infractions, which the suite reports."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from google.protobuf.message import Message

from fairplay.eriantys.v1 import eriantys_settings_pb2
from fairplay.games.conformance import Infraction, Level
from fairplay.games.eriantys.protocol import answers, codec
from fairplay.games.eriantys.protocol.answers import judge, judge_tower
from fairplay.games.eriantys.rules import State
from fairplay.games.kit.judging import MalformedReplyError
from fairplay.games.steps import FAILURES, Call


def find_infraction(settings: eriantys_settings_pb2.Settings, call: Call, answer: Any) -> Infraction | None:
    """Return the infraction that an answer is, unless that was the player's last attempt, or None."""
    if not call.method.name.startswith("Ask") or isinstance(answer, FAILURES):
        return None
    view = _view(call)
    towers = call.method.name == "AskTowerColor"
    verdict: Any = judge_tower(view, call.request.seat, answer) if towers else judge(view, answer)
    return Infraction(verdict.rule_id, verdict.given, Level.MUST) if isinstance(verdict, MalformedReplyError) else None


def list_legal_replies(settings: eriantys_settings_pb2.Settings, call: Call) -> Sequence[Message] | None:
    """Return the answers to a question that would be legal, or None if the call asks nothing."""
    return answers.legal_replies(_view(call)) if call.method.name.startswith("Ask") else None


def _view(call: Call) -> State:
    """Return the state as a question shows it."""
    request = call.request
    hand = () if call.method.name == "AskTowerColor" else request.hand
    return codec.read_view(request.state, request.settings, request.seat, hand)
