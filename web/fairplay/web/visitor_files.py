"""Visitors on disk, so that their cookies, names and seats outlive the process of the pages."""

from __future__ import annotations

import contextlib
import fcntl
import json
import logging
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import IO, NamedTuple

from fairplay.client.lobby.tokens import TokenStore

LOCK = "lock"
VISITOR = "visitor.json"
LOG = logging.getLogger(__name__)


def usual_directory(environment: Mapping[str, str]) -> Path:
    """Return the directory in which the pages of whoever runs them keep their visitors."""
    state = environment.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(state) / "fairplay" / "web"


class KeptVisitor(NamedTuple):
    """What is kept of a visitor beside the tokens of its name: the name, and the token of its account, if it has one.

    `address` is the server where it has entered the lobby.
    """

    address: str
    name: str
    account_token: str


class VisitorFiles:
    """A directory with one directory for each visitor, named after the hash of its cookie; None keeps nothing.

    While these pages run they hold the lock of the directory: other pages that share it keep nothing.
    """

    def __init__(self, directory: Path | None) -> None:
        self._lock: IO[str] | None = None
        self._directory: Path | None = None
        if directory is not None:
            try:
                self._lock = _locked(directory)
                self._directory = directory
            except OSError as error:
                LOG.warning("visitors do not outlive these pages: %s: %s", directory, error.strerror)

    def tokens(self, visitor_id: str) -> TokenStore:
        """Return where the tokens of a visitor's name are kept."""
        return TokenStore(self._directory / visitor_id if self._directory is not None else None)

    def load(self, address: str) -> Mapping[str, KeptVisitor]:
        """Return the visitors of the lobby at an address, by their ids. Those that cannot be read are forgotten."""
        found = {}
        for path in self._directory.glob(f"*/{VISITOR}") if self._directory is not None else ():
            try:
                visitor = KeptVisitor(**json.loads(path.read_text("utf-8")))
            except (OSError, ValueError, TypeError):
                self.forget(path.parent.name)
                continue
            if visitor.address == address:
                found[path.parent.name] = visitor
        return found

    def keep(self, visitor_id: str, visitor: KeptVisitor) -> None:
        """Write a visitor down; only whoever runs the pages can read it."""
        if self._directory is None:
            return
        path = self._directory / visitor_id / VISITOR
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
                json.dump(visitor._asdict(), file)
        except OSError as error:
            LOG.warning("a visitor does not outlive these pages: %s: %s", path, error.strerror)

    def forget(self, visitor_id: str) -> None:
        """Remove a visitor."""
        if self._directory is not None:
            shutil.rmtree(self._directory / visitor_id, ignore_errors=True)

    def close(self) -> None:
        """Leave the directory to other pages."""
        if self._lock is not None:
            self._lock.close()
        self._lock = self._directory = None


def _locked(directory: Path) -> IO[str]:
    """Return the file whose lock is that of a directory. Raises OSError if other pages hold it."""
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    with contextlib.ExitStack() as stack:
        file = stack.enter_context((directory / LOCK).open("w"))
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        stack.pop_all()
        return file
