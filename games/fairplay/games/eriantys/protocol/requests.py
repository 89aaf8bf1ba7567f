"""The requests of one game of Eriantys. What stays the same is made once, and each board once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fairplay.eriantys.v1 import eriantys_pb2, eriantys_player_pb2
from fairplay.games.eriantys import rules
from fairplay.games.eriantys.protocol import answers, codec
from fairplay.games.eriantys.protocol.board import STANDINGS, put_public, reason_number
from fairplay.games.eriantys.rules import Phase, State
from fairplay.v1.misconduct_pb2 import RuleBreak


class Requests:
    """Makes the requests of a game. They are shared between calls and must not be changed."""

    def __init__(self, game_id: str, names: Sequence[str], settings: rules.Settings) -> None:
        self._game_id = game_id
        self._names = names
        self._settings = codec.short_settings_message(settings)
        self._state: State | None = None
        self._board = eriantys_player_pb2.UpdateGameBoardRequest(game_id=game_id)

    def board(self, state: State) -> eriantys_player_pb2.UpdateGameBoardRequest:
        """Return the board, the same for everybody."""
        if state is not self._state:
            board = eriantys_player_pb2.UpdateGameBoardRequest()
            board.CopyFrom(self._board)
            put_public(board.state, state, self._state)
            self._state, self._board = state, board
        return self._board

    def tower_color(
        self, state: State, seat: int, refused: RuleBreak | None
    ) -> eriantys_player_pb2.AskTowerColorRequest:
        """Return the question for a seat's tower colour."""
        request = eriantys_player_pb2.AskTowerColorRequest(
            game_id=self._game_id, seat=seat, state=self.board(state).state, settings=self._settings
        )
        request.possible_colors.extend([color + 1 for color in rules.free_tower_colors(state)])  # type: ignore[misc]
        _put_refusal(request, refused)
        return request

    def question(self, state: State, refused: RuleBreak | None) -> Any:
        """Return the question for the assistant, or for the next action, of the seat to decide."""
        kind = eriantys_player_pb2
        request: Any = kind.AskAssistantCardRequest() if state.phase is Phase.ASSISTANT else kind.AskActionRequest()
        request.game_id = self._game_id
        request.seat = state.active
        request.state.CopyFrom(self.board(state).state)
        request.settings.CopyFrom(self._settings)
        request.hand.extend(state.hands[state.active])
        if state.phase is Phase.ASSISTANT:
            request.possible_cards.extend(rules.playable_assistants(state))
        else:
            answers.put_options(request.possible_actions, state)
        _put_refusal(request, refused)
        return request

    def start(self, state: State, seat: int) -> eriantys_player_pb2.StartGameRequest:
        """Return the news that the game begins, for a seat."""
        return eriantys_player_pb2.StartGameRequest(
            game_id=self._game_id,
            seat=seat,
            state=self.board(state).state,
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
            state=self.board(state).state,
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
