"""The tokens of names, kept in files of the person's own, so that a client that was ended comes back as the same user.

A lobby keeps the name of somebody who owns a table or plays a game for the token of that name. While a client runs, it
holds the lock of its file: a second one does not come in the place of the first.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import IO

UNSAFE = re.compile(r"[^A-Za-z0-9_.-]")


def usual_directory(environment: Mapping[str, str]) -> Path:
    """Return the directory in which this person's programs keep tokens."""
    state = environment.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(state) / "fairplay" / "lobby"


class TokenStore:
    """Keeps tokens in a directory; None keeps none. Where nothing can be written, nothing is kept."""

    def __init__(self, directory: Path | None) -> None:
        self._directory = directory
        self._file: IO[str] | None = None

    def open(self, address: str, name: str) -> str:
        """Lock and return the token of a name at an address; empty if there is none, or another client uses it."""
        self.close()
        if self._directory is None or not name:
            return ""
        with contextlib.suppress(OSError):
            self._file = _locked(self._directory / UNSAFE.sub("+", f"{address}_{name}"))
            return self._file.read().strip()
        return ""

    def keep(self, token: str) -> None:
        """Write the token of the name that was opened last."""
        if self._file is None:
            return
        with contextlib.suppress(OSError):
            self._file.seek(0)
            self._file.truncate()
            self._file.write(token)
            self._file.flush()

    def close(self) -> None:
        """Unlock the name for other clients."""
        if self._file is not None:
            self._file.close()
            self._file = None


def _locked(path: Path) -> IO[str]:
    """Return the file, open and locked. Raises OSError if that is impossible."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    file = os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), "r+", encoding="ascii", errors="replace")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        raise
    return file
