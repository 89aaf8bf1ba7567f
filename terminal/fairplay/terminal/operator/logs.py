"""Where the log of a server goes: standard error, as lines for people or as lines of JSON for programs."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable
from datetime import UTC, datetime

from fairplay.client.errors import UsageError

TEXT, JSON = "text", "json"
PERIOD_S = 60.0
MOST = 10
"""How many entries of one kind are logged in a period."""


class JsonFormatter(logging.Formatter):
    """Formats each entry as one line of JSON: time (UTC), level, logger, message, and the exception if there is one."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line of an entry."""
        line = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return json.dumps(line)


class RepeatFilter(logging.Filter):
    """Drops entries of one kind beyond MOST in a period; with the first entry of the next, says how many were dropped.

    Entries are of one kind if they have the same logger, text and type of exception, whatever is filled in.
    """

    def __init__(self, time_s: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._time_s = time_s
        self._counts: dict[tuple[str, str, object], int] = {}
        self._began_s = time_s()

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether an entry is logged."""
        now_s = self._time_s()
        if now_s - self._began_s > PERIOD_S:
            self._began_s, counts, self._counts = now_s, self._counts, {}
            for (name, text, _), count in counts.items():
                if count > MOST:
                    logging.getLogger(name).warning("%s more times: %s", f"{count - MOST:,}", text)
        kind = (record.name, str(record.msg), record.exc_info[0] if record.exc_info else None)
        self._counts[kind] = count = self._counts.get(kind, 0) + 1
        return count <= MOST


def start_log(form: str) -> None:
    """Begin to log in a format. Raises UsageError if there is no such format."""
    if form not in (TEXT, JSON):
        raise UsageError(f"--log-format {form!r}: there are {TEXT} and {JSON}")
    handler = logging.StreamHandler()
    text = logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s")
    handler.addFilter(RepeatFilter())
    handler.setFormatter(JsonFormatter() if form == JSON else text)
    logging.basicConfig(level=logging.INFO, handlers=[handler])
