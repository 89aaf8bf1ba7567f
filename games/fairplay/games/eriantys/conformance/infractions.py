"""Wrong answers in Eriantys after which the player is asked again: infractions, which the suite reports."""

from __future__ import annotations

from typing import Any

from fairplay.eriantys.v1 import eriantys_settings_pb2
from fairplay.games.conformance import Infraction, Level
from fairplay.games.eriantys.protocol import codec
from fairplay.games.eriantys.protocol.verdicts import judge, judge_tower
from fairplay.games.kit.judging import MalformedReplyError
from fairplay.games.steps import FAILURES, Call


def find_infraction(settings: eriantys_settings_pb2.Settings, call: Call, answer: Any) -> Infraction | None:
    """Return the infraction that an answer is, unless that was the player's last attempt, or None."""
    request = call.request
    if not call.method.name.startswith("Ask") or isinstance(answer, FAILURES):
        return None
    if call.method.name == "AskTowerColor":
        view = codec.view(request.state, request.settings, request.seat, ())
        verdict: Any = judge_tower(view, request.seat, answer)
    else:
        view = codec.view(request.state, request.settings, request.seat, request.hand)
        verdict = judge(view, answer)
    return Infraction(verdict.rule_id, verdict.given, Level.MUST) if isinstance(verdict, MalformedReplyError) else None
