"""Where the log of a server goes: standard error, as lines for people or as lines of JSON for programs."""

from __future__ import annotations

import json
import logging
from datetime import UTC, datetime

from fairplay.terminal.outcomes import UsageError

TEXT, JSON = "text", "json"


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


def start_log(form: str) -> None:
    """Begin to log in a format. Raises UsageError if there is no such format."""
    if form not in (TEXT, JSON):
        raise UsageError(f"--log-format {form!r}: there are {TEXT} and {JSON}")
    handler = logging.StreamHandler()
    text = logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s")
    handler.setFormatter(JsonFormatter() if form == JSON else text)
    logging.basicConfig(level=logging.INFO, handlers=[handler])
