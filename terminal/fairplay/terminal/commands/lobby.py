"""The command `fairplay lobby`."""

from __future__ import annotations

from typing import Annotated

import typer

from fairplay.terminal.commands.options import command, option
from fairplay.terminal.commands.parameters import Authorities

app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.command()
@command
def lobby(
    server: Annotated[str, option("HOST:PORT", "The server; grpcs:// over TLS.")] = "127.0.0.1:50050",
    ca: Authorities = None,
    name: Annotated[str, option("NAME", "Your name there. Default: asked.")] = "",
) -> None:
    """Meet others at tables: chat, watch games, and play them by hand.

    Full screen; the keys are shown at the bottom, ? shows help, q leaves.

    Example:

    \b
      fairplay lobby --server host:50050 --name alice
    """
    from fairplay.terminal.lobby.program import run_lobby

    run_lobby(server, name, ca)
