"""The requests of one game of Eriantys. What stays the same is made once, and each board once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fairplay.eriantys.v1 import eriantys_pb2, eriantys_player_pb2
from fairplay.games.eriantys import rules
from fairplay.games.eriantys.protocol import answers, codec
from fairplay.games.eriantys.protocol.board import STANDINGS, put_public, reason_number
from fairplay.games.eriantys.rules import Phase, State
from fairplay.games.kit.wire import Heads, write_field
from fairplay.v1.misconduct_pb2 import RuleBreak

_BOARD = write_field(eriantys_player_pb2.UpdateGameBoardRequest, "state")
_GAME_ID = write_field(eriantys_player_pb2.UpdateGameBoardRequest, "game_id")
_STATE = write_field(eriantys_player_pb2.AskActionRequest, "state")
_SETTINGS = write_field(eriantys_player_pb2.AskActionRequest, "settings")


class Requests:
    """Makes the requests of a game. A board is serialised once for all who are shown it."""

    def __init__(self, game_id: str, names: Sequence[str], settings: rules.Settings) -> None:
        self._game_id = game_id
        self._names = names
        self._settings = codec.short_settings_message(settings)
        self._heads = Heads(eriantys_player_pb2.AskActionRequest, game_id)
        self._settings_data = _SETTINGS(self._settings.SerializeToString())
        self._state: State | None = None
        self._shown = eriantys_pb2.State()
        self._board = b""

    def board(self, state: State) -> bytes:
        """Return the board, serialised: the same for everybody."""
        return _GAME_ID(self._game_id.encode()) + _BOARD(self._board_data(state))

    def _board_data(self, state: State) -> bytes:
        self._public(state)
        return self._board

    def _public(self, state: State) -> eriantys_pb2.State:
        """Return what everybody may see: a message that changes with the next state."""
        if state is not self._state:
            put_public(self._shown, state, self._state)
            self._state, self._board = state, self._shown.SerializeToString()
        return self._shown

    def tower_color(
        self, state: State, seat: int, refused: RuleBreak | None
    ) -> eriantys_player_pb2.AskTowerColorRequest:
        """Return the question for a seat's tower colour."""
        request = eriantys_player_pb2.AskTowerColorRequest(
            game_id=self._game_id, seat=seat, state=self._public(state), settings=self._settings
        )
        request.possible_colors.extend([color + 1 for color in rules.free_tower_colors(state)])  # type: ignore[misc]
        _put_refusal(request, refused)
        return request

    def question(self, state: State, refused: RuleBreak | None) -> bytes:
        """Return the question for the assistant, or the next action, of the seat to decide, serialised."""
        kind = eriantys_player_pb2
        request: Any = kind.AskAssistantCardRequest() if state.phase is Phase.ASSISTANT else kind.AskActionRequest()
        request.hand.extend(state.hands[state.active])
        if state.phase is Phase.ASSISTANT:
            request.possible_cards.extend(rules.playable_assistants(state))
        else:
            answers.put_options(request.possible_actions, state)
        _put_refusal(request, refused)
        board = _STATE(self._board_data(state))
        rest: bytes = request.SerializeToString()
        return self._heads[state.active] + board + self._settings_data + rest

    def start(self, state: State, seat: int) -> eriantys_player_pb2.StartGameRequest:
        """Return the news that the game begins, for a seat."""
        return eriantys_player_pb2.StartGameRequest(
            game_id=self._game_id,
            seat=seat,
            state=self._public(state),
            settings=self._settings,
            player_names=self._names,
            hand=state.hands[seat],
        )

    def last_round(self, state: State, seat: int) -> eriantys_player_pb2.ShowLastRoundRequest:
        """Return the news that this round is the last one, for a seat."""
        reason = reason_number(state.last_round)
        return eriantys_player_pb2.ShowLastRoundRequest(game_id=self._game_id, seat=seat, reason=reason)

    def end(self, state: State, seat: int) -> eriantys_player_pb2.ShowEndGameRequest:
        """Return the result, for a seat."""
        return eriantys_player_pb2.ShowEndGameRequest(
            game_id=self._game_id,
            seat=seat,
            state=self._public(state),
            winner_seats=rules.winners(state),
            reason=reason_number(state.reason),
        )

    def disconnection(self, state: State, seat: int, lost: int) -> eriantys_player_pb2.ShowDisconnectionRequest:
        """Return the news that the player of the seat `lost` was lost, for a seat."""
        standing = STANDINGS[state.standings[lost]]
        return eriantys_player_pb2.ShowDisconnectionRequest(
            game_id=self._game_id, seat=seat, lost_seat=lost, standing=standing
        )


def _put_refusal(request: Any, refused: RuleBreak | None) -> None:
    request.first_request = refused is None
    if refused is not None:
        request.refusal.CopyFrom(eriantys_pb2.Refusal(rule_id=refused.rule_id, explanation=refused.explanation))
