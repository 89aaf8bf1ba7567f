"""`fairplay roster`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from fairplay.terminal.commands.options import argument, command, option


@command
def roster(
    folder: Annotated[Path, argument("FOLDER", "A folder with a program in each folder or file.")],
    command: Annotated[
        str,
        option("TEMPLATE", "The command that starts a program: {path} stands for its path, {name} for its name.", "-c"),
    ],
    output: Annotated[Path | None, option("FILE", "A new file. Default: print it.", "-o")] = None,
    start_limit: Annotated[str | None, option("TIME", "Time to come up, for each program.")] = None,
) -> None:
    """Make a roster from a folder of programs, for fairplay tournament and fairplay certify.

    A program whose command names files that are not there is listed all the same, and named.

    Examples:

    \b
      fairplay roster programs/ --command 'python {path}/player.py' -o roster.toml
      fairplay roster programs/ --command 'sh -c "cd {path} && ./run"'
    """
    from fairplay.terminal.rosters.making import make_roster

    make_roster(folder, command, output, start_limit)
