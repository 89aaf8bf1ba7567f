"""The conversation of Bazaar (bazaar.md sections 3 to 7 and 9).

Setup to all; a turn is RequestPebbleOrExchanges and, unless that ends the game, RequestCards; Win to the winners, then
to the others.
"""

from __future__ import annotations

from collections.abc import Generator
from functools import partial
from typing import Any, TypeAlias

from fairplay.bazaar.v1 import bazaar_player_pb2
from fairplay.games.bazaar import rules
from fairplay.games.bazaar.protocol import codec
from fairplay.games.bazaar.rules.state import Action, Phase, Standing, State
from fairplay.games.kit.judging import CAUSES, judge_reply, notify
from fairplay.games.kit.wire import Heads, write_field
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

SERVICE = "fairplay.bazaar.v1.BazaarPlayerService"
METHODS = build_methods(
    SERVICE,
    {
        "Setup": (bazaar_player_pb2.SetupRequest, bazaar_player_pb2.SetupResponse),
        "RequestPebbleOrExchanges": (
            bazaar_player_pb2.RequestPebbleOrExchangesRequest,
            bazaar_player_pb2.RequestPebbleOrExchangesResponse,
        ),
        "RequestCards": (bazaar_player_pb2.RequestCardsRequest, bazaar_player_pb2.RequestCardsResponse),
        "Win": (bazaar_player_pb2.WinRequest, bazaar_player_pb2.WinResponse),
    },
)
SETUP, REQUEST_PEBBLE_OR_EXCHANGES, REQUEST_CARDS, WIN = METHODS.values()
TURN_STATE = write_field(bazaar_player_pb2.RequestCardsRequest, "turn_state")
"""The field of what a player is shown, in both calls of a turn."""

Part: TypeAlias = Generator[Step, Any, State]


def play(game_id: str, state: State) -> Conversation:
    """Play a game from a state to its end; it may begin between the two calls of a turn, or when the game is over."""
    yield Show(codec.Shown(state))
    state = yield from _set_up(game_id, state)
    heads = Heads(bazaar_player_pb2.RequestCardsRequest, game_id)
    while (seat := rules.turn(state)) is not None:
        reply = yield _call(heads, state, seat)
        verdict = _judge(state, reply)
        if isinstance(verdict, CAUSES):
            yield Eliminate(seat, verdict)
            state, last = rules.eliminate(state, seat), None
        else:
            state, last = rules.apply(state, verdict), codec.LastAction(seat, state.phase, verdict)
        yield Show(codec.Shown(state, last))
    state = yield from _tell(game_id, state)
    scores = rules.scores(state)
    return Outcome([[(seat, scores[seat]) for seat in group] for group in rules.ranking(state)])


def _call(heads: Heads, state: State, seat: int) -> Call:
    """Return the call that is due."""
    method = REQUEST_PEBBLE_OR_EXCHANGES if state.phase is Phase.REQUEST else REQUEST_CARDS
    request = heads[seat] + TURN_STATE(codec.turn_state_data(state, seat))
    return Call(seat, method, request, CallKind.DECISION)


def _judge(state: State, reply: Any) -> Action | Cause:
    return judge_reply(
        reply,
        rules.RULES,
        partial(_action, state),
        partial(rules.violation, state),
        partial(codec.described, state),
        partial(codec.legal_replies, state),
    )


def _action(state: State, reply: Any) -> Action:
    if state.phase is Phase.REQUEST:
        return codec.requested(reply, state.settings.max_exchanges)
    return codec.purchased(reply, len(state.visible))


def _set_up(game_id: str, state: State) -> Part:
    """Tell everybody who is in the game the equations, in turn order."""
    table = codec.table_message(state.table)
    for seat, player in enumerate(state.players):
        if player.standing is Standing.IN:
            request = bazaar_player_pb2.SetupRequest(game_id=game_id, seat=seat, table=table)
            delivered = yield from notify(Call(seat, SETUP, request, CallKind.NOTIFICATION))
            if not delivered:
                state = rules.eliminate_at_setup(state, seat)
                yield Show(codec.Shown(state))
    return state


def _tell(game_id: str, state: State) -> Part:
    """Tell the winners, then the others, in turn order; nobody moves up for a player that fails (section 7)."""
    for seat, won in rules.notifications(state):
        request = bazaar_player_pb2.WinRequest(game_id=game_id, seat=seat, won=won)
        delivered = yield from notify(Call(seat, WIN, request, CallKind.NOTIFICATION))
        if not delivered:
            state = rules.eliminate(state, seat)
            yield Show(codec.Shown(state))
    return state
