"""Tables of rows as files for research: JSON Lines and Parquet. Rows are written as they come, however many."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

from fairplay.client.errors import UsageError
from fairplay.games.kit.files import whole_file
from fairplay.server.records.dataset import INTEGER, INTEGERS, JSON, NUMBER, TEXT, TEXTS, TIME, Row
from fairplay.terminal.commands.extras import missing_module

JSONL, PARQUET = "jsonl", "parquet"
ROWS_AT_ONCE = 5_000
"""How many rows a group of a Parquet file has at the least, but for the last: what is kept in memory."""


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


# --- Parquet ---


@contextmanager
def _open_parquet(path: Path, columns: Mapping[str, str]) -> Iterator[Table]:
    import pyarrow
    from pyarrow import parquet

    types = {
        TEXT: pyarrow.string(),
        INTEGER: pyarrow.int64(),
        NUMBER: pyarrow.float64(),
        TIME: pyarrow.timestamp("us", "UTC"),
        JSON: pyarrow.string(),
        TEXTS: pyarrow.list_(pyarrow.string()),
        INTEGERS: pyarrow.list_(pyarrow.int64()),
    }
    schema = pyarrow.schema([(name, types[kind]) for name, kind in columns.items()])
    with parquet.ParquetWriter(path, schema, compression="zstd") as writer:
        json_columns = [name for name, kind in columns.items() if kind == JSON]
        table = _Parquet(lambda rows: writer.write_table(pyarrow.Table.from_pylist(rows, schema)), json_columns)
        yield table
        table.flush()


class _Parquet:
    """Columns of JSON are texts there. `write` writes a group of rows."""

    def __init__(self, write: Callable[[list[Row]], None], json_columns: Sequence[str]) -> None:
        self._write = write
        self._json_columns = json_columns
        self._rows: list[Row] = []

    def add(self, rows: Sequence[Row]) -> None:
        """Keep the rows, and write them once they are enough for a group."""
        self._rows.extend(row | {name: _packed(row[name]) for name in self._json_columns} for row in rows)
        if len(self._rows) >= ROWS_AT_ONCE:
            self.flush()

    def flush(self) -> None:
        """Write the rows that are kept."""
        if self._rows:
            self._write(self._rows)
            self._rows = []


def _packed(value: object) -> str | None:
    return None if value is None else json.dumps(value, separators=(",", ":"))
