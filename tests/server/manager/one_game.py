"""A program that plays one game of Fish, and dies in its next one."""

from __future__ import annotations

import os
from typing import Any

from fairplay.games.game import find
from fairplay.player import serve


class OneGame:
    """A reference player whose process ends when it is called in a second game."""

    game = "fish"

    def __init__(self) -> None:
        self._player: Any = find("fish").player("first")
        self._game_id = ""

    def start(self, request: Any) -> None:
        pass

    def end(self, request: Any) -> None:
        pass

    def play_with(self, request: Any) -> None:
        pass

    def play_as(self, request: Any) -> None:
        if self._game_id:
            os._exit(3)
        self._game_id = request.game_id

    def setup(self, request: Any) -> Any:
        return self._player.setup(request)

    def take_turn(self, request: Any) -> Any:
        return self._player.take_turn(request)


if __name__ == "__main__":
    serve(OneGame(), os.environ["FAIRPLAY_LISTEN"])
