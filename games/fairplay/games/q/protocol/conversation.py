"""The conversation of the Q game: which calls are made, and in which order (q.md sections 2, 5, 6 and 7).

Setup to all; TakeTurn round after round, followed by NewTiles where tiles were replaced, or some placed but not
all; Win to all.
"""

from __future__ import annotations

from collections.abc import Generator
from functools import partial
from typing import Any, TypeAlias

from google.protobuf.message import Message

from fairplay.games.game import Start
from fairplay.games.kit.judging import CAUSES, judge_reply, notify
from fairplay.games.kit.wire import Heads
from fairplay.games.q import rules
from fairplay.games.q.protocol import codec
from fairplay.games.q.rules.state import Extension, State, remaining
from fairplay.games.steps import (
    Call,
    CallKind,
    Conversation,
    Eliminate,
    Method,
    Show,
    Step,
    methods_of,
    rank,
)
from fairplay.q.v1 import q_player_pb2
from fairplay.q.v1.q_player_pb2 import NewTilesRequest, TakeTurnRequest, WinRequest

SERVICE = q_player_pb2.DESCRIPTOR.services_by_name["QPlayerService"]
METHODS = methods_of(SERVICE)
SETUP, TAKE_TURN, NEW_TILES, WIN = METHODS.values()

Part: TypeAlias = Generator[Step, Any, State]


def play(start: Start) -> Conversation:
    """Play a game from a state, fresh or not."""
    yield Show(start.state)
    state, game_id = start.state.state, start.game_id
    laid, heads = codec.Laid(state.board), Heads(TakeTurnRequest, game_id)
    for told in remaining(state):
        state = yield from _tell(state, told, SETUP, codec.setup_request(heads, state, told, laid))
    state = rules.delivered(state)  # what a state from outside had yet to deliver, setup has told
    asked: set[int] = set()
    while (seat := rules.turn(state)) is not None:
        kind = CallKind.DECISION if seat in asked else CallKind.FIRST_DECISION
        asked.add(seat)
        verdict = judge_reply(
            (yield Call(seat, TAKE_TURN, codec.turn_request(heads, state, seat, laid), kind)),
            rules.RULES,
            codec.read_reply,
            partial(rules.violation, state),
            codec.describe_action,
            partial(codec.legal_replies, state),
        )
        if isinstance(verdict, CAUSES):
            yield Eliminate(seat, verdict)
            state = yield from _without(state, seat)
            continue
        before, state = state, rules.apply(state, verdict)
        if isinstance(verdict, Extension):
            laid.put(verdict.placements)
        yield Show(codec.Shown(state, codec.Turn(seat, verdict, state.points[seat] - before.points[seat])))
        if state.delivery is not None:
            tiles = codec.tile_numbers(state.delivery.tiles)
            state = yield from _tell(state, seat, NEW_TILES, NewTilesRequest(game_id=game_id, seat=seat, tiles=tiles))
            state = rules.delivered(state)
    for seat, won in rules.notifications(state):  # nobody else wins in the place of a winner that fails
        state = yield from _tell(state, seat, WIN, WinRequest(game_id=game_id, seat=seat, won=won))
    return rank(rules.ranking(state), rules.scores(state))


def _tell(state: State, seat: int, method: Method, request: Message | bytes) -> Part:
    """Make a call that tells a player something; return the state without the player if it fails."""
    told = yield from notify(Call(seat, method, request, CallKind.NOTIFICATION))
    return state if told else (yield from _without(state, seat))


def _without(state: State, seat: int) -> Part:
    state = rules.eliminate(state, seat)
    yield Show(codec.Shown(state))
    return state
