"""How programs of players are run, from what an operator has typed."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from fairplay.sandbox.bubblewrap import Sandbox, choose_mode, choose_sandbox
from fairplay.sandbox.limits import DEFAULT_LIMITS, Limits, parse_limits

HIDDEN_VARIABLE, CONFINED_VARIABLE = "FAIRPLAY_PROGRAMS_HIDDEN", "FAIRPLAY_PROGRAMS_CONFINED"
"""What a server tells its children that start programs, too: the fields `hidden` and `confined` of ProgramOptions."""


@dataclass(frozen=True, slots=True)
class ProgramOptions:
    """How programs of players are run.

    `sandbox` None: in no sandbox. `folders`: what all of them may read besides the system's and their own folder.
    `hidden`: what none of them may read. `confined`: they must lie in the current folder or in one of `folders`.
    """

    sandbox: Sandbox | None = None
    limits: Limits = DEFAULT_LIMITS
    folders: Sequence[Path] = ()
    hidden: Sequence[Path] = ()
    confined: bool = False


def read_program_options(
    sandbox: str, limits: str, folders: str, environ: Mapping[str, str], *, confined: bool = False
) -> tuple[ProgramOptions, str]:
    """Return the options of these texts, and a sentence to say if there is no sandbox though one was wished for.

    Raises ValueError, with a sentence that says what to give instead, if a text cannot be read; SandboxMissingError if
    a sandbox is required and there is none.
    """
    allowed = parse_limits(limits)
    added = [Path(folder) for folder in folders.split(os.pathsep) if folder]
    for folder in added:
        if not folder.is_dir():
            raise ValueError(f"{folder} is not a folder that programs could read")
    found, missing = choose_sandbox(choose_mode(sandbox, environ))
    hidden = [Path(path) for path in environ.get(HIDDEN_VARIABLE, "").split(os.pathsep) if path]
    confined = confined or bool(environ.get(CONFINED_VARIABLE))
    return ProgramOptions(found, allowed, added, hidden, confined), missing
