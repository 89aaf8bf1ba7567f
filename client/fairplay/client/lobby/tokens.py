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

HEX = re.compile(r"([0-9a-f]{2})*")
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
        self._token = ""
        self.resume_token = b""
        """What resumes the stream of the player under this name, in which its open questions wait; empty if unknown."""

    def open(self, address: str, name: str) -> str:
        """Lock and return the token of a name at an address; empty if there is none, or another client uses it."""
        self.close()
        self._token, self.resume_token = "", b""
        if self._directory is None or not name:
            return ""
        with contextlib.suppress(OSError):
            self._file = _locked(self._directory / UNSAFE.sub("+", f"{address}_{name}"))
            self._token, _, resume = self._file.read().strip().partition("\n")
            self.resume_token = bytes.fromhex(resume) if HEX.fullmatch(resume) else b""
        return self._token

    def keep(self, token: str) -> None:
        """Write the token of the name that was opened last; with another one, nothing is there to be resumed."""
        if token != self._token:
            self._token, self.resume_token = token, b""
        self._write()

    def keep_resume_token(self, token: bytes) -> None:
        """Write the token that resumes the stream of the player under this name."""
        self.resume_token = token
        self._write()

    def _write(self) -> None:
        if self._file is None:
            return
        with contextlib.suppress(OSError):
            self._file.seek(0)
            self._file.truncate()
            self._file.write(f"{self._token}\n{self.resume_token.hex()}")
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
