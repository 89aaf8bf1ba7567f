"""The conversation of Bazaar (bazaar.md sections 3 to 7 and 9).

Setup to all; a turn is RequestPebbleOrExchanges and, unless that ends the game, RequestCards; Win to the winners, then
to the others.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from functools import partial
from typing import Any

from fairplay.bazaar.v1 import bazaar_player_pb2
from fairplay.bazaar.v1.bazaar_player_pb2 import RequestCardsRequest, SetupRequest, WinRequest
from fairplay.games.bazaar import rules
from fairplay.games.bazaar.protocol import codec
from fairplay.games.bazaar.rules.state import Action, Phase, Standing, State
from fairplay.games.game import Start
from fairplay.games.kit.judging import CAUSES, judge_reply, notify
from fairplay.games.kit.wire import Heads, write_field
from fairplay.games.steps import (
    Call,
    CallKind,
    Cause,
    Conversation,
    Eliminate,
    Show,
    Step,
    methods_of,
    rank,
)

SERVICE = bazaar_player_pb2.DESCRIPTOR.services_by_name["BazaarPlayerService"]
METHODS = methods_of(SERVICE)
SETUP, REQUEST_PEBBLE_OR_EXCHANGES, REQUEST_CARDS, WIN = METHODS.values()
TURN_STATE = write_field(RequestCardsRequest, "turn_state")
"""The field of what a player is shown, in both calls of a turn."""


def play(start: Start) -> Conversation:
    """Play a game from a state to its end; it may begin between the two calls of a turn, or when the game is over."""
    state, game_id = start.state, start.game_id
    yield Show(codec.Shown(state))
    table, heads = codec.build_table(state.table), Heads(RequestCardsRequest, game_id)
    for told, player in enumerate(state.players):
        if player.standing is Standing.IN:
            call = Call(told, SETUP, SetupRequest(game_id=game_id, seat=told, table=table), CallKind.NOTIFICATION)
            state = yield from _tell(state, call, rules.eliminate_at_setup)
    while (seat := rules.turn(state)) is not None:
        verdict = _judge(state, (yield _call(heads, state, seat)))
        if isinstance(verdict, CAUSES):
            yield Eliminate(seat, verdict)
            state, last = rules.eliminate(state, seat), None
        else:
            state, last = rules.apply(state, verdict), codec.LastAction(seat, state.phase, verdict)
        yield Show(codec.Shown(state, last))
    for seat, won in rules.notifications(state):  # nobody moves up for a player that fails (section 7)
        call = Call(seat, WIN, WinRequest(game_id=game_id, seat=seat, won=won), CallKind.NOTIFICATION)
        state = yield from _tell(state, call, rules.eliminate)
    return rank(rules.ranking(state), rules.scores(state))


def _call(heads: Heads, state: State, seat: int) -> Call:
    """Return the call that is due."""
    method = REQUEST_PEBBLE_OR_EXCHANGES if state.phase is Phase.REQUEST else REQUEST_CARDS
    return Call(seat, method, heads[seat] + TURN_STATE(codec.turn_state_data(state, seat)), CallKind.DECISION)


def _judge(state: State, reply: Any) -> Action | Cause:
    return judge_reply(
        reply,
        rules.RULES,
        partial(codec.read_answer, state),
        partial(rules.violation, state),
        partial(codec.describe_action, state),
        partial(codec.legal_replies, state),
    )


def _tell(state: State, call: Call, leave: Callable[[State, int], State]) -> Generator[Step, Any, State]:
    """Make a call that tells a player something; return the state without the player if it fails."""
    if not (yield from notify(call)):
        state = leave(state, call.seat)
        yield Show(codec.Shown(state))
    return state
