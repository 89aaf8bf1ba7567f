"""A strategy behind the methods of the diagram: the reference player of Eriantys."""

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
    """Plays as its strategy says.

    Keeps nothing between calls, so it may be in any number of games, and go on with one of which it never saw the
    beginning: what it needs is in every question.
    """

    game = "eriantys"

    def __init__(self, spec: str) -> None:
        self.name = spec
        self._strategy = strategy(spec)
        self.quick = spec.partition(":")[0] in QUICK

    def ask_tower_color(self, request: AskTowerColorRequest) -> AskTowerColorResponse:
        """The first colour that is free, or what else the strategy likes."""
        view = codec.view(request.state, request.settings, request.seat, ())
        return cast("AskTowerColorResponse", answers.reply_message(self._strategy(view)))

    def start_game(self, request: StartGameRequest) -> None:
        """Settings and boards come with every question."""

    def ask_assistant_card(self, request: AskAssistantCardRequest) -> AskAssistantCardResponse:
        """The assistant of the strategy."""
        view = codec.view(request.state, request.settings, request.state.active_seat, request.hand)
        return cast("AskAssistantCardResponse", answers.reply_message(self._strategy(view)))

    def ask_action(self, request: AskActionRequest) -> AskActionResponse:
        """The action of the strategy."""
        view = codec.view(request.state, request.settings, request.state.active_seat, request.hand)
        return cast("AskActionResponse", answers.reply_message(self._strategy(view)))

    def update_game_board(self, request: UpdateGameBoardRequest) -> None:
        """The board comes with the next question, too."""

    def show_last_round(self, request: ShowLastRoundRequest) -> None:
        """That it is the last round is in the state."""

    def show_end_game(self, request: ShowEndGameRequest) -> None:
        """Nothing is left to do."""

    def show_disconnection(self, request: ShowDisconnectionRequest) -> None:
        """Who is there is in the state."""
