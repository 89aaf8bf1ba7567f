"""`fairplay game`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from fairplay.terminal.commands.options import command, option
from fairplay.terminal.commands.parameters import Authorities, GameName, JsonFile, Players, ServerAddress, Setup


@dataclass(frozen=True, slots=True, kw_only=True)
class GameOptions:
    """What game is played, and by whom."""

    game: GameName
    player: Players
    server: ServerAddress = None
    ca: Authorities = None
    state: Annotated[Path | None, option("FILE", "A state to start from, as protobuf-JSON.")] = None
    setup: Setup
    json: JsonFile = None


@command
def game(options: GameOptions) -> int:
    """Play one game. The players sit in the order in which they are named.

    Exit code 1: the game was aborted, or nobody is left at its end.

    Examples:

    \b
      fairplay game fish --player bot:minimax --player bot:random --seed 1
      fairplay game fish --player me=exec:./my-player --player bot:greedy --set rows=6 --json result.json
    """
    from fairplay.terminal.playing.game import play_game

    return play_game(options)
