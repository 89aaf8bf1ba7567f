"""A player of Eriantys. It does the first thing that is possible, and plays no characters."""

from __future__ import annotations

from fairplay.eriantys.v1.eriantys_pb2 import (
    ACTION_KIND_MOVE_MOTHER_NATURE,
    ACTION_KIND_TAKE_CLOUD,
    ACTION_KIND_TO_DINING_ROOM,
    ACTION_KIND_TO_ISLAND,
    Action,
    Color,
    EndTurn,
    MoveMotherNature,
    Options,
    TakeCloud,
    ToDiningRoom,
    ToIsland,
    TowerColor,
)
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
from fairplay.player.command import run_player


class Player:
    """One method for each call of the game. It remembers nothing: each question says what is possible."""

    game = "eriantys"

    def ask_tower_color(self, request: AskTowerColorRequest) -> AskTowerColorResponse:
        """Choose the colour of the towers: the first that is known here, as a later version may have added others."""
        return AskTowerColorResponse(
            color=next(each for each in request.possible_colors if each in TowerColor.values())
        )

    def start_game(self, request: StartGameRequest) -> None:
        """Hear how the game begins."""

    def ask_assistant_card(self, request: AskAssistantCardRequest) -> AskAssistantCardResponse:
        """Play an assistant."""
        return AskAssistantCardResponse(card=request.possible_cards[0])

    def ask_action(self, request: AskActionRequest) -> AskActionResponse:
        """Move a student or Mother Nature, take a cloud, or end the turn."""
        return AskActionResponse(action=choose(request.possible_actions))

    def update_game_board(self, request: UpdateGameBoardRequest) -> None:
        """Hear the new board."""

    def show_last_round(self, request: ShowLastRoundRequest) -> None:
        """Hear that this round is the last one."""

    def show_end_game(self, request: ShowEndGameRequest) -> None:
        """Hear who has won."""

    def show_disconnection(self, request: ShowDisconnectionRequest) -> None:
        """Hear that another player was lost."""


def choose(options: Options) -> Action:
    """Return the first possible action."""
    if ACTION_KIND_TO_DINING_ROOM in options.kinds:
        color = next(each for each in options.dining_colors if each in Color.values())
        return Action(to_dining_room=ToDiningRoom(color=color))
    if ACTION_KIND_TO_ISLAND in options.kinds:
        color = next(each for each in options.island_colors if each in Color.values())
        return Action(to_island=ToIsland(color=color, island=options.islands[0]))
    if ACTION_KIND_MOVE_MOTHER_NATURE in options.kinds:
        return Action(move_mother_nature=MoveMotherNature(steps=1))
    if ACTION_KIND_TAKE_CLOUD in options.kinds:
        return Action(take_cloud=TakeCloud(cloud=options.clouds[0]))
    return Action(end_turn=EndTurn())


if __name__ == "__main__":
    run_player(Player())
