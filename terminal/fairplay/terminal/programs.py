"""The options of programs that a command starts, and what is said where there is no sandbox for them."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from pathlib import Path

from fairplay.client.errors import UsageError
from fairplay.server.links.program import HIDDEN_VARIABLE, ProgramOptions, read_program_options
from fairplay.terminal.commands.parameters import Programs


def parse_program_options(typed: Programs, links: Iterable[str], *, confined: bool = False) -> ProgramOptions:
    """Return the options of programs as they were typed, and say aloud if one of the links has to do without a sandbox.

    Raises UsageError if they cannot be read, SandboxMissingError if a sandbox is required and there is none.
    """
    started = any(link.startswith("exec:") for link in links)
    try:
        sandbox = "off" if typed.sandbox == "auto" and not started else typed.sandbox
        options, missing = read_program_options(
            sandbox, typed.program_limits, typed.program_folders, os.environ, confined=confined
        )
    except ValueError as error:
        raise UsageError(str(error)) from None
    if missing:
        sys.stderr.write(f"fairplay: {missing}\n")
    return options


def hide_from_programs(file: Path) -> None:
    """Keep a file with secrets from all programs that this process, or a child of it, runs in sandboxes."""
    known = os.environ.get(HIDDEN_VARIABLE, "")
    os.environ[HIDDEN_VARIABLE] = os.pathsep.join(filter(None, (known, str(file.absolute()))))
