"""The Q game: the sequence of calls (q.md sections 2, 5, 6 and 7).

setup to all; take-turn round after round, each followed by new-tiles if tiles were drawn; win to all.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, TypeAlias

from fairplay.games.kit.judging import MalformedReplyError, build_rule_break
from fairplay.games.q import rules
from fairplay.games.q.protocol import codec
from fairplay.games.steps import (
    FAILURES,
    Call,
    CallKind,
    Conversation,
    Eliminate,
    Outcome,
    Show,
    Step,
    build_methods,
)
from fairplay.q.v1 import q_player_pb2

SERVICE = "fairplay.q.v1.QPlayerService"
METHODS = build_methods(
    SERVICE,
    {
        "Setup": (q_player_pb2.SetupRequest, q_player_pb2.SetupResponse),
        "TakeTurn": (q_player_pb2.TakeTurnRequest, q_player_pb2.TakeTurnResponse),
        "NewTiles": (q_player_pb2.NewTilesRequest, q_player_pb2.NewTilesResponse),
        "Win": (q_player_pb2.WinRequest, q_player_pb2.WinResponse),
    },
)
SETUP, TAKE_TURN, NEW_TILES, WIN = METHODS.values()

ACTIONS = (rules.Extension, rules.Word)
Part: TypeAlias = Generator[Step, Any, rules.State]


def play(game_id: str, start: codec.Shown) -> Conversation:
    """A game from the state `start`, fresh or not."""
    yield Show(start)
    laid = codec.Laid(start.state.board)
    state = yield from _set_up(game_id, start.state, laid)
    asked: set[int] = set()
    while (seat := rules.turn(state)) is not None:
        clock = CallKind.DECISION if seat in asked else CallKind.FIRST_DECISION
        asked.add(seat)
        reply = yield Call(seat, TAKE_TURN, codec.turn_request(game_id, state, seat, laid), clock)
        verdict = _judge(state, reply)
        if not isinstance(verdict, ACTIONS):
            state = yield from _out(state, seat, verdict)
            continue
        before, state = state, rules.apply(state, verdict)
        if isinstance(verdict, rules.Extension):
            laid.put(verdict.placements)
        yield Show(codec.Shown(state, codec.Turn(seat, verdict, state.points[seat] - before.points[seat])))
        if state.delivery is not None:
            state = yield from _deliver(game_id, state, state.delivery)
    state = yield from _tell_the_end(game_id, state)
    return Outcome([[(seat, state.points[seat]) for seat in group] for group in rules.ranking(state)])


def _set_up(game_id: str, state: rules.State, laid: codec.Laid) -> Part:
    """Tells everybody of its tiles; those that a state from outside had yet to deliver are thereby delivered."""
    for seat in rules.remaining(state):
        request = codec.setup_request(game_id, state, seat, laid)
        state = yield from _tell(state, Call(seat, SETUP, request, CallKind.NOTIFICATION))
    return rules.delivered(state)


def _judge(state: rules.State, reply: Any) -> rules.Action | Any:
    """The legal action of a reply, or why its player is out."""
    if isinstance(reply, FAILURES):
        return reply
    try:
        action = codec.decided(reply)
    except MalformedReplyError as malformed:
        return build_rule_break(rules.RULES, malformed.rule_id, malformed.given, codec.legal_replies(state))
    if rule_id := rules.violation(state, action):
        return build_rule_break(rules.RULES, rule_id, codec.described(action), codec.legal_replies(state))
    return action


def _deliver(game_id: str, state: rules.State, delivery: rules.Delivery) -> Part:
    request = q_player_pb2.NewTilesRequest(game_id=game_id, tiles=codec.numbers(delivery.tiles))
    state = yield from _tell(state, Call(delivery.seat, NEW_TILES, request, CallKind.NOTIFICATION))
    return rules.delivered(state)


def _tell_the_end(game_id: str, state: rules.State) -> Part:
    """Winners first; whom it fails to reach has not won, and nobody else wins in its place."""
    for seat, won in rules.notifications(state):
        request = q_player_pb2.WinRequest(game_id=game_id, won=won)
        state = yield from _tell(state, Call(seat, WIN, request, CallKind.NOTIFICATION))
    return state


def _tell(state: rules.State, call: Call) -> Part:
    reply = yield call
    if isinstance(reply, FAILURES):
        state = yield from _out(state, call.seat, reply)
    return state


def _out(state: rules.State, seat: int, cause: Any) -> Part:
    yield Eliminate(seat, cause)
    state = rules.eliminate(state, seat)
    yield Show(codec.Shown(state))
    return state
