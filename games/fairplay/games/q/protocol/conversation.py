"""The conversation of the Q game: which calls are made, and in which order (q.md sections 2, 5, 6 and 7).

Setup to all; TakeTurn round after round, each followed by NewTiles if tiles were drawn; Win to all.
"""

from __future__ import annotations

from collections.abc import Generator
from functools import partial
from typing import Any, TypeAlias

from fairplay.games.kit.judging import CAUSES, judge_reply, notify
from fairplay.games.kit.wire import Heads
from fairplay.games.q import rules
from fairplay.games.q.protocol import codec
from fairplay.games.q.rules import RULES
from fairplay.games.q.rules.state import Action, Delivery, Extension, State, remaining
from fairplay.games.steps import (
    Call,
    CallKind,
    Cause,
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

Part: TypeAlias = Generator[Step, Any, State]


def play(game_id: str, start: codec.Shown) -> Conversation:
    """Play a game from the state `start`, fresh or not."""
    yield Show(start)
    laid, heads = codec.Laid(start.state.board), Heads(q_player_pb2.TakeTurnRequest, game_id)
    state = yield from _set_up(heads, start.state, laid)
    asked: set[int] = set()
    while (seat := rules.turn(state)) is not None:
        kind = CallKind.DECISION if seat in asked else CallKind.FIRST_DECISION
        asked.add(seat)
        reply = yield Call(seat, TAKE_TURN, codec.turn_request(heads, state, seat, laid), kind)
        verdict = _judge(state, reply)
        if isinstance(verdict, CAUSES):
            yield Eliminate(seat, verdict)
            state = yield from _without(state, seat)
            continue
        before, state = state, rules.apply(state, verdict)
        if isinstance(verdict, Extension):
            laid.put(verdict.placements)
        yield Show(codec.Shown(state, codec.Turn(seat, verdict, state.points[seat] - before.points[seat])))
        if state.delivery is not None:
            state = yield from _deliver(game_id, state, state.delivery)
    state = yield from _tell_the_end(game_id, state)
    return Outcome([[(seat, state.points[seat]) for seat in group] for group in rules.ranking(state)])


def _set_up(heads: Heads, state: State, laid: codec.Laid) -> Part:
    """Tell everybody its tiles; those that a state from outside had yet to deliver are delivered by that."""
    for seat in remaining(state):
        request = codec.setup_request(heads, state, seat, laid)
        state = yield from _tell(state, Call(seat, SETUP, request, CallKind.NOTIFICATION))
    return rules.delivered(state)


def _judge(state: State, reply: Any) -> Action | Cause:
    violation, legal_replies = partial(rules.violation, state), partial(codec.legal_replies, state)
    return judge_reply(reply, RULES, codec.read_reply, violation, codec.describe_action, legal_replies)


def _deliver(game_id: str, state: State, delivery: Delivery) -> Part:
    request = q_player_pb2.NewTilesRequest(
        game_id=game_id, seat=delivery.seat, tiles=codec.tile_numbers(delivery.tiles)
    )
    state = yield from _tell(state, Call(delivery.seat, NEW_TILES, request, CallKind.NOTIFICATION))
    return rules.delivered(state)


def _tell_the_end(game_id: str, state: State) -> Part:
    """Tell the winners, then the others; a winner that fails has not won, and nobody else wins in its place."""
    for seat, won in rules.notifications(state):
        request = q_player_pb2.WinRequest(game_id=game_id, seat=seat, won=won)
        state = yield from _tell(state, Call(seat, WIN, request, CallKind.NOTIFICATION))
    return state


def _tell(state: State, call: Call) -> Part:
    """Make a call that tells a player something; return the state without the player if it fails."""
    return state if (yield from notify(call)) else (yield from _without(state, call.seat))


def _without(state: State, seat: int) -> Part:
    state = rules.eliminate(state, seat)
    yield Show(codec.Shown(state))
    return state
