"""`fairplay demo`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from fairplay.terminal.commands.options import command, option
from fairplay.terminal.commands.parameters import MAX_SEED, JsonFile, SandboxMode, complete_game


@command
def demo(
    game: Annotated[str, option("GAME", "The game to show.", autocompletion=complete_game)] = "fish",
    records: Annotated[Path | None, option("DIR", "Keep the records here. Default: a new directory.")] = None,
    seed: Annotated[int, option("N", "The same seed, the same boards.", min=0, max=MAX_SEED - 1)] = 1,
    sandbox: SandboxMode = "auto",
    json: JsonFile = None,
) -> int:
    """Watch a tournament of ten programs, three of them broken.

    Each is a process of its own, and all that is said between them goes over gRPC.

    Example:

    \b
      fairplay demo
    """
    from fairplay.terminal.playing.demo import run_demo

    return run_demo(game, records, seed, sandbox, json)
