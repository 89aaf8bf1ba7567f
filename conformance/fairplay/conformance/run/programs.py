"""The files of a command, so that a certificate can name the program that was judged."""

from __future__ import annotations

import hashlib
import os
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from fairplay.server.links.spec import parse_link


class ProgramFile(NamedTuple):
    """A file of a command, as the command names it, and the sha256 of its content in hexadecimal digits."""

    file: str
    sha256: str


def program_files(player: str | Callable[[], object]) -> tuple[ProgramFile, ...]:
    """Return the executable of a started player and those of its arguments that are files; others have none.

    What a program loads by itself, such as its modules, is not named.
    """
    if not isinstance(player, str) or (link := parse_link(player)).kind != "exec":
        return ()
    executable, *arguments = shlex.split(link.value)
    words = [(executable, shutil.which(executable)), *((word, word) for word in arguments)]
    return tuple(ProgramFile(word, _digest(Path(path))) for word, path in words if path and _is_file(path))


def _is_file(word: str) -> bool:
    """Return whether a word of a command is a file; code on a command line is too long to be one."""
    return os.path.isfile(word)  # noqa: PTH113 - pathlib raises errors for what cannot be a path


def _digest(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:  # it can be run, or named, without being readable
        return ""
