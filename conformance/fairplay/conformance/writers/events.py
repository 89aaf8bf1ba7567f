"""The writer of the events of a run, for programs that follow it: a line of JSON for each, as it happens."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import IO

from fairplay.conformance.run.judge import Began, CaseBegan, CaseJudged, Ended, Event
from fairplay.conformance.run.report import conclusion

MAX_SENTENCE_CHARS = 500


class EventsWriter:
    """Writes the events to a file or a named pipe. Raises OSError, with one sentence, if it cannot be opened."""

    def __init__(self, file: Path) -> None:
        self._path = file
        try:
            self._file: IO[str] = file.open("w", encoding="utf-8", errors="replace", buffering=1)
        except OSError as error:
            raise OSError(f"{file} cannot be written: {error.strerror}") from None

    def take(self, event: Event) -> None:
        """Write the line of an event; the last one closes the file."""
        try:
            self._file.write(json.dumps(_line(event)) + "\n")
            if isinstance(event, Ended):
                self._file.close()
        except OSError as error:
            raise OSError(f"{self._path} cannot be written: {error.strerror}") from None


def _line(event: Event) -> Mapping[str, object]:
    if isinstance(event, Began):
        return {"event": "began", "cases": [case.id for case in event.cases]}
    if isinstance(event, CaseBegan):
        return {"event": "case", "id": event.case_id}
    if isinstance(event, CaseJudged):
        judged = event.judged
        said = {"level": judged.level, "verdict": judged.verdict, "met": judged.met}
        return {"event": "judged", "id": judged.id, **said, "sentence": judged.sentence[:MAX_SENTENCE_CHARS]}
    return {"event": "ended", "conclusion": conclusion(event.report)[:MAX_SENTENCE_CHARS]}
