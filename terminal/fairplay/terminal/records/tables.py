"""Tables of rows as files for research: JSON Lines and Parquet. Rows are written as they come, however many."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

from fairplay.client.errors import UsageError
from fairplay.games.kit.files import whole_file
from fairplay.server.records.dataset import Row
from fairplay.terminal.commands.extras import missing_module

JSONL, PARQUET = "jsonl", "parquet"


class Table(Protocol):
    """A file that takes rows."""

    def add(self, rows: Sequence[Row]) -> None:
        """Append rows. Raises OSError if the file cannot be written."""


@contextmanager
def open_table(path: Path, columns: Mapping[str, str]) -> Iterator[Table]:
    """Open a new file by its suffix, .jsonl or .parquet. It is there under its name once all rows are in it.

    `columns`: name of each column -> its type. Raises OSError, with one sentence, if it cannot be written.
    """
    try:
        with (
            whole_file(path) as new,
            _open_jsonl(new) if path.suffix == f".{JSONL}" else _open_parquet(new, columns) as table,
        ):
            yield table
    except OSError as error:
        if error.strerror is None:  # a sentence of the other table's
            raise
        raise OSError(f"cannot write {path}: {error.strerror}") from None


def check_format(form: str) -> None:
    """Raise UsageError if tables of this format cannot be written here."""
    if form == PARQUET and (sentence := missing_module("pyarrow", "--format parquet", "data")) is not None:
        raise UsageError(sentence)


def _open_parquet(path: Path, columns: Mapping[str, str]) -> AbstractContextManager[Table]:
    from fairplay.terminal.records.parquet import open_parquet

    return open_parquet(path, columns)


# --- JSON Lines ---


@contextmanager
def _open_jsonl(path: Path) -> Iterator[Table]:
    with path.open("w", encoding="utf-8") as file:
        yield _JsonLines(file)


class _JsonLines:
    def __init__(self, file: Any) -> None:
        self._file = file

    def add(self, rows: Sequence[Row]) -> None:
        """Write a line for each row."""
        self._file.writelines(f"{json.dumps(row, default=_plain, separators=(',', ':'))}\n" for row in rows)


def _plain(time: datetime) -> str:
    return time.isoformat()
