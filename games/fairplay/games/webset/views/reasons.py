"""Webset: why something that a person wants is not possible, as one sentence of plain text."""

from __future__ import annotations

from fairplay.games.kit.lettering import short_name
from fairplay.games.webset.rules import RULES
from fairplay.games.webset.views.board import NAME_CELLS, Scene, caller, name_of
from fairplay.webset.v1 import webset_pb2, webset_player_pb2

_LOCKED = "your last call was wrong or late: you may call again when the table has changed"
_SHOWING = "solutions are shown: end the showing first"
_ASKED = "you have asked for more cards already: others must ask, too"

STATUSES = {
    webset_player_pb2.STATUS_ALREADY_CALLED: "AlreadyCalled: somebody else was first",
    webset_player_pb2.STATUS_NO_CALL: "NoCall: you have no open call",
    webset_player_pb2.STATUS_INTERNAL_ERROR: "InternalError: the referee has failed; it costs you nothing",
    webset_player_pb2.STATUS_NOT_NOW: "NotNow: that is not possible at the moment",
    webset_player_pb2.STATUS_NO_SETS: "NoSets: there are no solutions to show",
    webset_player_pb2.STATUS_NO_MORE_CARDS: "NoMoreCards: the deck is empty or the table is full",
}
"""What a person is told of its own act, except what an event tells as well."""
_WHY = {
    "webset.call.open": _SHOWING,
    "webset.call.lockout": _LOCKED,
    "webset.more.open": "somebody has called, or solutions are shown: wait for the end of that",
    "webset.more.auto": "here the referee deals more cards by itself when there is no set",
    "webset.more.no-set": "there is a set on the table; more cards come only when there is none",
    "webset.more.once": _ASKED,
    "webset.show.open": "somebody has called: wait until the call is over",
    "webset.end.showing": "no solutions are shown",
}
"""Why an act was refused with NotNow, by the id of the rule."""


def status_line(status: int, rule_id: str) -> str:
    """Return what a person is told of its own act; empty where an event tells it as well."""
    line = STATUSES.get(status, "")  # type: ignore[call-overload]  # values are ints
    if status != webset_player_pb2.STATUS_NOT_NOW or rule_id not in RULES:
        return str(line)
    return f"NotNow: {_WHY.get(rule_id) or RULES[rule_id]}"


def why_not(part: str, scene: Scene) -> str:
    """Return why an action cannot be tried now, as far as that can be seen."""
    calls = caller(scene.state)
    if calls is not None:
        return f"{short_name(name_of(scene, calls), NAME_CELLS)} has called: wait until the call is over."
    reason = _why_not(part, scene)
    return f"{reason[:1].upper()}{reason[1:]}."


def _why_not(part: str, scene: Scene) -> str:
    state = scene.state
    if state.phase == webset_pb2.PHASE_OVER:
        return "the game is over"
    if state.phase == webset_pb2.PHASE_SHOWING and part in ("call-set", "more-cards"):
        return _SHOWING
    own = state.players[scene.seat] if scene.seat < len(state.players) else webset_pb2.Player()
    if part == "call-set" and own.locked:
        return _LOCKED
    if part == "more-cards":
        return _why_no_more(state, own)
    return {"show-solutions": "solutions are not shown at this table", "end-solutions": "no solutions are shown"}.get(
        part, "that is not possible at the moment"
    )


def _why_no_more(state: webset_pb2.State, own: webset_pb2.Player) -> str:
    if own.voted:
        return _ASKED
    if not state.deck_left:
        return "the deck is empty"
    return "the table is full, or the referee deals more cards by itself when there is no set"
