"""`fairplay demo`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fairplay.terminal.outcomes import outcomes
from fairplay.terminal.parameters import JsonFile, SandboxMode, complete_game


def demo(
    game: Annotated[
        str, typer.Option("--game", metavar="GAME", help="The game to show.", autocompletion=complete_game)
    ] = "fish",
    records: Annotated[
        Path | None, typer.Option("--records", metavar="DIR", help="Keep the records here. Default: a new directory.")
    ] = None,
    seed: Annotated[
        int, typer.Option("--seed", metavar="N", min=0, max=2**53 - 1, help="The same seed, the same boards.")
    ] = 1,
    sandbox: SandboxMode = "auto",
    json: JsonFile = None,
) -> None:
    """Watch a tournament of ten programs, three of them broken.

    Each is a process of its own, and all that is said between them goes over gRPC.

    Example:

    \b
      fairplay demo
    """
    with outcomes():
        from fairplay.terminal.playing.demo import run_demo

        raise typer.Exit(run_demo(game, records, seed, sandbox, json))
