"""The log of who did what, in lines of JSON. It holds no tokens, and nothing that players answer."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from fairplay.server.access.caller import Caller
from fairplay.server.records.errors import RecordsError

SUBJECTS = ("tournament_id", "game_id", "name", "table")
"""The fields of requests that say what they are about."""
MAX_CHARS = 128


class Audit:
    """A log that is appended to. Only its owner may read it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            path.touch(mode=0o600)
            self._file = path.open("a", encoding="utf-8", buffering=1)
        except OSError as error:
            raise RecordsError(f"the audit log {path} cannot be written: {error.strerror}") from None

    def note(self, caller: Caller, peer: str, method: str, request: Any, outcome: str) -> None:
        """Write who called a method, about what, and how that ended. Raises RecordsError if that is impossible."""
        line = {
            "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
            "account": caller.name,
            "address": peer,
            "method": method,
            **_about(request),
            "outcome": outcome,
        }
        try:
            self._file.write(json.dumps(line) + "\n")
        except OSError as error:
            raise RecordsError(f"the audit log {self._path} cannot be written: {error.strerror}") from None

    def close(self) -> None:
        """Close the log."""
        self._file.close()


def _about(request: Any) -> dict[str, str]:
    """Return what a request is about, cut to what a line should hold."""
    found = {name: str(value)[:MAX_CHARS] for name in SUBJECTS if (value := getattr(request, name, ""))}
    player = getattr(getattr(request, "player", None), "name", "")
    return {**found, **({"player": str(player)[:MAX_CHARS]} if player else {})}
