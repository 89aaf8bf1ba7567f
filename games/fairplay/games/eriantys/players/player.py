"""The reference player of Eriantys: a strategy behind the methods of a player."""

from __future__ import annotations

from typing import cast

from fairplay.eriantys.v1.eriantys_player_pb2 import (
    AskActionRequest,
    AskActionResponse,
    AskAssistantCardRequest,
    AskAssistantCardResponse,
    AskTowerColorRequest,
    AskTowerColorResponse,
    ShowDisconnectionRequest,
    ShowEndGameRequest,
    ShowLastRoundRequest,
    StartGameRequest,
    UpdateGameBoardRequest,
)
from fairplay.games.eriantys.players.strategies import strategy
from fairplay.games.eriantys.protocol import answers, codec

QUICK = ("first", "random")


class StrategyPlayer:
    """A player that plays as its strategy says.

    It remembers nothing, because what it needs is in every question: it may be in any number of games at once, and
    join a game after its beginning.
    """

    game = "eriantys"

    def __init__(self, spec: str) -> None:
        self.name = spec
        self._strategy = strategy(spec)
        self.quick = spec.partition(":")[0] in QUICK

    def ask_tower_color(self, request: AskTowerColorRequest) -> AskTowerColorResponse:
        """Return the tower colour of the strategy."""
        view = codec.view(request.state, request.settings, request.seat, ())
        return cast("AskTowerColorResponse", answers.reply_message(self._strategy(view)))

    def start_game(self, request: StartGameRequest) -> None:
        """Do nothing: settings and boards come with every question."""

    def ask_assistant_card(self, request: AskAssistantCardRequest) -> AskAssistantCardResponse:
        """Return the assistant of the strategy."""
        view = codec.view(request.state, request.settings, request.seat, request.hand)
        return cast("AskAssistantCardResponse", answers.reply_message(self._strategy(view)))

    def ask_action(self, request: AskActionRequest) -> AskActionResponse:
        """Return the action of the strategy."""
        view = codec.view(request.state, request.settings, request.seat, request.hand)
        return cast("AskActionResponse", answers.reply_message(self._strategy(view)))

    def update_game_board(self, request: UpdateGameBoardRequest) -> None:
        """Do nothing: the board comes with the next question, too."""

    def show_last_round(self, request: ShowLastRoundRequest) -> None:
        """Do nothing: that it is the last round is in the state."""

    def show_end_game(self, request: ShowEndGameRequest) -> None:
        """Do nothing: the game is over."""

    def show_disconnection(self, request: ShowDisconnectionRequest) -> None:
        """Do nothing: who is in the game is in the state."""
