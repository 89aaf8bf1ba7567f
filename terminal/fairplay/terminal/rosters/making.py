"""What `fairplay roster` does."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

from fairplay.client.errors import UsageError
from fairplay.client.inputs import parse_seconds
from fairplay.client.text import counted
from fairplay.games.kit.files import Output
from fairplay.games.kit.printable import UNPRINTABLE
from fairplay.terminal.rosters.folder import find_programs, roster_text
from fairplay.terminal.rosters.roster import TimeLimits, parse_roster


def make_roster(folder: Path, template: str, output: Path | None, start_limit: str | None) -> None:
    """Write the roster of a folder to a new file, or print it; name what is missing."""
    if output is not None and output.exists():
        raise UsageError(f"{output} is there already: name another file, or remove it")
    if start_limit is not None:
        parse_seconds(start_limit, "--start-limit")
    try:
        found = find_programs(folder, template)
        text = roster_text([each.entrant for each in found], TimeLimits(start=start_limit), _comment(folder, template))
        parse_roster(text, str(folder))
    except ValueError as error:
        raise UsageError(str(error)) from None
    for each in found:
        for file in each.missing:
            sys.stderr.write(f"{each.entrant.name}: there is no {file}\n")
    if output is None:
        sys.stdout.write(text)
        return
    Output(output).write(text)
    sys.stdout.write(f"{output} lists {counted(len(found), 'entrant')}\n")


def _comment(folder: Path, template: str) -> str:
    made = f"Made by: fairplay roster {shlex.quote(str(folder))} --command {shlex.quote(template)}"
    return " ".join(made.translate(UNPRINTABLE).split())
