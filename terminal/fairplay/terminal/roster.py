"""`fairplay roster`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fairplay.terminal.outcomes import outcomes


def roster(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="A folder with a program in each folder or file.")],
    command: Annotated[
        str,
        typer.Option(
            "--command",
            "-c",
            metavar="TEMPLATE",
            help="The command that starts a program: {path} stands for its path, {name} for its name.",
        ),
    ],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="A new file. Default: print it.")
    ] = None,
    start_limit: Annotated[
        str | None, typer.Option("--start-limit", metavar="TIME", help="Time to come up, for each program.")
    ] = None,
) -> None:
    """Make a roster from a folder of programs, for fairplay tournament and fairplay certify.

    A program whose command names files that are not there is listed all the same, and named.

    Examples:

    \b
      fairplay roster programs/ --command 'python {path}/player.py' -o roster.toml
      fairplay roster programs/ --command 'sh -c "cd {path} && ./run"'
    """
    with outcomes():
        from fairplay.terminal.rosters.making import make_roster

        make_roster(folder, command, output, start_limit)
